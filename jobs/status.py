"""`segscore status`: show the progress of a run, from its files alone."""

from typing import Annotated

import typer


def status(run: Annotated[str, typer.Argument(help="Folder of the run.")]) -> None:
    """Show whether a run is finished, and what it computed."""
    from segscore.jobs.show.printing import out, print_account
    from segscore.pipeline.runs import run_folder

    console = out()
    found = run_folder.read_status(run)
    if found.claim is not None:
        who = f"process {found.claim.pid} on {found.claim.host}"
        state = "running as" if found.claim.is_at_work else "started by"
        console.print(f"unfinished, {state} {who}", markup=False)
        for stage, parts in found.claim.stages.items():
            if parts:
                console.print(f"{stage}: {found.done[stage]} of {len(parts)} parts")
    if found.record is None:
        return
    record = found.record
    console.print(f"finished: {record['pairs']} pairs scored")
    print_account(record["rows"])
    console.print(record["signature"], markup=False)
