"""`segscore sweep`: compute miss and false alarm rates at every threshold of boundary scores."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli import garbage
from segscore.jobs.cli.options import Cluster, Workers
from segscore.jobs.show.fitted import Column, print_fitted
from segscore.jobs.show.numbers import shown_number
from segscore.jobs.show.printing import Bar, print_record
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
    from segscore.pipeline.runs import cluster as clusters
    from segscore.pipeline.scoring.sweep.run import run_sweep

    garbage.work()
    with clusters.connect(cluster, workers) as client, Bar("sweeping") as bar:
        finished = run_sweep(chosen, client, bar.advance)
    if isinstance(finished, Done):
        return finished
    print_curves(finished)
    print_record(chosen.output, finished.record)
    return None


def print_curves(finished: "FinishedSweep") -> None:
    """Print a few points of each hypothesis's curve and, marked, its operating point."""
    from segscore.pipeline.scoring.sweep.curves import excerpt

    rows = list(excerpt(finished.curves, finished.operating_points, _SHOWN))
    names = [row["hypothesis"] for row in rows]
    previous = [None, *names[:-1]]
    print_fitted(
        [
            Column(
                "hypothesis",
                [
                    "" if name == before else name
                    for name, before in zip(names, previous, strict=True)
                ],
                is_name=True,
            ),
            Column("threshold", [_threshold(row) for row in rows]),
            *(
                Column(heading, [shown_number(row[name]) for row in rows])
                for name, heading in _HEADINGS.items()
            ),
        ],
        caption="* mean length closest to the reference's",
        sections={place for place, (name, after) in enumerate(pairwise(names)) if name != after},
    )


def _threshold(row: dict[str, Any]) -> str:
    threshold = "none" if row["threshold"] is None else f"{row['threshold']:.6g}"
    return f"* {threshold}" if row["operating"] else threshold
