"""The jackknife once more, slow and obvious, as docs/measures.md describes it.

An average is a function of units, which are given by their names. It is computed from all units,
and from scratch without each of them. Exact numbers stay fractions up to the first root.

A share that is 0 or 1 has the interval of Clopper & Pearson (1934) for as many trials as there are
effective units, not as many as there are boundaries: those of one document are not independent.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from math import exp, log, sqrt
from statistics import stdev
from typing import NamedTuple

from scipy import stats

from tests.oracles.naive import Value
from tests.oracles.naive_denominators import DENOMINATORS, Counts

Number = Value | float
Average = Callable[[Collection[str]], Number]
Weights = Mapping[str, Fraction | float]
"""Unit -> its denominator."""

Ends = tuple[float | None, float | None]
Values = Callable[[Counts, Collection[str]], Mapping[str, Number]]
"""Computes measures from summed counts, and from the names of the units that are summed."""

NO_INTERVAL: Ends = (None, None)
FEWEST = 5


class Estimate(NamedTuple):
    """An average, its standard error (None without one), its weights and its pseudo-values.

    Units that can be several documents, such as shows, are ``grouped``.
    """

    value: Number
    error: float | None
    weights: Weights
    pseudo: Sequence[Number] = ()
    grouped: bool = False

    @property
    def units(self) -> int:
        """The number of units with a weight."""
        return sum(weight != 0 for weight in self.weights.values())

    @property
    def effective(self) -> float:
        """The effective number of units."""
        return effective(self.weights)

    @property
    def freedom(self) -> float:
        """Degrees of freedom: min(n_eff, 2n / (k - 1)) - 1, and less where few units count.

        Of shows the kurtosis k does not count.
        """
        n, values = len(self.pseudo), [float(value or 0) for value in self.pseudo]
        mean = sum(values) / n
        second, fourth = (sum((value - mean) ** power for value in values) / n for power in (2, 4))
        limit = self.effective
        if not self.grouped and second > 0 and fourth > second**2:
            limit = min(limit, 2 * n / (fourth / second**2 - 1))
        if self.effective < self.units / 2:
            squares = {unit: weight**2 for unit, weight in self.weights.items()}
            limit = min(limit, 1 + effective(squares))
        return max(1.0, limit - 1)


def effective(weights: Weights) -> float:
    """(sum b)^2 / sum b^2."""
    squares = sum(weight**2 for weight in weights.values())
    return float(sum(weights.values()) ** 2 / squares) if squares else 0.0


def fewest_effective(*sides: Weights) -> Weights:
    """Of several denominators, those with the smallest effective number."""
    return min(sides, key=effective)


def without_each(average: Average, units: Sequence[str]) -> dict[str, Number]:
    """The average without each unit."""
    return {left: average([unit for unit in units if unit != left]) for left in units}


def jackknife(average: Average, weights: Weights) -> Estimate:
    """Estimate an average over the units of the weights."""
    units = list(weights)
    return estimate(average(units), without_each(average, units), weights)


def estimate(value: Number, apart: Mapping[str, Number], weights: Weights) -> Estimate:
    """Estimate an average from its value, and its values without each unit."""
    n, known = len(apart), [each for each in apart.values() if each is not None]
    enough = sum(weight != 0 for weight in weights.values()) >= FEWEST
    if value is None or len(known) < n or not enough:
        return Estimate(value, None, weights)
    pseudo = [n * value - (n - 1) * each for each in known]
    return Estimate(value, stdev(pseudo) / sqrt(n), weights, pseudo)


def micro(
    rows: Mapping[str, Sequence[Counts]], counts: Sequence[str], values: Values
) -> dict[str, Estimate]:
    """Estimate the micro average of every measure.

    Args:
        rows: the rows of each unit.
        counts: names of the counts.
        values: computes all measures from the counts of some units.
    """

    def total(units: Collection[str]) -> dict[str, int]:
        listed = [row for unit in units for row in rows[unit]]
        return {name: sum(row[name] for row in listed) for name in counts}

    whole = total(rows)
    without = {left: total([unit for unit in rows if unit != left]) for left in rows}
    found = values(whole, [*rows])
    apart = {
        left: values(rest, [unit for unit in rows if unit != left])
        for left, rest in without.items()
    }
    estimates = {}
    for name, value in found.items():
        sides: list[Weights] = [
            {left: divided(whole) - divided(rest) for left, rest in without.items()}
            for divided in DENOMINATORS.get(name, ())
        ]
        weights = fewest_effective(*sides) if sides else dict.fromkeys(rows, 1)
        of_unit = {left: each[name] for left, each in apart.items()}
        estimates[name] = estimate(value, of_unit, weights)
    return estimates


def macro(values: Mapping[str, Sequence[float]]) -> Estimate:
    """Estimate the mean of the values of documents, which are listed by unit."""
    defined = {unit: listed for unit, listed in values.items() if listed}

    def mean(units: Collection[str]) -> Number:
        listed = [Fraction(value) for unit in units for value in defined[unit]]
        return sum(listed) / len(listed) if listed else None

    return jackknife(mean, {unit: len(listed) for unit, listed in defined.items()})


def interval(
    estimate: Estimate, lower: float | None, upper: float | None, level: float = 0.95
) -> Ends:
    """The interval of a value between two bounds, above one, or without."""
    if estimate.value is None or estimate.error is None:
        return NO_INTERVAL
    value = float(estimate.value)
    if (lower, upper) == (0, 1) and value in (0, 1):
        trials = max(1, round(estimate.effective))
        tail = (1 - level) / 2
        least = float(stats.beta.ppf(tail, trials, 1))
        return (least, 1.0) if value == 1 else (0.0, 1 - least)
    if estimate.error < 1e-12 or value in (lower, upper):
        return NO_INTERVAL
    reach = float(stats.t.ppf((1 + level) / 2, estimate.freedom)) * estimate.error
    if (lower, upper) == (0, 1):
        logit, wide = log(value / (1 - value)), reach / (value * (1 - value))
        low, high = (1 - 1 / (1 + exp(min(700.0, logit + side * wide))) for side in (-1, 1))
        return low, high
    if lower == 0:
        factor = exp(min(reach / value, 700))
        return value / factor, value * factor
    low, high = value - reach, value + reach
    return (
        low if lower is None else max(low, lower),
        high if upper is None else min(high, upper),
    )


def p_value(difference: Estimate) -> float | None:
    """P of a difference that is 0, two-sided."""
    if difference.value is None or difference.error is None:
        return None
    if difference.error < 1e-12:
        if abs(float(difference.value)) < 1e-12:
            return 1.0
        return 2 ** (1 - difference.effective) if difference.units >= 6 else None
    t: float = abs(float(difference.value)) / difference.error
    return float(2 * stats.t.sf(t, difference.freedom))


def cautious(difference: Estimate, macro: Estimate) -> Estimate:
    """A difference of micro averages that few units carry, no surer than that of macro averages."""
    p, least = p_value(difference), p_value(macro)
    if difference.effective >= difference.units / 2 or p is None or least is None:
        return difference
    assert difference.value is not None and difference.error is not None
    opposed = difference.value * (macro.value or 0) < 0
    least = min(0.5, 1.0 if opposed else least)
    if p >= least:
        return difference
    quantile = float(stats.t.isf(least / 2, difference.freedom))
    return difference._replace(error=abs(float(difference.value)) / quantile)


def holm_levels(p: Sequence[float], alpha: float = 0.05) -> list[float]:
    """The level at which each test is decided: alpha / m, / (m - 1), ... up to the first miss."""
    levels = [0.0] * len(p)
    left, missed = len(p), False
    for test in sorted(range(len(p)), key=lambda i: p[i]):
        levels[test] = alpha / left
        missed = missed or p[test] >= levels[test]
        left -= not missed
    return [min(x for x, other in zip(levels, p, strict=True) if other == own) for own in p]


def covariance(first: Mapping[str, Number], second: Mapping[str, Number]) -> float:
    """The covariance of two averages, from each without every document, of those in both."""
    one, other = _shares(first), _shares(second)
    return sum(share * other.get(document, 0.0) for document, share in one.items())


def _shares(apart: Mapping[str, Number]) -> dict[str, float]:
    """What each document adds to the error of an average; squares add up to its square."""
    known = {name: float(value) for name, value in apart.items() if value is not None}
    n, mean = len(known), sum(known.values()) / len(known)
    return {name: (value - mean) * sqrt((n - 1) / n) for name, value in known.items()}


def satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """The degrees of freedom of a sum of variances, each with its own degrees of freedom."""
    total = sum(part for part, _ in parts)
    return total**2 / sum(part**2 / freedom for part, freedom in parts)
