"""Copy the references of the next pairs into one small array before they are counted.

Pairs are in the order of hypotheses, and their references are scattered over a table larger than
the processor's caches. Reading them one by one would wait for memory each time; copying
them overlaps these waits.
"""

from typing import cast

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, RowArrays

AT_ONCE = 512
"""Largest number of pairs whose references are copied together."""

COPY_SIZE = 1 << 14
"""Largest number of boundaries copied together (64 KB), unless a single reference has more."""

FIRST_PAIR = cast(int, np.int64(0))
"""Zero as an argument of a kernel; for a literal 0, numba would compile the kernel once more."""

# numba does not test an unsigned index for being negative, which would take a third of a loop, and
# four fifths of one that copies, which could then not copy several elements at once.
Index = np.uint64


@kernel
def prefetch(
    rows: RowArrays, row: Ints, first: int, ends: Ints, buffer: Positions
) -> tuple[Positions, int]:
    """Copy the boundaries of the next rows, end to end.

    Args:
        rows: the boundaries of all segmentations.
        row: the rows of all pairs, shape (pairs,).
        first: the first pair whose row is copied, below len(row).
        ends: output: the copy of pair first + j is ends[j]..ends[j+1]-1, shape (AT_ONCE + 1,).
        buffer: array to copy to.

    Returns:
        The copies, in ``buffer`` or in a larger array if that is too small; and the number of pairs
        whose references were copied, at least one.
    """
    offsets, positions = rows.offsets, rows.values
    pairs = ends[0] = 0
    while pairs < min(AT_ONCE, len(row) - first):
        end = ends[pairs] + offsets[row[first + pairs] + 1] - offsets[row[first + pairs]]
        if pairs > 0 and end > COPY_SIZE:
            break
        pairs += 1
        ends[pairs] = end
    if ends[pairs] > len(buffer):
        buffer = np.empty(max(COPY_SIZE, ends[pairs]), np.int32)
    for j in range(pairs):
        source, target = Index(offsets[row[first + j]]), Index(ends[j])
        for i in range(Index(ends[j + 1] - ends[j])):
            buffer[target + i] = positions[source + i]
    return buffer, pairs
