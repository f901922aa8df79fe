"""`segscore show`: print the results of a finished run again, or the progress of another."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.show.formats import PaperFormat
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import Panel

if TYPE_CHECKING:
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.runs.run_folder import Status


def show_run(
    run: Annotated[str, typer.Argument(help="Folder of the run.")],
    layout: Annotated[
        str | None,
        typer.Option(
            help="Table of a scored run, in any format: the layouts of `segscore score`.",
            show_default=False,
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    format_name: PaperFormat = "text",
) -> None:
    """Show a finished run again, or the progress of another one."""
    if layout is not None:
        _print_layout(run, layout, format_name)
        return
    if format_name == "latex":
        raise Refused("--format latex: prints a layout; add --layout, such as --layout systems")
    from segscore.jobs.show.formats import described, plain_table, print_json, print_table
    from segscore.pipeline.runs import run_folder

    progress = run_folder.read_status(run)
    if format_name == "text":
        _print_progress(progress)
        if progress.record is not None:
            _print_results(run)
        return
    state = _state(run, progress)
    if format_name == "json":
        print_json("show", {**state, **described(progress.record or {})})
    else:
        stages = [
            f"{name} {done['done']}/{done['parts']}" for name, done in state["stages"].items()
        ]
        row = {**state, "stages": ", ".join(stages)}
        print_table(plain_table(list(row), [row], ""), format_name)


def _print_layout(url: str, layout: str, format_name: str) -> None:
    """Print a scored run in a layout, as `segscore score` does."""
    from segscore.jobs.show.scored import print_scored, require_layout
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    finished = FinishedScoring.open(url)
    chosen = finished.score_settings()
    require_layout(layout, format_name, chosen)
    print_scored(finished, layout, format_name, chosen.measures_in_order, written=False)


def _print_progress(progress: "Status") -> None:
    """Print who works on an unfinished run, and which of its parts are finished."""
    from segscore.jobs.show.fitted import print_lines

    if progress.claim is None:
        return
    process = f"process {progress.claim.pid} on {progress.claim.host}"
    state = "running as" if progress.claim.is_at_work else "started by"
    print_lines(f"unfinished, {state} {process}")
    for stage, parts in progress.claim.stages.items():
        if parts:
            print_lines(f"{stage}: {progress.done[stage]} of {len(parts)} parts")
    if progress.record is not None:
        print_lines("a finished run is here until then:")


def _print_results(url: str) -> None:
    """Print the tables and the verdict of a finished run, as its command did."""
    from segscore.pipeline.runs.finished import FinishedRun

    run = FinishedRun.open(url)
    _PRINTERS.get(run.command or "", _print_record)(url, run)


def _print_record(url: str, run: "FinishedRun") -> None:
    """Print what is known of the run of any command."""
    from segscore.jobs.show.printing import print_record

    print_record(url, run.record)


def _print_scores(url: str, run: "FinishedRun") -> None:
    from segscore.jobs.show.nights import print_judged
    from segscore.jobs.show.printing import print_finished
    from segscore.pipeline.nightly.nights import find_verdict
    from segscore.pipeline.scoring.finished_scoring import FinishedScoring

    finished = FinishedScoring.open(url)
    if (verdict := find_verdict(run)) is not None:
        print_judged(verdict, url)
    print_finished(url, finished, "systems", run.measures_in_order, written=False)


def _print_audit(url: str, run: "FinishedRun") -> None:
    from segscore.jobs.show.audit import AuditWork, print_audit

    print_audit(url, run, AuditWork(), written=False)


def _print_sweep(url: str, run: "FinishedRun") -> None:
    from segscore.jobs.show.swept import print_sweep

    print_sweep(url, run, written=False)


def _print_comparison(_: str, run: "FinishedRun") -> None:
    from segscore.jobs.show.comparison import print_comparison

    print_comparison(run, run.record.get("average") or "micro")


_PRINTERS: "dict[str, Callable[[str, FinishedRun], None]]" = {
    "score": _print_scores,
    "agree": _print_audit,
    "sweep": _print_sweep,
    "compare": _print_comparison,
}
"""Command of a run -> what prints its results."""


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
