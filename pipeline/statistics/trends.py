"""Trends and steps in a series of values over time, such as the averages of successive nights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats, Ints

FEWEST_FOR_TREND = 10
"""Fewest values of which a trend is computed."""

FEWEST_OF_BLOCK = 3
"""Fewest successive values that stay together when a series is permuted."""

_FEWEST_BLOCKS = 4
"""Fewest blocks of a series."""

_MOST_CORRELATED = 0.9

ORDERS = 999

FEWEST_OF_SIDE = 3
"""Fewest values before and after a step."""

_SIGNIFICANT = 1.959963984540054
"""Autocorrelations beyond this over the root of n are significant, two-sided at .05."""


@dataclass(frozen=True)
class Trend:
    """A straight line through a series, and whether its slope is more than chance.

    Attributes:
        slope: Theil-Sen estimate, the median slope of all pairs of values; per unit of time.
        low, high: ends of its 95 % interval.
        intercept: the median of value - slope * time.
        p: two-sided p of Mann and Kendall's test with Hamed and Rao's correction.
        p_independent: the same without the correction, as for independent values.
    """

    slope: float
    low: float
    high: float
    intercept: float
    p: float
    p_independent: float


@dataclass(frozen=True)
class Step:
    """The split of a series into two levels that explains most.

    Attributes:
        first: index of the first value after the step.
        before, after: the weighted means of the two levels.
        explained: share of the weighted sum of squares that the two levels explain, 0 to 1.
        p: chance of such a step after a permutation of the blocks of the series.
        p_adjusted: p adjusted for the number of series.
    """

    first: int
    before: float
    after: float
    explained: float
    p: float
    p_adjusted: float


def theil_sen(time: Ints | Floats, values: Floats) -> Trend:
    """Estimate the slope of a series and test it (Theil 1950, Sen 1968, Mann 1945, Kendall 1975).

    S is the number of pairs of values that rise less that of pairs that fall.  Its variance is
    multiplied by 1 + 2 / (n (n - 1) (n - 2)) sum of (n - i)(n - i - 1)(n - i - 2) r_i over the lags
    i whose autocorrelation r_i, of the ranks of the values without their slope, is significant
    (Hamed & Rao 1998, "A modified Mann-Kendall trend test for autocorrelated data").  Where this
    leaves no variance, p is that of independent values.

    >>> found = theil_sen(np.arange(12), np.arange(12) * 0.5)
    >>> found.slope, found.p < 0.001
    (0.5, True)

    Args:
        time: when each value was measured, ascending, shape (n,).
        values: the values, shape (n,), n at least 3.
    """
    from scipy.special import ndtr
    from scipy.stats import rankdata

    n = len(values)
    first, second = np.triu_indices(n, 1)
    rises = values[second] - values[first]
    slopes = np.sort(rises / (time[second] - time[first]))
    slope = float(np.median(slopes))
    s = int(np.sign(rises).sum())
    variance = _variance(values)
    ranks = rankdata(np.round(values - slope * time, 12))
    corrected = variance * _serial_factor(ranks - ranks.mean())
    corrected = corrected if corrected > 0 else variance

    def p_of(spread: float) -> float:
        return float(2 * ndtr((1 - abs(s)) / np.sqrt(spread))) if s and spread > 0 else 1.0

    half = _SIGNIFICANT * np.sqrt(max(corrected, variance))
    low = max(0, round((len(slopes) - half) / 2) - 1)
    high = min(len(slopes) - 1, round((len(slopes) + half) / 2))
    return Trend(
        slope,
        float(slopes[low]),
        float(slopes[high]),
        float(np.median(values - slope * time)),
        p_of(corrected),
        p_of(variance),
    )


def _variance(values: Floats) -> float:
    """Return the variance of S for independent values, corrected for ties."""
    n = len(values)
    ties = np.unique(values, return_counts=True)[1]
    every, tied = (float((k * (k - 1) * (2 * k + 5)).sum()) for k in (np.array([n]), ties))
    return (every - tied) / 18


def _serial_factor(ranks: Floats) -> float:
    """Return the factor by which serial dependence increases the variance of S."""
    n = len(ranks)
    total = float((ranks**2).sum())
    if total == 0:
        return 1.0
    r = np.correlate(ranks, ranks, "full")[n:] / total
    lags = np.arange(1, n)
    r[np.abs(r) <= _SIGNIFICANT / np.sqrt(n)] = 0
    weights = (n - lags) * (n - lags - 1) * (n - lags - 2)
    return float(1 + 2 / (n * (n - 1) * (n - 2)) * (weights * r).sum())


def steps(values: Floats, weights: Floats, seed: int) -> list[Step | None]:
    """Find the step of each of several series, by weighted least squares.

    p is (c + 1) / (n + 1), where c of n random orders of the blocks of ``block_length`` successive
    values explain at least as much.  The order is the same for all series, so that p can also be
    adjusted for their number (Westfall & Young 1993): then, c counts the orders in which any series
    has so large a ratio of explained to unexplained variance.

    >>> steps(np.repeat([[0.8, 0.6]], 15, axis=1), np.ones((1, 30)), seed=0)[0].first
    15

    Args:
        values: the series, NaN where undefined, shape (series, times).
        weights: weight of each value, above 0, such as 1 / its variance; of the same shape.
        seed: seed of the permutations.

    Returns:
        The step of each series; None if it has fewer than ``FEWEST_FOR_TREND`` values.
    """
    orders = _orders(values.shape[1], block_length(values), seed)
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0.0)
    values = np.where(defined, values, 0.0)
    enough = defined.sum(axis=1) >= FEWEST_FOR_TREND
    ratios = np.zeros((len(values), len(orders) + 1))
    found: list[tuple[int, float]] = []
    for row, (series, weight) in enumerate(zip(values, weights, strict=True)):
        _, explained = _best_splits(series[orders], weight[orders])
        own_split, own = _best_splits(series[None], weight[None])
        every = np.append(own, explained)
        size = defined[row].sum()
        ratios[row] = every / np.maximum(1 - every, 1e-12) * (size - 2) * enough[row]
        found.append((int(own_split[0]), float(own[0])))
    largest = ratios[:, 1:].max(axis=0, initial=0)
    results: list[Step | None] = []
    for row, (first, explained_share) in enumerate(found):
        observed = ratios[row, 0] * (1 - 1e-9)
        p, adjusted = (
            float((np.count_nonzero(drawn >= observed) + 1) / (len(orders) + 1))
            for drawn in (ratios[row, 1:], largest)
        )
        before, after = (
            float(np.average(values[row, part], weights=weights[row, part]))
            if enough[row]
            else float("nan")
            for part in (slice(None, first), slice(first, None))
        )
        step = Step(first, before, after, explained_share, p, adjusted)
        results.append(step if enough[row] else None)
    return results


def _best_splits(values: Floats, weights: Floats) -> tuple[Ints, Floats]:
    """Return the index after the best split of each row, and the share that it explains.

    Args:
        values: the series, shape (rows, times).
        weights: weight of each value, 0 where it is undefined; of the same shape.
    """
    mass, sums = np.cumsum(weights, axis=1), np.cumsum(weights * values, axis=1)
    squares = (weights * values**2).sum(axis=1)
    seen = np.cumsum(weights > 0, axis=1)
    total, whole = mass[:, -1:], sums[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = sums**2 / mass + (whole - sums) ** 2 / (total - mass) - whole**2 / total
    side = np.minimum(seen, seen[:, -1:] - seen)
    between = np.where(side >= FEWEST_OF_SIDE, between, -np.inf)
    best = between.argmax(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - (whole**2 / total)[:, 0]
        explained = between[np.arange(len(values)), best] / spread
    explained = np.where(np.isfinite(explained), np.clip(explained, 0.0, 1.0), 0.0)
    return best + 1, explained


def block_length(values: Floats) -> int:
    """Return how many successive values of series stay together when their order is permuted.

    It is n^(1/3) (2 r / (1 - r^2))^(2/3), the best length for a mean if each value resembles the
    one before by r (Politis & White 2004, "Automatic block-length selection for the dependent
    bootstrap", Econometric Reviews 23), of the series with the largest r; at least
    ``FEWEST_OF_BLOCK``, and at most a quarter of n. r is the autocorrelation of what neither the
    best step nor a line explains, without its bias (Kendall 1954), where it is significant.

    >>> block_length(np.repeat([[0.8, 0.6]], 15, axis=1))
    3

    Args:
        values: the series, NaN where undefined, shape (series, times).
    """
    most = max(FEWEST_OF_BLOCK, values.shape[1] // _FEWEST_BLOCKS)
    lengths = [_length_for(series[~np.isnan(series)]) for series in values]
    return int(np.clip(round(max(lengths, default=0.0)), FEWEST_OF_BLOCK, most))


def _length_for(series: Floats) -> float:
    """Return the best length of the blocks of a series without gaps."""
    n = len(series)
    if n < FEWEST_FOR_TREND:
        return 0.0
    rest = min(_without_step(series), _without_line(series), key=lambda each: float(each @ each))
    squares = float(rest @ rest)
    r = float(rest[1:] @ rest[:-1]) / squares if squares > 0 else 0.0
    if r <= _SIGNIFICANT / np.sqrt(n):
        return 0.0
    r = min(r + (1 + 4 * r) / n, _MOST_CORRELATED)
    return float(n ** (1 / 3) * (2 * r / (1 - r * r)) ** (2 / 3))


def _without_step(series: Floats) -> Floats:
    first = int(_best_splits(series[None], np.ones((1, len(series))))[0][0])
    parts = series[:first], series[first:]
    return np.concatenate([part - part.mean() for part in parts])


def _without_line(series: Floats) -> Floats:
    time = np.arange(len(series)) - (len(series) - 1) / 2
    apart = series - series.mean()
    return np.asarray(apart - time * float(time @ apart) / float(time @ time))


def _orders(times: int, length: int, seed: int) -> NDArray[np.int64]:
    """Return random orders of the times in blocks, cut from the newest, shape (orders, times)."""
    ends = range(times, 0, -length)
    blocks = [np.arange(max(0, end - length), end) for end in ends][::-1]
    draw = np.random.Generator(np.random.PCG64(seed))
    return np.array(
        [np.concatenate([blocks[i] for i in draw.permutation(len(blocks))]) for _ in range(ORDERS)]
    )
