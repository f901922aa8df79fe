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
    code: Ints, in_ref: Ints, differences: int, type_range: int, partner: Ints, index: int
) -> bool:
    """Check whether a substitution is still possible at the position of boundary ``index``."""
    position = code[index] // type_range
    while index > 0 and code[index - 1] // type_range == position:
        index -= 1
    ref = hyp = False
    while index < differences and code[index] // type_range == position:
        if partner[index] < 0:
            ref |= in_ref[index] == 1
            hyp |= in_ref[index] == 0
        index += 1
    return ref and hyp


@kernel
def neighbours(position: Ints, in_ref: Ints, differences: int, n_t: int) -> int:
    """Count the near misses that ``near_misses`` pairs for n_t 1 or 2 and one type.

    Args:
        position: positions that only one side has, strictly ascending, in the first
            ``differences`` elements.
        in_ref: 1 where that side is the reference, else 0.
        differences: number of these positions.
        n_t: 1 or 2.

    Returns:
        The number of pairs of opposite sides at distance 1, taken from left to right, each boundary
        used once.
    """
    pairs = free = 0
    for k in range(1, differences):
        free = 1 - free
        near = (position[k] - position[k - 1] < n_t) & (in_ref[k] != in_ref[k - 1])
        free &= near
        pairs += free
    return pairs


@kernel
def near_misses(
    code: Ints, in_ref: Ints, differences: int, n_t: int, type_range: int, partner: Ints
) -> None:
    """Pair boundaries of one type and opposite sides: nearest first, then from left to right.

    Two boundaries are not paired if each could be in a substitution at its position instead.
    """
    refs = in_ref[:differences].sum()
    remaining = min(refs, differences - refs)
    for distance in range(1, n_t):
        step = distance * type_range
        if remaining == 0 or step > code[differences - 1] - code[0]:
            break
        near, far = 0, 1
        while far < differences:
            gap = code[far] - code[near]
            free = (partner[near] & partner[far]) == -1
            if (gap == step) & (in_ref[near] != in_ref[far]) & free and (
                type_range == 1
                or not _substitutable(code, in_ref, differences, type_range, partner, near)
                or not _substitutable(code, in_ref, differences, type_range, partner, far)
            ):
                partner[near], partner[far] = far, near
                remaining -= 1
            near += gap >= step
            far += gap <= step


@kernel
def substitutions(
    code: Ints, in_ref: Ints, differences: int, type_range: int, partner: Ints
) -> None:
    """Pair the remaining boundaries at each position: as many as possible, at least cost.

    The cost is the sum of type differences. Among equal costs, the leftmost pairs are those that
    are lexicographically smallest by (reference type, hypothesis type).
    """
    remaining = np.empty(differences, np.int64)
    mate = np.empty(differences, np.int64)
    start = 0
    while start < differences:
        end, size, refs = start, 0, 0
        position = code[start] // type_range
        while end < differences and code[end] // type_range == position:
            if partner[end] < 0:
                remaining[size] = end
                size += 1
                refs += in_ref[end]
            end += 1
        if 0 < refs < size:
            indexes = remaining[:size]
            align(code[indexes], in_ref[indexes], size * type_range, type_range, mate[:size])
            for i in range(size):
                partner[indexes[i]] = -1 if mate[i] < 0 else indexes[mate[i]]
        start = end
