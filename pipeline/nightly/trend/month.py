"""A month in a table: the mean of each system, and whether it met its floor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa

from segscore.pipeline.comparison.runs import chosen_measures
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.gate.floor import FloorKind
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.nights import read_verdict_of
from segscore.pipeline.nightly.restatements import read_restatements
from segscore.pipeline.nightly.trend.series import (
    GroupValues,
    NightlySeries,
    Series,
    group_name,
    read_series,
)
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.formatted_numbers import counted, or_none
from segscore.pipeline.statistics.night_levels import mean_of_nights
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.pipeline.statistics.sentences import Tone

MET, MISSED, UNDECIDED = "met", "missed", "undecided"


@dataclass(frozen=True)
class SystemMonth:
    """The month of a system, over all documents or in a group.

    Attributes:
        system, group: the system, and the values of the group-by columns.
        nights: number of nights with a value.
        mean: mean over these nights; NaN where there is none.
        low, high: ends of its 95 % interval; NaN with fewer than three nights.
        floor: the floor, or the upper limit, of the newest night's gate; None without one.
        result: whether it was met; `undecided` where the interval includes it; None without one.
        restated: number of nights whose averages changed after they were published.
    """

    system: str
    group: GroupValues
    nights: int
    mean: float
    low: float
    high: float
    floor: float | None
    result: str | None
    restated: int


@dataclass(frozen=True)
class Month:
    """The month of all systems."""

    settings: TrendSettings
    nightly: NightlySeries
    systems: Sequence[SystemMonth]

    @property
    def title(self) -> str:
        """The average, the measure and the month."""
        assert self.settings.month is not None
        number = counted(len(self.nightly.dates), "night")
        average, measure = self.settings.average, self.settings.measure
        return f"{average} {measure}, {self.settings.month:%Y-%m}, {number}"

    def finding(self, shown: Callable[[str], str] = str) -> Finding:
        """Return which systems missed their floors, or that all met them.

        Args:
            shown: writes a name.
        """
        missed = [*dict.fromkeys(one.system for one in self.systems if one.result == MISSED)]
        judged = [one for one in self.systems if one.floor is not None]
        open_ones = sum(one.result == UNDECIDED for one in judged)
        about = self.title
        if missed:
            which = "its floor" if len(missed) == 1 else "their floors"
            names = [*map(shown, missed)]
            return Finding(f"missed {which}", Tone.FAILED, names=names, about=about)
        if not judged:
            return Finding(self.title, Tone.NOTE, is_said=True)
        if open_ones:
            rest = f"No floor was missed; {open_ones} of {len(judged)} are undecided"
            return Finding(rest, Tone.UNSURE, about=about)
        return Finding("All floors were met", Tone.SURE, about=about)

    @property
    def shown(self) -> ResultTable:
        """The table, as a terminal and a page show it."""
        listed = self.systems
        ends = [(or_none(one.low), or_none(one.high)) for one in listed]
        groups = [group_name(one.group) for one in listed]
        floors = [one.floor for one in listed]
        columns = [
            Column("system", [one.system for one in listed], is_name=True),
            *[Column("group", groups, is_name=True)] * bool(self.settings.group_by),
            Column("mean", [or_none(one.mean) for one in listed], ends=ends),
            Column("floor", floors),
            Column("result", [one.result or "" for one in listed], is_name=True),
            Column("nights", [one.nights for one in listed]),
            Column("restated", [one.restated for one in listed]),
        ]
        caption = "mean over nights, each of the same weight"
        if any(floor is not None for floor in floors):
            caption += "; undecided: the interval includes the floor"
        else:
            columns = [one for one in columns if one.heading not in ("floor", "result")]
        return ResultTable(
            columns,
            title=self.title,
            caption=caption,
            failed=[index for index, one in enumerate(listed) if one.result == MISSED],
        )

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The table `months` (schemas/nights.py)."""
        from segscore.pipeline.nightly.trend.run import to_table
        from segscore.schemas.nights import MONTHS

        by, settings = self.settings.group_by, self.settings
        rows = [
            {
                **vars(one),
                **dict(zip(by, one.group, strict=True)),
                "measure": settings.measure,
                "average": settings.average,
                "month": settings.month,
                "mean": or_none(one.mean),
                "ci_low": or_none(one.low),
                "ci_high": or_none(one.high),
            }
            for one in self.systems
        ]
        return {MONTHS.name: to_table(MONTHS, rows, by)}


def find_month(settings: TrendSettings) -> Month:
    """Find the mean of each system over the nights of a month.

    Raises:
        Refused: there is no such measure, or fewer than three nights of the month have it.
    """
    chosen_measures([settings.measure])  # refuses a measure that does not exist
    nightly = read_series(settings)
    warnings: list[str] = []
    restated = _restated_nights(settings, nightly.dates, warnings)
    floor = _floor(settings, nightly.dates[-1])
    systems = [
        _of_series(series, settings, floor, restated)
        for series in nightly.series
        if series.system is not None
    ]
    warned = [*nightly.warnings, *warnings]
    return Month(
        settings, NightlySeries(nightly.dates, nightly.signature, nightly.series, warned), systems
    )


def _of_series(
    series: Series,
    settings: TrendSettings,
    floor: GateRule | None,
    restated: Sequence[tuple[str, date]],
) -> SystemMonth:
    measure = ALL[settings.measure]
    bounds = (-np.inf if measure.lower is None else measure.lower), measure.upper
    mean, *ends = mean_of_nights(series.values)
    low, high = (float(np.clip(end, *bounds)) for end in ends)
    return SystemMonth(
        str(series.system),
        series.group,
        int((~np.isnan(series.values)).sum()),
        mean,
        low,
        high,
        None if floor is None else floor.limit,
        None if floor is None else _result(floor, mean, low, high),
        sum(system == series.system for system, _ in restated),
    )


def _result(floor: GateRule, mean: float, low: float, high: float) -> str:
    """Say whether an average met a floor, or an upper limit."""
    near, far = (high, low) if floor.falls else (low, high)
    if np.isnan(mean):
        return UNDECIDED
    if floor.excess(near) > 0:
        return MISSED
    return MET if floor.excess(far) <= 0 else UNDECIDED


def _floor(settings: TrendSettings, night: date) -> GateRule | None:
    """Return the floor of the average in the gate of a night; None without one."""
    verdict = read_verdict_of(settings.runs, night)
    rules = [] if verdict is None else [*map(FloorKind().read, verdict.asked.get("gate", []))]
    wanted = settings.measure, settings.average
    return next((one for one in rules if one and (one.measure, one.average) == wanted), None)


def _restated_nights(
    settings: TrendSettings, nights: Sequence[date], warnings: list[str]
) -> list[tuple[str, date]]:
    """Return the systems and nights whose average was restated, each once."""
    about = settings.measure, settings.average
    found = (
        (row["system"], one.date)
        for one in read_restatements(settings.runs, warnings)
        for row in one.rows
        if one.date in nights and (row["measure"], row["average"]) == about
    )
    return sorted({*found})
