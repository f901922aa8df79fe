"""Find systems whose boundaries are off by one and the same number of units, whatever it is.

A system that counts units from another start, or whose recording was cut, is equally far from many
boundaries of the references.  Such a shift is looked for in a sample of the documents of a run.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, Ragged
from segscore.pipeline.scoring.view import View

_DOCUMENTS = 200
"""About how many documents of a run are looked at, ..."""

_FIRST = 100
"""... how many boundaries of each hypothesis, ..."""

_NEAR = 4
"""... and how many boundaries of its reference on either side of each."""

_SHARE = 0.25
"""A shift is named if at least this share of the boundaries that do not match have it, ..."""

_TIMES_EXACT, _TIMES_SECOND = 1.5, 2
"""... more than so many times as many as match, so many times as many as have another one, ..."""

_BY_CHANCE = 0.01
"""... and chance gives any shift so many boundaries with at most this probability."""

_BESIDE = 3
"""Shifts that differ by at most so many units tell how many boundaries have one by chance."""

_ROUNDED = (1000, 100)
"""Units that positions are often multiples of: milliseconds of seconds, and of tenths of them."""

_NEGLIGIBLE = 1e-12

Differences = dict[str, Ints]
"""System -> for each boundary that matches 0, and for each other one the distances to it from near
boundaries of the reference that have no match either, in units."""


@dataclass(frozen=True)
class Shift:
    """A shift that many boundaries of a system have.

    Attributes:
        units: by how many units they are early; negative if they are late.
        boundaries: number of boundaries that have it.
        exact: number of those that match.
        unmatched: number of those that do not.
    """

    units: int
    boundaries: int
    exact: int
    unmatched: int


def sample_differences(view: View, documents: int) -> tuple[Differences, dict[str, int]]:
    """List differences between hypotheses and the first reference of each document of the sample.

    Args:
        view: some hypotheses beside the references of their documents.
        documents: number of documents of the run.

    Returns:
        The differences, and how many boundaries of each system were looked at.
    """
    hypotheses, pairs, references = view.hypotheses, view.pairs, view.references
    document = references.document[pairs.ref_row]
    chosen = references.first[document] == pairs.ref_row
    if documents > _DOCUMENTS:
        chosen &= (references.resampling.documents < 2**64 // documents * _DOCUMENTS)[document]
    ref_row, hyp_row = pairs.ref_row[chosen], pairs.hyp_row[chosen]
    own = _numbered_positions(hypotheses.side.in_units, hyp_row, _FIRST)
    pair, difference = _compare(_numbered_positions(references.side.in_units, ref_row), own)
    code, names = hypotheses.system.code[hyp_row], hypotheses.system.names
    looked_at = np.bincount(code[own >> 32], minlength=len(names)).tolist()
    order = np.argsort(code[pair], kind="stable")
    cuts = np.searchsorted(code[pair][order], np.arange(1, len(names)))
    by_system = zip(names, np.split(difference[order], cuts), looked_at, strict=True)
    found = {name: (differences, number) for name, differences, number in by_system if number}
    return {name: one for name, (one, _) in found.items()}, {n: of for n, (_, of) in found.items()}


def _numbered_positions(boundaries: Ragged, rows: Ints, most: int | None = None) -> Ints:
    """Return the positions of rows, at most so many of each, after their number times 2^32."""
    lengths = boundaries.lengths[rows]
    lengths = lengths if most is None else np.minimum(lengths, most)
    number = np.repeat(np.arange(len(rows)), lengths)
    within = np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    positions = boundaries.values[boundaries.offsets[rows][number] + within]
    return np.unique(number << 32 | positions)


def _compare(true: Ints, own: Ints) -> tuple[Ints, Ints]:
    """Return the differences between two sides, and the number of the pair of each.

    Both are the numbers of pairs times 2^32 plus positions, ascending.
    """
    alone, matched = true[~np.isin(true, own)], np.isin(own, true)
    pairs, differences = [own[matched] >> 32], [np.zeros(int(matched.sum()), np.int64)]
    moved = own[~matched]
    after = np.searchsorted(alone, moved)
    for place in range(-_NEAR, _NEAR):
        at = after + place
        inside = (at >= 0) & (at < len(alone))
        near, beside = alone[at[inside]], moved[inside]
        same = near >> 32 == beside >> 32
        pairs.append(beside[same] >> 32)
        differences.append(near[same] - beside[same])
    return np.concatenate(pairs), np.concatenate(differences)


def join_differences(parts: Iterable[Differences]) -> Differences:
    """Join the differences of each system in disjoint parts of a run."""
    joint: dict[str, list[Ints]] = {}
    for part in parts:
        for system, differences in part.items():
            joint.setdefault(system, []).append(differences)
    return {system: np.concatenate(lists) for system, lists in joint.items()}


def find_shift(differences: Ints, looked_at: int) -> Shift | None:
    """Return the shift that stands out among the differences of a system, if one does.

    Args:
        differences: as in ``Differences``.
        looked_at: number of its boundaries that they are about.
    """
    values, counts = np.unique(differences, return_counts=True)
    exact = int(counts[values == 0].sum())
    counts, values = counts[values != 0], values[values != 0]
    if not len(values):
        return None
    best = int(np.lexsort((values, np.abs(values), -counts))[0])
    units, number = int(values[best]), int(counts[best])
    others = np.delete(counts, best)
    stands_out = (
        number >= _SHARE * (looked_at - exact)
        and number > _TIMES_EXACT * exact
        and number >= _TIMES_SECOND * others.max(initial=1)
    )
    if not stands_out:
        return None
    step = next((size for size in _ROUNDED if not (values % size).any()), 1)
    possible = (int(values.max()) - int(values.min())) // step + 1
    beside = np.abs(np.delete(values, best) - units) <= _BESIDE * step
    by_neighbours = others[beside].sum() + exact * (abs(units) <= _BESIDE * step)
    by_chance = max(counts.sum() / possible, by_neighbours / (2 * _BESIDE))
    if possible * _at_least(number, float(by_chance)) > _BY_CHANCE:
        return None
    return Shift(units, number, exact, looked_at - exact)


def _at_least(number: int, mean: float) -> float:
    """Return the probability of a number or more if it has Poisson's distribution.

    >>> round(_at_least(4, 2), 6)
    0.142877
    """
    total, count = 0.0, number
    while True:
        term = exp(count * log(mean) - mean - lgamma(count + 1))
        total += term
        if count > mean and term <= total * _NEGLIGIBLE:
            return total
        count += 1
