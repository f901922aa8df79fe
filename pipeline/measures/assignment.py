"""Boundaries of several types paired at least cost: an assignment, solved exactly.

A boundary alone costs 1, so a pair saves 2 less its own cost. Savings are maximised by the
Hungarian method (Kuhn 1955), its searches as wide as the boundaries reach. Each boundary has a
price >= 0: the prices of a possible pair together are at least its saving, those of a pair that is
made exactly that, and who is alone has price 0. That proves that nothing saves more.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused

_LARGEST = 1 << 61
UNSEEN = 1 << 62


class _Block(NamedTuple):
    """Boundaries only one side has, out of reach of all others; each array of shape (found,).

    Attributes:
        position: ascending.
        type: ascending at one position.
        in_ref: 1 where the side is the reference, else 0.
        start: first boundary within reach of each.
        stop: one past the last boundary within reach of each.
        partner: index of each one's partner, -1 where it is alone.
        price: of each boundary.
        fixed: 1 where it is decided for good.
        way: loss on the best way to each; UNSEEN outside of a search.
        via: the boundary it was reached from.
        seen: the boundaries reached, settled ones first.
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
    """What a pair saves, in 1 / (n_t type_range (found + 1)) of a boundary; 0 if it is none.

    A near miss saves one such part less than it should, so that among equal costs fewer are best.
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
    """On the way from start to end, give each boundary to the one it was reached from."""
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
    """Reach what one boundary could take; return how many are reached now."""
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
    """Bring the nearest boundary that is not settled to the front of those; return its loss."""
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
    """Change prices by what was found, and pairs along the way to the loser or the free end."""
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
    """Find a partner for a boundary, or leave it or another one alone, at the least loss.

    It may take the partner of another one, which then looks on: shortest way over the prices.

    Args:
        block: is changed if it can be done.
        start: a boundary without partner.
        n_t: near misses lie 1..n_t-1 positions apart.
        type_range: largest declared type - smallest + 1.
        most: largest loss allowed.

    Returns:
        Whether it could be done.
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
    """Pair one with two for good, if those they leave can be placed without any loss."""
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
    """Of all best pairings take the one whose list of pairs is lexicographically smallest."""
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
    """Pair the boundaries of one block; the index of each one's partner, -1 where it is alone."""
    found = len(position)
    if n_t * type_range > _LARGEST // (found + 1) ** 2:
        raise Refused(
            "optimal pairing: costs beyond 2^61 are not exact; choose a smaller --n-t "
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
    """Pair boundaries at least cost; among equal costs fewest near misses, then the leftmost.

    Args:
        code: position x type_range + type - lowest type, strictly ascending, shape (found,).
        in_ref: 1 for those of the reference, else 0, shape (found,).
        n_t: near misses lie 1..n_t-1 positions apart and cost their distance / n_t.
        type_range: substitutions cost their difference / type_range.
        partner: written: index of each one's partner, -1 where it is alone, shape (found,).
    """
    position, kind = code // type_range, code % type_range
    start = 0
    for end in range(1, len(code) + 1):
        if end == len(code) or position[end] - position[end - 1] >= n_t:
            mates = _solve(position[start:end], kind[start:end], in_ref[start:end], n_t, type_range)
            for k in range(end - start):
                partner[start + k] = mates[k] + start if mates[k] >= 0 else -1
            start = end
