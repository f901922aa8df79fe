"""Draw random numbers and random positions in compiled loops, exactly and without bias."""

import numpy as np

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, mix
from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints, Positions

_FEW = 16
"""Rows up to this length are sorted by insertion, which is faster for them."""


@kernel
def below(bound: np.uint64, stream: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Draw a uniform integer in 0..bound-1; return it and the next state of the stream."""
    # 2^64 mod bound: rejecting this many values leaves a whole multiple of bound, so no bias.
    surplus = (np.uint64(0) - bound) % bound
    stream += GOLDEN_RATIO
    while mix(stream) < surplus:
        stream += GOLDEN_RATIO
    return mix(stream) % bound, stream


@inlined
def _sort(positions: Positions) -> None:
    """Sort in place: by insertion where that is faster than numpy's sort."""
    if len(positions) > _FEW:
        positions.sort()
        return
    for i in range(1, len(positions)):
        position, place = positions[i], i
        while place > 0 and positions[place - 1] > position:
            positions[place] = positions[place - 1]
            place -= 1
        positions[place] = position


@kernel
def place_randomly(
    streams: Hashes, n_units: Ints, first: Ints, offsets: Ints, values: Positions
) -> None:
    """Fill each row with the first positions of a random permutation of its document's positions.

    All rows of a document share one permutation. A partial Fisher-Yates shuffle goes only as far
    as the document's longest row and is undone afterwards, so that the cost of a document depends
    on its boundaries and not on its units.
    """
    longest = 1
    for d in range(len(streams)):
        longest = max(longest, n_units[d])
    order = np.arange(1, longest).astype(np.int32)
    swapped = np.empty(longest, np.int64)
    for d in range(len(streams)):
        longest_row = 0
        for row in range(first[d], first[d + 1]):
            longest_row = max(longest_row, offsets[row + 1] - offsets[row])
        stream = streams[d]
        for i in range(longest_row):
            offset, stream = below(np.uint64(n_units[d] - 1 - i), stream)
            swapped[i] = i + np.int64(offset)
            order[i], order[swapped[i]] = order[swapped[i]], order[i]
        for row in range(first[d], first[d + 1]):
            row_positions = values[offsets[row] : offsets[row + 1]]
            for i in range(len(row_positions)):
                row_positions[i] = order[i]
            _sort(row_positions)
        for i in range(longest_row - 1, -1, -1):
            order[i], order[swapped[i]] = order[swapped[i]], order[i]
