"""Write the page of a trend: a chart of every group over the nights, and the tables behind it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segscore.pipeline.nightly.formatting import short
from segscore.pipeline.nightly.trend.added import added_table
from segscore.pipeline.nightly.trend.levels import STEP, Level
from segscore.pipeline.nightly.trend.sentences import first_change
from segscore.pipeline.nightly.trend.series import group_name
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS
from segscore.pipeline.nightly.trend.trend_tables import levels_table, pairs_over_nights
from segscore.pipeline.reports.chart_parts import MarkValues
from segscore.pipeline.reports.night_charts import night_chart
from segscore.pipeline.reports.page import Figure, Page, Section, isolated, shown_figure
from segscore.pipeline.reports.page_file import require_free, write_page
from segscore.pipeline.statistics.formatted_numbers import or_none

if TYPE_CHECKING:
    from segscore.pipeline.nightly.trend.month import Month
    from segscore.pipeline.nightly.trend.run import FoundTrend

_GROUPS = 30
"""Most groups that are drawn: those with a change, then the others by name."""

_CHANGES = 4
"""Most changes that a chart marks."""

_MEAN = "mean"


def write_trend(found: "FoundTrend", output: str) -> int:
    """Write the page of a trend, atomically; return its size in bytes.

    Raises:
        Refused: the output must not be overwritten, or altair is not installed.
        Failed: the page cannot be written.
    """
    require_free("--report", output, {"RUNS": found.settings.runs})
    picture, *more = _figures(found)
    page = Page(
        found.settings.runs.rstrip("/").rpartition("/")[2],
        found.finding(isolated),
        picture,
        found.nightly.signature,
        f"{len(found.nightly.dates)} nights of {found.settings.runs}.",
        [*_sections(found, more)],
    )
    return write_page("--report", output, page)


def write_month(found: "Month", output: str) -> int:
    """Write the page of a month as ``write_trend`` does that of a trend."""
    require_free("--report", output, {"RUNS": found.settings.runs})
    warnings = " ".join(f"{warning}." for warning in found.nightly.warnings)
    picture = shown_figure(
        found.shown.short, title=found.title, folded=False, wide=True, note=warnings
    )
    about, name = f"{found.settings.runs}.", found.settings.runs.rstrip("/").rpartition("/")[2]
    page = Page(name, found.finding(isolated), picture, found.nightly.signature, about, [])
    return write_page("--report", output, page)


def _sections(found: "FoundTrend", more: Sequence[Figure]) -> list[Section]:
    warnings = " ".join(f"{warning}." for warning in found.nightly.warnings)
    levels = shown_figure(
        levels_table(found.levels, found.settings.measure, found.title).short,
        folded=False,
        wide=True,
    )
    groups = Section("groups", "Groups", "", more, open=True)
    sections = [*[groups] * bool(more), Section("levels", "Levels", warnings, [levels])]
    if found.pairs:
        pairs = shown_figure(pairs_over_nights(found.pairs).short, folded=False, wide=True)
        sections.append(Section("ranking", "Systems over nights", "", [pairs]))
    if found.added:
        added = shown_figure(added_table(found.added).short, folded=False)
        sections.append(Section("added", "Added scores", "", [added]))
    return sections


def _figures(found: "FoundTrend") -> list[Figure]:
    """Draw the systems night by night on one scale.

    The group of the headline comes first, then all documents, then other groups that changed.
    """
    named = [level for level in found.levels if level.named]
    changed = {level.group for level in named}
    first = [level.group for level in first_change(named, found.settings)[:1]]
    groups = list(dict.fromkeys(level.group for level in found.levels))
    groups.sort(
        key=lambda group: (
            group not in first,
            any(value is not None for value in group),
            group not in changed,
        )
    )
    drawn = [
        (each, day, or_none(value))
        for each in found.nightly.series
        if each.group in groups[:_GROUPS]
        for day, value in zip(found.nightly.dates, each.values.tolist(), strict=True)
    ]
    every = [{"y": value} for *_, value in drawn] + [{"y": one.value} for one in found.added]
    figures: list[Figure] = []
    for group in groups[:_GROUPS]:
        points = [
            {"name": each.system or _MEAN, "x": str(day), "y": value}
            for each, day, value in drawn
            if each.group == group
        ]
        if all(value is None for value in group):
            points += [
                {"name": f"{one.system} (added)", "x": str(one.date), "y": one.value}
                for one in found.added
            ]
        of_group = [each for each in found.levels if each.group == group]
        changes = [_change(level) for level in of_group if level.named][:_CHANGES]
        chart = night_chart(points, changes, found.settings.measure, _MEAN, every)
        figures.append(Figure(group_name(of_group[0].group), chart=chart, wide=not figures))
    return figures


def _change(level: Level) -> MarkValues:
    """Return what a chart marks of a level that changed: its words, and its night or its line."""
    what = f"{level.system or 'all systems'} {level.verdict}"
    if level.kind == STEP and level.step is not None:
        sizes = f"from {short(level.step.before)} to {short(level.step.after)}"
        text = f"{what} {sizes} on {level.step_date}"
        return {"text": text, "x": str(level.step_date), "y": None, "x_end": None, "y_end": None}
    ends = {"x": str(level.first), "y": level.start, "x_end": str(level.last), "y_end": level.end}
    return {"text": f"{what} by {short(abs(level.change))} per {PER_NIGHTS} nights", **ends}
