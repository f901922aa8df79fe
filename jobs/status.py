"""`segscore status`: what is done of a run, from its files alone."""

from typing import Annotated

import typer


def status(run: Annotated[str, typer.Argument(help="Folder of the run.")]) -> None:
    """Tell whether a run is finished, and what it computed."""
    from jobs.printing import out, print_account
    from pipeline import run_folder

    console = out()
    found = run_folder.status(run)
    if found.record is None:
        assert found.plan is not None  # status refuses a folder with neither
        console.print(f"unfinished: {found.done} of {len(found.plan['parts'])} parts scored")
        return
    record = found.record
    console.print(f"finished: {record['pairs']} pairs scored")
    print_account(record["rows"])
    console.print(record["signature"], markup=False)
