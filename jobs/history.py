"""`segscore history`: write the summaries of many runs as one table."""

from typing import TYPE_CHECKING, Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.pipeline.nightly.settings import KeepOption

if TYPE_CHECKING:
    from rich.table import Table

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
    from segscore.jobs.show.printing import out
    from segscore.pipeline.nightly.history import gather_history

    gathered = gather_history(runs, output, keep)
    console = out()
    console.print(_nights(gathered))
    for removed in gathered.removed:
        console.print(f"removed night {removed}: more than {keep} days older than the newest")
    console.print(f"{gathered.table.num_rows} rows written to {gathered.url}", markup=False)
    for problem in gathered.wrong:
        LOG.say("warning", problem)
    if gathered.wrong:
        raise typer.Exit(1)


def _nights(gathered: "Gathered") -> "Table":
    """List the newest runs, their outcomes, and how each signature differs from the one before."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from segscore.pipeline.runs.signature import signature_differences

    columns = gathered.table.select(["run", "outcome", "signature"])
    runs = list(dict.fromkeys(tuple(row.values()) for row in columns.to_pylist()))
    table = Table(
        box=SIMPLE_HEAD,
        caption=f"{len(runs) - _SHOWN} earlier runs are not shown" if len(runs) > _SHOWN else None,
    )
    table.add_column("run", overflow="fold")
    table.add_column("outcome", no_wrap=True)
    table.add_column("differs from previous", overflow="fold")
    for place, (run, outcome, signature) in enumerate(runs):
        if place >= len(runs) - _SHOWN:
            other = signature_differences(runs[place - 1][2], signature) if place else []
            table.add_row(escape(run), outcome or "–", escape(", ".join(other)))
    return table
