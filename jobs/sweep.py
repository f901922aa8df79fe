"""`segscore sweep`: compute errors at every threshold of boundary scores, or tolerance."""

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
    import pyarrow as pa

    from segscore.pipeline.arrays.ragged import Ints

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

_TOLERANT = {
    "tolerant_precision": "precision",
    "tolerant_recall": "recall",
    "tolerant_f1": "F",
    "reach_f1": "F in reach",
    "r_value": "R-value",
}


def sweep(
    chosen: SweepSettings, cluster: Cluster = "local", workers: Workers = None
) -> Done | None:
    """Write error rates at every threshold of boundary scores, or at several tolerances."""
    from segscore.pipeline.runs import executors
    from segscore.pipeline.scoring.sweep.run import run_sweep

    startup.work(cluster)
    with executors.connect(cluster, workers) as executor, Bar() as bar:
        finished = run_sweep(chosen, executor, bar.advance)
    if isinstance(finished, Done):
        return finished
    if finished.operating_points is None:
        _print_tolerances(finished.curves)
    else:
        _print_curves(finished.curves, finished.operating_points)
    print_record(chosen.output, finished.record)
    return None


def _print_tolerances(tolerances: "pa.Table") -> None:
    """Print precision, recall and F at every tolerance."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("hypothesis", overflow="fold")
    for heading in ("tolerance", *_TOLERANT.values()):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for row in tolerances.to_pylist():
        again = row["hypothesis"] == previous
        if not again:
            table.add_section()
        previous = row["hypothesis"]
        values = (shown_number(row[name]) for name in _TOLERANT)
        table.add_row("" if again else escape(previous), f"{row['tolerance']:,}", *values)
    out().print(table)


def _print_curves(curves: "pa.Table", operating_points: "Ints") -> None:
    """Print a few points of each hypothesis's curve and, marked, its operating point."""
    from segscore.pipeline.scoring.sweep.curves import excerpt

    table = Table(box=SIMPLE_HEAD, caption="* mean length closest to the reference's")
    table.add_column("hypothesis", overflow="fold")
    for heading in ("threshold", *_HEADINGS.values()):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for row in excerpt(curves, operating_points, _SHOWN):
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
