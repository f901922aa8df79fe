"""The jackknife: how much an average would vary between samples of resampling units.

An average is computed again without each unit, a document or all documents of a show. The
pseudo-values ``n value - (n - 1) value_without_i`` then behave like n independent observations of
the average (Tukey 1958; Miller 1974, "The jackknife: a review", Biometrika 61; Efron & Stein 1981).
Intervals of values between 0 and 1 are made on the logit scale. A few long documents can carry an
average over many, and so can a few with errors where all others are perfect, so the degrees of
freedom of Student's t depend on how unequal weights and pseudo-values are (``Estimate.freedom``).

A difference is computed again without each unit, too, from both averages without it.  Documents
that both share are thus paired, and all others are independent (``combine``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, inf, isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.measures import Table

CONFIDENCE = 0.95
"""Level of intervals, unless another is asked for."""

FEWEST = 5
"""Smallest number of resampling units from which an interval or a p value is computed."""

P_SEG_COUNTS = ("windows", "reference_windows")
"""The counts of references from which P_seg is estimated."""

FEWEST_ALIKE = 6
"""Smallest number of units from which a difference is tested that is the same in all of them."""

UNDECIDED = 0.5
"""Largest p that ``cautious`` gives a difference."""

ROUNDING = 1e-12
"""Standard errors and differences up to this are those of the last bits of equal values."""

_NOTHING = np.zeros(0)


@dataclass(frozen=True)
class Estimate:
    """An average, and how it depends on each resampling unit.

    Attributes:
        value: the average, NaN where undefined.
        units: the units that it is an average of, ascending, shape (units,).
        without: the average without each unit, NaN where undefined, shape (units,).
        weight: share of the average that each unit has, such as its number of windows, shape
            (units,).
        bounds: smallest and largest possible value, None where there is none.
        grouped: whether a unit can be several documents, such as a show.
    """

    value: float
    units: Hashes
    without: Floats
    weight: Floats
    bounds: tuple[float | None, float | None] = (None, None)
    grouped: bool = False

    @property
    def number(self) -> int:
        """The number of units that the average depends on."""
        return int(np.count_nonzero(self.weight))

    @property
    def effective(self) -> float:
        """The number of units of equal weight that would vary as much."""
        return effective_number(self.weight)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error, at least 1.

        The least of three limits:

        - The effective number of units, less 1 (Kish 1965, Survey Sampling, 11.7).
        - For single documents, 2n / (k - 1) - 1, k the kurtosis of the pseudo-values, as the
          variance of a variance is (k - 1) / n times its square (Satterthwaite 1946; O'Neill 2014).
          Shows are too few to estimate a kurtosis.
        - If the average rests on less than half of its units, the effective number for squared
          weights.
        """
        limits = [self.effective - 1]
        if not self.grouped:
            limits.append(_number_of_kurtosis(self.deviations) - 1)
        if rests_on_few(self.effective, self.number):
            limits.append(effective_number(np.square(self.weight)))
        return max(1.0, min(limits))

    @property
    def deviations(self) -> Floats:
        """What each unit contributes to the error: squares add up to the squared error."""
        n = len(self.without)
        if n < 2:
            return np.full(n, nan)
        from_mean: Floats = self.without - self.without.mean()
        return from_mean * sqrt((n - 1) / n)

    @property
    def pseudo_values(self) -> Floats:
        """Values that behave like independent observations of the average, shape (units,)."""
        n = len(self.without)
        return n * self.value - (n - 1) * self.without

    @property
    def error(self) -> float:
        """The standard error; NaN if it cannot be estimated, 0 if all units are alike."""
        if isnan(self.value) or self.number < FEWEST:
            return nan
        error = sqrt(float(np.square(self.deviations).sum()))
        return 0.0 if error <= ROUNDING * max(1.0, abs(self.value)) else error

    def interval(self, level: float = CONFIDENCE) -> tuple[float, float]:
        """Return the ends of the interval; NaN, NaN if there is none."""
        error = self.error
        if isnan(error):
            return nan, nan
        lower, upper = self.bounds
        if (lower, upper) == (0, 1) and self.value in (lower, upper):
            return _clopper_pearson(self.value, self.effective, level)
        if error == 0 or self.value in (lower, upper):
            return nan, nan
        reach = quantile(self.freedom, level) * error
        if (lower, upper) == (0, 1):
            odds = log(self.value / (1 - self.value))
            reach /= self.value * (1 - self.value)
            return _expit(odds - reach), _expit(odds + reach)
        if lower == 0:
            factor = exp(min(reach / self.value, 700.0))
            return self.value / factor, self.value * factor
        return within((self.value - reach, self.value + reach), self.bounds)

    def less(self, true: float) -> "Estimate":
        """Return the average less a value that does not vary, as to test that it is that.

        A difference of 0 that all units have stays 0: units that are alike say nothing of rare
        ones that differ.
        """
        if self.value == 0 and self.error == 0:
            return self
        return replace(self, value=self.value - true, without=self.without - true)

    @property
    def p(self) -> float:
        """The p value of the average being 0, as of a difference; NaN if it cannot be tested.

        Where all units differ alike, it is the share of the ways to exchange two systems unit by
        unit in which the difference is as large.
        """
        from scipy.special import stdtr

        error = self.error
        if isnan(error):
            return nan
        if error == 0:
            alike = nan if self.number < FEWEST_ALIKE else 2 ** (1 - self.effective)
            return 1.0 if abs(self.value) <= ROUNDING else alike
        return float(2 * stdtr(self.freedom, -abs(self.value) / error))


UNKNOWN = Estimate(nan, np.zeros(0, np.uint64), _NOTHING, _NOTHING)
"""The estimate of an average that does not exist."""


def effective_number(weight: Floats) -> float:
    """Return the effective number of units (Kish 1965): (sum b)^2 / sum b^2; 0 without weights."""
    squares = float(np.square(weight).sum())
    return float(weight.sum()) ** 2 / squares if squares else 0.0


def rests_on_few(effective: float, units: float) -> bool:
    """Return whether an average rests on less than half of its units: the others are short."""
    return effective < units / 2


def within(
    interval: tuple[float, float], bounds: tuple[float | None, float | None]
) -> tuple[float, float]:
    """End an interval where the range of its value ends."""
    (low, high), (lower, upper) = interval, bounds
    if lower is not None:
        low = max(low, float(lower))
    return low, high if upper is None else min(high, float(upper))


def _number_of_kurtosis(deviations: Floats) -> float:
    """Return 2n / (k - 1), k the kurtosis of n values whose mean is 0."""
    squares = np.square(deviations)
    total, n = float(squares.sum()), len(squares)
    if not total > 0:
        return inf
    kurtosis = n * float(np.square(squares / total).sum())
    return 2 * n / (kurtosis - 1) if kurtosis > 1 else inf


@lru_cache(maxsize=4096)
def quantile(freedom: float, level: float = CONFIDENCE) -> float:
    """Return the half-width of a central interval of Student's t, in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def error_of_interval(
    value: float,
    low: float,
    high: float,
    freedom: float,
    bounds: tuple[float | None, float | None],
) -> float:
    """Return the standard error from which ``Estimate.interval`` made an interval; NaN without one.

    >>> units, without = np.arange(5, dtype=np.uint64), np.array([0.5, 0.6, 0.5, 0.4, 0.5])
    >>> average = Estimate(0.5, units, without, np.ones(5), (0, 1))
    >>> found = error_of_interval(0.5, *average.interval(), average.freedom, (0, 1))
    >>> abs(found - average.error) < 1e-12
    True
    """
    lower, upper = bounds
    if isnan(value + low + high) or value in bounds:
        return nan
    reach = quantile(freedom if freedom >= 1 else 1e9)
    if (lower, upper) == (0, 1):
        if not 0 < low <= high < 1:
            return nan
        odds = log(high / (1 - high)) - log(low / (1 - low))
        return odds / 2 * value * (1 - value) / reach
    if lower == 0:
        return log(high / low) / 2 * value / reach if low > 0 else nan
    return max(high - value, value - low) / reach


def _expit(odds: float) -> float:
    return 1 / (1 + exp(-odds)) if odds > -700 else 0.0


def _clopper_pearson(share: float, trials: float, level: float) -> tuple[float, float]:
    """Return the interval of a share that is 0 or 1 in all of some trials (1934, Biometrika 26).

    The trials are units, because the boundaries or windows of one unit are not independent.
    """
    reached = ((1 - level) / 2) ** (1 / max(1, round(trials)))
    return (reached, 1.0) if share == 1 else (0.0, 1 - reached)


def by_unit(
    estimates: Sequence[Estimate], quantity: Callable[[Estimate], Floats]
) -> tuple[Hashes, Floats]:
    """Return the units of several averages, and a quantity of each at every unit.

    Args:
        estimates: the averages, at least one.
        quantity: returns the quantity of an average at its own units; it is 0 at all others.

    Returns:
        The units, ascending, and the quantities, shape (averages, units).
    """
    units = np.unique(np.concatenate([each.units for each in estimates]))
    values = np.zeros((len(estimates), len(units)))
    for row, each in enumerate(estimates):
        values[row, np.searchsorted(units, each.units)] = quantity(each)
    return units, values


def combine(
    formula: Callable[..., Any],
    estimates: Sequence[Estimate],
    bounds: tuple[float | None, float | None] = (None, None),
) -> Estimate:
    """Compute a value from several averages, such as their difference, with its own error.

    A unit that one of the averages does not depend on leaves that one unchanged. The weights are
    those of the average with the fewest effective units.

    Args:
        formula: the value, from the values of the averages or from arrays of them.
        estimates: the averages, at least one.
        bounds: smallest and largest possible value, None where there is none.
    """
    units, weights = by_unit(estimates, lambda each: each.weight)
    value = float(formula(*(each.value for each in estimates)))
    without = []
    for each in estimates:
        of_all = np.full(len(units), each.value)
        of_all[np.searchsorted(units, each.units)] = each.without
        without.append(of_all)
    fewest = min(weights, key=effective_number)
    grouped = any(each.grouped for each in estimates)
    apart = np.asarray(formula(*without), np.float64)
    return Estimate(value, units, apart, fewest, bounds, grouped)


def cautious(average: Estimate, other: Estimate) -> Estimate:
    """Widen the error of a difference until its p is not below that of another average of it.

    A micro average that a few long units carry differs too often. The larger p is at most .5, also
    where the other average differs the other way.
    """
    from scipy.special import stdtrit

    opposed = average.value * other.value < 0
    p = 1.0 if opposed else other.p
    if not average.error > 0 or isnan(p) or average.p >= min(p, UNDECIDED):
        return average
    needed = abs(average.value) / float(stdtrit(average.freedom, 1 - min(p, UNDECIDED) / 2))
    centre = average.without.mean()
    widened = centre + (average.without - centre) * (needed / average.error)
    return replace(average, without=widened)


def difference(now: Estimate, before: Estimate) -> Estimate:
    """Return one average less another."""
    return combine(np.subtract, (now, before))


@dataclass(frozen=True)
class UnitSums:
    """Sums over the documents of each resampling unit.

    Attributes:
        units: the units, ascending, shape (units,).
        counts: sums of each count, whole numbers, shape (units,).
        values: sums of each measure's values, shape (units,).
        defined: number of documents where each measure is defined, shape (units,).
        of_several: whether a unit may have several documents, where ``defined`` is not known.
    """

    units: Hashes
    counts: Mapping[str, NDArray[Any]]
    values: Mapping[str, NDArray[Any]]
    defined: Mapping[str, NDArray[Any]]
    of_several: bool = False

    @property
    def grouped(self) -> bool:
        """Whether a unit has several documents."""
        return self.of_several or any(bool((n > 1).any()) for n in self.defined.values())


def mean_of_draws(counts: NDArray[Any], draws: int) -> NDArray[Any]:
    """Divide counts that are sums over draws or trials by the number of these."""
    return counts if draws == 1 else counts / draws


def micro_estimates(
    kind: Table,
    sums: UnitSums,
    parameters: Mapping[str, float],
    p_seg_of: UnitSums | None,
    draws: int = 1,
) -> dict[str, Estimate]:
    """Compute the micro averages: each formula over the sums of its counts.

    Args:
        kind: the counts and measures.
        sums: the sums by unit.
        parameters: parameters of the formulas, as ``evaluate`` takes them.
        p_seg_of: sums over the documents from whose references P_seg was estimated, so that it
            varies with them; None if it was given.
        draws: what counts are divided by: the number of draws of random boundaries, times the
            number of trials that counts are extended to.
    """
    given: dict[str, Any] = dict(parameters)
    if p_seg_of is not None and "p_seg" in kind.parameters:
        given["p_seg"] = _p_seg_without(parameters["p_seg"], sums, p_seg_of)
    totals = {name: sum(map(int, counts.tolist())) for name, counts in sums.counts.items()}
    pooled = {
        name: mean_of_draws(np.append(_less(total, sums.counts[name]), float(total)), draws)
        for name, total in totals.items()
    }
    values = kind.values(pooled, given, rows=False)
    n = len(sums.units)
    estimates = {}
    for name, measure in kind.measures.items():
        both = np.broadcast_to(values[name], n + 1)
        weight = _micro_weight(kind, name, pooled, parameters)
        bounds = measure.lower, measure.upper
        estimates[name] = Estimate(
            float(both[-1]), sums.units, both[:-1], weight, bounds, sums.grouped
        )
    return estimates


def _p_seg_without(p_seg: float, own: UnitSums, of_run: UnitSums) -> Floats:
    """Return P_seg of the run without each unit, and then with all, shape (units + 1,).

    The references of a unit have the windows that the pairs of a system have with them.
    """
    windows, with_boundary = (own.counts[name].astype(np.float64) for name in P_SEG_COUNTS)
    all_windows, all_with_boundary = (
        np.float64(of_run.counts[name].sum()) for name in P_SEG_COUNTS
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        without = (all_with_boundary - with_boundary) / (all_windows - windows)
        return np.append(p_seg + without - all_with_boundary / all_windows, p_seg)


def _less(total: int, counts: NDArray[Any]) -> Floats:
    """Return a total without each unit, exactly, and then rounded."""
    if counts.dtype == object or abs(total) >= 2**62:
        return np.array([float(total - int(count)) for count in counts.tolist()])
    return (total - counts).astype(np.float64)


def _micro_weight(
    kind: Table, name: str, pooled: Mapping[str, Floats], parameters: Mapping[str, Any]
) -> Floats:
    """Return what each unit adds to the denominator of a measure, shape (units,).

    Where the formula divides more than once, it is that with the fewest effective units.

    Args:
        kind: the counts and measures.
        name: the measure.
        pooled: the sums of each count without each unit, and then of all, shape (units + 1,).
        parameters: parameters of the formulas.
    """
    denominators = kind.denominators(name, pooled, parameters)
    if not denominators:
        return np.ones(len(next(iter(pooled.values()))) - 1)
    return min((each[-1] - each[:-1] for each in denominators), key=effective_number)


def macro_estimates(
    kind: Table, sums: UnitSums, means: Mapping[str, float] | None = None
) -> dict[str, Estimate]:
    """Compute the macro averages: each the mean of the documents where it is defined.

    Args:
        kind: the counts and measures.
        sums: the sums by unit; the values may be in any unit.
        means: the averages, if they are known more precisely than from the sums.
    """
    estimates = {}
    for name, measure in kind.measures.items():
        has = sums.defined[name] > 0
        values, defined = (each[name][has] for each in (sums.values, sums.defined))
        total, number = float(values.sum()), int(defined.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            without = (total - values) / (number - defined).astype(np.float64)
        mean = total / number if number else nan
        estimates[name] = Estimate(
            mean if means is None else means[name],
            sums.units[has],
            without,
            defined.astype(np.float64),
            (measure.lower, measure.upper),
            sums.grouped,
        )
    return estimates
