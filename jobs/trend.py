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
    plain_table,
    print_json,
    print_table,
    print_text,
)
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.settings.options import Panel

if TYPE_CHECKING:
    from segscore.pipeline.nightly.trend.run import FoundTrend


def trend(
    chosen: TrendSettings,
    report: Annotated[
        str | None,
        typer.Option(
            help="File or URL of a page with charts; default: none.", rich_help_panel=Panel.OUTPUT
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="Write one table of all runs: trend --table --help.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = False,
    format_name: ResultFormat = "text",
) -> None:
    """Say which systems and groups changed over many nights, and which system is best."""
    from segscore.pipeline.nightly.trend.run import find_trend

    assert not table, "it makes `trend` another command"
    startup.work()
    if chosen.month is not None:
        _report_month(chosen, report, format_name)
        return
    found = find_trend(chosen)
    LOG.warn(found.nightly.warnings)
    if format_name == "text":
        _print(found)
    elif format_name == "json":
        described = {"signature": found.nightly.signature, "findings": list(found.findings)}
        print_json("trend", {**described, **as_rows(found.tables)})
    elif format_name == "markdown":
        heading = f"{found.title}, {len(found.nightly.dates)} nights"
        print_text(mail(heading, found.findings))
    else:
        trends = found.tables["trends"]
        rows = trends.to_pylist()
        layout = plain_table(trends.column_names, rows, found.nightly.signature)
        print_table(layout, format_name)
    if report is not None:
        from segscore.pipeline.reports.trend import write_trend

        _say_page(report, write_trend(found, report))


def _say_page(page: str, size: int) -> None:
    LOG.say("info", f"{page} ({size / 1e6:.1f} MB): open it in a browser", output=page)


def _report_month(chosen: TrendSettings, report: str | None, format_name: str) -> None:
    """Print the mean of each system over the nights of a month, and whether it met its floor."""
    from segscore.jobs.show.sentences import print_sentences
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.nightly.trend.month import find_month

    found = find_month(chosen)
    LOG.warn(found.nightly.warnings)
    if format_name == "text":
        print_sentences(found.finding().lines)
        print_result(found.shown)
    elif format_name == "json":
        print_json("trend", {"signature": found.nightly.signature, **as_rows(found.tables)})
    elif format_name == "markdown":
        print_text(f"**{found.title}**\n")
        print_table(found.shown, format_name)
    else:
        months = found.tables["months"]
        layout = plain_table(months.column_names, months.to_pylist(), found.nightly.signature)
        print_table(layout, format_name)
    if report is not None:
        from segscore.pipeline.reports.trend import write_month

        _say_page(report, write_month(found, report))


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
    from segscore.jobs.show.sentences import print_sentences
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.nightly.trend.added import added_table
    from segscore.pipeline.nightly.trend.trend_tables import levels_table, pairs_over_nights

    print_sentences(found.finding().lines)
    print_result(levels_table(found.levels, found.settings.measure, found.title))
    if found.pairs:
        print_result(pairs_over_nights(found.pairs))
    if found.added:
        print_result(added_table(found.added))
