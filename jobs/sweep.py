"""`segscore sweep`: compute errors at every threshold of boundary scores, or tolerance."""

from typing import TYPE_CHECKING

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, FigureFile, Workers
from segscore.jobs.show.formats import (
    ResultFormat,
    as_rows,
    described,
    plain_table,
    print_json,
    print_table,
)
from segscore.jobs.show.printing import log_finished, say_done
from segscore.jobs.show.progress import Bar
from segscore.jobs.show.swept import print_sweep
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.scoring.sweep.settings import SweepSettings

if TYPE_CHECKING:
    from segscore.pipeline.runs.finished import FinishedRun

_TABLES = ("tolerances", "curves", "operating_points", "measured", "ranks")
"""Tables of results, of those that a sweep writes."""


def sweep(
    chosen: SweepSettings,
    cluster: Cluster = "local",
    workers: Workers = None,
    format_name: ResultFormat = "text",
    figure: FigureFile = None,
) -> None:
    """Write errors at every threshold or tolerance, or ranks of systems at several settings."""
    from segscore.pipeline.reports.figures import require_figure
    from segscore.pipeline.runs import executors
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.scoring.sweep.run import run_sweep

    if figure is not None and chosen.varies:
        raise Refused("--figure: ranks have none; omit it")
    if figure is not None:
        require_figure("--figure", figure)
    startup.work()
    with executors.connect(cluster, workers) as executor, Bar("sweeping") as bar:
        outcome = run_sweep(chosen, executor, bar.advance)
    if isinstance(outcome, Done):
        say_done(outcome, format_name)
    finished = FinishedRun.open(chosen.output) if isinstance(outcome, Done) else outcome
    if figure is not None:
        _save_figure(figure, finished)
    if format_name == "text":
        print_sweep(chosen.output, finished, written=finished is outcome)
        return
    log_finished(chosen.output, finished.record)
    if format_name == "json":
        names = [name for name in _TABLES if finished.files(name)]
        tables = as_rows({name: finished.table(name) for name in names})
        print_json("sweep", {"output": chosen.output, **described(finished.record), **tables})
    else:
        shown = "measured" if chosen.measures else "curves"
        shown = "ranks" if chosen.varies else shown
        curves = finished.table("tolerances" if chosen.tolerances else shown)
        rows, signature = curves.to_pylist(), finished.record["signature"]
        print_table(plain_table(curves.column_names, rows, signature), format_name)


def _save_figure(path: str, finished: "FinishedRun") -> None:
    """Save the charts that the report of the sweep has."""
    from segscore.jobs.show.figures import write_figure
    from segscore.pipeline.reports.sweep import sweep_charts

    write_figure(path, sweep_charts(finished), "no curve has a defined value to draw")
