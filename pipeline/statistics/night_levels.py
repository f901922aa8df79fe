"""Follow the level of an average night by night: an exponentially weighted moving average.

All averages of a night share its difficulty. Each is therefore taken relative to its own mean over
a baseline of nights, and divided into the part that all systems share, which is the median over the
systems, and its own part, which is its distance from the median of the others. The moving average
of how far a part is below its mean (Roberts 1959, "Control chart tests based on geometric moving
averages", Technometrics 1; Lucas & Saccucci 1990, Technometrics 32) then notices a fall. Its spread
allows for nights that resemble the night before (Vasilopoulos & Stamboulis 1978, "Modification of
control chart limits in the presence of data correlation", Journal of Quality Technology 10).

The own part of a system also moves when the others do. A system is therefore blamed only where its
average itself is lower, too, and its own part by more than a share of what all have in common.

All functions take arrays of any leading shape, such as that of simulated years.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.jackknife import quantile

BASELINE_NIGHTS = 60
"""Number of nights whose mean and spread are the baseline; later nights do not change it."""

FEWEST_OF_BASELINE = 14
"""Fewest nights of a baseline."""

NEWEST = 10
"""Number of usable nights, the newest, that an incomplete baseline leaves out, if it can: a system
that has just become worse would otherwise move its own baseline, and widen its spread."""

FEWEST_SYSTEMS = 3
"""Fewest systems whose median tells what a night does to all."""

LIMIT = 4.0
"""Standard deviations of the moving average beyond which a fall is more than chance."""

_RECENT = 3
"""Number of nights that say whether a series has recovered."""

_FEWEST_OF_INTERVAL = 3
"""Fewest nights of whose mean there is an interval."""

_LONGEST = 3.0
"""Most nights that count as one in the degrees of freedom of an interval: a decline over a month
resembles a correlation near 1, of which no month could tell the mean."""

_WEIGHT = 0.1
"""Weight of the newest night in the moving average."""

_MOST_CORRELATED = 0.9

OF_COMMON = 0.25
"""Share of what all systems do by which the own part of one must exceed its limit, besides.

What references do to systems is proportional to their values.
"""

_ONE_VALUE = 0.05
"""How far averages that have collapsed together may lie apart."""


@dataclass(frozen=True)
class Baseline:
    """The nights that a level is judged against, of each series; all of the shape of the series.

    Attributes:
        nights: number of nights.
        mean: mean of the part.
        spread: standard deviation between the nights.
        correlation: correlation of a night with the night before, from 0 to .9.
    """

    nights: NDArray[np.int64]
    mean: Floats
    spread: Floats
    correlation: Floats

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the moving average, with the error of the baseline's mean."""
        r = self.correlation
        kept = r * (1 - _WEIGHT)
        variance = _WEIGHT / (2 - _WEIGHT) * (1 + 2 * kept / (1 - kept))
        of_mean = (1 + 2 * r / (1 - r)) / np.maximum(self.nights, 1)
        return np.asarray(self.spread * np.sqrt(variance + of_mean))

    def p_of(self, fall: Floats) -> Floats:
        """Return the chance of such a fall of the moving average: normal, or t with few nights.

        It is that of one night: on successive nights, the moving average hardly differs.
        """
        from scipy.special import ndtr, stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(self.deviation > 0, fall / self.deviation, np.sign(fall) * np.inf)
        few = stdtr(np.maximum(self.nights - 1, 1), -z)
        return np.asarray(np.where(self.nights < BASELINE_NIGHTS, few, ndtr(-z)))


def p_at_limit() -> float:
    """Return the p value of a fall at the limit."""
    from scipy.special import ndtr

    return float(ndtr(-LIMIT))


def first_nights(usable: Flags) -> Flags:
    """Choose the first nights that are usable, the baseline, shape (..., nights, systems)."""
    number = np.count_nonzero(usable, axis=-2, keepdims=True)
    chosen = np.clip(number - NEWEST, FEWEST_OF_BASELINE, BASELINE_NIGHTS)
    return usable & (np.cumsum(usable, axis=-2) <= chosen)


def relative(values: Floats, baseline: Flags) -> Floats:
    """Return averages less their mean over the nights of the baseline, (..., nights, systems)."""
    with np.errstate(invalid="ignore"):
        total = np.where(baseline, values, 0.0).sum(axis=-2, keepdims=True)
        return np.asarray(values - total / baseline.sum(axis=-2, keepdims=True))


def shared_part(deviations: Floats) -> Floats:
    """Return the part that systems share, the median over them; NaN with too few systems.

    Args:
        deviations: averages less their means, NaN where unknown, shape (..., nights, systems).

    Returns:
        The part, shape (..., nights).
    """
    return _median(deviations, FEWEST_SYSTEMS)


def own_parts(deviations: Floats, failed_before: Flags | None = None) -> Floats:
    """Return the systems' own parts: what is left without the median of the others.

    Of three systems, it is the median of all three: that of two is their mean, which one of them
    moves alone. NaN where a night has too few systems.

    Args:
        deviations: averages less their means, NaN where unknown, shape (..., nights, systems).
        failed_before: which systems failed on the night before, of the same shape; they are not
            among the others while two others remain.
    """
    every = _median(deviations, FEWEST_SYSTEMS)
    own = np.empty_like(deviations)
    for system in range(deviations.shape[-1]):
        others = np.delete(deviations, system, axis=-1)
        middle = _median(others, FEWEST_SYSTEMS)
        middle = np.where(np.isnan(middle), every, middle)
        if failed_before is not None:
            failed = np.delete(failed_before, system, axis=-1)
            left = _median(np.where(failed, np.nan, others), FEWEST_SYSTEMS - 1)
            middle = np.where(failed.any(axis=-1) & ~np.isnan(left), left, middle)
        own[..., system] = deviations[..., system] - middle
    return own


def night_before(flags: Flags) -> Flags:
    """Move flags of shape (..., nights, systems) to the night after; the first night has none."""
    return np.concatenate([np.zeros_like(flags[..., :1, :]), flags[..., :-1, :]], axis=-2)


def collapsed(goodness: Floats, baseline: Floats) -> Flags:
    """Return the nights on which all systems lost at least half, and end at about one value.

    The best system then falls by most, but it is the references that cannot be right.

    Args:
        goodness: averages, 0 is the worst, NaN where unknown, shape (..., nights, systems).
        baseline: what they were, of the same shape.
    """
    known = ~np.isnan(goodness) & ~np.isnan(baseline)
    lost = ~known | (goodness <= baseline / 2)
    highest = np.where(known, goodness, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(known, goodness, np.inf).min(axis=-1, initial=np.inf)
    enough = known.sum(axis=-1) >= FEWEST_SYSTEMS
    return np.asarray(enough & lost.all(axis=-1) & (highest - lowest <= _ONE_VALUE))


def _median(values: Floats, fewest: int) -> Floats:
    """Return the median over the last axis, NaN where fewer than some values are known."""
    known = (~np.isnan(values)).sum(axis=-1)
    ordered = np.sort(values, axis=-1)  # NaN last
    last = values.shape[-1] - 1
    if last < 0:
        return np.full(values.shape[:-1], np.nan)
    low, high = (np.clip(each, 0, last) for each in ((known - 1) // 2, known // 2))
    both = (np.take_along_axis(ordered, each[..., None], -1)[..., 0] for each in (low, high))
    return np.asarray(np.where(known >= fewest, sum(both) / 2, np.nan))


def baseline_of(parts: Floats, chosen: Flags) -> Baseline:
    """Estimate the baselines of series from the nights chosen, both of shape (..., nights)."""
    chosen = chosen & ~np.isnan(parts)
    nights = chosen.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(chosen, parts, 0.0).sum(axis=-1) / nights
        apart = np.where(chosen, parts - mean[..., None], 0.0)
        squares = np.square(apart).sum(axis=-1)
        spread = np.sqrt(squares / (nights - 1))
        r = (apart[..., 1:] * apart[..., :-1]).sum(axis=-1) / squares
    correlation = np.clip(np.nan_to_num(r), 0.0, _MOST_CORRELATED)
    return Baseline(nights, mean, spread, correlation)


def mean_of_nights(values: Floats) -> tuple[float, float, float]:
    """Return the mean of the averages of some nights, and the ends of its 95 % interval.

    Nights resemble the night before: their correlation, which a few nights understate (Kendall
    1954, "Note on bias in the estimation of autocorrelation", Biometrika 41), widens the interval.

    Args:
        values: the averages, NaN where a night has none, shape (nights,).

    Returns:
        The mean, and the ends; these are NaN with fewer than three nights.
    """
    known = ~np.isnan(values)
    baseline = baseline_of(values, known)
    nights, mean = int(baseline.nights), float(baseline.mean)
    if nights < _FEWEST_OF_INTERVAL:
        return mean, float("nan"), float("nan")
    r = float(baseline.correlation)
    r = min(_MOST_CORRELATED, r + (1 + 4 * r) / nights)
    longer = (1 + r) / (1 - r)
    half = quantile(max(1.0, nights / min(longer, _LONGEST) - 1))
    half *= float(baseline.spread) * np.sqrt(longer / nights)
    return mean, mean - half, mean + half


def moving_mean(values: Floats) -> tuple[float, float]:
    """Return the moving average of the averages of some nights, and its standard error.

    Unlike that of ``falls`` it is of the averages themselves, and the first night has no more
    weight than its age allows.

    Args:
        values: the averages, NaN where a night has none, the newest last, shape (nights,).
    """
    known = values[~np.isnan(values)]
    weights = (1 - _WEIGHT) ** np.arange(len(known))[::-1]
    weights = weights / weights.sum()
    chosen = first_nights(np.ones((len(known), 1), bool))[:, 0]  # a fall would widen the spread
    baseline = baseline_of(known, chosen)
    kept = float(baseline.correlation) * (1 - _WEIGHT)
    error = float(baseline.spread) * np.sqrt(np.square(weights).sum() * (1 + kept) / (1 - kept))
    return float(weights @ known), float(error)


@dataclass(frozen=True)
class Falls:
    """How far a series is below its mean on each night, shape (..., nights).

    Attributes:
        moving: the moving average, which begins with 0.
        recent: the mean of the last three nights.
    """

    moving: Floats
    recent: Floats

    def beyond(self, tolerance: float) -> Flags:
        """Return where the moving average is beyond a tolerance.

        A series has recovered, whatever its moving average, where the last three nights are not
        beyond half of the tolerance.
        """
        return np.asarray((self.moving > tolerance) & (self.recent > tolerance / 2))


def blamed(own: Falls, average: Falls, common: Floats, tolerance: float) -> Flags:
    """Return where a system itself is beyond a tolerance, chance or not.

    Args:
        own: how far its own part is below its mean.
        average: the same of its average itself.
        common: the moving average of what all systems share, below its mean.
        tolerance: how far the level may fall.
    """
    further = own.moving > tolerance + OF_COMMON * np.abs(common)
    return np.asarray(own.beyond(tolerance) & further & (average.moving > tolerance))


def falls(parts: Floats, mean: Floats) -> Falls:
    """Return how far series are below their means; nights without a value change nothing.

    Args:
        parts: the series, NaN where a night has no value, shape (..., nights).
        mean: the means, shape (...).
    """
    moving, recent = np.zeros(parts.shape), np.zeros(parts.shape)
    last, three = np.zeros(parts.shape[:-1]), np.zeros((_RECENT, *parts.shape[:-1]))
    for night in range(parts.shape[-1]):
        below = mean - parts[..., night]
        known = ~np.isnan(below)
        last = np.where(known, (1 - _WEIGHT) * last + _WEIGHT * below, last)
        three = np.where(known, np.concatenate([three[1:], below[None]]), three)
        moving[..., night], recent[..., night] = last, three.mean(axis=0)
    return Falls(moving, recent)


def onset(parts: Floats, mean: float) -> int:
    """Return the night from which a series is most probably below its mean, shape (nights,).

    It is the one after which the mean of what is left is farthest from the mean, in standard
    errors (Hinkley 1970, "Inference about the change-point", Biometrika 57).

    >>> onset(np.array([0.5, 0.6, 0.5, 0.2, 0.3]), 0.53)
    3
    """
    below = np.nan_to_num(mean - parts)[::-1]
    number = np.maximum(np.cumsum(~np.isnan(parts)[::-1]), 1)
    return len(parts) - 1 - int(np.argmax(np.cumsum(below) / np.sqrt(number)))


def fell_itself(part: Floats, average: Floats, means: tuple[float, float], limit: float) -> bool:
    """Return whether the average of a system has fallen since its own part did, and not by chance.

    The own part stays lower where others improve, and over a year an average that does not change
    is below the limit by chance for some nights; since the others improved, it is what it was.

    Args:
        part: its own part until tonight, shape (nights,).
        average: its average, of the same shape.
        means: the means of both before.
        limit: how far the level may fall.
    """
    since = average[onset(part, means[0]) :]
    return bool(means[1] - float(np.nanmean(since)) > limit / 2)
