"""Whether an average stays at its level night by night: an exponentially weighted moving average.

All averages of a night share its difficulty. Each is therefore taken relative to its own mean over
a baseline of nights, and divided into the part that all systems share, which is the median over the
systems, and its own part, which is its distance from the median of the others. The moving average
of how far a part is below its mean (Roberts 1959, "Control chart tests based on geometric moving
averages", Technometrics 1; Lucas & Saccucci 1990, Technometrics 32) then notices a fall. Its spread
allows for nights that resemble the night before (Vasilopoulos & Stamboulis 1978, "Modification of
control chart limits in the presence of data correlation", Journal of Quality Technology 10).

All functions take arrays of any leading shape, such as that of simulated years.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Flags, Floats

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

_WEIGHT = 0.1
"""Weight of the newest night in the moving average."""

_MOST_CORRELATED = 0.9


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
        """The standard deviation of the moving average.

        Until the baseline is complete, the error of its mean counts, too.
        """
        r = self.correlation
        kept = r * (1 - _WEIGHT)
        variance = _WEIGHT / (2 - _WEIGHT) * (1 + 2 * kept / (1 - kept))
        of_mean = (1 + 2 * r / (1 - r)) / np.maximum(self.nights, 1)
        variance = variance + np.where(self.nights < BASELINE_NIGHTS, of_mean, 0.0)
        return np.asarray(self.spread * np.sqrt(variance))

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


def own_parts(deviations: Floats) -> Floats:
    """Return the systems' own parts: what is left without the median of the others.

    Of three systems, it is the median of all three: that of two is their mean, which one of them
    moves alone. NaN where a night has too few systems.

    Args:
        deviations: averages less their means, NaN where unknown, shape (..., nights, systems).
    """
    every = _median(deviations, FEWEST_SYSTEMS)
    own = np.empty_like(deviations)
    for system in range(deviations.shape[-1]):
        others = _median(np.delete(deviations, system, axis=-1), FEWEST_SYSTEMS)
        own[..., system] = deviations[..., system] - np.where(np.isnan(others), every, others)
    return own


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
