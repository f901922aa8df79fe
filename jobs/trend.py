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
    from segscore.jobs.show.sentences import print_sentences
    from segscore.jobs.show.shown import print_shown
    from segscore.pipeline.nightly.trend.shown_trend import levels_shown, pairs_over_nights

    print_sentences(found.finding().lines)
    print_shown(levels_shown(found.levels, found.settings.measure, found.title))
    if found.pairs:
        print_shown(pairs_over_nights(found.pairs))
