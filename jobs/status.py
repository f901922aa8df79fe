"""`segscore status`: show the progress of a run, from its files alone."""

from typing import Annotated

import typer


def status(run: Annotated[str, typer.Argument(help="Folder of the run.")]) -> None:
    """Show whether a run is finished, and what it computed."""
    from segscore.jobs.show.printing import out, print_row_counts
    from segscore.pipeline.runs import run_folder

    console = out()
    progress = run_folder.read_status(run)
    if progress.claim is not None:
        process = f"process {progress.claim.pid} on {progress.claim.host}"
        state = "running as" if progress.claim.is_at_work else "started by"
        console.print(f"unfinished, {state} {process}", markup=False)
        for stage, parts in progress.claim.stages.items():
            if parts:
                console.print(f"{stage}: {progress.done[stage]} of {len(parts)} parts")
    if progress.record is None:
        return
    record = progress.record
    console.print(f"finished: {record['pairs']} pairs scored")
    print_row_counts(record["rows"])
    console.print(record["signature"], markup=False)
