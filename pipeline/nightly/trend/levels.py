"""Judge each series: a line or a step, more than chance or not, alone or with the whole group.

Two families of tests: the means of all systems by group, and the systems by group, each against
the median of the others.  In each, Holm's method covers the lines, and the largest ratio over the
family the steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.trend.series import GroupValues, NightlySeries, Series
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS, TrendSettings
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import FEWEST_SYSTEMS, own_parts, relative
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND, Step, Trend, steps, theil_sen

LINE, STEP = "line", "step"

FELL, ROSE, STEADY, WITH_GROUP, TOO_FEW = "fell", "rose", "steady", "with_group", "too_few"

_HALF = 0.5
"""Most of the sum of squares left by a line that a step may leave to describe a change better."""

_ONE = 0.05
"""Largest p, of a single test, at which a system counts as falling with the others."""


@dataclass(frozen=True)
class Level:
    """The level of a system in a group, or of the mean of all systems, and how it changed.

    Attributes:
        system: the system; None for the mean of all systems.
        group: values of the group-by columns; all None over all documents.
        first, last: first and last night with a value.
        nights: number of nights with a value.
        mean: mean over nights.
        line: the line through the nights, per night; None if there are too few nights.
        step: the step that explains most; None if there are too few nights.
        explained: share of the weighted sum of squares that the line explains.
        start, end: where the line begins and ends.
        p: p of the line, the larger of those with and without correction for serial dependence.
        p_adjusted: p adjusted for the family.
        verdict: `fell`, `rose`, `steady`, `with_group` (as all systems of a group do), `too_few`.
        kind: what describes a series that fell or rose best, `line` or `step`; empty for others.
        step_date: the first night after the step.
        alike: number of systems that change with the mean of all, and number of all systems.
        is_held: whether the others changed, and not the system itself, so that it is steady.
    """

    system: str | None
    group: GroupValues
    first: date
    last: date
    nights: int
    mean: float
    line: Trend | None = None
    step: Step | None = None
    explained: float = 0.0
    start: float = float("nan")
    end: float = float("nan")
    p: float = 1.0
    p_adjusted: float = 1.0
    verdict: str = TOO_FEW
    kind: str = ""
    step_date: date | None = None
    alike: tuple[int, int] = (0, 0)
    is_held: bool = False

    @property
    def change(self) -> float:
        """The change of the line over ``PER_NIGHTS`` nights; NaN without a line."""
        return float("nan") if self.line is None else self.line.slope * PER_NIGHTS

    @property
    def jump(self) -> float:
        """The size of the step; NaN without one."""
        return float("nan") if self.step is None else self.step.after - self.step.before

    @property
    def sign(self) -> float:
        """The sign of the change that describes the series."""
        size = self.jump if self.kind == STEP else self.change
        return float(np.sign(size)) if np.isfinite(size) else 0.0

    @property
    def over_all(self) -> bool:
        """Whether it is about all documents."""
        return all(value is None for value in self.group)

    @property
    def named(self) -> bool:
        """Whether it changed by more than chance and limit, and not with its group."""
        return self.verdict in (FELL, ROSE)


def judge_levels(nightly: NightlySeries, settings: TrendSettings) -> list[Level]:
    """Judge all series, in their order."""
    systems = [each for each in nightly.series if each.system is not None]
    means = [each for each in nightly.series if each.system is None]
    whole = _judge_family(systems, nightly.dates, settings)
    common = _judge_common(_judge_family(means, nightly.dates, settings), whole)
    own = _judge_family(_own_series(systems), nightly.dates, settings)
    changed = {mean.group for mean in common if mean.verdict in (FELL, ROSE, WITH_GROUP)}
    judged = [
        replace(level, verdict=WITH_GROUP)
        if of_whole.named
        and level.verdict == STEADY
        and (level.group in changed or (level.over_all and changed))
        else _if_own(level, of_whole)
        for level, of_whole in zip(own, whole, strict=True)
    ]
    by_key = {(each.system, each.group): each for each in (*judged, *common)}
    return [by_key[each.system, each.group] for each in nightly.series]


def _if_own(level: Level, of_whole: Level) -> Level:
    """Return a level against the others as steady, if the average itself did not change so."""
    if not level.named or _changes(of_whole, level.sign):
        return level
    return replace(level, verdict=STEADY, is_held=True)


def _own_series(systems: Sequence[Series]) -> list[Series]:
    """Return what each system does against the median of the others, around its own mean.

    With fewer than three systems in a group, it is what the system does.
    """
    found = []
    for own in systems:
        members = [each for each in systems if each.group == own.group]
        values = np.stack([each.values for each in members], axis=1)
        if len(members) >= FEWEST_SYSTEMS:
            parts = own_parts(relative(values, ~np.isnan(values)))
            part = parts[:, [each.system for each in members].index(own.system)]
            if not np.isnan(part).all():
                moved = float(np.nanmean(own.values)) - float(np.nanmean(part))
                own = replace(own, values=part + moved)
        found.append(own)
    return found


def _judge_family(
    series: Sequence[Series], dates: Sequence[date], settings: TrendSettings
) -> list[Level]:
    """Estimate and test a family of series."""
    if not series:
        return []
    values = np.stack([each.values for each in series])
    weights = np.stack([each.weights for each in series])
    enough = len(dates) >= FEWEST_FOR_TREND
    found = steps(values, weights, settings.seed) if enough else [None] * len(series)
    levels = [_level(each, step, dates) for each, step in zip(series, found, strict=True)]
    tested = [level.p if level.line is not None else np.nan for level in levels]
    return [
        _decide(replace(level, p_adjusted=1.0 if np.isnan(p) else float(p)), settings)
        for level, p in zip(levels, holm(tested), strict=True)
    ]


def _level(series: Series, step: Step | None, dates: Sequence[date]) -> Level:
    """Describe a series; its line is None if it has too few nights."""
    known = np.flatnonzero(~np.isnan(series.values))
    values = series.values[known]
    first, last = (dates[known[0]], dates[known[-1]]) if len(known) else (dates[0], dates[0])
    mean = float(values.mean()) if len(known) else float("nan")
    level = Level(series.system, series.group, first, last, len(known), mean)
    if len(known) < FEWEST_FOR_TREND:
        return level
    line = theil_sen(known, values)
    weights = series.weights[known]
    fitted = line.intercept + line.slope * known
    return replace(
        level,
        line=line,
        step=step,
        step_date=None if step is None else dates[step.first],
        explained=_explained(values, fitted, weights),
        start=float(fitted[0]),
        end=float(fitted[-1]),
        p=max(line.p, line.p_independent),
    )


def _explained(values: Floats, fitted: NDArray[Any], weights: Floats) -> float:
    """Return the share of the weighted sum of squares that fitted values explain, 0 to 1."""
    spread = values - np.average(values, weights=weights)
    whole = float((weights * spread**2).sum())
    if whole == 0:
        return 0.0
    return max(0.0, 1 - float((weights * (values - fitted) ** 2).sum()) / whole)


def _decide(level: Level, settings: TrendSettings) -> Level:
    """Say whether a series changed by more than chance and the limit."""
    line, step = level.line, level.step
    if line is None:
        return level
    by_line = level.p_adjusted <= settings.alpha and abs(level.change) >= settings.limit
    by_step = (
        step is not None and step.p_adjusted <= settings.alpha and abs(level.jump) >= settings.limit
    )
    if not by_line and not by_step:
        return replace(level, verdict=STEADY)
    explains_more = step is not None and step.explained > level.explained
    return _named(level, STEP if by_step and (explains_more or not by_line) else _kind_of(level))


def _kind_of(level: Level) -> str:
    """Return what describes a change: a step only if it leaves at most half of what a line does.

    That there is a change has been tested already, so that a single test is enough for its form.
    """
    step = level.step
    is_step = (
        step is not None and step.p <= _ONE and 1 - step.explained <= _HALF * (1 - level.explained)
    )
    return STEP if is_step else LINE


def _named(level: Level, kind: str) -> Level:
    level = replace(level, kind=kind)
    return replace(level, verdict=FELL if level.sign < 0 else ROSE)


def _judge_common(common: Sequence[Level], systems: Sequence[Level]) -> list[Level]:
    """Keep the changes of means that at least all but one of the systems show."""
    judged = []
    for mean in common:
        members = [level for level in systems if level.group == mean.group and level.line]
        sign = mean.sign
        alike = sum(_changes(level, sign) for level in members)
        mean = replace(mean, alike=(alike, len(members)))
        judged.append(replace(mean, verdict=STEADY) if mean.named and not _shared(mean) else mean)
    judged = _traced_to_groups(judged)
    grouped = [mean for mean in judged if not mean.over_all]
    named = [mean for mean in grouped if mean.named]
    everywhere = len(named) >= max(2, len(grouped) - 1)
    # Either what all documents show is due to some groups, or what the groups show is general.
    return [
        replace(mean, verdict=WITH_GROUP)
        if mean.named and named and mean.over_all is not everywhere
        else mean
        for mean in judged
    ]


def _shared(mean: Level) -> bool:
    """Check whether enough systems change with their mean."""
    alike, members = mean.alike
    return alike >= max(FEWEST_SYSTEMS, members - 1)


def _traced_to_groups(means: list[Level]) -> list[Level]:
    """Name the groups to which a change over all documents is due, if none is named by itself.

    They are the groups in which the mean, by a single test, and enough systems change likewise, if
    these are not nearly all groups.
    """
    whole = [mean for mean in means if mean.over_all and mean.named]
    groups = [mean for mean in means if not mean.over_all]
    if not whole or any(mean.named for mean in groups):
        return means
    sign = whole[0].sign
    due = {
        mean.group
        for mean in groups
        if mean.sign == sign and _changes(mean, sign) and _shared(mean)
    }
    if not due or len(due) >= max(2, len(groups) - 1):
        return means
    return [_named(mean, _kind_of(mean)) if mean.group in due else mean for mean in means]


def _changes(level: Level, sign: float) -> bool:
    """Check whether a single test finds that a series changes in a direction."""
    by_line = level.p <= _ONE and np.sign(level.change) == sign
    by_step = level.step is not None and level.step.p <= _ONE and np.sign(level.jump) == sign
    return bool(by_line or by_step)
