"""`segscore history`: write the summaries of many runs as one table."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.formats import ResultFormat
from segscore.pipeline.nightly.settings import KeepOption
from segscore.pipeline.statistics.shown_numbers import counted

if TYPE_CHECKING:
    from segscore.pipeline.nightly.history import Gathered
    from segscore.pipeline.nightly.restatements import Restatement

_COLUMNS = (
    "run",
    "date",
    "outcome",
    "signature",
    "differs_from_previous",
    "series",
    "restated_at",
)
_SHOWN = 15
_SERIES_SHOWN = 3
_RESTATED_SHOWN = 5


def history(
    runs: Annotated[str, typer.Argument(help="Folder of runs, such as that of nightly --runs.")],
    output: Annotated[
        str | None, typer.Option(help="Folder for the table; default: history in RUNS.")
    ] = None,
    keep: KeepOption = None,
    calendar: Annotated[
        str | None,
        typer.Option(
            help="Days without a night, such as sunday=off,2026-12-25=off, which are not missing."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say which nights --keep would remove, and write nothing."),
    ] = False,
    format_name: ResultFormat = "text",
) -> None:
    """Write the summaries of all runs in a folder as one table; exit 1 if one cannot be read."""
    from segscore.jobs.show.formats import plain_layout, print_json, print_table
    from segscore.pipeline.nightly.calendar import read_calendar
    from segscore.pipeline.nightly.history import gather_history
    from segscore.pipeline.settings.reading import read_names

    if dry_run:
        _print_dry_run(runs, keep, format_name)
        return
    days = read_calendar(() if calendar is None else read_names("--calendar", calendar))
    gathered = gather_history(runs, output, keep, days)
    listed = _list_runs(gathered)
    if format_name == "text":
        _print(gathered, listed, keep)
    elif format_name == "json":
        nights = {"missing": gathered.missing, "removed": gathered.removed}
        restated = [
            {**row, "resting": [*each.resting]}
            for each in gathered.restatements
            for row in each.rows
        ]
        print_json(
            "history",
            {"output": gathered.url, "runs": listed, **nights, "restatements": restated},
        )
    else:
        print_table(plain_layout(list(_COLUMNS), listed, ""), format_name)
    LOG.warn(gathered.wrong)
    if gathered.wrong:
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


def _list_runs(gathered: "Gathered") -> list[dict[str, Any]]:
    """List the runs, their outcomes, and how each signature differs from the one before."""
    from segscore.pipeline.settings.signature import signature_differences

    names = ["run", "date", "outcome", "signature"]
    runs = gathered.table.group_by(names, use_threads=False).aggregate([]).to_pylist()
    signatures = [row["signature"] for row in runs]
    pairs = pairwise([*signatures[:1], *signatures])
    restated = {each.date: each.rows[0]["restated_at"] for each in gathered.restatements}
    listed = []
    series = 1
    for row, pair in zip(runs, pairs, strict=True):
        differences = signature_differences(*pair)
        series += bool(differences)
        listed.append(
            {
                **row,
                "differs_from_previous": ", ".join(differences),
                "series": series,
                "restated_at": restated.get(row["date"]),
            }
        )
    return listed


def _print(gathered: "Gathered", listed: Sequence[Mapping[str, Any]], keep: int | None) -> None:
    """Print the newest runs, nights that are missing or were removed, and what was written."""
    from segscore.jobs.show.fitted import print_fitted, print_lines
    from segscore.pipeline.statistics.shown_tables import Column

    earlier, newest = len(listed) - _SHOWN, listed[-_SHOWN:]
    print_fitted(
        [
            Column("run", [row["run"] for row in newest], is_name=True),
            Column("outcome", [_describe_outcome(row) for row in newest], is_name=True),
            Column(
                "differs from previous", [_describe_series(row) for row in newest], is_name=True
            ),
        ],
        caption=f"{earlier} earlier runs are not shown" if earlier > 0 else "",
    )
    began = [row for row in listed[:-_SHOWN] if row["date"] and row["differs_from_previous"]]
    for row in began[-_SERIES_SHOWN:]:
        print_lines(f"a new series began on {row['date']}: {row['differs_from_previous']}")
    print_lines(*_describe_restatements(gathered.restatements))
    if gathered.missing:
        print_lines(_describe_missing(gathered.missing))
    for removed in gathered.removed:
        print_lines(f"removed night {removed}: more than {keep} days older than the newest")
    rows = counted(gathered.table.num_rows, "row")
    print_lines(f"{rows} written to {gathered.url}")
    if last := _describe_last([row["date"] for row in listed]):
        print_lines(last)


def _describe_outcome(row: Mapping[str, Any]) -> str:
    return f"{row['outcome'] or '–'}{', restated' * (row['restated_at'] is not None)}"


def _describe_restatements(restatements: "Sequence[Restatement]") -> list[str]:
    """Say how the newest restated nights changed, and which verdicts rest on what they said."""
    lines = [each.sentence for each in restatements[-_RESTATED_SHOWN:]]
    resting = sorted({day for each in restatements for day in each.resting})
    if resting:
        verdicts = (
            "1 later verdict rests" if len(resting) == 1 else f"{len(resting)} later verdicts rest"
        )
        ends = f"--from {resting[0]} --to {resting[-1]}"
        lines.append(
            f"{verdicts} on what was said before, {resting[0]} to {resting[-1]}: judge them again "
            f"with segscore nightly --rejudge {ends}"
        )
    return lines


def _describe_series(row: Mapping[str, Any]) -> str:
    """Say why a run cannot be compared with the one before; for a night, a series begins anew."""
    differences = str(row["differs_from_previous"])
    return f"new series: {differences}" if differences and row["date"] else differences


def _describe_last(dates: Sequence[date | None]) -> str:
    """Say when the last night is, if it is more than a day ago."""
    last = max(filter(None, dates), default=None)
    days = 0 if last is None else (datetime.now(UTC).date() - last).days
    return f"the last night is {last}, {days} days ago" if days > 1 else ""


def _describe_missing(missing: Sequence[date]) -> str:
    """Describe the dates on which a night is missing, the newest first."""
    ranges = list[tuple[date, date]]()
    for day in reversed(missing):
        follows = ranges and (ranges[-1][0] - day).days == 1
        last = ranges.pop()[1] if follows else day
        ranges.append((day, last))
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in ranges]
    more = len(texts) - _SHOWN
    if more > 0:
        texts[_SHOWN:] = [f"and {more} earlier"]
    return f"no finished night: {', '.join(texts)}"
