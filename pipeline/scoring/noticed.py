"""Count what a scoring run warns of: attributes that differ, early positions, constant shifts."""

from collections.abc import Collection, Iterator, Mapping
from math import exp, lgamma, log

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged
from segscore.pipeline.measures.constant_shift import FARTHEST, count_shifted
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.results.names import is_point
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.scoring.pairs import Hypotheses
from segscore.pipeline.scoring.references import References
from segscore.pipeline.statistics.shown_numbers import counted
from segscore.pipeline.tables.units import NEAR, describe_long_segments

Noticed = dict[tuple[str, str, int], int]
"""Numbers by what they count, of which column, table or system, and after which shift in units, 0
if none; those of several parts are added up."""

_DIFFERS, _OVERRULED = "differs", "overruled"
_ROWS, _FAR = ("rows", "", 0), ("rows of a length far from their document's", "", 0)
_POSITIONS, _LATE, _MATCHES = "positions", "late", "matches"
_UNITS, _SEGMENTS = ("units of references", "", 0), ("segments of references", "", 0)
_EXPECTED = "expected"
"""How many millionths of a match chance gives each shift of a system."""
_FEWEST = 3
"""The fewest positions of a table that are said to be early."""

_SURELY = 4
"""A shift is named if its further matches, squared, are at least this number times all matches."""

_BY_CHANCE = 0.0001
"""Largest probability that chance gives any shift as many matches, at which a shift is named."""

_MILLION = 10**6

_NEGLIGIBLE = 1e-12

_PEAK = 3
"""A shift is named if it has at least one in this number of the matches of all shifts: those of a
system that numbers units differently have a peak, those of chance are spread evenly."""


def notice_pairs(
    hypotheses: Hypotheses, pairs: Pairs, references: References, group_by: Collection[str]
) -> Noticed:
    """Count the attributes that differ, and the positions, of some hypotheses and references."""
    counts: Noticed = {}
    for name in group_by:
        if name not in references.attributes.column_names:
            continue
        used = references.attributes.column(name).take(pa.array(pairs.ref_row))
        if name in hypotheses.attributes.column_names:
            own = pairs.hypothesis_column(hypotheses.attributes.column(name))
            counts[_DIFFERS, name, 0] = len(np.unique(pairs.hyp_row[_differ(own, used)]))
        if name in references.overruled.column_names:
            own = references.overruled.column(name).take(pa.array(pairs.ref_row))
            counts[_OVERRULED, name, 0] = int(_differ(own, used).sum())
    paired = np.zeros(len(references), bool)
    paired[pairs.ref_row] = True
    rows = np.flatnonzero(paired)
    units = references.units[references.document]
    sides = {
        "hypotheses": (
            hypotheses.side.in_units,
            np.arange(len(hypotheses.document)),
            references.units[hypotheses.document],
        ),
        "references": (references.side.in_units, rows, units[rows]),
    }
    for table, (boundaries, chosen, n_units) in sides.items():
        positions, late = _count_late(boundaries, chosen, n_units)
        counts |= {(_POSITIONS, table, 0): positions, (_LATE, table, 0): late}
    segments = int((references.side.in_units.lengths[rows] + 1).sum())
    counts |= {_UNITS: int(units[rows].sum()), _SEGMENTS: segments}
    return counts | _notice_shifts(hypotheses, pairs, references, units)


def notice_lengths(rows: int, far: int) -> Noticed:
    """Count hypotheses, and those of a length far from their document's."""
    return {_ROWS: rows, _FAR: far}


def _notice_shifts(
    hypotheses: Hypotheses, pairs: Pairs, references: References, units: Ints
) -> Noticed:
    """Count the exact matches of each system as it is, and moved by one to three units."""
    systems = hypotheses.system
    sides = pair_rows(
        references.side.in_units,
        hypotheses.side.in_units,
        pairs.ref_row,
        pairs.hyp_row,
        units[pairs.ref_row],
    )
    code = systems.code[pairs.hyp_row]
    matches = count_shifted(sides, code, len(systems.names))
    lengths = [
        side.in_units.lengths[rows].astype(np.float64)
        for side, rows in ((references.side, pairs.ref_row), (hypotheses.side, pairs.hyp_row))
    ]
    places = np.maximum(units[pairs.ref_row] - 1, 1)
    by_pair = np.floor(lengths[0] * lengths[1] / places * _MILLION)  # whole: the sum is exact
    expected = np.bincount(code, by_pair, len(systems.names))
    by_chance = {
        (_EXPECTED, name, 0): int(number)
        for name, number in zip(systems.names, expected, strict=True)
    }
    return by_chance | {
        (_MATCHES, name, index - FARTHEST): int(number)
        for name, row in zip(systems.names, matches, strict=True)
        for index, number in enumerate(row)
        if number
    }


def _differ(own: pa.ChunkedArray, used: pa.ChunkedArray) -> Flags:
    """Return where two columns have different values, none of them null."""
    if own.type != used.type:
        own, used = own.cast(pa.string()), used.cast(pa.string())
    return np.asarray(pc.fill_null(pc.not_equal(own, used), False), bool)


def _count_late(boundaries: Ragged, rows: Ints, n_units: Ints) -> tuple[int, int]:
    """Count the positions of rows, and the rows that have one after a hundredth of the length."""
    lengths = boundaries.lengths[rows]
    filled = lengths > 0
    last = boundaries.values[boundaries.offsets[rows[filled] + 1] - 1].astype(np.int64)
    return int(lengths.sum()), int((last * 100 > n_units[filled]).sum())


def warn_of_noticed(noticed: Noticed) -> list[str]:
    """Return a warning of each attribute that differs, early table, and system that is shifted."""
    warnings = []
    for (kind, name, _), number in sorted(noticed.items()):
        if kind == _DIFFERS and number:
            warnings.append(
                f"--group-by {name}: in {number:,} {_hypotheses(number)}, it is not what the "
                "references or documents say; their value is used"
            )
        if kind == _OVERRULED and number:
            warnings.append(
                f"--group-by {name}: in {counted(number, 'pair')}, the references table says "
                "something else than the documents; the documents' value is used"
            )
        if kind == _POSITIONS and number >= _FEWEST and not noticed[_LATE, name, 0]:
            warnings.append(
                f"{name}: all positions ({number}) are in the first hundredth of their document; "
                "check that boundaries and n_units are in the same unit"
            )
    return warnings + _warn_of_lengths(noticed) + _warn_of_shifts(noticed)


def _hypotheses(number: int) -> str:
    return "hypothesis" if number == 1 else "hypotheses"


def warn_of_long_segments(noticed: Noticed) -> list[str]:
    """Return a warning if segments are long in units whose n_t nobody chose."""
    return describe_long_segments("references", noticed.get(_UNITS, 0), noticed.get(_SEGMENTS, 0))


def warn_of_large_limit(noticed: Noticed, n_t: int) -> list[str]:
    """Return a warning if near misses may be more than half a segment apart.

    A limit of 2, with which only neighbours are near misses, is as small as can be.
    """
    units, segments = noticed.get(_UNITS, 0), noticed.get(_SEGMENTS, 0)
    if n_t <= NEAR or 2 * (n_t - 1) * segments <= units:
        return []
    return [
        f"n_t is {n_t:,}: boundaries up to {n_t - 1:,} units apart are near misses, and segments "
        f"of the references have {units / segments:,.1f} units on average, so that chance makes "
        "many; choose a smaller --n-t, or check the unit: characters and tokens are imported with "
        "--unit"
    ]


def _warn_of_lengths(noticed: Noticed) -> list[str]:
    """Return a warning if most hypotheses are only scored because lengths may differ."""
    rows, far = noticed.get(_ROWS, 0), noticed.get(_FAR, 0)
    if far * 2 <= rows:
        return []
    return [
        f"hypotheses: {far:,} of {rows:,} are more than 2 % longer or shorter than their document; "
        "--length-tolerance allows it, but the units seem to differ, such as sentences and "
        "paragraphs: segment both in the same units, or carry one to the other with segscore "
        "project"
    ]


def _warn_of_shifts(noticed: Noticed) -> list[str]:
    """Return a warning for each system that a constant shift would improve by more than half."""
    by_system: dict[str, dict[int, int]] = {}
    for (kind, name, shift), number in noticed.items():
        if kind == _MATCHES:
            by_system.setdefault(name, {})[shift] = number
    return [
        warning
        for name, matches in sorted(by_system.items())
        if not is_point(name)
        for warning in _warn_of_shift(
            name, matches, noticed.get((_EXPECTED, name, 0), 0) / _MILLION
        )
    ]


def _warn_of_shift(name: str, matches: Mapping[int, int], expected: float) -> Iterator[str]:
    """Warn of a shift whose matches stand out from those of the others, and from chance."""
    now = matches.get(0, 0)
    best = max(matches, key=lambda shift: (matches[shift], -abs(shift), shift))
    more = matches[best] - now
    sure = more * more >= _SURELY * (matches[best] + now)
    others = (sum(matches.values()) - matches[best]) / (2 * FARTHEST)
    by_chance = 2 * FARTHEST * _at_least(matches[best], max(expected, others))
    is_peak = _PEAK * matches[best] >= sum(matches.values()) and by_chance <= _BY_CHANCE
    if 2 * more > now and sure and is_peak:
        units = "1 unit" if abs(best) == 1 else f"{abs(best)} units"
        yield (
            f"{name}: {matches[best]:,} of its boundaries instead of {now:,} would match exactly "
            f"if all were {units} {'later' if best > 0 else 'earlier'}; check how it numbers "
            "units: a boundary is the number of units before it"
        )


def _at_least(number: int, mean: float) -> float:
    """Return the probability of a number or more if it has Poisson's distribution.

    >>> round(_at_least(4, 2), 6), _at_least(3, 0)
    (0.142877, 0.0)
    """
    if mean <= 0:
        return 0.0
    total, count = 0.0, number
    while True:
        term = exp(count * log(mean) - mean - lgamma(count + 1))
        total += term
        if count > mean and term <= total * _NEGLIGIBLE:
            return total
        count += 1
