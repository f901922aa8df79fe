"""`segscore trend --table`: write the summaries of many runs as one table."""

from datetime import date
from typing import Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.formats import ResultFormat
from segscore.pipeline.nightly.settings import KeepOption


def trend_table(
    runs: Annotated[str, typer.Argument(help="Folder of runs, such as that of nightly --runs.")],
    output: Annotated[
        str | None, typer.Option(help="Folder for the table; default: history in RUNS.")
    ] = None,
    keep: KeepOption = None,
    calendar: Annotated[
        str | None,
        typer.Option(help="Days without a night, such as sunday=off."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Print only the verdicts as they were at the end of this date, UTC."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what --keep would remove; write nothing."),
    ] = False,
    format_name: ResultFormat = "text",
) -> None:
    """Write the summaries of all runs in a folder as one table; exit 1 if one cannot be read."""
    from segscore.jobs.show.fitted import print_lines
    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.nightly.calendar import read_calendar
    from segscore.pipeline.nightly.dates import read_date
    from segscore.pipeline.nightly.history import gather_history
    from segscore.pipeline.nightly.history_tables import (
        LISTED_COLUMNS,
        history_in_words,
        list_runs,
        nightly_averages,
        runs_table,
    )
    from segscore.pipeline.settings.reading import read_names

    if dry_run:
        _print_dry_run(runs, keep, format_name)
        return
    if until is not None:
        _print_verdicts(runs, read_date("--until", until), format_name)
        return
    days = read_calendar(() if calendar is None else read_names("--calendar", calendar))
    gathered = gather_history(runs, output, keep, days)
    listed = list_runs(gathered)
    if format_name == "text":
        print_result(runs_table(listed))
        print_lines(*history_in_words(gathered, listed, keep))
    elif format_name == "json":
        nights = {"missing": gathered.missing, "removed": gathered.removed}
        restated = [
            {**row, "resting": [*each.resting]}
            for each in gathered.restatements
            for row in each.rows
        ]
        print_json(
            "trend-table",
            {
                "output": gathered.url,
                "runs": listed,
                **nights,
                "restatements": restated,
                "replaced_verdicts": [each.row for each in gathered.replaced],
            },
        )
    elif format_name == "csv":
        print_table(nightly_averages(gathered.table, listed), format_name)
    else:
        print_table(plain_table(LISTED_COLUMNS, listed, ""), format_name)
    LOG.warn(gathered.wrong)
    if gathered.wrong:
        raise typer.Exit(1)


def _print_verdicts(runs: str, until: date, format_name: str) -> None:
    """Print the verdict of each night as it was at the end of a day; write nothing."""
    import json

    from segscore.jobs.show.formats import plain_table, print_json, print_table
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.nightly.history import require_folder
    from segscore.pipeline.nightly.history_tables import verdicts_table
    from segscore.pipeline.nightly.kept_verdicts import said_in_words, verdicts_on

    require_folder(runs)
    warnings: list[str] = []
    verdicts = verdicts_on(runs, until, warnings)
    if format_name == "text":
        print_result(verdicts_table(verdicts, until))
    elif format_name == "json":
        print_json("trend-table", {"verdicts": [json.loads(each.text()) for each in verdicts]})
    else:
        names = ["date", "outcome", "judged_at", "said"]
        rows = [
            dict(zip(names, (v.date, v.outcome, v.finished_at, said_in_words(v)), strict=True))
            for v in verdicts
        ]
        print_table(plain_table(names, rows, ""), format_name)
    LOG.warn(warnings)
    if warnings:
        raise typer.Exit(1)


def _print_dry_run(runs: str, keep: int | None, format_name: str) -> None:
    """Say which nights would be removed.

    Raises:
        Refused: there is no number of days, the format is another one than text, or there is no
            such folder.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.nightly.history import require_folder
    from segscore.pipeline.nightly.nights import Nights
    from segscore.pipeline.nightly.retention import preview_removal
    from segscore.pipeline.nightly.settings import require_keep

    if keep is None or format_name != "text":
        raise Refused("--dry-run: says in text which nights --keep would remove; give --keep DAYS")
    require_keep(keep)
    require_folder(runs)
    print_lines(*preview_removal(Nights(runs), keep))
