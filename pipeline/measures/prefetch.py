"""References brought near: those of the next pairs copied side by side before they are counted.

Pairs come in the order of hypotheses, their references from anywhere in a table larger than the
processor's caches. Read one by one, each would be waited for; a copy waits for many at a time.
"""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, RowArrays

AT_ONCE = 512
"""At most so many pairs have their references copied together."""

ROOM = 1 << 14
"""And so many boundaries, 64 KB, unless a single reference has more."""

# An index that cannot be negative is not looked at for that, which is a third of a loop's time.
Index = np.uint64


@kernel
def prefetch(
    rows: RowArrays, row: Ints, first: int, ends: Ints, near: Positions
) -> tuple[Positions, int]:
    """Copy the boundaries of the next rows, end to end.

    Args:
        rows: the boundaries of all segmentations.
        row: the rows of all pairs, shape (pairs,).
        first: the first pair whose row is copied, one that is there.
        ends: written: the copy of pair first + j is ends[j]..ends[j+1]-1, shape (AT_ONCE + 1,).
        near: room for the copies.

    Returns:
        The copies, in ``near`` or in larger room where that is too small; and of how many pairs
        they are, at least one.
    """
    offsets, positions = rows.offsets, rows.values
    pairs = ends[0] = 0
    while pairs < min(AT_ONCE, len(row) - first):
        end = ends[pairs] + offsets[row[first + pairs] + 1] - offsets[row[first + pairs]]
        if pairs > 0 and end > ROOM:
            break
        pairs += 1
        ends[pairs] = end
    if ends[pairs] > len(near):
        near = np.empty(max(ROOM, ends[pairs]), np.int32)
    for j in range(pairs):
        start = offsets[row[first + j]] - ends[j]
        for at in range(ends[j], ends[j + 1]):
            near[at] = positions[start + at]
    return near, pairs
