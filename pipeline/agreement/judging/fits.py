"""Fit effects of coders to differences between them, by medians, so that outliers do not matter.

A table of differences D is fitted by D_ij = a_j - a_i: how far each coder is from the others.  In
turns, each effect moves .7 of the way to the median, over the coder's peers, of what it should be
for that pair; then the median effect is set to 0.  (Tukey 1977 calls this median polish; here the
table is symmetric, and its diagonal does not exist.)
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

_STEP = 0.7
_TURNS = 200
_CLOSE = 1e-6
_QN = 2.2219
"""Standard deviation of a normal distribution, divided by its first quartile of distances."""

_OF_FEW = (0.0, 0.0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872)
"""Factors that make it unbiased for so many values; of more, there is a formula."""


@dataclass(frozen=True)
class Neighbours:
    """The peers of each coder, padded to the same number.

    Attributes:
        peer: number of the peer, shape (coders, most peers); 0 where there is none.
        pair: number of the pair, same shape; -1 where there is none.
        sign: 1 if the coder is the second of the pair, -1 if the first, same shape.
    """

    peer: Ints
    pair: Ints
    sign: Ints

    @classmethod
    def of(cls, first: Ints, second: Ints, coders: int) -> "Neighbours":
        """List the peers of each coder."""
        owner, peer = np.concatenate([first, second]), np.concatenate([second, first])
        pair = np.tile(np.arange(len(first)), 2)
        sign = np.repeat([-1, 1], len(first))
        order = np.argsort(owner, kind="stable")
        start = np.searchsorted(owner[order], np.arange(coders))
        place = np.arange(len(owner)) - start[owner[order]]
        shape = coders, int(place.max(initial=-1)) + 1
        table = cls(np.zeros(shape, np.int64), np.full(shape, -1), np.zeros(shape, np.int64))
        row = owner[order]
        table.peer[row, place] = peer[order]
        table.pair[row, place] = pair[order]
        table.sign[row, place] = sign[order]
        return table


def fit_differences(values: Floats, neighbours: Neighbours, standard: Flags, used: Flags) -> Floats:
    """Fit D_ij = a_j - a_i to several tables at once.

    Args:
        values: difference of each pair, NaN where undefined, shape (tables, pairs).
        neighbours: the peers of each coder.
        standard: coders by whom all are judged, shape (coders,).
        used: pairs to fit, shape (pairs,).

    Returns:
        The effects, NaN for a coder without a peer among the standard, shape (tables, coders).
    """
    table = _by_peer(values, neighbours, standard, used) * neighbours.sign
    effects = np.zeros(table.shape[:2])
    _move(table, neighbours.peer, standard, effects)
    return np.where(np.isnan(table).all(axis=2), np.nan, effects)


@kernel
def _middle(values: Floats, size: int) -> float:
    """Return the median of the first values, which are put in order; 0 if there are none."""
    if size == 0:
        return 0.0
    values[:size].sort()
    return (values[(size - 1) // 2] + values[size // 2]) / 2


@kernel
def _wish(table: Floats, peer: Ints, effects: Floats, wanted: Floats) -> None:
    """Write the median of what each effect should be for each peer; NaN without peers."""
    scratch = np.empty(table.shape[1])
    for x in range(len(effects)):
        size = 0
        for k in range(table.shape[1]):
            value = table[x, k]
            if not np.isnan(value):
                scratch[size] = value + effects[peer[x, k]]
                size += 1
        wanted[x] = _middle(scratch, size) if size else np.nan


@kernel_of_steps(lambda table, *_: table.size * _TURNS // 10)
def _move(table: Floats, peer: Ints, standard: Flags, all_effects: Floats) -> None:
    """Move all effects towards their medians until none moves any more."""
    wanted, scratch = np.empty(len(standard)), np.empty(len(standard))
    for t in range(len(all_effects)):
        effects = all_effects[t]
        for _ in range(_TURNS):
            _wish(table[t], peer, effects, wanted)
            size = 0
            for x in range(len(effects)):
                wanted[x] = effects[x] + _STEP * (wanted[x] - effects[x])
                if standard[x] and not np.isnan(wanted[x]):
                    scratch[size] = wanted[x]
                    size += 1
            middle = _middle(scratch, size)
            furthest = 0.0
            for x in range(len(effects)):
                moved = 0.0 if np.isnan(wanted[x]) else wanted[x] - middle
                furthest = max(furthest, abs(moved - effects[x]))
                effects[x] = moved
            if furthest < _CLOSE:
                break


def _by_peer(values: Floats, neighbours: Neighbours, standard: Flags, used: Flags) -> Floats:
    """Return the values by coder and peer, NaN unless the peer is standard and the pair used."""
    counted = (neighbours.pair >= 0) & standard[neighbours.peer] & used[neighbours.pair]
    return np.where(counted, values[:, neighbours.pair], np.nan)


def median(values: Floats) -> Floats:
    """Return the medians along the last axis of the values that are not NaN; NaN without any."""
    ascending = np.sort(values, axis=-1)  # NaN last
    known = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.nan)
    low = np.take_along_axis(ascending, np.maximum(known - 1, 0) // 2, axis=-1)
    high = np.take_along_axis(ascending, np.minimum(known // 2, values.shape[-1] - 1), axis=-1)
    return np.asarray(np.where(known > 0, (low + high) / 2, np.nan)[..., 0])


def spread(values: Floats) -> float:
    """Return Q_n, a robust standard deviation (Rousseeuw & Croux 1993); 0 of a single value.

    It is an order statistic of the distances between all pairs of values, times their factor for
    small numbers, without which it is too large.
    """
    number = len(values)
    apart = np.sort(np.abs(values[:, None] - values)[np.triu_indices(number, 1)])
    half = number // 2 + 1
    if number < len(_OF_FEW):
        factor = _OF_FEW[number]
    else:
        factor = number / (number + (1.4 if number % 2 else 3.8))
    return factor * _QN * float(apart[half * (half - 1) // 2 - 1]) if len(apart) else 0.0


def standard_error(values: Floats) -> Floats:
    """Return jackknife standard errors (Efron & Tibshirani 1993, 11.5).

    Args:
        values: the statistic on all documents, and without each group of documents in turn, shape
            (1 + groups, ...).
    """
    left_out = values[1:]
    groups = len(left_out)
    with np.errstate(invalid="ignore"):
        apart = left_out - left_out.mean(axis=0)
        return np.asarray(np.sqrt((groups - 1) / groups * (apart**2).sum(axis=0)))


def jackknife_p(values: Floats, errors: Floats, groups: int) -> Floats:
    """Return two-sided p values of values with jackknife errors: t with groups - 1 degrees."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(2 * stdtr(groups - 1, -np.abs(values / errors)))
