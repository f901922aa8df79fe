"""Tolerance measures: boundaries that have a partner within a tolerance, and numbers of boundaries.

Precision, recall and F within a tolerance as in music structure, broadcast and speech; the R-value
of Räsänen, Laine & Altosaar 2009.  A position counts once, whatever the types of its boundaries.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, row_values
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.prefetch import AT_ONCE, FIRST_PAIR, Index, prefetch
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

COUNTS = {
    "rows": "1: the pair itself",
    "reference_boundaries": "boundaries of the reference, without added edges",
    "hypothesis_boundaries": "boundaries of the hypothesis, without added edges",
    "tolerant_matches": "largest number of pairs of a reference and a hypothesis boundary within "
    "the tolerance, with each boundary in at most one pair; includes added edges",
    "references_in_reach": "reference boundaries with a hypothesis boundary within the tolerance; "
    "includes added edges",
    "hypotheses_in_reach": "hypothesis boundaries with a reference boundary within the tolerance; "
    "includes added edges",
    "count_difference": "difference between the numbers of boundaries of the two sides",
    "perfect": "1 if both sides have the same positions, else 0",
}

(
    _PAIR_ROWS,
    _REFERENCE_BOUNDARIES,
    _HYPOTHESIS_BOUNDARIES,
    _TOLERANT_MATCHES,
    _REFERENCES_IN_REACH,
    _HYPOTHESES_IN_REACH,
    _COUNT_DIFFERENCE,
    _PERFECT,
) = range(8)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)


class _Reach(NamedTuple):
    """How far boundaries of a pair may be apart.

    Attributes:
        tolerance: largest distance of two boundaries that count as the same, at least 0.
        edges: 0; 1: both sides also have a boundary at 0; 2: at 0 and at N.
    """

    tolerance: int
    edges: int


@kernel
def most_pairs(ref: Positions, hyp: Positions, tolerance: int) -> int:
    """Count the most pairs that can be made: from left to right, the first two that are near.

    The first boundaries of both sides are paired if they are near, because in any set of pairs
    these two can take the place of the pairs that use them.  If they are not near, the one further
    left has no partner.
    """
    r = h = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    pairs = 0
    while r < ref_end and h < hyp_end:
        distance = int(ref[r]) - int(hyp[h])
        # Sums of conditions, not branches: which of the two comes next is unpredictable.
        not_after, not_before = distance <= tolerance, distance >= -tolerance
        pairs += not_after & not_before
        r += Index(not_after)
        h += Index(not_before)
    return pairs


@kernel
def _in_reach(side: Positions, other: Positions, n_units: int, reach: _Reach) -> int:
    """Count the boundaries of one side, with added edges, that the other side has within reach."""
    tolerance = reach.tolerance
    first, last = 0, len(side)
    if reach.edges > 0:
        while first < last and side[first] <= tolerance:
            first += 1
    if reach.edges > 1:
        while first < last and n_units - side[last - 1] <= tolerance:
            last -= 1
    near = reach.edges + first + len(side) - last  # within reach of an edge
    i, j, end, other_end = Index(first), Index(0), Index(last), Index(len(other))
    while i < end and j < other_end:
        distance = int(side[i]) - int(other[j])
        not_after = distance <= tolerance
        near += not_after & (distance >= -tolerance)
        i += Index(not_after)
        j += Index(not not_after)
    return near


@inlined
def _same(ref: Positions, hyp: Positions) -> bool:
    if len(ref) != len(hyp):
        return False
    for i in range(Index(len(ref))):
        if ref[i] != hyp[i]:
            return False
    return True


@inlined
def _count_pair(ref: Positions, hyp: Positions, n_units: int, reach: _Reach, out: Ints) -> None:
    out[_PAIR_ROWS] = 1
    out[_REFERENCE_BOUNDARIES], out[_HYPOTHESIS_BOUNDARIES] = len(ref), len(hyp)
    matches = most_pairs(ref, hyp, reach.tolerance) + reach.edges
    out[_TOLERANT_MATCHES] = matches
    if reach.tolerance == 0:  # then near boundaries are at one position, and no edge is near
        out[_REFERENCES_IN_REACH] = out[_HYPOTHESES_IN_REACH] = matches
    else:
        out[_REFERENCES_IN_REACH] = _in_reach(ref, hyp, n_units, reach)
        out[_HYPOTHESES_IN_REACH] = _in_reach(hyp, ref, n_units, reach)
    out[_COUNT_DIFFERENCE] = abs(len(ref) - len(hyp))
    out[_PERFECT] = _same(ref, hyp)


@kernel
def _count_pairs(pairs: SegmentationPairs, tolerance: Ints, edges: int, counts: Ints) -> None:
    row = np.zeros(_ROWS, np.int64)
    ends, near = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(pairs.ref_row):
        near, copied = prefetch(pairs.references, pairs.ref_row, first, ends, near)
        for i in range(first, first + copied):
            ref = near[ends[i - first] : ends[i - first + 1]]
            hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
            _count_pair(ref, hyp, pairs.n_units[i], _Reach(tolerance[i], edges), row)
            for c in range(_ROWS):
                counts[c, i] = row[c]
        first += copied


def tolerances(tolerance: int | Fraction, n_units: Ints) -> Ints:
    """Return the tolerance of each document: a number of units, or a share of its units.

    Args:
        tolerance: units, 0 to 2^31-1; or a fraction p / q of a document's units, rounded down, with
            p and q below 2^32.
        n_units: number of units N of each document, shape (documents,).
    """
    if isinstance(tolerance, int):
        return np.full(len(n_units), tolerance, np.int64)
    return np.asarray(n_units * tolerance.numerator // tolerance.denominator, np.int64)


def count(pairs: SegmentationPairs, tolerance: int | Fraction = 0, edges: int = 0) -> Ints:
    """Count the boundaries within a tolerance of each pair, in time proportional to its boundaries.

    See docs/measures.md.

    Args:
        pairs: the segmentations to compare.
        tolerance: largest distance of boundaries that may be paired; see ``tolerances``.
        edges: boundaries added to both sides: 0 none, 1 the start of the document, 2 both its ends.

    Returns:
        One row per count of ``COUNTS``, shape (8, pairs).
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, tolerances(tolerance, pairs.n_units), edges, counts)
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    return count(compared.pairs, compared.settings.reach, compared.settings.edges)


REFERENCE_SIZE = "(reference_boundaries + edges * rows)"
HYPOTHESIS_SIZE = "(hypothesis_boundaries + edges * rows)"
F_OF_TWO = (
    "first_defined((1 + beta**2) * {found} * {correct}"
    " / (beta**2 * {correct} * {of_reference} + 1.0 * {found} * {of_hypothesis}),"
    " 0 / ({of_reference} + {of_hypothesis}))"
)
"""F of recall = found / of_reference and precision = correct / of_hypothesis."""

_SIDED = frozenset({IDENTITY, REVERSIBLE})
_MUTUAL = _SIDED | {SYMMETRIC}
_DETECTION = "boundary detection, as in mir_eval"
_IN_REACH = "chapter navigation, as in VidChapters"
RASANEN = "Räsänen, Laine & Altosaar 2009"

MEASURES = (
    Measure(
        "tolerant_precision",
        f"tolerant_matches / {HYPOTHESIS_SIZE}",
        _DETECTION,
        _SIDED,
        better="higher",
        description="share of hypothesis boundaries that are paired within the tolerance",
    ),
    Measure(
        "tolerant_recall",
        f"tolerant_matches / {REFERENCE_SIZE}",
        _DETECTION,
        _SIDED,
        better="higher",
        description="share of reference boundaries that are paired within the tolerance",
    ),
    Measure(
        "tolerant_f1",
        f"(1 + beta**2) * tolerant_matches / (beta**2 * {REFERENCE_SIZE} + {HYPOTHESIS_SIZE})",
        f"{_DETECTION}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of tolerant_precision and tolerant_recall",
    ),
    Measure(
        "reach_precision",
        f"hypotheses_in_reach / {HYPOTHESIS_SIZE}",
        _IN_REACH,
        _SIDED,
        better="higher",
        description="share of hypothesis boundaries with a reference boundary within the tolerance",
    ),
    Measure(
        "reach_recall",
        f"references_in_reach / {REFERENCE_SIZE}",
        _IN_REACH,
        _SIDED,
        better="higher",
        description="share of reference boundaries with a hypothesis boundary within the tolerance",
    ),
    Measure(
        "reach_f1",
        F_OF_TWO.format(
            found="references_in_reach",
            of_reference=REFERENCE_SIZE,
            correct="hypotheses_in_reach",
            of_hypothesis=HYPOTHESIS_SIZE,
        ),
        f"{_IN_REACH}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of reach_precision and reach_recall",
    ),
    Measure(
        "over_segmentation",
        f"{HYPOTHESIS_SIZE} / {REFERENCE_SIZE} - 1",
        RASANEN,
        _SIDED,
        better="neither",
        lower=-1.0,
        upper=None,
        description="boundaries of the hypothesis divided by those of the reference, minus 1; "
        "negative if the hypothesis has fewer",
    ),
    Measure(
        "r_value",
        "1 - (((1 - tolerant_recall)**2 + over_segmentation**2)**0.5"
        " + (1 + over_segmentation - tolerant_recall) / 2**0.5) / 2",
        RASANEN,
        _SIDED,
        better="higher",
        lower=None,
        description="R-value: 1 if all boundaries are paired and none is added; negative if far "
        "too many are added",
    ),
    Measure(
        "count_error",
        "count_difference / rows",
        "mean absolute error of numbers of boundaries, as in SuperDialseg",
        _MUTUAL,
        upper=None,
        description="absolute difference between the numbers of boundaries",
    ),
    Measure(
        "perfect_share",
        "perfect / rows",
        "exact match",
        _MUTUAL,
        better="higher",
        description="share of pairs in which both sides have the same positions",
    ),
)
