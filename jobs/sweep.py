"""`segscore sweep`: compute errors at every threshold of boundary scores, or tolerance."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli import startup
from segscore.jobs.cli.options import Cluster, Workers
from segscore.jobs.show.fitted import Column, print_fitted
from segscore.jobs.show.numbers import shown_number
from segscore.jobs.show.printing import Bar, print_record, print_written
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
    with executors.connect(cluster, workers) as executor, Bar("sweeping") as bar:
        finished = run_sweep(chosen, executor, bar.advance)
    if isinstance(finished, Done):
        return finished
    if finished.operating_points is None:
        _print_tolerances(finished.curves)
    else:
        _print_curves(finished.curves, finished.operating_points)
    print_record(chosen.output, finished.record)
    print_written(chosen.output)
    return None


def _print_tolerances(tolerances: "pa.Table") -> None:
    """Print precision, recall and F at every tolerance."""
    rows = tolerances.to_pylist()
    steps = Column("tolerance", [f"{row['tolerance']:,}" for row in rows])
    _print_rows(rows, steps, _TOLERANT)


def _print_curves(curves: "pa.Table", operating_points: "Ints") -> None:
    """Print a few points of each hypothesis's curve and, marked, its operating point."""
    from segscore.pipeline.scoring.sweep.curves import excerpt

    rows = list(excerpt(curves, operating_points, _SHOWN))
    steps = Column("threshold", [_threshold(row) for row in rows])
    _print_rows(rows, steps, _HEADINGS, "* mean length closest to the reference's")


def _print_rows(
    rows: Sequence[Mapping[str, Any]], steps: Column, headings: Mapping[str, str], caption: str = ""
) -> None:
    """Print rows of hypotheses, each named once, with an empty line between them."""
    names = [row["hypothesis"] for row in rows]
    pairs = list(pairwise([None, *names]))
    hypotheses = ["" if name == before else name for before, name in pairs]
    values = [
        Column(heading, [shown_number(row[name]) for row in rows])
        for name, heading in headings.items()
    ]
    print_fitted(
        [Column("hypothesis", hypotheses, is_name=True), steps, *values],
        caption=caption,
        sections={place for place, (name, after) in enumerate(pairwise(names)) if name != after},
    )


def _threshold(row: Mapping[str, Any]) -> str:
    threshold = "none" if row["threshold"] is None else f"{row['threshold']:.6g}"
    return f"* {threshold}" if row["operating"] else threshold
