"""`segscore status`: show the progress of a run, from its files alone."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.show.formats import ResultFormat
from segscore.pipeline.statistics.shown_numbers import counted

if TYPE_CHECKING:
    from segscore.pipeline.runs.run_folder import Status


def status(
    run: Annotated[str, typer.Argument(help="Folder of the run.")],
    format_name: ResultFormat = "text",
) -> None:
    """Show whether a run is finished, and what it computed."""
    from segscore.jobs.show.formats import described, plain_table, print_json, print_table
    from segscore.pipeline.runs import run_folder

    progress = run_folder.read_status(run)
    if format_name == "text":
        _print(progress)
        return
    state = _state(run, progress)
    if format_name == "json":
        print_json("status", {**state, **described(progress.record or {})})
    else:
        stages = [
            f"{name} {done['done']}/{done['parts']}" for name, done in state["stages"].items()
        ]
        row = {**state, "stages": ", ".join(stages)}
        print_table(plain_table(list(row), [row], ""), format_name)


def _print(progress: "Status") -> None:
    from segscore.jobs.show.fitted import print_lines
    from segscore.jobs.show.printing import print_row_counts

    if progress.claim is not None:
        process = f"process {progress.claim.pid} on {progress.claim.host}"
        state = "running as" if progress.claim.is_at_work else "started by"
        print_lines(f"unfinished, {state} {process}")
        for stage, parts in progress.claim.stages.items():
            if parts:
                print_lines(f"{stage}: {progress.done[stage]} of {len(parts)} parts")
    if progress.record is None:
        return
    record = progress.record
    print_lines(f"finished: {counted(record['pairs'], 'pair')} scored")
    print_row_counts(record)
    print_lines(record["signature"])


def _state(run: str, progress: "Status") -> dict[str, Any]:
    """Return what is known of a run: finished, running or stopped, by whom, and how far."""
    claim = progress.claim
    state = "finished" if claim is None else "running" if claim.is_at_work else "stopped"
    stages = {} if claim is None else {name: len(parts) for name, parts in claim.stages.items()}
    return {
        "run": run,
        "state": state,
        "host": None if claim is None else claim.host,
        "process": None if claim is None else claim.pid,
        "stages": {
            name: {"done": progress.done[name], "parts": parts}
            for name, parts in stages.items()
            if parts
        },
        "published": progress.record is not None,
    }
