"""The averages of systems and groups night by night, from the nights of a folder."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.gate.past import past_average
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.tallies import tally_night
from segscore.pipeline.nightly.history import read_history
from segscore.pipeline.nightly.nights import Nights, aliases_on, differences_of
from segscore.pipeline.nightly.renames import rename_history
from segscore.pipeline.nightly.summaries import RUN_COLUMNS
from segscore.pipeline.nightly.trend.settings import FEWEST_FOR_AVERAGES, TrendSettings
from segscore.pipeline.nightly.verdict import NOT_COMPARABLE
from segscore.pipeline.results.names import POINT
from segscore.pipeline.runs.finished import RunRow
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import counted, shown_attribute
from segscore.pipeline.statistics.night_levels import FEWEST_SYSTEMS

GroupValues = tuple[object, ...]
"""Values of the group-by columns; all None over all documents."""

GroupAverages = dict[tuple[str, GroupValues, date], tuple[float, float]]
"""System, group and night -> the average and its standard error."""


def averages_by_group(settings: TrendSettings, nights: Sequence[date]) -> GroupAverages:
    """Compute the averages by attributes that the summaries of nights do not have.

    Raises:
        Refused: no night has the attributes.
    """
    falls = ALL[settings.measure].better != "lower"
    asked = GateRule("", settings.average, settings.measure, falls, 0.0, "")
    by = settings.group_by
    found: GroupAverages = {}
    columns: set[str] = set()
    folder = Nights(settings.runs, aliases=aliases_on(settings.runs, nights[-1]))
    for day in nights:
        night = folder.find(day)
        if night is None:  # it was removed: there are only its summaries
            continue
        pieces = night.table_files(asked.table)
        columns |= {name for piece in pieces for name in piece.columns}
        documents = max(row["documents"] for row in night.over_all())
        tally = tally_night(night, (asked,), documents, by)
        if tally is None:
            continue
        for system, *group in tally.systems:
            if None not in group:
                estimate = tally.average((system, *group), asked).estimate
                found[str(system), tuple(group), day] = estimate.value, estimate.error
    if not found:
        absent = next((name for name in by if name not in columns), ",".join(by))
        raise Refused(
            f"--group-by {absent}: the documents of no night have this attribute"
            f"{nearest(absent, columns)}"
        )
    return found


def group_name(group: GroupValues) -> str:
    """Name a group by its values, such as `regio`; `all documents` without any."""
    if all(value is None for value in group):
        return "all documents"
    return ", ".join(map(shown_attribute, group))


@dataclass(frozen=True)
class Series:
    """The averages of a system in a group, night by night.

    Attributes:
        system: the system; None for the mean of all systems.
        group: the group.
        values: the averages, NaN where undefined, shape (nights,).
        errors: their standard errors, NaN where unknown, shape (nights,).
    """

    system: str | None
    group: GroupValues
    values: Floats
    errors: Floats

    @property
    def weights(self) -> Floats:
        """The weight of each night, 1 / the square of its standard error, shape (nights,)."""
        errors = np.where(self.errors > 0, self.errors, np.nan)
        if np.isnan(errors).all():
            return np.ones(len(errors))
        return np.asarray(1 / np.where(np.isnan(errors), np.nanmedian(errors), errors) ** 2)


@dataclass(frozen=True)
class NightlySeries:
    """All series of a folder, comparable with the newest night; those over all documents first."""

    dates: Sequence[date]
    signature: str
    series: Sequence[Series]
    warnings: Sequence[str]


def read_series(settings: TrendSettings) -> NightlySeries:
    """Read the averages of all systems night by night.

    Nights that were scored in another way than the newest one are left out. A newest night that
    the gate found not comparable is left out itself.

    Raises:
        Refused: there are too few nights with the measure, or they were not summarised by the
            group-by columns.
    """
    history, warnings = read_history(settings.runs)
    rows = history.filter(_chosen(history, settings))
    first, last = settings.ends
    span = "" if first is None else f" since {first}"
    span += "" if last is None else f" until {last}"
    if not rows.num_rows:
        raise Refused(f"{settings.runs}: no night has {settings.measure}{span}")
    rows = rows.sort_by("date")
    newest = rows.column("date")[-1].as_py()
    rows = rename_history(rows, aliases_on(settings.runs, newest), newest)
    rows = rows.sort_by("date")
    other = [name for name in summary_groups(rows.column_names) if name not in RUN_COLUMNS]
    rows, left_out = _comparable(rows, settings)
    every = sorted(set(rows.column("date").to_pylist()))
    nights = every if first is not None else every[-settings.newest :]
    if len(nights) < FEWEST_FOR_AVERAGES:
        kind = "comparable night" if left_out else "night"
        raise Refused(
            f"{settings.runs}: has {counted(len(nights), kind)} with {settings.measure}{span}; "
            f"at least {FEWEST_FOR_AVERAGES} are needed" + "".join(f"; {text}" for text in left_out)
        )
    rows = rows.filter(pc.is_in(rows.column("date"), pa.array(nights, pa.date32())))
    values = _summarised(rows.to_pylist(), other, settings.group_by)
    if settings.group_by and not any(_is_group(group) for _, group, _ in values):
        values |= averages_by_group(settings, nights)
    series = _series(values, nights)
    signature = rows.column("signature")[-1].as_py()
    return NightlySeries(nights, signature, series, [*warnings, *left_out])


def _chosen(history: pa.Table, settings: TrendSettings) -> pa.ChunkedArray:
    """Return a mask of the rows of nights about the measure, without reference points."""
    masks = [
        pc.is_valid(history.column("date")),
        pc.equal(history.column("measure"), settings.measure),
        pc.equal(history.column("average"), settings.average),
        pc.invert(pc.starts_with(history.column("hypothesis"), POINT)),
    ]
    first, last = settings.ends
    if first is not None:
        since = pa.scalar(first, pa.date32())
        masks.append(pc.greater_equal(history.column("date"), since))
    if last is not None:
        until = pa.scalar(last, pa.date32())
        masks.append(pc.less_equal(history.column("date"), until))
    mask = masks[0]
    for further in masks[1:]:
        mask = pc.and_(mask, further)
    return mask


def _comparable(rows: pa.Table, settings: TrendSettings) -> tuple[pa.Table, list[str]]:
    """Leave out the nights that are not comparable with the newest one; say which.

    The newest one is the last that the gate did not find incomparable with those before it.
    """
    dates = rows.column("date").to_pylist()
    signatures = dict(zip(dates, rows.column("signature").to_pylist(), strict=True))
    refused = pc.equal(rows.column("outcome"), NOT_COMPARABLE).to_pylist()
    usual = [night for night, is_refused in zip(dates, refused, strict=True) if not is_refused]
    newest = (usual or dates)[-1]
    measures = [settings.measure]
    other = {
        night: differences
        for night, before in signatures.items()
        if (differences := differences_of(before, signatures[newest], measures, measures))
    }
    if not other:
        return rows, []
    last = max(other)
    than = "the last night" if newest == dates[-1] else f"on {newest}"
    text = (
        f"{counted(len(other), 'night')} to {last} left out, scored in another way than {than}: "
        f"{', '.join(other[last])}"
    )
    excluded = pc.is_in(rows.column("date"), pa.array(list(other), pa.date32()))
    return rows.filter(pc.invert(excluded)), [text]


def _summarised(rows: Iterable[RunRow], columns: Sequence[str], by: Sequence[str]) -> GroupAverages:
    """Return the averages over all documents, and those by the group-by columns, if any."""
    found: GroupAverages = {}
    for row in rows:
        used = {name for name in columns if row[name] is not None}
        if not used or used == {*by}:
            average = past_average(row)
            key = row["hypothesis"], tuple(row.get(name) for name in by), row["date"]
            found[key] = average.value, average.error
    return found


def _series(averages: GroupAverages, nights: Sequence[date]) -> list[Series]:
    """Arrange averages by system and group, and add the mean of all systems."""
    index_of = {night: index for index, night in enumerate(nights)}
    cells: dict[tuple[str, GroupValues], Floats] = {}
    for (system, group, night), average in averages.items():
        of_series = cells.setdefault((system, group), np.full((2, len(nights)), np.nan))
        of_series[:, index_of[night]] = average
    series = [Series(*key, *of_series) for key, of_series in cells.items()]
    series += [
        mean for group in {one.group: None for one in series} for mean in mean_of(series, group)
    ]
    return sorted(
        series,
        key=lambda one: (
            _is_group(one.group),
            str(one.group),
            one.system is None,
            one.system or "",
        ),
    )


def _is_group(group: GroupValues) -> bool:
    return any(value is not None for value in group)


def mean_of(series: Sequence[Series], group: GroupValues) -> list[Series]:
    """Return the mean of the systems in a group, on nights that have all of them; none for one.

    A system that only some nights have would move the mean, so those that lack more than a third
    of the nights are left out.
    """
    members = [each for each in series if each.group == group]
    members = [each for each in members if np.isnan(each.values).mean() < 1 / 3]
    if len(members) < FEWEST_SYSTEMS:
        return []
    values = np.mean([each.values for each in members], axis=0)
    errors = np.mean([each.errors for each in members], axis=0)
    return [Series(None, group, values, errors)]
