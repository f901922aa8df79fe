"""Estimate how much a system's averages vary between nights, and whether weekends differ."""

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.calendar import USUAL_CALENDAR, Calendar
from segscore.pipeline.nightly.gate.past import Past
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS
from segscore.pipeline.statistics.changes import BetweenNights
from segscore.pipeline.statistics.night_levels import relative
from segscore.pipeline.statistics.sums import GroupKey

NIGHTS_OF_SPREAD = 28
"""Number of good nights whose averages say how much nights vary: four weeks."""

FEWEST_OF_SPREAD = 8
"""Fewest nights from which the variance is estimated; Student's t allows for their number."""

_FEWEST_OF_KIND = 4
"""Fewest weekend nights, and workdays, that are compared with each other."""

_CLEARLY = 4.0
"""Standard errors by which weekends differ from workdays if they are compared apart."""


class Spread:
    """The variance between the nights before a night, of each rule, system and group."""

    def __init__(
        self, past: Past, rules: Sequence[GateRule], calendar: Calendar = USUAL_CALENDAR
    ) -> None:
        self._past, self._calendar = past, calendar
        self._weekend = np.array([calendar.is_weekend(day) for day in past.dates])
        self.by_weekday = any(self._weekends_differ(rule) for rule in rules)

    def comparable(self, day: date) -> bool:
        """Return whether a night is of the kind of tonight, if weekends and workdays differ."""
        return not self.by_weekday or self._calendar.is_weekend(day) == self._weekend[-1]

    def nights(self, rule: GateRule, system: str, group: GroupKey = ()) -> int:
        """Return from how many nights the variance is known, or would be known if they sufficed."""
        return int(np.count_nonzero(self._chosen(rule, system, group)))

    def between(
        self, rule: GateRule, system: str, group: GroupKey = (), *, own: float | None = None
    ) -> BetweenNights | None:
        """Return the variance of a system's averages; None with too few nights.

        Args:
            rule: the rule, whose averages are meant.
            system: the system; or all, for their mean.
            group: the group; empty for all documents.
            own: standard error of the system's average less the median of the others', if that is
                meant; or of the mean of all. Summaries do not have it.
        """
        chosen = self._chosen(rule, system, group)
        if np.count_nonzero(chosen) < FEWEST_OF_SPREAD:
            return None
        kinds = self._weekend if self.by_weekday else np.zeros(len(self._weekend), bool)
        if own is None:
            values = self._values(rule, system, group)
            errors = self._past.errors(rule, [system], group)[:, 0]
            return between_nights(values[chosen], errors[chosen], kinds[chosen])
        values = self._values(rule, system, group)
        if system != ALL_SYSTEMS:
            values = values - self._others(rule, system, group)
            chosen &= ~np.isnan(values)
        return between_nights(values[chosen], np.full(np.count_nonzero(chosen), own), kinds[chosen])

    def _chosen(self, rule: GateRule, system: str, group: GroupKey) -> Flags:
        """Return which nights count: the last good ones since what a system did was accepted."""
        usable = self._past.good([system])[:, 0] & ~np.isnan(self._values(rule, system, group))
        usable[: self._past.first(rule, system)] = False
        later = np.cumsum(usable[::-1])[::-1]
        return np.asarray(usable & (later <= NIGHTS_OF_SPREAD))

    def _values(self, rule: GateRule, system: str, group: GroupKey) -> Floats:
        """Return the averages of a system, or the mean of tonight's systems, shape (nights,)."""
        if system != ALL_SYSTEMS:
            return self._past.values(rule, [system], group)[:, 0]
        averages = self._tonight(rule, group)
        if not averages.shape[1]:
            return np.full(len(averages), np.nan)
        return np.asarray(averages.mean(axis=1))

    def _others(self, rule: GateRule, system: str, group: GroupKey) -> Floats:
        """Return the median of the other systems of tonight, shape (nights,)."""
        systems = [name for name in self._past.systems(rule, group) if name != system]
        return np.asarray(np.median(self._tonight(rule, group, systems), axis=1))

    def _tonight(
        self, rule: GateRule, group: GroupKey, systems: Sequence[str] | None = None
    ) -> Floats:
        """Return the averages of the systems that tonight has, shape (nights, systems)."""
        listed = self._past.systems(rule, group) if systems is None else systems
        values = self._past.values(rule, listed, group)
        return values[:, ~np.isnan(values[-1])]

    def _weekends_differ(self, rule: GateRule) -> bool:
        """Check whether what systems share differs clearly between weekends and workdays."""
        systems = self._past.systems(rule)
        values = self._past.values(rule, systems)
        good = self._past.good(systems) & ~np.isnan(values)
        recent = slice(-2 * NIGHTS_OF_SPREAD - 1, -1)
        deviations = np.where(good, relative(values, good), np.nan)[recent]
        known = good[recent].any(axis=1)
        if not known.any():
            return False
        middle = np.nanmedian(deviations[known], axis=1)
        return differ_clearly(middle, self._weekend[recent][known])


def between_nights(values: Floats, errors: Floats, kinds: NDArray[np.bool_]) -> BetweenNights:
    """Estimate the variance of the averages of nights, within two kinds of them.

    It is that about the line through them, so that a slow decline is not taken for it.

    Args:
        values: the averages, shape (nights,).
        errors: their standard errors, NaN where unknown, of the same shape.
        kinds: the kind of each night, of the same shape.
    """
    groups = [kinds == kind for kind in np.unique(kinds)]
    explained = np.stack([np.arange(len(values)), *groups], axis=1).astype(np.float64)
    apart = values - explained @ np.linalg.lstsq(explained, values)[0]
    freedom = max(1, len(values) - len(groups) - 1)
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
