"""Overlap measures: how well segments of both sides cover each other.

Purity and coverage; temporal IoU; the alignment of Ocampo Diaz & Ouyang 2022; pairs of units in one
segment, with the index of Rand 1971 and its adjustment for chance by Hubert & Arabie 1985.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Bits, Ints, Positions, row_values
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.prefetch import Index
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs
from segscore.pipeline.measures.tolerance import F_OF_TWO

COUNTS = {
    "coverage_overlap": "sum over reference segments of the largest overlap with a hypothesis "
    "segment, in the unit of the run",
    "purity_overlap": "sum over hypothesis segments of the largest overlap with a reference "
    "segment, in the unit of the run",
    "tiou_references": "reference segments that have an overlap with IoU above tiou",
    "tiou_hypotheses": "hypothesis segments that have an overlap with IoU above tiou",
    "tiou_hits": "sum over the thresholds .50, .55, ..., .95 of the overlaps with IoU above the "
    "threshold",
    "alignment_edges": "pairs of segments of which at least one is the other's best partner",
    "alignment_sum": "sum of the IoU of these pairs, in units of 2^-40",
    "pairs_together": "pairs of units in one segment on both sides",
    "pairs_reference_only": "pairs of units in one segment of the reference only",
    "pairs_hypothesis_only": "pairs of units in one segment of the hypothesis only",
    "pairs_apart": "pairs of units in one segment on neither side",
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
) = range(11)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)

_ALIGNMENT_BITS = 40
"""The IoU of a pair is counted in units of 2^-_ALIGNMENT_BITS."""

_HALF_BITS = _ALIGNMENT_BITS // 2

_MOST_EDGES = 1 << (63 - _ALIGNMENT_BITS)
"""The IoU of fewer pairs than this fit into 64 bits."""


_HALF = Fraction(1, 2)

_LONGEST = 2**31 - 1
"""Largest number of units of a document, and so the largest denominator of an IoU."""


class Threshold(NamedTuple):
    """The fraction above which an IoU counts, both numbers below 2^31."""

    numerator: int
    denominator: int


def threshold_of(tiou: Fraction) -> Threshold:
    """Return a threshold that fits 64-bit products, and that the same values of IoU are above.

    An IoU is a fraction with a denominator below 2^31.  It is above a threshold if and only if it
    is above the largest such fraction that is not above the threshold.
    """
    nearest = tiou.limit_denominator(_LONGEST)
    if nearest <= tiou:
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
    """Add a segment and its partner to the alignment, unless its partner has done so before.

    The IoU L / U is rounded to the nearest multiple of 2^-40 in integers; it cannot lie half way
    between two, because U < 2^40.
    """
    if chosen[Index(best.overlap)]:
        return
    chosen[Index(best.overlap)] = 1
    union = best.length + length - best.shared
    shifted = best.shared << _HALF_BITS
    whole, rest = shifted // union, shifted % union
    out[_ALIGNMENT_EDGES] += 1
    out[_ALIGNMENT_SUM] += (whole << _HALF_BITS) + ((rest << (_HALF_BITS + 1)) + union) // (
        2 * union
    )


@kernel
def _hits(shared: int, union: int) -> int:
    """Count the thresholds .50, .55, ..., .95 that an IoU is above."""
    if 2 * shared <= union:
        return 0
    return min(10, -(-20 * shared // union) - 10)


@kernel
def _pairs_of(units: int) -> int:
    return units * (units - 1) // 2


@kernel
def _pairs_in_segments(side: Positions, n_units: int) -> int:
    """Count the pairs of units that are in one segment."""
    pairs = start = 0
    for position in side:
        pairs += _pairs_of(position - start)
        start = int(position)
    return pairs + _pairs_of(n_units - start)


@kernel
def _count_pairs_of_units(
    sides: tuple[Positions, Positions], n_units: int, together: int, out: Ints
) -> None:
    """Count the pairs of units, given how many are in one segment on both sides."""
    in_ref, in_hyp = _pairs_in_segments(sides[0], n_units), _pairs_in_segments(sides[1], n_units)
    out[_PAIRS_TOGETHER] = together
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
    together = 0
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
        out[_TIOU_HITS] += _hits(shared, union)
        together += _pairs_of(shared)
        if until == end:
            out[_COVERAGE_OVERLAP] += of_ref.shared
            out[_TIOU_REFERENCES] += of_ref.passes
            _align(of_ref, length, chosen, out)
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
    _count_pairs_of_units(sides, n_units, together, out)


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


def count(pairs: SegmentationPairs, tiou: Fraction = _HALF) -> Ints:
    """Count the overlaps of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        pairs: the segmentations to compare.
        tiou: fraction that an IoU must exceed, at least 0 and below 1; compared exactly.

    Returns:
        One row per count of ``COUNTS``, shape (11, pairs).  Pairs of units are below 2^61.

    Raises:
        Unsuitable: a pair has so many segments that its sum of IoU does not fit into 64 bits.
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, threshold_of(tiou), counts)
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
    return count(compared.pairs, compared.settings.iou)


_SIDED = frozenset({IDENTITY, REVERSIBLE})
_MUTUAL = _SIDED | {SYMMETRIC}
_PURITY = "purity and coverage, as in pyannote.metrics"
_TIOU = "temporal IoU, as in Chapter-Llama and VidChapters"
_PAIRWISE = "pairs of units in one segment, as in mir_eval"
_REFERENCE_SEGMENTS = "(reference_boundaries + rows)"
_HYPOTHESIS_SEGMENTS = "(hypothesis_boundaries + rows)"
_A, _B, _C, _D = (
    "pairs_together",
    "pairs_reference_only",
    "pairs_hypothesis_only",
    "pairs_apart",
)

MEASURES = (
    Measure(
        "purity",
        "purity_overlap / content_size",
        _PURITY,
        _SIDED,
        better="higher",
        description="share of units in the largest overlap of their hypothesis segment",
    ),
    Measure(
        "coverage",
        "coverage_overlap / content_size",
        _PURITY,
        _SIDED,
        better="higher",
        description="share of units in the largest overlap of their reference segment",
    ),
    Measure(
        "purity_coverage_f1",
        "(1 + beta**2) * purity * coverage / (beta**2 * purity + coverage)",
        f"{_PURITY}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of purity and coverage",
    ),
    Measure(
        "tiou_precision",
        f"tiou_hypotheses / {_HYPOTHESIS_SEGMENTS}",
        _TIOU,
        _SIDED,
        better="higher",
        description="share of hypothesis segments that have an overlap with IoU above tiou",
    ),
    Measure(
        "tiou_recall",
        f"tiou_references / {_REFERENCE_SEGMENTS}",
        _TIOU,
        _SIDED,
        better="higher",
        description="share of reference segments that have an overlap with IoU above tiou",
    ),
    Measure(
        "tiou_f1",
        F_OF_TWO.format(
            found="tiou_references",
            of_reference=_REFERENCE_SEGMENTS,
            correct="tiou_hypotheses",
            of_hypothesis=_HYPOTHESIS_SEGMENTS,
        ),
        f"{_TIOU}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of tiou_precision and tiou_recall",
    ),
    Measure(
        "tiou_mean_precision",
        f"tiou_hits / (10 * {_HYPOTHESIS_SEGMENTS})",
        _TIOU,
        _SIDED,
        better="higher",
        description="tiou_precision, mean over the thresholds .50, .55, ..., .95",
    ),
    Measure(
        "tiou_mean_recall",
        f"tiou_hits / (10 * {_REFERENCE_SEGMENTS})",
        _TIOU,
        _SIDED,
        better="higher",
        description="tiou_recall, mean over the thresholds .50, .55, ..., .95",
    ),
    Measure(
        "tiou_mean_f1",
        "(1 + beta**2) * tiou_hits"
        f" / (10 * (beta**2 * {_REFERENCE_SEGMENTS} + {_HYPOTHESIS_SEGMENTS}))",
        f"{_TIOU}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="tiou_f1, mean over the thresholds .50, .55, ..., .95",
    ),
    Measure(
        "alignment",
        f"alignment_sum * 2**-{_ALIGNMENT_BITS} / alignment_edges",
        "Ocampo Diaz & Ouyang 2022",
        frozenset({IDENTITY, SYMMETRIC}),
        better="higher",
        description="A: mean IoU of segments and their best partners on the other side",
    ),
    Measure(
        "pair_precision",
        f"{_A} / ({_A} + {_C})",
        _PAIRWISE,
        _SIDED,
        better="higher",
        description="share of the pairs of units in one hypothesis segment that are in one "
        "reference segment",
    ),
    Measure(
        "pair_recall",
        f"{_A} / ({_A} + {_B})",
        _PAIRWISE,
        _SIDED,
        better="higher",
        description="share of the pairs of units in one reference segment that are in one "
        "hypothesis segment",
    ),
    Measure(
        "pair_f1",
        f"(1 + beta**2) * {_A} / ((1 + beta**2) * {_A} + beta**2 * {_B} + {_C})",
        f"{_PAIRWISE}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of pair_precision and pair_recall",
    ),
    Measure(
        "rand",
        f"({_A} + {_D}) / ({_A} + {_B} + {_C} + {_D})",
        "Rand 1971",
        _MUTUAL,
        better="higher",
        description="Rand index: share of the pairs of units that both sides join or both separate",
    ),
    Measure(
        "adjusted_rand",
        f"2 * (1.0 * {_A} * {_D} - 1.0 * {_B} * {_C})"
        f" / (1.0 * ({_A} + {_B}) * ({_B} + {_D}) + 1.0 * ({_A} + {_C}) * ({_C} + {_D}))",
        "Hubert & Arabie 1985",
        _MUTUAL,
        better="higher",
        lower=None,
        agreed=1.0,
        description="Rand index adjusted for chance: 0 if the sides agree as by chance, "
        "negative if less; 1 if both have no boundary, or both have all",
    ),
)
