"""How much the averages of a system vary between nights, and whether weekends are nights apart."""

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.past import Past
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.verdict import EVERY
from segscore.pipeline.statistics.changes import BetweenNights
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE, relative
from segscore.pipeline.statistics.sums import GroupKey

_NIGHTS = 28
"""Number of good nights whose averages say how much nights vary: four weeks."""

_SATURDAY = 5

_FEWEST_OF_KIND = 4
"""Fewest weekend nights, and workdays, that are compared with each other."""

_CLEARLY = 4.0
"""Standard errors by which weekends differ from workdays if they are compared apart."""


def is_weekend(day: date) -> bool:
    """Return whether a date is a Saturday or Sunday."""
    return day.weekday() >= _SATURDAY


class Spread:
    """The variance between the nights before a night, of each rule, system and group."""

    def __init__(self, past: Past, rules: Sequence[GateRule]) -> None:
        self._past = past
        self._weekend = np.array([is_weekend(day) for day in past.dates])
        self.by_weekday = any(self._weekends_differ(rule) for rule in rules)

    def comparable(self, day: date) -> bool:
        """Return whether a night is of the kind of tonight, if weekends and workdays differ."""
        return not self.by_weekday or is_weekend(day) == bool(self._weekend[-1])

    def nights(self, rule: GateRule, system: str, group: GroupKey = ()) -> int:
        """Return from how many nights the variance is known, or would be known if they sufficed."""
        return int(np.count_nonzero(self._chosen(rule, system, group)))

    def between(self, rule: GateRule, system: str, group: GroupKey = ()) -> BetweenNights | None:
        """Return the variance of a system's averages; None with too few nights."""
        chosen = self._chosen(rule, system, group)
        if np.count_nonzero(chosen) < FEWEST_OF_BASELINE:
            return None
        values = self._values(rule, system, group)[chosen]
        errors = np.full(len(values), np.nan)
        if system != EVERY:
            errors = self._past.errors(rule, [system], group)[chosen, 0]
        kinds = self._weekend[chosen] if self.by_weekday else np.zeros(len(values), bool)
        return between_nights(values, errors, kinds)

    def _chosen(self, rule: GateRule, system: str, group: GroupKey) -> Flags:
        """Return which nights count: the last good ones since what a system did was accepted."""
        usable = self._past.good([system])[:, 0] & ~np.isnan(self._values(rule, system, group))
        usable[: self._past.first(rule, system)] = False
        later = np.cumsum(usable[::-1])[::-1]
        return np.asarray(usable & (later <= _NIGHTS))

    def _values(self, rule: GateRule, system: str, group: GroupKey) -> Floats:
        """Return the averages of a system, or the mean of tonight's systems, shape (nights,)."""
        if system != EVERY:
            return self._past.values(rule, [system], group)[:, 0]
        values = self._past.values(rule, self._past.systems(rule, group), group)
        return np.asarray(values[:, ~np.isnan(values[-1])].mean(axis=1))

    def _weekends_differ(self, rule: GateRule) -> bool:
        """Check whether what systems share differs clearly between weekends and workdays."""
        systems = self._past.systems(rule)
        values = self._past.values(rule, systems)
        good = self._past.good(systems) & ~np.isnan(values)
        recent = slice(-2 * _NIGHTS - 1, -1)
        deviations = np.where(good, relative(values, good), np.nan)[recent]
        known = good[recent].any(axis=1)
        if not known.any():
            return False
        middle = np.nanmedian(deviations[known], axis=1)
        return differ_clearly(middle, self._weekend[recent][known])


def between_nights(values: Floats, errors: Floats, kinds: NDArray[np.bool_]) -> BetweenNights:
    """Estimate the variance of the averages of nights, within two kinds of them.

    Args:
        values: the averages, shape (nights,).
        errors: their standard errors, NaN where unknown, of the same shape.
        kinds: the kind of each night, of the same shape.
    """
    apart = values.copy()
    groups = [kinds == kind for kind in np.unique(kinds)]
    for members in groups:
        apart[members] -= values[members].mean()
    freedom = max(1, len(values) - len(groups))
    known = errors[~np.isnan(errors)]
    sampling = float(np.square(known).mean()) if len(known) else 0.0
    return BetweenNights(float(np.square(apart).sum()) / freedom, sampling, freedom)


def differ_clearly(values: Floats, kinds: NDArray[np.bool_]) -> bool:
    """Check whether the mean of one kind of nights is far from that of the others (Welch 1947)."""
    one, other = values[kinds], values[~kinds]
    if min(len(one), len(other)) < _FEWEST_OF_KIND:
        return False
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return bool(abs(one.mean() - other.mean()) > _CLEARLY * error > 0)
