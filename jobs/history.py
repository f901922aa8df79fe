"""`segscore history`: write the summaries of many runs as one table."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.numbers import counted
from segscore.pipeline.nightly.settings import KeepOption

if TYPE_CHECKING:
    from segscore.pipeline.nightly.history import Gathered

_SHOWN = 15


def history(
    runs: Annotated[str, typer.Argument(help="Folder of runs, such as that of nightly --runs.")],
    output: Annotated[
        str | None, typer.Option(help="Folder for the table; default: history in RUNS.")
    ] = None,
    keep: KeepOption = None,
) -> None:
    """Write the summaries of all runs in a folder as one table; exit 1 if one cannot be read."""
    from segscore.jobs.show.fitted import out
    from segscore.pipeline.nightly.history import gather_history

    gathered = gather_history(runs, output, keep)
    console = out()
    _print_nights(gathered)
    if gathered.missing:
        console.print(_describe_missing(gathered.missing))
    for removed in gathered.removed:
        console.print(f"removed night {removed}: more than {keep} days older than the newest")
    rows = counted(gathered.table.num_rows, "row")
    console.print(f"{rows} written to {gathered.url}", markup=False)
    if last := _describe_last(gathered):
        console.print(last)
    for problem in gathered.wrong:
        LOG.say("warning", problem)
    if gathered.wrong:
        raise typer.Exit(1)


def _print_nights(gathered: "Gathered") -> None:
    """Print the newest runs, their outcomes, and how each signature differs from the one before."""
    from segscore.jobs.show.fitted import Column, print_fitted
    from segscore.pipeline.runs.signature import signature_differences

    columns = gathered.table.select(["run", "outcome", "signature"])
    runs = list(dict.fromkeys(tuple(row.values()) for row in columns.to_pylist()))
    signatures = [signature for _, _, signature in runs]
    differences = [
        signature_differences(*pair) for pair in pairwise([*signatures[:1], *signatures])
    ]
    earlier = len(runs) - _SHOWN
    print_fitted(
        [
            Column("run", [run for run, _, _ in runs][-_SHOWN:], is_name=True),
            Column("outcome", [outcome or "–" for _, outcome, _ in runs][-_SHOWN:], is_name=True),
            Column(
                "differs from previous",
                [", ".join(listed) for listed in differences][-_SHOWN:],
                is_name=True,
            ),
        ],
        caption=f"{earlier} earlier runs are not shown" if earlier > 0 else "",
    )


def _describe_last(gathered: "Gathered") -> str:
    """Say when the last night is, if it is more than a day ago."""
    last = max(filter(None, gathered.table["date"].unique().to_pylist()), default=None)
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
