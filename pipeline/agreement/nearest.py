"""Pair the boundaries of two coders one to one, nearest first, to see how far apart they lie."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Ints, Positions, Ragged, RowArrays, row_values

_FAR = 1 << 61
DISTANCE_CLASSES = 50
"""Number of classes of distances on either side of 0, if there are that many distances."""


@dataclass(frozen=True)
class NearBoundaries:
    """Boundaries of pairs of codings that lie near each other.

    Attributes:
        pairs: boundaries of each pair of codings that are paired one to one, shape (pairs,).
        offset_sum: sum of their signed distances, in units, likewise.
        pair: the pair of codings of each two boundaries that are near, whether or not they are
            paired, ascending, shape (near,).
        distance: position in the second coding less position in the first, in units; in about a
            hundred classes, so that few different ones are counted, likewise.
    """

    pairs: Ints
    offset_sum: Ints
    pair: Ints
    distance: Ints


def pair_nearest(boundaries: Ragged, row: Ints, peer: Ints, within: int) -> NearBoundaries:
    """Pair boundaries one to one, nearest first and from left to right among equally near ones.

    Args:
        boundaries: positions, one row per coding, ascending and distinct.
        row: row of the first coding of each pair, shape (pairs,).
        peer: row of the second coding of each pair, shape (pairs,).
        within: the largest distance of two boundaries that are near, in units, at least 0.
    """
    pairs, sums = np.zeros((2, len(row)), np.int64)
    _pair_all(boundaries.arrays, row, peer, within, (pairs, sums))
    first = np.zeros(len(row) + 1, np.int64)
    _list_near(boundaries.arrays, row, peer, within, (first, np.empty(0, np.int64)))
    distance = np.empty(first[-1], np.int64)
    _list_near(boundaries.arrays, row, peer, within, (first, distance))
    step = max(1, within // DISTANCE_CLASSES)
    rounded = step * np.round(distance / step).astype(np.int64)
    return NearBoundaries(pairs, sums, np.repeat(np.arange(len(row)), np.diff(first)), rounded)


@kernel
def _list_near(
    boundaries: RowArrays, row: Ints, peer: Ints, within: int, near: tuple[Ints, Ints]
) -> None:
    """Write how many boundaries of each pair are near, added up, and, if there is room, how far."""
    first, distance = near
    for i in range(len(row)):
        here, there = row_values(boundaries, row[i]), row_values(boundaries, peer[i])
        start, written = 0, first[i]
        for position in here:
            while start < len(there) and there[start] < position - within:
                start += 1
            k = start
            while k < len(there) and there[k] <= position + within:
                if len(distance):
                    distance[written] = there[k] - position
                written += 1
                k += 1
        first[i + 1] = written


@kernel
def _pair_all(
    boundaries: RowArrays, row: Ints, peer: Ints, within: int, near: tuple[Ints, Ints]
) -> None:
    """Write how many boundaries of each pair are paired, and the sum of their distances."""
    pairs, sums = near
    longest = 0
    for i in range(len(row)):
        both = len(row_values(boundaries, row[i])) + len(row_values(boundaries, peer[i]))
        longest = max(longest, both)
    position, in_second = np.empty(longest, np.int64), np.empty(longest, np.bool_)
    for i in range(len(row)):
        merged = _merge(row_values(boundaries, row[i]), row_values(boundaries, peer[i]))
        size = len(merged)
        for k in range(size):
            position[k], in_second[k] = merged[k] >> 1, merged[k] & 1
        pairs[i], sums[i] = _take_nearest(position, in_second, size, within)


@kernel
def _merge(first: Positions, second: Positions) -> Ints:
    """Return the positions of both, ascending: twice the position, plus 1 in the second."""
    merged = np.empty(len(first) + len(second), np.int64)
    a = b = 0
    for k in range(len(merged)):
        if b == len(second) or (a < len(first) and first[a] <= second[b]):
            merged[k] = 2 * np.int64(first[a])
            a += 1
        else:
            merged[k] = 2 * np.int64(second[b]) + 1
            b += 1
    return merged


@kernel
def _next_is_nearer(position: Ints, in_second: Flags, size: int, k: int, gap: int) -> bool:
    """Return whether the next boundary of the other coding is nearer to k than ``gap``."""
    j = k + 1
    while j < size and position[j] - position[k] < gap:
        if in_second[j] != in_second[k]:
            return True
        j += 1
    return False


@kernel
def _take_nearest(position: Ints, in_second: Flags, size: int, within: int) -> tuple[int, int]:
    """Return the number of pairs and the sum of their distances.

    The nearest two of opposite sides are always neighbours among those that are left.  In one turn,
    all neighbours are taken that are nearest to each other, and removed: what is left has nothing
    nearer to them.
    """
    pairs, total, taken = 0, 0, 1
    last = np.empty(2, np.int64)
    while taken > 0:
        taken = k = kept = 0
        last[:] = -_FAR
        while k < size:
            side = np.int64(in_second[k])
            if k + 1 < size and in_second[k + 1] != in_second[k]:
                gap = position[k + 1] - position[k]
                if (
                    gap <= within
                    and position[k] - last[1 - side] > gap
                    and not _next_is_nearer(position, in_second, size, k + 1, gap)
                ):
                    total += gap if in_second[k + 1] else -gap
                    taken += 1
                    last[side], last[1 - side] = position[k], position[k + 1]
                    k += 2
                    continue
            last[side] = position[k]
            position[kept], in_second[kept] = position[k], in_second[k]
            kept += 1
            k += 1
        size = kept
        pairs += taken
    return pairs, total
