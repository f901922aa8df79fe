"""Window measures: slide a window over both segmentations and compare the boundaries in it.

Beeferman, Berger & Lafferty 1999 (Pk); Pevzner & Hearst 2002 (WindowDiff); Georgescul, Clark &
Armstrong 2006, section 4 (Pr_error and the parts); Lamprier et al. 2007 (edge correction).
"""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, row_values
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.prefetch import AT_ONCE, FIRST_PAIR, prefetch
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs
from segscore.pipeline.measures.sliding import LONGEST, dense, slide_by_boundary, slide_by_unit
from segscore.pipeline.measures.words import BIT_WORDS, few_words, slide_by_word

COUNTS = {
    "windows": "windows that fit: max(0, n_units - window)",
    "reference_windows": "windows that cover at least one reference boundary",
    "pk_misses": "windows that cover a reference but no hypothesis boundary",
    "pk_false_alarms": "windows that cover a hypothesis but no reference boundary",
    "wd_misses": "windows that cover more reference than hypothesis boundaries",
    "wd_false_alarms": "windows that cover fewer reference than hypothesis boundaries",
    "pk_prime_misses": "windows with a reference boundary in which the numbers differ",
    "pk_prime_false_alarms": "windows without a reference boundary in which the numbers differ",
    "wd_absolute": "sum over windows of the difference between the numbers of boundaries",
    "edge_windows": "windows of the document padded with k units before and after: n_units + k",
    "edge_errors": "windows of the padded document in which the numbers of boundaries differ",
}

_ROWS = len(COUNTS)


@kernel
def _count_pairs(pairs: SegmentationPairs, window: Ints, counts: Ints) -> None:
    ref_row, hyp_row, n_units = pairs.ref_row, pairs.hyp_row, pairs.n_units
    row = np.zeros(_ROWS, np.int64)
    passed = np.empty(LONGEST, np.int32)
    bits = np.empty((2, BIT_WORDS), np.uint64)
    ends, buffer = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(ref_row):
        buffer, copied = prefetch(pairs.references, ref_row, first, ends, buffer)
        for i in range(first, first + copied):
            ref = buffer[ends[i - first] : ends[i - first + 1]]
            hyp = row_values(pairs.hypotheses, hyp_row[i])
            if few_words(len(ref) + len(hyp), n_units[i], window[i]):
                slide_by_word(ref, hyp, n_units[i], window[i], bits, row)
            elif dense(len(ref) + len(hyp), n_units[i], window[i]):
                slide_by_unit(ref, hyp, n_units[i], window[i], passed, row)
            else:
                slide_by_boundary(ref, hyp, n_units[i], window[i], row)
            for c in range(_ROWS):
                counts[c, i] = row[c]
        first += copied


def count(pairs: SegmentationPairs, window: Ints) -> Ints:
    """Count the windows of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        pairs: the segmentations to compare.
        window: window size k of each pair, at least 1, shape (pairs,).

    Returns:
        One row per count of ``COUNTS``, shape (11, pairs).
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, window, counts)
    return counts


@kernel
def _count_each(pairs: SegmentationPairs, window: Ints, counts: Ints) -> None:
    row = np.zeros(_ROWS, np.int64)
    for i in range(len(pairs.ref_row)):
        ref = row_values(pairs.references, pairs.ref_row[i])
        hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
        slide_by_boundary(ref, hyp, pairs.n_units[i], window[i], row)
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count_repeated(pairs: SegmentationPairs, window: Ints) -> Ints:
    """Count windows as ``count`` does, where a position may have several boundaries."""
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    _count_each(pairs, window, counts)
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    return count(compared.pairs, compared.window)


@kernel
def _covered(offsets: Ints, positions: Positions, n_units: Ints, window: Ints, out: Ints) -> None:
    for row in range(len(offsets) - 1):
        k = window[row]
        free = 1
        for i in range(offsets[row], offsets[row + 1]):
            first = max(free, positions[i] - k + 1)
            last = min(positions[i], n_units[row] - k)
            if last >= first:
                out[row] += last - first + 1
                free = last + 1


def reference_windows(references: Ragged, n_units: Ints, window: Ints) -> Ints:
    """Count the windows of each reference that cover a boundary, shape (rows,).

    Summed over a run, they give P_seg = reference_windows / windows (docs/measures.md).
    """
    covered = np.zeros(len(references), np.int64)
    _covered(references.offsets, references.values, n_units, window, covered)
    return covered


def window_size(n_units: Ints, segments: Ints, rounding: str = "half-even") -> Ints:
    """Return half the mean segment size in units, at least 2, in integer arithmetic.

    See docs/measures.md.

    Args:
        n_units: number of units, or its sum over several segmentations, shape (rows,).
        segments: number of segments, or its sum over the same ones, at least 1, shape (rows,).
        rounding: ``half-even``, or ``half-up`` as in Choi's published scores.
    """
    quotient, remainder = np.divmod(n_units, 2 * segments)
    tie_goes_up = (quotient % 2 == 1) | (rounding == "half-up")
    up = (remainder > segments) | ((remainder == segments) & tie_goes_up)
    return np.maximum(2, quotient + up)


BEEFERMAN = "Beeferman, Berger & Lafferty 1999"
PEVZNER = "Pevzner & Hearst 2002, p. 10"
_G06 = "Georgescul, Clark & Armstrong 2006,"
TDT = "TDT evaluation plans, cited by Franz, McCarley & Xu 2007"
_ASYMMETRIC_LAWS = frozenset({IDENTITY, REVERSIBLE})
_SYMMETRIC_LAWS = _ASYMMETRIC_LAWS | {SYMMETRIC}

MEASURES = (
    Measure(
        "pk",
        "(pk_misses + pk_false_alarms) / windows",
        f"{BEEFERMAN}; {_G06} 4.1",
        _SYMMETRIC_LAWS,
        description="Pk: share of windows in which one side has a boundary and the other has none",
    ),
    Measure(
        "pk_miss_rate",
        "pk_misses / reference_windows",
        f"{_G06} 4.1",
        _ASYMMETRIC_LAWS,
        description="P_miss: share of windows with a reference boundary in which the hypothesis "
        "has none",
    ),
    Measure(
        "pk_false_alarm_rate",
        "pk_false_alarms / (windows - reference_windows)",
        f"{_G06} 4.1",
        _ASYMMETRIC_LAWS,
        description="P_fa: share of windows without a reference boundary in which the hypothesis "
        "has one",
    ),
    Measure(
        "pk_prior",
        "pk_miss_rate * p_seg + pk_false_alarm_rate * (1 - p_seg)",
        f"{_G06} 4.1 (TDT pilot)",
        _ASYMMETRIC_LAWS,
        description="Pk with a prior: P_miss and P_fa weighted by P_seg",
    ),
    Measure(
        "pk_prime_miss_rate",
        "pk_prime_misses / reference_windows",
        f"{_G06} 4.1 (TDT 1998)",
        _ASYMMETRIC_LAWS,
        description="P'_miss: share of windows with a reference boundary in which the numbers "
        "differ",
    ),
    Measure(
        "pk_prime_false_alarm_rate",
        "pk_prime_false_alarms / (windows - reference_windows)",
        f"{_G06} 4.1 (TDT 1998)",
        _ASYMMETRIC_LAWS,
        description="P'_fa: share of windows without a reference boundary in which the numbers "
        "differ",
    ),
    Measure(
        "pk_prime",
        "pk_prime_miss_rate * p_seg + pk_prime_false_alarm_rate * (1 - p_seg)",
        f"{_G06} 4.1 (TDT 1998)",
        _ASYMMETRIC_LAWS,
        description="P'k: P'_miss and P'_fa weighted by P_seg",
    ),
    Measure(
        "window_diff",
        "(wd_misses + wd_false_alarms) / windows",
        PEVZNER,
        _SYMMETRIC_LAWS,
        description="WindowDiff: share of windows in which the numbers of boundaries differ",
    ),
    Measure(
        "window_diff_miss",
        "wd_misses / windows",
        f"{_G06} 4.2",
        _ASYMMETRIC_LAWS,
        description="share of windows with too few hypothesis boundaries",
    ),
    Measure(
        "window_diff_false_alarm",
        "wd_false_alarms / windows",
        f"{_G06} 4.2",
        _ASYMMETRIC_LAWS,
        description="share of windows with too many hypothesis boundaries",
    ),
    Measure(
        "window_diff_weighted",
        "wd_absolute / windows",
        "NLTK",
        _SYMMETRIC_LAWS,
        upper=None,
        description="mean difference between the numbers of boundaries in a window",
    ),
    Measure(
        "pr_miss",
        "wd_misses / reference_windows",
        f"{_G06} 4.3",
        _ASYMMETRIC_LAWS,
        description="Pr_miss: windows with too few boundaries, divided by those with a reference "
        "boundary",
    ),
    Measure(
        "pr_false_alarm",
        "wd_false_alarms / windows",
        f"{_G06} 4.3",
        _ASYMMETRIC_LAWS,
        description="Pr_fa: windows with too many boundaries, divided by all windows",
    ),
    Measure(
        "pr_error",
        "cost_miss * pr_miss + cost_false_alarm * pr_false_alarm",
        f"{_G06} 4.3",
        _ASYMMETRIC_LAWS,
        description="Pr_error: Pr_miss and Pr_fa weighted by their costs",
    ),
    Measure(
        "c_seg",
        "c_seg_cost_miss * p_seg * pk_miss_rate"
        " + c_seg_cost_false_alarm * (1 - p_seg) * pk_false_alarm_rate",
        TDT,
        _ASYMMETRIC_LAWS,
        description="C_seg: P_miss and P_fa weighted by P_seg and costs",
    ),
    Measure(
        "c_seg_normalised",
        "c_seg / minimum(c_seg_cost_miss * p_seg, c_seg_cost_false_alarm * (1 - p_seg))",
        TDT,
        _ASYMMETRIC_LAWS,
        upper=None,
        description="C_seg divided by that of the better of two trivial systems: a boundary "
        "everywhere, or nowhere",
    ),
    Measure(
        "window_diff_edges",
        "edge_errors / edge_windows",
        "Lamprier et al. 2007",
        _SYMMETRIC_LAWS,
        description="WindowDiff of the padded document, whose ends count as much as its middle",
    ),
)
