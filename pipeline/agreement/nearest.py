"""Pair the boundaries of two coders one to one, nearest first, to see how far apart they lie."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Ints, Positions, Ragged, RowArrays, row_values

_FAR = 1 << 62
_CLASSES = 50
"""Number of classes of distances on either side of 0, if there are that many distances."""


@dataclass(frozen=True)
class NearBoundaries:
    """Boundaries of pairs of codings that were paired, in the order of the pairs.

    Attributes:
        first: pair i has the distances first[i]..first[i+1]-1, shape (pairs of codings + 1,).
        distance: position in the second coding less position in the first, in units.
        within: the largest distance, in units.
    """

    first: Ints
    distance: Ints
    within: int

    @property
    def pair(self) -> Ints:
        """The pair of codings of each distance."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @property
    def sums(self) -> Ints:
        """Sum of the distances of each pair of codings, shape (pairs of codings,)."""
        total = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.distance)])
        return total[self.first[1:]] - total[self.first[:-1]]

    @property
    def rounded(self) -> Ints:
        """The distances in about a hundred classes, so that few different ones are counted."""
        step = max(1, self.within // _CLASSES)
        return step * np.round(self.distance / step).astype(np.int64)


def nearest(boundaries: Ragged, row: Ints, peer: Ints, within: int) -> NearBoundaries:
    """Pair boundaries one to one, nearest first and from left to right among equally near ones.

    Args:
        boundaries: positions, one row per coding, ascending and distinct.
        row: row of the first coding of each pair, shape (pairs,).
        peer: row of the second coding of each pair, shape (pairs,).
        within: the largest distance of two boundaries that are paired, in units, at least 0.
    """
    lengths = boundaries.lengths
    most = np.minimum(lengths[row], lengths[peer])
    distance, first = np.empty(int(most.sum()), np.int64), np.zeros(len(row) + 1, np.int64)
    _pair_all(boundaries.arrays, row, peer, within, first, distance)
    return NearBoundaries(first, distance[: first[-1]], within)


@kernel
def _pair_all(
    boundaries: RowArrays, row: Ints, peer: Ints, within: int, first: Ints, distance: Ints
) -> None:
    longest = 0
    for i in range(len(row)):
        both = len(row_values(boundaries, row[i])) + len(row_values(boundaries, peer[i]))
        longest = max(longest, both)
    position, in_second = np.empty(longest, np.int64), np.empty(longest, np.bool_)
    for i in range(len(row)):
        both = _merge(row_values(boundaries, row[i]), row_values(boundaries, peer[i]))
        size = len(both)
        for k in range(size):
            position[k], in_second[k] = both[k] >> 1, both[k] & 1
        first[i + 1] = first[i] + _take_nearest(
            position, in_second, size, within, distance[first[i] :]
        )


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
def _gap(position: Ints, in_second: Flags, size: int, k: int, within: int) -> int:
    """Return the distance of k and k + 1; ``_FAR`` if they cannot be paired."""
    if k + 1 >= size or in_second[k] == in_second[k + 1]:
        return _FAR
    gap = position[k + 1] - position[k]
    return gap if gap <= within else _FAR


@kernel
def _take_nearest(
    position: Ints, in_second: Flags, size: int, within: int, distance: Ints
) -> int:
    """Write the distances of the pairs; return their number.

    The nearest two of opposite sides are always neighbours among those that are left.  In one turn,
    all are taken that are nearer than the neighbours on both sides, and removed.
    """
    pairs, taken = 0, 1
    while taken > 0:
        taken = k = kept = 0
        before = _FAR
        while k < size:
            gap = _gap(position, in_second, size, k, within)
            after = _gap(position, in_second, size, k + 1, within)
            if gap < before and gap <= after:
                apart = position[k + 1] - position[k]
                distance[pairs] = apart if in_second[k + 1] else -apart
                pairs += 1
                taken += 1
                k += 2
                before = after
            else:
                position[kept], in_second[kept] = position[k], in_second[k]
                kept += 1
                k += 1
                before = gap
        size = kept
    return pairs
