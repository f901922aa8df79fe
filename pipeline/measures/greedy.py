"""Pair boundaries in the published order: near misses first, then substitutions, never undone.

Fournier 2013, section 3.1, as specified in docs/measures.md. The code of a boundary is its position
times the range of types, plus its type minus the lowest type.
"""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures.shifts import align


@kernel
def _substitutable(
    code: Ints, in_ref: Ints, found: int, type_range: int, partner: Ints, at: int
) -> bool:
    """Check whether a substitution is still possible at the position of boundary ``at``."""
    position = code[at] // type_range
    while at > 0 and code[at - 1] // type_range == position:
        at -= 1
    ref = hyp = False
    while at < found and code[at] // type_range == position:
        if partner[at] < 0:
            ref |= in_ref[at] == 1
            hyp |= in_ref[at] == 0
        at += 1
    return ref and hyp


@kernel
def neighbours(place: Ints, in_ref: Ints, found: int, n_t: int) -> int:
    """Count the near misses that ``near_misses`` pairs for n_t 1 or 2 and one type.

    Args:
        place: positions that only one side has, strictly ascending, shape (at least found,).
        in_ref: 1 where that side is the reference, else 0.
        found: number of these positions.
        n_t: 1 or 2.

    Returns:
        The number of pairs of opposite sides at distance 1, taken from left to right, each boundary
        used once.
    """
    pairs = free = 0
    for k in range(1, found):
        free = 1 - free
        near = (place[k] - place[k - 1] < n_t) & (in_ref[k] != in_ref[k - 1])
        free &= near
        pairs += free
    return pairs


@kernel
def near_misses(
    code: Ints, in_ref: Ints, found: int, n_t: int, type_range: int, partner: Ints
) -> None:
    """Pair boundaries of one type and opposite sides: nearest first, then from left to right.

    Two boundaries are not paired if each could be in a substitution at its position instead.
    """
    refs = in_ref[:found].sum()
    left = min(refs, found - refs)
    for distance in range(1, n_t):
        step = distance * type_range
        if left == 0 or step > code[found - 1] - code[0]:
            break
        near, far = 0, 1
        while far < found:
            gap = code[far] - code[near]
            free = (partner[near] & partner[far]) == -1
            if (gap == step) & (in_ref[near] != in_ref[far]) & free and (
                type_range == 1
                or not _substitutable(code, in_ref, found, type_range, partner, near)
                or not _substitutable(code, in_ref, found, type_range, partner, far)
            ):
                partner[near], partner[far] = far, near
                left -= 1
            near += gap >= step
            far += gap <= step


@kernel
def substitutions(code: Ints, in_ref: Ints, found: int, type_range: int, partner: Ints) -> None:
    """Pair the remaining boundaries at each position: as many as possible, at least cost.

    The cost is the sum of type differences. Among equal costs, the leftmost pairs are those that
    are lexicographically smallest by (reference type, hypothesis type).
    """
    left = np.empty(found, np.int64)
    mate = np.empty(found, np.int64)
    start = 0
    while start < found:
        end, size, refs = start, 0, 0
        position = code[start] // type_range
        while end < found and code[end] // type_range == position:
            if partner[end] < 0:
                left[size] = end
                size += 1
                refs += in_ref[end]
            end += 1
        if 0 < refs < size:
            some = left[:size]
            align(code[some], in_ref[some], size * type_range, type_range, mate[:size])
            for i in range(size):
                partner[some[i]] = -1 if mate[i] < 0 else some[mate[i]]
        start = end
