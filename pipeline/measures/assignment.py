"""Least-cost pairing of boundaries of several types: an assignment problem, solved exactly.

A boundary without a partner costs 1, so a pair saves 2 minus its own cost. The Hungarian method
(Kuhn 1955) maximises the total saving; its searches go only as far as boundaries are within reach
of each other. Each boundary has a price >= 0. The prices of any two boundaries that could be a pair
add up to at least the saving of that pair, those of a chosen pair add up to exactly its saving, and
a boundary without a partner has price 0. This proves that no pairing saves more.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused

_LARGEST = 1 << 61
UNSEEN = 1 << 62


class _Block(NamedTuple):
    """Boundaries that only one side has, out of reach of all others; arrays of shape (found,).

    Attributes:
        position: position of each boundary, ascending.
        type: type of each boundary, ascending at one position.
        in_ref: 1 where the side is the reference, else 0.
        start: index of the first boundary within reach of each.
        stop: one past the index of the last boundary within reach of each.
        partner: index of each boundary's partner, -1 if it has none.
        price: price of each boundary, as described at the top of this module.
        fixed: 1 where the decision is final.
        way: loss on the best path of a search to each boundary; UNSEEN outside a search.
        via: the boundary before each on that path.
        seen: the boundaries that a search has reached, settled ones first.
    """

    position: Ints
    type: Ints
    in_ref: Ints
    start: Ints
    stop: Ints
    partner: Ints
    price: Ints
    fixed: Ints
    way: Ints
    via: Ints
    seen: Ints


@kernel
def _saving(block: _Block, a: int, b: int, n_t: int, type_range: int) -> int:
    """Return what a pair saves, or 0 if the two boundaries cannot be a pair.

    The unit is 1 / (n_t type_range (found + 1)) of the cost of a boundary. A near miss is given one
    unit less than it saves, so that the solution has the fewest near misses among equal costs.
    """
    if block.in_ref[a] == block.in_ref[b]:
        return 0
    span = abs(block.position[a] - block.position[b])
    difference = abs(block.type[a] - block.type[b])
    if span > 0 and difference > 0:
        return 0
    cost = span * type_range + difference * n_t
    return (2 * n_t * type_range - cost) * (len(block.position) + 1) - (span > 0)


@kernel
def _flip(block: _Block, start: int, end: int) -> None:
    """Change the partners along the path from start to end: pair each boundary with its ``via``."""
    partner, via = block.partner, block.via
    while True:
        taker = via[end]
        left = partner[taker]
        partner[taker], partner[end] = end, taker
        if taker == start:
            return
        end = left


@kernel
def _look(block: _Block, taker: int, here: int, n_t: int, type_range: int, reached: int) -> int:
    """Extend a search by the possible partners of a boundary; return how many are reached now."""
    for other in range(block.start[taker], block.stop[taker]):
        saving = _saving(block, taker, other, n_t, type_range)
        if saving == 0 or block.fixed[other]:
            continue
        if block.way[other] == UNSEEN:
            block.seen[reached] = other
            reached += 1
        loss = here + block.price[taker] + block.price[other] - saving
        if loss < block.way[other]:
            block.way[other] = loss
            block.via[other] = taker
    return reached


@kernel
def _nearest(block: _Block, settled: int, reached: int) -> int:
    """Move the nearest unsettled boundary to the front of the unsettled ones; return its loss."""
    if settled == reached:
        return UNSEEN
    way, seen = block.way, block.seen
    nearest = settled
    for i in range(settled + 1, reached):
        if way[seen[i]] < way[seen[nearest]]:
            nearest = i
    seen[settled], seen[nearest] = seen[nearest], seen[settled]
    return way[seen[settled]]


@kernel
def _settle(block: _Block, start: int, loss: int, settled: int, loser: int, end: int) -> None:
    """Update the prices after a search, and the pairs on the path to the loser or free end."""
    price, partner, way = block.price, block.partner, block.way
    price[start] -= loss
    for i in range(settled):
        other = block.seen[i]
        price[other] += loss - way[other]
        price[partner[other]] -= loss - way[other]
    if end < 0 and loser != start:
        end = partner[loser]
        partner[loser] = -1
    if end >= 0:
        _flip(block, start, end)


@kernel
def _place(block: _Block, start: int, n_t: int, type_range: int, most: int) -> bool:
    """Find a partner for a boundary, or leave it or another one without, at the least loss.

    The boundary may take the partner of another, which then needs a new one: this is a search for
    the shortest path, with lengths given by the prices.

    Args:
        block: the boundaries, which are changed if the search succeeds.
        start: a boundary without a partner.
        n_t: near misses lie 1..n_t-1 positions apart.
        type_range: largest declared type - smallest + 1.
        most: largest loss allowed.

    Returns:
        Whether there is a way with a loss of at most ``most``.
    """
    settled = reached = here = 0
    taker = loser = start
    loss, end = block.price[start], -1
    while True:
        reached = _look(block, taker, here, n_t, type_range, reached)
        here = _nearest(block, settled, reached)
        if here >= loss or here > most:
            break
        taker = block.partner[block.seen[settled]]
        if taker < 0:
            loss, end = here, block.seen[settled]
            break
        settled += 1
        if here + block.price[taker] < loss:
            loss, loser = here + block.price[taker], taker
    if loss <= most:
        _settle(block, start, loss, settled, loser, end)
    for i in range(reached):
        block.way[block.seen[i]] = UNSEEN
    return loss <= most


@kernel
def _exchange(block: _Block, one: int, two: int, n_t: int, type_range: int) -> bool:
    """Pair one with two for good, if their previous partners can be placed without any loss."""
    partner = block.partner
    before = partner.copy()
    left, right = partner[one], partner[two]
    partner[one], partner[two] = two, one
    block.fixed[one] = block.fixed[two] = 1
    if left >= 0:
        partner[left] = -1
    if right >= 0:
        partner[right] = -1
    done = right < 0 or _place(block, right, n_t, type_range, 0)
    if done and left >= 0 and partner[left] < 0:
        done = _place(block, left, n_t, type_range, 0)
    if not done:
        partner[:] = before
        block.fixed[one] = block.fixed[two] = 0
    return done


@kernel
def _choose_leftmost(block: _Block, n_t: int, type_range: int) -> None:
    """Choose the best pairing whose list of pairs is lexicographically smallest."""
    fixed, price = block.fixed, block.price
    for one in range(len(fixed)):
        for two in range(one + 1, block.stop[one]):
            saving = _saving(block, one, two, n_t, type_range)
            if fixed[one] or fixed[two] or saving == 0 or price[one] + price[two] > saving:
                continue
            if block.partner[one] == two:
                fixed[one] = fixed[two] = 1
            else:
                _exchange(block, one, two, n_t, type_range)
        fixed[one] = 1


@kernel
def _solve(position: Ints, kind: Ints, in_ref: Ints, n_t: int, type_range: int) -> Ints:
    """Pair the boundaries of one block; return the index of each one's partner, -1 for none."""
    found = len(position)
    if n_t * type_range > _LARGEST // (found + 1) ** 2:
        raise Refused(
            "optimal pairing: costs above 2^61 are not exact; choose a smaller --n-t "
            "or --boundary-types closer together"
        )
    start, stop = np.zeros(found, np.int64), np.zeros(found, np.int64)
    first = last = 0
    for k in range(found):
        while position[k] - position[first] >= n_t:
            first += 1
        while last < found and position[last] - position[k] < n_t:
            last += 1
        start[k], stop[k] = first, last
    zeros = np.zeros((4, found), np.int64)
    block = _Block(
        position,
        kind,
        in_ref,
        start,
        stop,
        np.full(found, -1, np.int64),
        zeros[0],
        zeros[1],
        np.full(found, UNSEEN, np.int64),
        zeros[2],
        zeros[3],
    )
    for k in range(found):
        if in_ref[k]:
            block.price[k] = 2 * n_t * type_range * (found + 1)
    for k in range(found):
        if in_ref[k]:
            _place(block, k, n_t, type_range, UNSEEN)
    _choose_leftmost(block, n_t, type_range)
    return block.partner


@kernel
def assign(code: Ints, in_ref: Ints, n_t: int, type_range: int, partner: Ints) -> None:
    """Pair boundaries at least cost, then with the fewest near misses, then the leftmost pairs.

    Args:
        code: position x type_range + type - lowest type, strictly ascending, shape (found,).
        in_ref: 1 for boundaries of the reference, else 0, shape (found,).
        n_t: near misses lie 1..n_t-1 positions apart and cost their distance / n_t.
        type_range: substitutions cost their type difference / type_range.
        partner: output: index of each one's partner, -1 if it has none, shape (found,).
    """
    position, kind = code // type_range, code % type_range
    start = 0
    for end in range(1, len(code) + 1):
        if end == len(code) or position[end] - position[end - 1] >= n_t:
            mates = _solve(position[start:end], kind[start:end], in_ref[start:end], n_t, type_range)
            for k in range(end - start):
                partner[start + k] = mates[k] + start if mates[k] >= 0 else -1
            start = end
