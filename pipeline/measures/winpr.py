"""WinPR: precision and recall of the boundaries in a window.

Scaiano & Inkpen 2012, "Getting More from Segmentation Evaluation" (N12-1038).
"""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, row_values
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.prefetch import Index
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

COUNTS = {
    "winpr_tp": "sum over the windows of the padded document of the smaller number of boundaries",
    "winpr_fp": "sum over these windows of the hypothesis boundaries beyond those of the reference",
    "winpr_fn": "sum over these windows of the reference boundaries beyond those of the hypothesis",
}


@kernel
def _absolute(ref: Positions, hyp: Positions, k: int) -> int:
    """Sum the difference between the numbers of boundaries over the windows.

    A window that starts at s covers positions s + 1..s + k, so that a boundary at p is in those
    that start at p - k..p - 1, all of which are windows of the padded document.
    """
    entering, leaving = Index(0), Index(0)
    hyp_entering, hyp_leaving = Index(0), Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    never = 1 << 62
    start = difference = total = 0
    while leaving < ref_end or hyp_leaving < hyp_end:
        enters = int(ref[entering]) - k if entering < ref_end else never
        leaves = int(ref[leaving]) if leaving < ref_end else never
        hyp_enters = int(hyp[hyp_entering]) - k if hyp_entering < hyp_end else never
        hyp_leaves = int(hyp[hyp_leaving]) if hyp_leaving < hyp_end else never
        end = min(min(enters, leaves), min(hyp_enters, hyp_leaves))
        total += (end - start) * abs(difference)
        difference += int(enters == end) - int(leaves == end)
        difference -= int(hyp_enters == end) - int(hyp_leaves == end)
        entering += Index(enters == end)
        leaving += Index(leaves == end)
        hyp_entering += Index(hyp_enters == end)
        hyp_leaving += Index(hyp_leaves == end)
        start = end
    return total


@kernel
def _count_pairs(pairs: SegmentationPairs, window: Ints, counts: Ints) -> None:
    for i in range(len(pairs.ref_row)):
        ref = row_values(pairs.references, pairs.ref_row[i])
        hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
        in_ref, in_hyp = window[i] * len(ref), window[i] * len(hyp)
        both = (in_ref + in_hyp - _absolute(ref, hyp, window[i])) // 2
        counts[0, i], counts[1, i], counts[2, i] = both, in_hyp - both, in_ref - both


def count(pairs: SegmentationPairs, window: Ints) -> Ints:
    """Count the boundaries in the windows of each pair, in time proportional to its boundaries.

    See docs/measures.md.

    Args:
        pairs: the segmentations to compare.
        window: window size k of each pair, at least 1, shape (pairs,).

    Returns:
        One row per count of ``COUNTS``, shape (3, pairs).
    """
    counts = np.empty((len(COUNTS), len(pairs.ref_row)), np.int64)
    _count_pairs(pairs, window, counts)
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    return count(compared.pairs, compared.window)


_SCAIANO = "Scaiano & Inkpen 2012"
_SIDED = frozenset({IDENTITY, REVERSIBLE})

MEASURES = (
    Measure(
        "winpr_precision",
        "winpr_tp / (winpr_tp + winpr_fp)",
        _SCAIANO,
        _SIDED,
        better="higher",
        description="WinPR precision: the credit of a hypothesis boundary falls with its distance",
    ),
    Measure(
        "winpr_recall",
        "winpr_tp / (winpr_tp + winpr_fn)",
        _SCAIANO,
        _SIDED,
        better="higher",
        description="WinPR recall: the credit of a reference boundary falls with its distance",
    ),
    Measure(
        "winpr_f1",
        "(1 + beta**2) * winpr_tp / ((1 + beta**2) * winpr_tp + beta**2 * winpr_fn + winpr_fp)",
        f"{_SCAIANO}; F_beta, symmetric where beta is 1",
        _SIDED | {SYMMETRIC},
        better="higher",
        description="harmonic mean of winpr_precision and winpr_recall",
    ),
)
