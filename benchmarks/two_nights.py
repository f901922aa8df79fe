"""The rule about two nights on years of simulated nights, as in ``pipeline/nightly/gate.py``.

Each average is compared with that of the last good night, with the spread between nights in its
standard error; if all systems got worse, only those that stand out are blamed.
"""

import numpy as np
from scipy.special import stdtr

from benchmarks.simulated_nights import NIGHTS, Nights
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.gate.families import ALPHA
from segscore.pipeline.nightly.gate.spread import FEWEST_OF_SPREAD, NIGHTS_OF_SPREAD, differ_clearly
from segscore.pipeline.statistics.changes import BetweenNights
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE, OF_COMMON, own_parts

_ONE = 0.05

_ANY, _WORKDAY, _WEEKEND = range(3)


def two_nights(nights: Nights, limit: float) -> tuple[Flags, Flags]:
    """Judge each night after the first.

    Returns:
        Whether a system is blamed, (years, nights, systems), and whether all got worse.
    """
    gate = _Gate(nights, limit)
    blamed, shared = zip(*map(gate.judge, range(NIGHTS)), strict=True)
    return np.stack(blamed, axis=1), np.stack(shared, axis=1)


class _Gate:
    """The state of all years: columns are the systems, their own parts, and the mean of all."""

    def __init__(self, nights: Nights, limit: float) -> None:
        systems = nights.values.shape[2]
        mean = nights.values.mean(axis=2, keepdims=True)
        self.values = np.concatenate([nights.values, own_parts(nights.values), mean], axis=2)
        errors = nights.errors, nights.own_errors, nights.mean_errors[:, :, None]
        self.errors = np.concatenate(errors, axis=2)
        self.systems, self.limit, self.freedom = systems, limit, nights.documents - 1
        years, _, columns = self.values.shape
        # Values, errors and kind of the last good nights, the newest last.
        self.recent = np.full((3, NIGHTS_OF_SPREAD, years, columns), np.nan)
        self.last = np.full((3, 2, years, columns), np.nan)

    def judge(self, night: int) -> tuple[Flags, Flags]:
        """Judge a night of all years, and keep it where it is good."""
        own, mean = slice(self.systems, -1), -1
        values, errors = self.values[:, night], self.errors[:, night]
        weekend = night % 7 >= 5
        apart = self._weekends_differ(night)[:, None]
        known = self.last[_WEEKEND if weekend else _WORKDAY]
        before = np.where(apart & ~np.isnan(known), known, self.last[_ANY])
        change = values - before[0]
        limit = np.full(change.shape, self.limit)
        limit[:, own] += OF_COMMON * np.abs(np.nan_to_num(change[:, [mean]]))
        p = self._p(change + limit, np.stack([errors, before[1]]), apart)
        if night < FEWEST_OF_BASELINE:
            p = np.ones_like(p)
        failed = _holm(p[:, : self.systems]) <= ALPHA
        beyond = (before[0] - values)[:, : self.systems] > self.limit
        shared = (p[:, mean] <= ALPHA) & (beyond.sum(axis=1) >= self.systems - 1)
        stands_out = _holm(p[:, own]) <= ALPHA
        blamed = failed & np.where(shared[:, None], stands_out, p[:, own] <= _ONE)
        shared &= failed.any(axis=1)
        good = ~blamed & ~shared[:, None]
        all_good = good.all(axis=1, keepdims=True)
        self._keep(
            np.stack([values, errors]), np.concatenate([good, good, all_good], axis=1), weekend
        )
        return blamed, shared

    def _p(self, within: Floats, errors: Floats, apart: Flags) -> Floats:
        """Return p of each column's change, which is within its limit by so much."""
        squares = np.square(errors)
        sampling = squares.sum(axis=0)
        freedom = self.freedom * np.square(sampling) / np.square(squares).sum(axis=0)
        between = self._between(errors[0], apart)
        known = ~np.isnan(between.variance)
        variance = sampling + np.where(known, 2 * between.beyond_sampling, 0.0)
        freedom = np.where(known, between.freedom_of(sampling, freedom, 2.0), freedom)
        p = stdtr(freedom, within / np.sqrt(variance))
        return np.asarray(np.where(np.isnan(p), 1.0, p))

    def _between(self, errors: Floats, apart: Flags) -> BetweenNights:
        """Return the variance between the last good nights; NaN with too few."""
        values, known_errors, weekend = self.recent
        known = ~np.isnan(values)
        number = known.sum(axis=0)
        squares, kinds, along, of_time = np.zeros((4, *values.shape[1:]))
        time = np.arange(len(values), dtype=np.float64)[:, None, None]
        for kind in (0, 1):
            members = known & np.where(apart, weekend == kind, kind == 0)
            size = members.sum(axis=0)
            apart_of = [
                np.where(
                    members, each - np.where(members, each, 0.0).sum(0) / np.maximum(size, 1), 0.0
                )
                for each in (values, np.broadcast_to(time, values.shape))
            ]
            squares += np.square(apart_of[0]).sum(axis=0)
            along += (apart_of[0] * apart_of[1]).sum(axis=0)
            of_time += np.square(apart_of[1]).sum(axis=0)
            kinds += size > 0
        squares -= np.square(along) / np.maximum(of_time, 1.0)
        freedom = np.maximum(1.0, number - kinds - 1)
        sampling = np.where(known, np.square(known_errors), 0.0).sum(axis=0) / np.maximum(number, 1)
        sampling[:, self.systems :] = np.square(errors[:, self.systems :])
        variance = np.where(number >= FEWEST_OF_SPREAD, squares / freedom, np.nan)
        return BetweenNights(variance, sampling, freedom)

    def _weekends_differ(self, night: int) -> Flags:
        first = max(0, night - 2 * NIGHTS_OF_SPREAD)
        recent, weekend = self.values[:, first:night, -1], np.arange(first, night) % 7 >= 5
        return np.array([differ_clearly(year, weekend) for year in recent], bool)

    def _keep(self, now: Floats, good: Flags, weekend: bool) -> None:
        kind = np.full(now.shape[1:], float(weekend))
        moved = np.concatenate([self.recent[:, 1:], np.stack([*now, kind])[:, None]], axis=1)
        self.recent = np.where(good, moved, self.recent)
        for place in (_ANY, _WEEKEND if weekend else _WORKDAY):
            self.last[place] = np.where(good | np.isnan(self.last[place]), now, self.last[place])


def _holm(p: Floats) -> Floats:
    """Adjust p values over the last axis (Holm 1979)."""
    order = np.argsort(p, axis=-1)
    tests = p.shape[-1]
    stepped = np.take_along_axis(p, order, -1) * (tests - np.arange(tests))
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(stepped, axis=-1), -1)
    return np.minimum(adjusted, 1.0)
