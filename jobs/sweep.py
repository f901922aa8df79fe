"""`segscore sweep`: compute miss and false alarm rates at every threshold of boundary scores."""

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, Workers
from segscore.jobs.show.printing import Bar, out, print_record, shown_number
from segscore.pipeline.errors import Done
from segscore.pipeline.scoring.sweep.settings import SweepSettings

if TYPE_CHECKING:
    from segscore.pipeline.scoring.sweep.run import FinishedSweep

_SHOWN = 7
"""Number of points shown for each curve, besides the operating point."""

_HEADINGS = {
    "pk_miss_rate": "P_miss",
    "pk_false_alarm_rate": "P_fa",
    "r_miss": "R_miss",
    "r_false_alarm": "R_fa",
    "mean_segment_length": "mean length",
    "reference_mean_segment_length": "reference's",
}


def sweep(
    chosen: SweepSettings, cluster: Cluster = "local", workers: Workers = None
) -> Done | None:
    """Write miss and false alarm rates at every threshold, and each system's operating point."""
    from segscore.pipeline.runs import executors
    from segscore.pipeline.scoring.sweep.run import run_sweep

    startup.work(cluster)
    with executors.connect(cluster, workers) as executor, Bar() as bar:
        finished = run_sweep(chosen, executor, bar.advance)
    if isinstance(finished, Done):
        return finished
    print_curves(finished)
    print_record(chosen.output, finished.record)
    return None


def print_curves(finished: "FinishedSweep") -> None:
    """Print a few points of each hypothesis's curve and, marked, its operating point."""
    from segscore.pipeline.scoring.sweep.curves import excerpt

    table = Table(box=SIMPLE_HEAD, caption="* mean length closest to the reference's")
    table.add_column("hypothesis", overflow="fold")
    for heading in ("threshold", *_HEADINGS.values()):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for row in excerpt(finished.curves, finished.operating_points, _SHOWN):
        again = row["hypothesis"] == previous
        if not again:
            table.add_section()
        previous = row["hypothesis"]
        threshold = "none" if row["threshold"] is None else f"{row['threshold']:.6g}"
        table.add_row(
            "" if again else escape(previous),
            f"* {threshold}" if row["operating"] else threshold,
            *(shown_number(row[name]) for name in _HEADINGS),
        )
    out().print(table)
