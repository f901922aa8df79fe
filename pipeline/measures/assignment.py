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
    """Boundaries that only one side has, out of reach of all others; arrays of shape (size,).

    Attributes:
        position: position of each boundary, ascending.
        type: type of each boundary, ascending at one position.
        in_ref: 1 where the side is the reference, else 0.
        start: index of the first boundary within reach of each.
        stop: one past the index of the last boundary within reach of each.
        partner: index of each boundary's partner, -1 if it has none.
        price: price of each boundary, as described at the top of this module.
        fixed: 1 where the decision is final.
        path_loss: loss on the best path of a search to each boundary; UNSEEN outside a search.
        previous: the boundary before each on that path.
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
    path_loss: Ints
    previous: Ints
    seen: Ints


@kernel
def _saving(block: _Block, a: int, b: int, n_t: int, type_range: int) -> int:
    """Return what a pair saves, or 0 if the two boundaries cannot be a pair.

    The unit is 1 / (n_t type_range (size + 1)) of the cost of a boundary. A near miss is given one
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
    """Change the partners along a path: pair each boundary with its ``previous``, from the end."""
    partner, previous = block.partner, block.previous
    while True:
        taker = previous[end]
        next_end = partner[taker]
        partner[taker], partner[end] = end, taker
        if taker == start:
            return
        end = next_end


@kernel
def _extend_search(
    block: _Block, taker: int, loss_so_far: int, n_t: int, type_range: int, reached: int
) -> int:
    """Extend a search by the possible partners of a boundary; return how many are reached now."""
    for other in range(block.start[taker], block.stop[taker]):
        saving = _saving(block, taker, other, n_t, type_range)
        if saving == 0 or block.fixed[other]:
            continue
        if block.path_loss[other] == UNSEEN:
            block.seen[reached] = other
            reached += 1
        loss = loss_so_far + block.price[taker] + block.price[other] - saving
        if loss < block.path_loss[other]:
            block.path_loss[other] = loss
            block.previous[other] = taker
    return reached


@kernel
def _nearest(block: _Block, settled: int, reached: int) -> int:
    """Move the nearest unsettled boundary to the front of the unsettled ones; return its loss."""
    if settled == reached:
        return UNSEEN
    path_loss, seen = block.path_loss, block.seen
    nearest = settled
    for i in range(settled + 1, reached):
        if path_loss[seen[i]] < path_loss[seen[nearest]]:
            nearest = i
    seen[settled], seen[nearest] = seen[nearest], seen[settled]
    return path_loss[seen[settled]]


@kernel
def _update_prices(
    block: _Block, start: int, loss: int, settled: int, loser: int, end: int
) -> None:
    """Update the prices after a search, and the pairs on the path to the loser or free end."""
    price, partner, path_loss = block.price, block.partner, block.path_loss
    price[start] -= loss
    for i in range(settled):
        other = block.seen[i]
        price[other] += loss - path_loss[other]
        price[partner[other]] -= loss - path_loss[other]
    if end < 0 and loser != start:
        end = partner[loser]
        partner[loser] = -1
    if end >= 0:
        _flip(block, start, end)


@kernel
def _find_partner(block: _Block, start: int, n_t: int, type_range: int, max_loss: int) -> bool:
    """Find a partner for a boundary at the least loss; it or another one may end up without one.

    The boundary may take the partner of another, which then needs a new one: this is a search for
    the shortest path, with lengths given by the prices.

    Args:
        block: the boundaries, which are changed if the search succeeds.
        start: a boundary without a partner.
        n_t: near misses lie 1..n_t-1 positions apart.
        type_range: largest declared type - smallest + 1.
        max_loss: largest loss allowed.

    Returns:
        Whether there is a way with a loss of at most ``max_loss``.
    """
    settled = reached = loss_so_far = 0
    taker = loser = start
    loss, end = block.price[start], -1
    while True:
        reached = _extend_search(block, taker, loss_so_far, n_t, type_range, reached)
        loss_so_far = _nearest(block, settled, reached)
        if loss_so_far >= loss or loss_so_far > max_loss:
            break
        taker = block.partner[block.seen[settled]]
        if taker < 0:
            loss, end = loss_so_far, block.seen[settled]
            break
        settled += 1
        if loss_so_far + block.price[taker] < loss:
            loss, loser = loss_so_far + block.price[taker], taker
    if loss <= max_loss:
        _update_prices(block, start, loss, settled, loser, end)
    for i in range(reached):
        block.path_loss[block.seen[i]] = UNSEEN
    return loss <= max_loss


@kernel
def _exchange(block: _Block, first: int, second: int, n_t: int, type_range: int) -> bool:
    """Pair one with two for good, if their previous partners can be placed without any loss."""
    partner = block.partner
    old_partner = partner.copy()
    first_partner, second_partner = partner[first], partner[second]
    partner[first], partner[second] = second, first
    block.fixed[first] = block.fixed[second] = 1
    if first_partner >= 0:
        partner[first_partner] = -1
    if second_partner >= 0:
        partner[second_partner] = -1
    done = second_partner < 0 or _find_partner(block, second_partner, n_t, type_range, 0)
    if done and first_partner >= 0 and partner[first_partner] < 0:
        done = _find_partner(block, first_partner, n_t, type_range, 0)
    if not done:
        partner[:] = old_partner
        block.fixed[first] = block.fixed[second] = 0
    return done


@kernel
def _choose_leftmost(block: _Block, n_t: int, type_range: int) -> None:
    """Choose the best pairing whose list of pairs is lexicographically smallest."""
    fixed, price = block.fixed, block.price
    for first in range(len(fixed)):
        for second in range(first + 1, block.stop[first]):
            saving = _saving(block, first, second, n_t, type_range)
            if (
                fixed[first]
                or fixed[second]
                or saving == 0
                or price[first] + price[second] > saving
            ):
                continue
            if block.partner[first] == second:
                fixed[first] = fixed[second] = 1
            else:
                _exchange(block, first, second, n_t, type_range)
        fixed[first] = 1


@kernel
def _solve(position: Ints, kind: Ints, in_ref: Ints, n_t: int, type_range: int) -> Ints:
    """Pair the boundaries of one block; return the index of each one's partner, -1 for none."""
    size = len(position)
    if n_t * type_range > _LARGEST // (size + 1) ** 2:
        raise Refused(
            "optimal pairing: costs above 2^61 are not exact; choose a smaller --n-t "
            "or --boundary-types closer together"
        )
    start, stop = np.zeros(size, np.int64), np.zeros(size, np.int64)
    first = last = 0
    for k in range(size):
        while position[k] - position[first] >= n_t:
            first += 1
        while last < size and position[last] - position[k] < n_t:
            last += 1
        start[k], stop[k] = first, last
    zeros = np.zeros((4, size), np.int64)
    block = _Block(
        position,
        kind,
        in_ref,
        start,
        stop,
        np.full(size, -1, np.int64),
        zeros[0],
        zeros[1],
        np.full(size, UNSEEN, np.int64),
        zeros[2],
        zeros[3],
    )
    for k in range(size):
        if in_ref[k]:
            block.price[k] = 2 * n_t * type_range * (size + 1)
    for k in range(size):
        if in_ref[k]:
            _find_partner(block, k, n_t, type_range, UNSEEN)
    _choose_leftmost(block, n_t, type_range)
    return block.partner


@kernel
def assign(code: Ints, in_ref: Ints, n_t: int, type_range: int, partner: Ints) -> None:
    """Pair boundaries at least cost, then with the fewest near misses, then the leftmost pairs.

    Args:
        code: position x type_range + type - lowest type, strictly ascending, shape (size,).
        in_ref: 1 for boundaries of the reference, else 0, shape (size,).
        n_t: near misses lie 1..n_t-1 positions apart and cost their distance / n_t.
        type_range: substitutions cost their type difference / type_range.
        partner: output: index of each one's partner, -1 if it has none, shape (size,).
    """
    position, kind = code // type_range, code % type_range
    start = 0
    for end in range(1, len(code) + 1):
        if end == len(code) or position[end] - position[end - 1] >= n_t:
            block_partner = _solve(
                position[start:end], kind[start:end], in_ref[start:end], n_t, type_range
            )
            for k in range(end - start):
                partner[start + k] = block_partner[k] + start if block_partner[k] >= 0 else -1
            start = end
