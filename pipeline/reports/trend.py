"""Write the page of a trend: a chart of every group over the nights, and the tables behind it."""

from typing import TYPE_CHECKING

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly.trend.groups import group_name
from segscore.pipeline.nightly.trend.levels import STEP, Level
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS, TrendSettings
from segscore.pipeline.nightly.trend.shown_trend import levels_shown, pairs_over_nights
from segscore.pipeline.nightly.words import short
from segscore.pipeline.reports.chart_parts import MarkValues
from segscore.pipeline.reports.night_charts import night_chart
from segscore.pipeline.reports.page import (
    Figure,
    Page,
    Section,
    charting_library,
    is_report,
    render,
    shown_figure,
)
from segscore.pipeline.statistics.shown_numbers import or_none
from segscore.pipeline.storage.placement import require_apart

if TYPE_CHECKING:
    from segscore.pipeline.nightly.trend.month import Month
    from segscore.pipeline.nightly.trend.run import FoundTrend

_HEAD = 4096
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
    _require_free(found.settings, output)
    settings, dates = found.settings, found.nightly.dates
    library = charting_library()
    page = Page(
        found.title,
        [f"{sentence}." for sentence in found.findings],
        found.nightly.signature,
        f"{len(dates)} nights of {settings.runs}.",
        [*_sections(found)],
    )
    return _write(page, library, output)


def write_month(found: "Month", output: str) -> int:
    """Write the page of a month as ``write_trend`` does that of a trend."""
    _require_free(found.settings, output)
    library = charting_library()
    warnings = " ".join(f"{warning}." for warning in found.nightly.warnings)
    table = shown_figure(found.shown, folded=False, wide=True)
    sections = [Section("month", "Month", warnings, [table])]
    about = f"{found.settings.runs}."
    page = Page(found.title, [], found.nightly.signature, about, sections)
    return _write(page, library, output)


def _write(page: Page, library: str, output: str) -> int:
    """Write a page; return its size in bytes.

    Raises:
        Failed: it cannot be written.
    """
    text = render(page, library)
    try:
        storage.write_text(output, text)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise Failed(f"--report {output}: cannot be written ({why})") from problem
    return len(text.encode())


def _require_free(settings: TrendSettings, output: str) -> None:
    """Refuse to write over a folder, into the nights, or over another program's file."""
    storage.require_writable_store("--report", output)
    if not output.strip() or storage.names(output):
        raise Refused(f"--report {output}: is not a file; name a file")
    require_apart(output, {"RUNS": settings.runs}, option="--report", is_file=True)
    head = storage.head(output, _HEAD)
    if head and not is_report(head):
        raise Refused(
            f"--report {output}: is a file that segscore did not write; name another file"
        )


def _sections(found: "FoundTrend") -> list[Section]:
    warnings = " ".join(f"{warning}." for warning in found.nightly.warnings)
    levels = shown_figure(
        levels_shown(found.levels, found.settings.measure, found.title), folded=False, wide=True
    )
    sections = [
        Section("nights", "Nights", warnings, _charts(found)),
        Section("levels", "Levels", "", [levels]),
    ]
    if found.pairs:
        pairs = shown_figure(pairs_over_nights(found.pairs), folded=False, wide=True)
        sections.append(Section("ranking", "Systems over nights", "", [pairs]))
    return sections


def _charts(found: "FoundTrend") -> list[Figure]:
    """Draw the systems night by night: over all documents, then in each group."""
    changed = {level.group for level in found.levels if level.named}
    groups = list(dict.fromkeys(level.group for level in found.levels))
    groups.sort(key=lambda group: (any(value is not None for value in group), group not in changed))
    figures: list[Figure] = []
    for group in groups[:_GROUPS]:
        series = [each for each in found.nightly.series if each.group == group]
        points = [
            {
                "name": each.system or _MEAN,
                "x": str(day),
                "y": or_none(value),
            }
            for each in series
            for day, value in zip(found.nightly.dates, each.values.tolist(), strict=True)
        ]
        title = next(group_name(each.group) for each in found.levels if each.group == group)
        of_group = [each for each in found.levels if each.group == group]
        changes = [_change(level) for level in of_group if level.named][:_CHANGES]
        chart = night_chart(points, changes, found.settings.measure, _MEAN)
        figures.append(Figure(title, chart=chart, wide=not figures))
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
