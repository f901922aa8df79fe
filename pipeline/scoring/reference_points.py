"""Reference points: naive and human segmentations that show what a score is worth.

They depend only on a document's units, its references and (seed, document id), so they are the same
however the work is split and in whatever order documents and coders come.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, hash_names, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, offsets_of
from segscore.pipeline.scoring.draws import below, place_randomly


@dataclass(frozen=True)
class Codings:
    """Some documents and their references, all in units.

    Attributes:
        hashes: ``hash_names(...).hashes`` of the documents' ids, shape (documents,).
        n_units: N of each document, at least 1, shape (documents,).
        first: document d has the reference rows first[d]..first[d+1]-1, at least one; first[0] may
            be above 0, so that a slice of a run's documents can share its boundaries, shape
            (documents + 1,).
        boundaries: one row per reference; positions do not repeat.
        mean_size: mean segment size over all references of the run, pooled; at least 1.
        seed: seed of the run, in 0..2^64-1.
        draw: number of the draw of random points, from 0; draws are independent.
    """

    hashes: Hashes
    n_units: Ints
    first: Ints
    boundaries: Ragged
    mean_size: Fraction
    seed: int
    draw: int = 0

    @property
    def coders(self) -> Ints:
        """Number of references of each document, shape (documents,)."""
        return np.diff(self.first)


@dataclass(frozen=True)
class Points:
    """Segmentations made by one reference point, and the references to score them against.

    Attributes:
        boundaries: positions in units, one row per segmentation.
        document: document of each row, shape (rows,).
        ref_row: row of ``Codings.boundaries`` in each pair to score, shape (pairs,).
        hyp_row: row of ``boundaries`` in each pair, ascending, shape (pairs,).
    """

    boundaries: Ragged
    document: Ints
    ref_row: Ints
    hyp_row: Ints


@dataclass(frozen=True)
class ReferencePoint:
    """A way to segment a document without reading it.

    Attributes:
        meaning: description in one line.
        source: paper and section.
        scored_against: ``all``: one row per document, scored against each of its references;
            ``own``: one row per reference, scored against that reference only; ``others``: one row
            per reference, scored against the other references of the document.
        make: function that makes the rows.
    """

    meaning: str
    source: str
    scored_against: Literal["all", "own", "others"]
    make: Callable[[Codings], Ragged]


def sizes_in_units(n_units: Ints, boundaries: Ragged) -> tuple[int, int]:
    """Return the total size of some references in units, and the number of their segments.

    Args:
        n_units: N of each reference's document, shape (rows,).
        boundaries: one row per reference.
    """
    return int(n_units.sum()), int((boundaries.lengths + 1).sum())


def points(name: str, codings: Codings) -> Points:
    """Make the reference point ``name`` for some documents, with the pairs to score."""
    point = REFERENCE_POINTS[name]
    boundaries = point.make(codings)
    coders, start = codings.coders, codings.first[:-1]
    by_reference = np.repeat(np.arange(len(coders)), coders)
    rows = np.arange(codings.first[0], codings.first[-1])
    if point.scored_against == "all":
        return Points(boundaries, np.arange(len(coders)), rows, by_reference)
    if point.scored_against == "own":
        return Points(boundaries, by_reference, rows, rows - codings.first[0])
    partners = coders[by_reference]
    hyp_row = np.repeat(np.arange(len(rows)), partners)
    within = np.arange(len(hyp_row)) - np.repeat(np.cumsum(partners) - partners, partners)
    ref_row = start[by_reference][hyp_row] + within
    other = ref_row != rows[hyp_row]
    return Points(boundaries, by_reference, ref_row[other], hyp_row[other])


@kernel
def _start(
    hashes: Hashes, seed: np.uint64, purpose: np.uint64, draw: np.uint64, streams: Hashes
) -> None:
    key = mix(seed + GOLDEN_RATIO) ^ purpose ^ mix(draw * GOLDEN_RATIO)
    for d in range(len(hashes)):
        streams[d] = mix(hashes[d] ^ key)


def _streams(codings: Codings, purpose: str) -> Hashes:
    """Start a stream of random numbers per document, independent of those for other purposes."""
    streams = np.empty_like(codings.hashes)
    purpose_hash = hash_names(pa.array([purpose])).hashes[0]
    _start(codings.hashes, np.uint64(codings.seed), purpose_hash, np.uint64(codings.draw), streams)
    return streams


@kernel
def _draw_numbers(streams: Hashes, n_units: Ints, numbers: Ints) -> None:
    for d in range(len(streams)):
        numbers[d] = below(np.uint64(n_units[d]), streams[d])[0]


@kernel
def _toss_coins(streams: Hashes, n_units: Ints, offsets: Ints, values: Positions) -> None:
    written = 0
    offsets[0] = 0
    for d in range(len(streams)):
        stream = streams[d]
        coins = np.uint64(0)
        for position in range(1, n_units[d]):
            if position % 64 == 1:
                stream += GOLDEN_RATIO
                coins = mix(stream)
            if coins & np.uint64(1):
                values[written] = position
                written += 1
            coins >>= np.uint64(1)
        offsets[d + 1] = written


@kernel
def _space_evenly(
    units: Ints, segments: Ints, n_units: Ints, offsets: Ints, values: Positions
) -> None:
    """Place boundaries at the multiples of units / segments, each rounded half to even."""
    written = 0
    offsets[0] = 0
    for row in range(len(n_units)):
        step, step_rest = divmod(units[row], segments[row])
        position, remainder = step, step_rest
        while True:
            rounds_up = 2 * remainder > segments[row] or (
                2 * remainder == segments[row] and position % 2 == 1
            )
            if position + rounds_up >= n_units[row]:
                break
            values[written] = position + rounds_up
            written += 1
            position += step
            remainder += step_rest
            if remainder >= segments[row]:
                position += 1
                remainder -= segments[row]
        offsets[row + 1] = written


def _random_positions(codings: Codings, name: str, first: Ints, how_many: Ints) -> Ragged:
    """Place ``how_many`` boundaries in each row, with all choices of positions equally likely."""
    offsets = offsets_of(how_many)
    values = np.zeros(offsets[-1], np.int32)
    place_randomly(_streams(codings, name), codings.n_units, first, offsets, values)
    return Ragged(offsets, values)


def _even_spacing(units: Ints, segments: Ints, n_units: Ints) -> Ragged:
    offsets = np.empty(len(n_units) + 1, np.int64)
    values = np.zeros(((n_units - 1) // (units // segments)).sum(), np.int32)
    _space_evenly(units, segments, n_units, offsets, values)
    return Ragged(offsets, values[: offsets[-1]])


def _human(codings: Codings) -> Ragged:
    rows = codings.boundaries.offsets[codings.first[0] : codings.first[-1] + 1]
    return Ragged(rows, codings.boundaries.values)


def _none(codings: Codings) -> Ragged:
    return Ragged(np.zeros(len(codings.first), np.int64), np.empty(0, np.int32))


def _everywhere(codings: Codings) -> Ragged:
    ones = np.ones_like(codings.n_units)
    return _even_spacing(ones, ones, codings.n_units)


def _regular(codings: Codings) -> Ragged:
    n_units = np.repeat(codings.n_units, codings.coders)
    return _even_spacing(n_units, _human(codings).lengths + 1, n_units)


def _mean_size(codings: Codings) -> Ragged:
    units, segments = codings.mean_size.as_integer_ratio()
    ones = np.ones_like(codings.n_units)
    return _even_spacing(units * ones, segments * ones, codings.n_units)


def _random_known(codings: Codings) -> Ragged:
    first = codings.first - codings.first[0]
    return _random_positions(codings, "random-known", first, _human(codings).lengths)


def _random_unknown(codings: Codings) -> Ragged:
    how_many = np.empty_like(codings.n_units)
    _draw_numbers(_streams(codings, "random-unknown: how many"), codings.n_units, how_many)
    return _random_positions(codings, "random-unknown", np.arange(len(codings.first)), how_many)


def _random_mean(codings: Codings) -> Ragged:
    boundaries = np.diff(codings.boundaries.offsets[codings.first])
    whole, rest = np.divmod(boundaries, codings.coders)
    rounds_up = (2 * rest > codings.coders) | ((2 * rest == codings.coders) & (whole % 2 == 1))
    return _random_positions(
        codings, "random-mean", np.arange(len(codings.first)), whole + rounds_up
    )


def _coin(codings: Codings) -> Ragged:
    offsets = np.empty(len(codings.first), np.int64)
    values = np.zeros((codings.n_units - 1).sum(), np.int32)
    _toss_coins(_streams(codings, "coin"), codings.n_units, offsets, values)
    return Ragged(offsets, values[: offsets[-1]])


_G06 = "Georgescul, Clark & Armstrong 2006, 5.1"

REFERENCE_POINTS = {
    "none": ReferencePoint("no boundary", f"{_G06} (N0)", "all", _none),
    "all": ReferencePoint("a boundary at every position", f"{_G06} (All)", "all", _everywhere),
    "regular": ReferencePoint(
        "equal segments, as many as the reference has", "docs/measures.md", "own", _regular
    ),
    "regular-mean-size": ReferencePoint(
        "segments of the run's mean size", "Franz, McCarley & Xu 2007, 3", "all", _mean_size
    ),
    "random-known": ReferencePoint(
        "as many boundaries as the reference has, at random positions",
        f"{_G06} (RK)",
        "own",
        _random_known,
    ),
    "random-unknown": ReferencePoint(
        "a random number of boundaries, 0..N-1, at random positions",
        f"{_G06} (RU)",
        "all",
        _random_unknown,
    ),
    "random-mean": ReferencePoint(
        "as many boundaries as the document's coders have on average, at random positions",
        "Kazantseva & Szpakowicz 2012, 6",
        "all",
        _random_mean,
    ),
    "coin": ReferencePoint(
        "a boundary at each position with probability 1/2", "Choi 2000", "all", _coin
    ),
    "human": ReferencePoint(
        "each coder in turn, held out and scored against the others",
        "Fournier 2013, 6",
        "others",
        _human,
    ),
}

DENSE = ("all", "random-unknown", "coin")
"""Reference points whose boundaries grow in number with the units of a document."""

PER_UNIT = (*DENSE, "random-known", "random-mean", "random-own")
"""Reference points that take memory for each unit of a document."""
