"""Selected segments: those with some labels, paired one to one, and how far their ends are off.

As in the detection of advertisements: a segment of the hypothesis is right if it overlaps one of
the reference well enough, and each is in at most one pair.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, row_values
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.items import ItemArrays, Items, whole_segments
from segscore.pipeline.measures.measure import IDENTITY, Measure
from segscore.pipeline.measures.overlap import Threshold, threshold_of
from segscore.pipeline.measures.tolerance import most_pairs, tolerances

COUNTS = {
    "selected_matches": "pairs of a selected reference segment and a selected hypothesis segment",
    "selected_hypotheses": "selected segments of the hypothesis",
    "selected_references": "selected segments of the reference",
    "start_late": "sum over pairs of the units by which the hypothesis starts later",
    "start_early": "sum over pairs of the units by which the hypothesis starts earlier",
    "end_late": "sum over pairs of the units by which the hypothesis ends later",
    "end_early": "sum over pairs of the units by which the hypothesis ends earlier",
    "start_matches": "largest number of pairs of starts within the tolerance, each in at most one "
    "pair",
    "end_matches": "the same of ends",
}
_MATCHES, _HYPOTHESES, _REFERENCES, _START_LATE, _START_EARLY, _END_LATE, _END_EARLY = range(7)
_START_MATCHES, _END_MATCHES = 7, 8
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)


class _Side(NamedTuple):
    """The items of one segmentation, from left to right."""

    starts: Positions
    ends: Positions


class _Candidates(NamedTuple):
    """Pairs of items that overlap enough, from left to right: their items, and their IoU."""

    ref: Ints
    hyp: Ints
    shared: Ints
    union: Ints


@kernel
def _find(ref: _Side, hyp: _Side, threshold: Threshold, found: _Candidates) -> int:
    """Write the pairs of items whose IoU is above the threshold; return how many."""
    r = h = pairs = 0
    while r < len(ref.starts) and h < len(hyp.starts):
        start = max(int(ref.starts[r]), int(hyp.starts[h]))
        ref_end, hyp_end = int(ref.ends[r]), int(hyp.ends[h])
        shared = min(ref_end, hyp_end) - start
        if shared > 0:
            union = ref_end - ref.starts[r] + hyp_end - hyp.starts[h] - shared
            if threshold.denominator * shared > threshold.numerator * union:
                found.ref[pairs], found.hyp[pairs] = r, h
                found.shared[pairs], found.union[pairs] = shared, union
                pairs += 1
        r += ref_end <= hyp_end
        h += hyp_end <= ref_end
    return pairs


@kernel
def _comes_first(found: _Candidates, one: int, other: int) -> bool:
    """Return whether a candidate is paired before another: larger IoU, then further left."""
    larger, smaller = (
        found.shared[one] * found.union[other],
        found.shared[other] * found.union[one],
    )
    if larger != smaller:
        return bool(larger > smaller)
    if found.hyp[one] != found.hyp[other]:
        return bool(found.hyp[one] < found.hyp[other])
    return bool(found.ref[one] < found.ref[other])


@kernel
def _in_order(found: _Candidates, pairs: int) -> Ints:
    """Return the numbers of the candidates in the order in which they are paired: a merge sort."""
    order, merged = np.arange(pairs), np.empty(pairs, np.int64)
    width = 1
    while width < pairs:
        for start in range(0, pairs, 2 * width):
            middle, end = min(start + width, pairs), min(start + 2 * width, pairs)
            i, j = start, middle
            for k in range(start, end):
                left = j == end or (i < middle and not _comes_first(found, order[j], order[i]))
                merged[k] = order[i] if left else order[j]
                i += left
                j += not left
        order, merged = merged, order
        width *= 2
    return order


@kernel
def _match(ref: _Side, hyp: _Side, r: int, h: int, out: Ints) -> None:
    """Count a pair of items, and how far its ends are apart."""
    start, end = int(hyp.starts[h]) - int(ref.starts[r]), int(hyp.ends[h]) - int(ref.ends[r])
    out[_MATCHES] += 1
    out[_START_LATE] += max(0, start)
    out[_START_EARLY] += max(0, -start)
    out[_END_LATE] += max(0, end)
    out[_END_EARLY] += max(0, -end)


@kernel
def _count_pair(ref: _Side, hyp: _Side, threshold: Threshold, tolerance: int, out: Ints) -> None:
    """Pair the items of both sides one to one, the largest IoU first, and count."""
    out[:] = 0
    out[_REFERENCES], out[_HYPOTHESES] = len(ref.starts), len(hyp.starts)
    out[_START_MATCHES] = most_pairs(ref.starts, hyp.starts, tolerance)
    out[_END_MATCHES] = most_pairs(ref.ends, hyp.ends, tolerance)
    room = len(ref.starts) + len(hyp.starts)
    numbers = np.empty((4, room), np.int64)
    found = _Candidates(numbers[0], numbers[1], numbers[2], numbers[3])
    pairs = _find(ref, hyp, threshold, found)
    ref_taken, hyp_taken = np.zeros(len(ref.starts), np.uint8), np.zeros(len(hyp.starts), np.uint8)
    for number in _in_order(found, pairs):
        r, h = found.ref[number], found.hyp[number]
        if not ref_taken[r] and not hyp_taken[h]:
            ref_taken[r] = hyp_taken[h] = 1
            _match(ref, hyp, r, h, out)


@kernel
def _count_pairs(
    items: tuple[ItemArrays, ItemArrays],
    rows: tuple[Ints, Ints],
    threshold: Threshold,
    tolerance: Ints,
    counts: Ints,
) -> None:
    references, hypotheses = items
    row = np.zeros(_ROWS, np.int64)
    for i in range(len(rows[0])):
        r, h = rows[0][i], rows[1][i]
        ref = _Side(row_values(references.starts, r), row_values(references.ends, r))
        hyp = _Side(row_values(hypotheses.starts, h), row_values(hypotheses.ends, h))
        _count_pair(ref, hyp, threshold, tolerance[i], row)
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count_compared(compared: ComparedPairs) -> Ints:
    """Count the selected segments of each pair; all segments in a run that selects none.

    The time is proportional to the segments, but for sorting those that overlap enough.

    Returns:
        One row per count of ``COUNTS``, shape (9, pairs).
    """
    pairs, settings = compared.pairs, compared.settings
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    items = compared.items
    if items is None:
        items = (
            whole_segments(pairs.references, pairs.ref_row, pairs.n_units),
            whole_segments(pairs.hypotheses, pairs.hyp_row, pairs.n_units),
        )
    threshold = threshold_of(settings.iou, reached=settings.iou_reached)
    tolerance = tolerances(settings.reach, pairs.n_units)
    _count_pairs(_arrays(items), (pairs.ref_row, pairs.hyp_row), threshold, tolerance, counts)
    return counts


def _arrays(items: tuple[Items, Items]) -> tuple[ItemArrays, ItemArrays]:
    return items[0].arrays, items[1].arrays


_SELECTED = "segments with chosen labels, as in the detection of advertisements"
_LAWS = frozenset({IDENTITY})
_MATCHED = "selected_matches"

MEASURES = (
    Measure(
        "selected_precision",
        f"{_MATCHED} / selected_hypotheses",
        _SELECTED,
        _LAWS,
        better="higher",
        description="share of the selected hypothesis segments that are paired",
    ),
    Measure(
        "selected_recall",
        f"{_MATCHED} / selected_references",
        _SELECTED,
        _LAWS,
        better="higher",
        description="share of the selected reference segments that are paired",
    ),
    Measure(
        "selected_f1",
        f"(1 + beta**2) * {_MATCHED} / (beta**2 * selected_references + selected_hypotheses)",
        f"{_SELECTED}; F_beta",
        _LAWS,
        better="higher",
        description="harmonic mean of selected_precision and selected_recall",
    ),
    *(
        Measure(
            f"{end}_bias",
            f"({end}_late - {end}_early) / {_MATCHED}",
            _SELECTED,
            _LAWS,
            better="neither",
            lower=None,
            upper=None,
            description=f"mean over pairs of the {end} in the hypothesis minus that in the "
            "reference, in units",
        )
        for end in ("start", "end")
    ),
    *(
        Measure(
            f"{end}_error",
            f"({end}_late + {end}_early) / {_MATCHED}",
            _SELECTED,
            _LAWS,
            upper=None,
            description=f"mean over pairs of the distance between the {end} in the hypothesis and "
            "that in the reference, in units",
        )
        for end in ("start", "end")
    ),
    *(
        Measure(
            f"{end}_f1",
            f"(1 + beta**2) * {end}_matches / "
            "(beta**2 * selected_references + selected_hypotheses)",
            f"{_SELECTED}; F_beta",
            _LAWS,
            better="higher",
            description=f"harmonic mean of the shares of the {end}s on both sides that are paired "
            "within the tolerance",
        )
        for end in ("start", "end")
    ),
)
