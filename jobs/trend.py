"""`segscore trend`: what changed over many nights, and which system is best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.jobs.show.formats import (
    ResultFormat,
    as_rows,
    markdown_cell,
    plain_layout,
    print_json,
    print_table,
    print_text,
)
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.settings.options import Panel

if TYPE_CHECKING:
    from segscore.pipeline.nightly.trend.levels import Level
    from segscore.pipeline.nightly.trend.run import FoundTrend


def trend(
    chosen: TrendSettings,
    report: Annotated[
        str | None,
        typer.Option(
            help="File or URL of a page with charts; default: none.", rich_help_panel=Panel.OUTPUT
        ),
    ] = None,
    format_name: ResultFormat = "text",
) -> None:
    """Say which systems and groups changed over many nights, and which system is best."""
    from segscore.pipeline.nightly.trend.run import find_trend

    startup.work()
    found = find_trend(chosen)
    LOG.warn(found.nightly.warnings)
    if format_name == "text":
        _print(found)
    elif format_name == "json":
        described = {"signature": found.nightly.signature, "findings": list(found.findings)}
        print_json("trend", {**described, **as_rows(found.tables)})
    elif format_name == "markdown":
        dates = found.nightly.dates
        heading = (
            f"{chosen.average} {chosen.measure}, {dates[0]} to {dates[-1]}, {len(dates)} nights"
        )
        print_text(mail(heading, found.findings))
    else:
        trends = found.tables["trends"]
        rows = trends.to_pylist()
        layout = plain_layout(trends.column_names, rows, found.nightly.signature)
        print_table(layout, format_name)
    if report is not None:
        from segscore.pipeline.reports.trend import write_trend

        size = write_trend(found, report)
        LOG.say("info", f"{report} ({size / 1e6:.1f} MB): open it in a browser", output=report)


_LINES = 12
"""Most lines of the findings in Markdown, which fit into a mail."""


def mail(heading: str, findings: Sequence[str]) -> str:
    """Write findings as Markdown; the first ones and the last, if there are many."""
    sentences = [f"- {markdown_cell(sentence)}." for sentence in findings]
    more = len(sentences) - (_LINES - 2)
    if more > 0:
        sentences[_LINES - 4 : -1] = [
            f"- … and {more + 1} further findings: --format text has all."
        ]
    return "\n".join([f"**{heading}**", "", *sentences])


def _print(found: "FoundTrend") -> None:
    """Print the levels of all systems and of groups that changed, then the findings."""
    from segscore.jobs.show.fitted import print_fitted, print_lines
    from segscore.pipeline.nightly.trend.sentences import group_in_words
    from segscore.pipeline.statistics.shown_numbers import (
        or_none,
        shown_change,
        shown_number,
        shown_p,
    )
    from segscore.pipeline.statistics.shown_tables import Column

    shown = [level for level in found.levels if level.over_all or level.named]
    grouped = any(not level.over_all for level in shown)
    columns = [
        Column("system", [level.system or "(mean)" for level in shown], is_name=True),
        *[Column("group", [group_in_words(level) for level in shown], is_name=True)] * grouped,
        Column("verdict", [level.verdict.replace("_", " ") for level in shown], is_name=True),
        Column("change per\n30 nights", [shown_change(or_none(level.change)) for level in shown]),
        Column("95 % interval", [_interval(level) for level in shown]),
        Column("p (Holm)", [shown_p(level.p_adjusted if level.line else None) for level in shown]),
        Column("mean", [shown_number(or_none(level.mean)) for level in shown]),
        Column("step", [_step(level) for level in shown]),
        Column("nights", [str(level.nights) for level in shown]),
    ]
    settings, dates = found.settings, found.nightly.dates
    title = f"{settings.average} {settings.measure}, {dates[0]} to {dates[-1]}"
    left_out = len(found.levels) - len(shown)
    caption = [f"{left_out} rows of groups without a change are not shown"] if left_out else []
    if any(level.line for level in shown):
        caption.append("one look; to look every night, use a rule about levels")
    print_fitted(columns, title=title, caption="; ".join(caption))
    _print_ranking(found)
    for sentence in found.findings:
        print_lines(f"{sentence}.")


def _print_ranking(found: "FoundTrend") -> None:
    """Print the pairs of systems over nights."""
    from segscore.jobs.show.fitted import print_fitted
    from segscore.pipeline.statistics.shown_numbers import (
        or_none,
        shown_change,
        shown_number,
        shown_p,
    )
    from segscore.pipeline.statistics.shown_tables import Column

    pairs = found.pairs
    if not pairs:
        return
    columns = [
        Column("system", [pair.system for pair in pairs], is_name=True),
        Column("other", [pair.other for pair in pairs], is_name=True),
        Column("difference", [shown_change(pair.difference) for pair in pairs]),
        Column("p (Holm)", [shown_p(or_none(pair.p_holm)) for pair in pairs]),
        Column("better on", [f"{pair.wins} of {pair.nights}" for pair in pairs]),
        Column("value", [shown_number(pair.value) for pair in pairs]),
        Column("other\nvalue", [shown_number(pair.other_value) for pair in pairs]),
    ]
    caption = "on the documents that both have each night; Wilcoxon's signed-rank test over nights"
    print_fitted(columns, title="systems over nights", caption=caption)


def _interval(level: "Level") -> str:
    from segscore.pipeline.nightly.trend.settings import PER_NIGHTS
    from segscore.pipeline.statistics.shown_numbers import shown_changes

    if level.line is None:
        return "–"
    return shown_changes(level.line.low * PER_NIGHTS, level.line.high * PER_NIGHTS)


def _step(level: "Level") -> str:
    """Describe the step of a level that a step describes best."""
    from segscore.pipeline.statistics.shown_numbers import shown_change

    return f"{level.step_date}: {shown_change(level.jump)}" if level.kind == "step" else ""
