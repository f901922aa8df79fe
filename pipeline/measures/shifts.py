"""Pair boundaries of one type at least cost, in time linear in the number of boundaries.

Every cost here depends on distance alone and grows with it, so pairs that cross or nest can be
uncrossed at no cost.  Therefore the leftmost boundary either has no partner, or is paired with the
first free boundary of the other side.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused

FAR = 1 << 20
_LARGEST = 1 << 61


@kernel
def distance(position: Ints, in_ref: Ints, differences: int) -> int:
    """Return the generalised Hamming distance: insertion 2, deletion 2, shift 1 per position.

    A shift of 4 costs as much as a deletion and an insertion, so at most three boundaries wait for
    a partner at any time. r1..r3 are the least costs while 1..3 boundaries of the reference wait,
    h1..h3 those for the hypothesis. Each waiting boundary pays for the distance to the next
    boundary, and these payments add up to the cost of the shifts.

    Args:
        position: positions that only one side has, strictly ascending, in the first
            ``differences`` elements.
        in_ref: 1 where that side is the reference, else 0.
        differences: number of these positions.

    Returns:
        The least cost, >= 0 (Bookstein, Kulyukin & Raita 2002).
    """
    even = 0
    r1 = r2 = r3 = h1 = h2 = h3 = FAR
    last = 0
    for k in range(differences):
        gap = position[k] - last
        last = position[k]
        r1, r2, r3 = r1 + gap, r2 + 2 * gap, r3 + 3 * gap
        h1, h2, h3 = h1 + gap, h2 + 2 * gap, h3 + 3 * gap
        ref = in_ref[k] != 0
        # Conditional expressions, unlike if statements, compile to code without branches.
        r3, r2, r1, even, h1, h2, h3 = (
            min(r3 + 2, r2 if ref else FAR),
            min(r2 + 2, r1 if ref else r3),
            min(r1 + 2, even if ref else r2),
            min(even + 2, h1 if ref else r1),
            min(h1 + 2, h2 if ref else even),
            min(h2 + 2, h3 if ref else h1),
            min(h3 + 2, FAR if ref else h2),
        )
    return even


class _Boundaries(NamedTuple):
    """The boundaries to pair, and their indexes by side.

    Attributes:
        place: places of the boundaries, strictly ascending, shape (size,).
        in_ref: 1 for boundaries of the reference, else 0, shape (size,).
        indexes: indexes of each side's boundaries, shape (2, size).
        preceding: number of each side's boundaries before each place, shape (2, size + 1).
    """

    place: Ints
    in_ref: Ints
    indexes: Ints
    preceding: Ints


@kernel
def _sides(in_ref: Ints, size: int, indexes: Ints, preceding: Ints) -> None:
    """Write the indexes of each side's boundaries, and their number before each place."""
    counts = np.zeros(2, np.int64)
    for k in range(size):
        preceding[0, k], preceding[1, k] = counts[0], counts[1]
        indexes[in_ref[k], counts[in_ref[k]]] = k
        counts[in_ref[k]] += 1
    preceding[0, size], preceding[1, size] = counts[0], counts[1]


@kernel
def _band(place: Ints, in_ref: Ints, size: int, reach: int, preceding: Ints) -> int:
    """Return the largest number of boundaries within reach after one of the other side."""
    band = end = 0
    for k in range(size):
        while end < size and place[end] - place[k] <= reach:
            end += 1
        band = max(band, preceding[1 - in_ref[k], end] - preceding[1 - in_ref[k], k])
    return band


@kernel
def _partner(boundaries: _Boundaries, k: int, taken: int, reach: int) -> int:
    """Return the next boundary of the other side that is not taken, or -1 if it is out of reach."""
    place, indexes, preceding = boundaries.place, boundaries.indexes, boundaries.preceding
    other = 1 - boundaries.in_ref[k]
    rank = preceding[other, k] + taken
    if rank >= preceding[other, len(place)] or place[indexes[other, rank]] - place[k] > reach:
        return -1
    return indexes[other, rank]


@kernel
def _least_costs(boundaries: _Boundaries, alone: int, reach: int, band: int) -> Ints:
    """Return the least cost of boundaries k, k + 1, ... if the next t of one side are taken.

    Returns:
        Shape (size + 1, 2 band + 3), in units of 1 / (size + 1). The column for t is
        band + 1 + t; t > 0 counts boundaries of the hypothesis, and t < 0 those of the reference.
        A near miss costs its distance and one unit more, so that fewer near misses cost less.
    """
    place, in_ref = boundaries.place, boundaries.in_ref
    size, zero, parts = len(place), band + 1, len(place) + 1
    costs = np.full((size + 1, 2 * band + 3), 2 * _LARGEST, np.int64)
    costs[size, zero] = 0
    for k in range(size - 1, -1, -1):
        side = 2 * in_ref[k] - 1
        for t in range(-band, band + 1):
            if t * side < 0:
                costs[k, zero + t] = costs[k + 1, zero + t + side]
                continue
            cost = costs[k + 1, zero + t] + alone * parts
            partner = _partner(boundaries, k, t * side, reach)
            if partner >= 0:
                pair_cost = (place[partner] - place[k]) * parts + 1
                cost = min(cost, costs[k + 1, zero + t + side] + pair_cost)
            costs[k, zero + t] = cost
    return costs


@kernel
def align(place: Ints, in_ref: Ints, alone: int, reach: int, partner: Ints) -> None:
    """Pair boundaries at least cost; among equal costs, with the fewest, then the leftmost pairs.

    The leftmost pairs are those whose list, each pair written from its left end, is
    lexicographically smallest. The cost must stay below 2^61 when multiplied by the number of
    boundaries.

    Args:
        place: places of the boundaries, strictly ascending, shape (size,).
        in_ref: 1 for boundaries of the reference, else 0, shape (size,).
        alone: cost of a boundary without a partner; a pair costs its distance.
        reach: largest distance of a pair.
        partner: output: index of each one's partner, -1 if it has none, shape (size,).
    """
    size = len(place)
    partner[:size] = -1
    if alone > _LARGEST // (size + 1) ** 2:
        raise Refused("optimal pairing: costs above 2^61 are not exact; choose a smaller --n-t")
    indexes = np.empty((2, size), np.int64)
    preceding = np.empty((2, size + 1), np.int64)
    _sides(in_ref, size, indexes, preceding)
    band = _band(place, in_ref, size, reach, preceding)
    boundaries = _Boundaries(place, in_ref, indexes, preceding)
    costs = _least_costs(boundaries, alone, reach, band)
    zero, t = band + 1, 0
    for k in range(size):
        side = 2 * in_ref[k] - 1
        if t * side < 0:
            t += side
            continue
        other = _partner(boundaries, k, t * side, reach)
        if other < 0:
            continue
        cost = (place[other] - place[k]) * (size + 1) + 1
        if costs[k + 1, zero + t + side] + cost == costs[k, zero + t]:
            partner[k], partner[other] = other, k
            t += side
