"""Count the boundaries that would match exactly if a system's were all moved by a few units."""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, row_values
from segscore.pipeline.measures.prefetch import AT_ONCE, FIRST_PAIR, Index, prefetch
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

FARTHEST = 3
"""The largest number of units by which boundaries are moved."""

_SPAN = 4096
"""Units of a document that are looked at together."""


def count_shifted(pairs: SegmentationPairs, system: Ints, systems: int) -> Ints:
    """Count the exact matches of each system after its boundaries are moved.

    Args:
        pairs: the rows that are compared.
        system: number of the system of each pair, shape (pairs,).
        systems: number of systems.

    Returns:
        Matches if all boundaries of a system are moved by -3 to 3 units, shape (systems, 7).  A
        position with several boundary types counts once.
    """
    matches = np.zeros((systems, 2 * FARTHEST + 1), np.int64)
    _count_shifted(pairs, system, matches)
    return matches


@kernel
def _count_shifted(pairs: SegmentationPairs, system: Ints, matches: Ints) -> None:
    """Add the matches of all pairs to ``matches``, shape (systems, 7)."""
    flags = np.zeros(_SPAN, np.int64)
    ends, near = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(pairs.ref_row):
        near, copied = prefetch(pairs.references, pairs.ref_row, first, ends, near)
        for i in range(first, first + copied):
            ref = near[ends[i - first] : ends[i - first + 1]]
            hyp = row_values(pairs.hypotheses, pairs.hyp_row[i])
            _add_matches(ref, hyp, flags, matches[system[i]])
        first += copied


@kernel
def _add_matches(ref: Positions, hyp: Positions, flags: Ints, matches: Ints) -> None:
    """Add the matches of a pair after each move, span by span of its document.

    Args:
        ref: boundaries of the reference, ascending.
        hyp: boundaries of the hypothesis, ascending.
        flags: zeros, shape (_SPAN,); the boundaries of the reference in a span are marked there
            while those of the hypothesis are looked up, which takes no unpredictable branch.
        matches: output, shape (7,).
    """
    r = h = Index(0)
    ref_end, hyp_end = Index(len(ref)), Index(len(hyp))
    while h < hyp_end:
        start = int(hyp[h]) - FARTHEST
        end = start + _SPAN
        while r < ref_end and int(ref[r]) < start:
            r += Index(1)
        marked = r
        while marked < ref_end and int(ref[marked]) < end:
            flags[Index(int(ref[marked]) - start)] = 1
            marked += Index(1)
        before = -1
        while h < hyp_end and int(hyp[h]) + FARTHEST < end:
            place = int(hyp[h])
            if place != before:
                leftmost = place - FARTHEST - start
                for move in range(2 * FARTHEST + 1):
                    matches[Index(move)] += flags[Index(leftmost + move)]
            before = place
            h += Index(1)
        for i in range(r, marked):
            flags[Index(int(ref[i]) - start)] = 0
