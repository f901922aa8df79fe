"""Overlap measures: how well segments of both sides cover each other.

Purity and coverage; temporal IoU; the alignment of Ocampo Diaz & Ouyang 2022; pairs of units in one
segment, with the index of Rand 1971 and its adjustment for chance by Hubert & Arabie 1985; covering
(Arbeláez et al. 2011); segments with both ends right; B-cubed (Bagga & Baldwin 1998).
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Bits, Ints, Positions, row_values
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.fixed_point import FRACTION_BITS, fixed_point
from segscore.pipeline.measures.overlap_formulas import OVERLAP_MEASURES
from segscore.pipeline.measures.prefetch import Index
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

COUNTS = {
    "coverage_overlap": "sum over reference segments of the largest overlap with a hypothesis "
    "segment, in the unit of the run",
    "purity_overlap": "sum over hypothesis segments of the largest overlap with a reference "
    "segment, in the unit of the run",
    "tiou_references": "reference segments that have an overlap with IoU above tiou",
    "tiou_hypotheses": "hypothesis segments that have an overlap with IoU above tiou",
    "tiou_hits": "sum over the thresholds 0.50, 0.55, ..., 0.95 of the overlaps with IoU above the "
    "threshold",
    "alignment_edges": "pairs of segments of which at least one is the other's best partner",
    "alignment_sum": "sum of the IoU of these pairs, in units of 2^-40",
    "pairs_together": "pairs of units in one segment on both sides",
    "pairs_reference_only": "pairs of units in one segment of the reference only",
    "pairs_hypothesis_only": "pairs of units in one segment of the hypothesis only",
    "pairs_apart": "pairs of units in one segment on neither side",
    "covering_units": "sum over reference segments of their length times their largest IoU, each "
    "without its fraction",
    "covering_sum": "sum of the fractions that covering_units leaves out, in units of 2^-40",
    "exact_segments": "segments that both sides have, with both ends equal",
    "bcubed_precision_units": "sum over overlaps of their length squared, divided by that of the "
    "hypothesis segment, each without its fraction",
    "bcubed_precision_sum": "sum of the fractions that bcubed_precision_units leaves out, in units "
    "of 2^-40",
    "bcubed_recall_units": "sum over overlaps of their length squared, divided by that of the "
    "reference segment, each without its fraction",
    "bcubed_recall_sum": "sum of the fractions that bcubed_recall_units leaves out, in units of "
    "2^-40",
}

(
    _COVERAGE_OVERLAP,
    _PURITY_OVERLAP,
    _TIOU_REFERENCES,
    _TIOU_HYPOTHESES,
    _TIOU_HITS,
    _ALIGNMENT_EDGES,
    _ALIGNMENT_SUM,
    _PAIRS_TOGETHER,
    _PAIRS_REFERENCE_ONLY,
    _PAIRS_HYPOTHESIS_ONLY,
    _PAIRS_APART,
    _COVERING_UNITS,
    _COVERING_SUM,
    _EXACT_SEGMENTS,
    _BCUBED_PRECISION_UNITS,
    _BCUBED_PRECISION_SUM,
    _BCUBED_RECALL_UNITS,
    _BCUBED_RECALL_SUM,
) = range(18)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)

_MOST_EDGES = 1 << (63 - FRACTION_BITS)
"""The IoU of fewer pairs than this fit into 64 bits."""


_HALF = Fraction(1, 2)

_LONGEST = 2**31 - 1
"""Largest number of units of a document, and so the largest denominator of an IoU."""


class Threshold(NamedTuple):
    """The fraction above which an IoU counts, both numbers below 2^31."""

    numerator: int
    denominator: int


def threshold_of(tiou: Fraction, *, reached: bool = False) -> Threshold:
    """Return a threshold that fits 64-bit products, and that the same values of IoU are above.

    An IoU is a fraction with a denominator below 2^31.  It is above a threshold if and only if it
    is above the largest such fraction that is not above the threshold.

    Args:
        tiou: the threshold, 0 to 1.
        reached: whether an IoU equal to ``tiou`` is to be above the threshold as well.
    """
    nearest = tiou.limit_denominator(_LONGEST)
    if nearest < tiou or (nearest == tiou and not reached):
        return Threshold(nearest.numerator, nearest.denominator)
    # The next smaller fraction a / b is the one with nearest - a / b = 1 / (b * denominator) that
    # has the largest b.
    numerator, denominator = nearest.numerator, nearest.denominator
    smallest = pow(numerator, -1, denominator) if denominator > 1 else 1
    below = _LONGEST - (_LONGEST - smallest) % denominator
    return Threshold((numerator * below - 1) // denominator, below)


class _Partner(NamedTuple):
    """The best partner of a segment among those that it overlaps so far.

    Attributes:
        overlap: number of the overlap, counted from the left.
        shared: length of the overlap.
        length: length of the partner.
        passes: whether an overlap so far, not necessarily this one, has an IoU above the threshold.
    """

    overlap: int
    shared: int
    length: int
    passes: bool


@kernel
def _better(best: _Partner, overlap: int, shared: int, length: int, passes: bool) -> _Partner:
    """Return the better partner: largest overlap, then largest IoU, then leftmost.

    All partners of a segment share it, so of equal overlaps the shorter partner has the larger IoU.
    """
    passes = passes or best.passes
    if shared > best.shared or (shared == best.shared and length < best.length):
        return _Partner(overlap, shared, length, passes)
    return _Partner(best.overlap, best.shared, best.length, passes)


@kernel
def _align(best: _Partner, length: int, chosen: Bits, out: Ints) -> None:
    """Add a segment and its partner to the alignment, unless its partner has done so before."""
    if chosen[Index(best.overlap)]:
        return
    chosen[Index(best.overlap)] = 1
    out[_ALIGNMENT_EDGES] += 1
    out[_ALIGNMENT_SUM] += fixed_point(best.shared, best.length + length - best.shared)


@kernel
def _hits(shared: int, union: int) -> int:
    """Count the thresholds 0.50, 0.55, ..., 0.95 that an IoU is above."""
    if 2 * shared <= union:
        return 0
    return min(10, -(-20 * shared // union) - 10)


@kernel
def _pairs_of(units: int) -> int:
    return units * (units - 1) // 2


@kernel
def _add_share(product: int, whole: int, units: int, out: Ints) -> None:
    """Add product / whole to two counts: its whole part to ``units``, its fraction to the next."""
    out[units] += product // whole
    rest = product % whole
    if rest > 0:
        out[units + 1] += fixed_point(rest, whole)


@kernel
def _count_shared(shared: int, length: int, hyp_length: int, out: Ints) -> None:
    """Count what an overlap adds by itself, whatever else its two segments overlap."""
    out[_TIOU_HITS] += _hits(shared, length + hyp_length - shared)
    out[_PAIRS_TOGETHER] += _pairs_of(shared)
    out[_EXACT_SEGMENTS] += shared == length and shared == hyp_length
    _add_share(shared * shared, hyp_length, _BCUBED_PRECISION_UNITS, out)
    _add_share(shared * shared, length, _BCUBED_RECALL_UNITS, out)


@kernel
def _pairs_in_segments(side: Positions, n_units: int) -> int:
    """Count the pairs of units that are in one segment."""
    pairs = start = 0
    for position in side:
        pairs += _pairs_of(position - start)
        start = int(position)
    return pairs + _pairs_of(n_units - start)


@kernel
def _count_pairs_of_units(sides: tuple[Positions, Positions], n_units: int, out: Ints) -> None:
    """Count the other pairs of units, when those in one segment on both sides are counted."""
    together = out[_PAIRS_TOGETHER]
    in_ref, in_hyp = _pairs_in_segments(sides[0], n_units), _pairs_in_segments(sides[1], n_units)
    out[_PAIRS_REFERENCE_ONLY] = in_ref - together
    out[_PAIRS_HYPOTHESIS_ONLY] = in_hyp - together
    out[_PAIRS_APART] = _pairs_of(n_units) - in_ref - in_hyp + together


@kernel
def _count_pair(
    sides: tuple[Positions, Positions],
    n_units: int,
    threshold: Threshold,
    chosen: Bits,
    out: Ints,
) -> None:
    """Visit each overlap of a reference and a hypothesis segment once, from left to right.

    The scratch space ``chosen`` has an entry for each overlap, and ``out`` one for each count.
    """
    ref, hyp = sides
    r, h = Index(0), Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    here = start = hyp_start = overlap = 0
    covered, covered_of = 0, 1  # the largest IoU of the reference segment so far
    of_ref = of_hyp = _Partner(0, 0, 0, False)
    out[:] = 0
    chosen[: len(ref) + len(hyp) + 1] = 0
    while here < n_units:
        end = int(ref[r]) if r < ref_end else n_units
        hyp_stop = int(hyp[h]) if h < hyp_end else n_units
        until = min(end, hyp_stop)
        shared, length, hyp_length = until - here, end - start, hyp_stop - hyp_start
        union = length + hyp_length - shared
        passes = threshold.denominator * shared > threshold.numerator * union
        of_ref = _better(of_ref, overlap, shared, hyp_length, passes)
        of_hyp = _better(of_hyp, overlap, shared, length, passes)
        _count_shared(shared, length, hyp_length, out)
        if shared * covered_of > covered * union:
            covered, covered_of = shared, union
        if until == end:
            out[_COVERAGE_OVERLAP] += of_ref.shared
            out[_TIOU_REFERENCES] += of_ref.passes
            _align(of_ref, length, chosen, out)
            _add_share(length * covered, covered_of, _COVERING_UNITS, out)
            covered, covered_of = 0, 1
            of_ref = _Partner(0, 0, 0, False)
            start = end
            r += Index(1)
        if until == hyp_stop:
            out[_PURITY_OVERLAP] += of_hyp.shared
            out[_TIOU_HYPOTHESES] += of_hyp.passes
            _align(of_hyp, hyp_length, chosen, out)
            of_hyp = _Partner(0, 0, 0, False)
            hyp_start = hyp_stop
            h += Index(1)
        overlap += 1
        here = until
    _count_pairs_of_units(sides, n_units, out)


@kernel
def _count_pairs(pairs: SegmentationPairs, threshold: Threshold, counts: Ints) -> None:
    row = np.zeros(_ROWS, np.int64)
    chosen = np.zeros(0, np.uint8)
    for i in range(len(pairs.ref_row)):
        ref = row_values(pairs.references, pairs.ref_row[i])
        hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
        if len(ref) + len(hyp) >= len(chosen):
            chosen = np.zeros(2 * (len(ref) + len(hyp)) + 1, np.uint8)
        _count_pair((ref, hyp), pairs.n_units[i], threshold, chosen, row)
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count(pairs: SegmentationPairs, tiou: Fraction = _HALF, *, reached: bool = False) -> Ints:
    """Count the overlaps of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        pairs: the segmentations to compare.
        tiou: fraction that an IoU must exceed, 0 to 1; compared exactly.
        reached: whether an IoU equal to ``tiou`` is enough.

    Returns:
        One row per count of ``COUNTS``, shape (18, pairs).  Pairs of units are below 2^61.

    Raises:
        Unsuitable: a pair has so many segments that its sum of IoU does not fit into 64 bits.
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, threshold_of(tiou, reached=reached), counts)
    too_many = np.flatnonzero(counts[_ALIGNMENT_EDGES] >= _MOST_EDGES)
    if len(too_many):
        units = int(pairs.n_units[too_many[0]])
        raise Unsuitable(
            f"two segmentations of a document of {units} units have {_MOST_EDGES} segments or "
            "more: their alignment cannot be counted exactly; name other measures than those of "
            "overlap with --measures (`segscore measures` lists them), or divide the document"
        )
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    settings = compared.settings
    return count(compared.pairs, settings.iou, reached=settings.iou_reached)


MEASURES = OVERLAP_MEASURES
