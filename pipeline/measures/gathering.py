"""References brought near: those of the next pairs copied side by side before they are counted.

Pairs come in the order of hypotheses, their references from anywhere in a table larger than the
processor's caches. Read one by one, each would be waited for; a copy waits for many at a time.
"""

import numpy as np

from pipeline.kernel import kernel
from pipeline.segmentations import Ints, Positions

AT_ONCE = 512
"""Pairs whose references are copied together: some 20 KB of usual ones."""

# An index that cannot be negative is not looked at for that, which is a third of a loop's time.
Index = np.uint64


@kernel
def gather(
    offsets: Ints, positions: Positions, row: Ints, first: int, ends: Ints, near: Positions
) -> Positions:
    """Copy the boundaries of up to ``AT_ONCE`` rows, end to end.

    Args:
        offsets: row i has positions offsets[i]..offsets[i+1]-1, shape (rows + 1,).
        positions: of all rows.
        row: the rows of all pairs, shape (pairs,).
        first: the first pair whose row is copied.
        ends: written: the copy of pair first + j is ends[j]..ends[j+1]-1, shape (AT_ONCE + 1,).
        near: room for the copies.

    Returns:
        The copies: in ``near``, or in larger room where that is too small.
    """
    pairs = min(AT_ONCE, len(row) - first)
    ends[0] = 0
    for j in range(pairs):
        ends[j + 1] = ends[j] + offsets[row[first + j] + 1] - offsets[row[first + j]]
    if ends[pairs] > len(near):
        near = np.empty(2 * ends[pairs], np.int32)
    for j in range(pairs):
        start = offsets[row[first + j]] - ends[j]
        for at in range(ends[j], ends[j + 1]):
            near[at] = positions[start + at]
    return near
