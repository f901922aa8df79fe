"""Show which threshold is best by the measures of a sweep."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from segscore.jobs.show.fitted import print_fitted
from segscore.pipeline.statistics.shown_numbers import short_interval, shown_number
from segscore.pipeline.statistics.shown_tables import Column

_Row = dict[str, Any]


def print_measured(rows: Sequence[_Row]) -> None:
    """Print the best threshold of each hypothesis and measure, and which are about as good."""
    best = [row for row in rows if row["best"]]
    near = {
        key: [row["threshold"] for row in group if row["near_best"]]
        for key, group in groupby(rows, key=_key)
    }
    ranges = [f"{near[_key(row)][0]:g} to {near[_key(row)][-1]:g}" for row in best]
    ends = [short_interval(row["ci_low"], row["ci_high"]) for row in best]
    names = [row["hypothesis"] for row in best]
    print_fitted(
        [
            Column("hypothesis", names, is_name=True),
            Column("measure", [row["measure"] for row in best], is_name=True),
            Column("best threshold", [f"{row['threshold']:g}" for row in best]),
            Column("value", [shown_number(row["value"]) for row in best]),
            *([Column("95 % interval", ends)] if any(ends) else []),
            Column("about as good" if any(ends) else "as good", ranges),
        ],
        caption="micro averages; about as good: in the interval of the best value; the table "
        "measured has all thresholds"
        if any(ends)
        else "micro averages; the table measured has all thresholds",
    )


def threshold_in_words(rows: Sequence[_Row], measure: str) -> str:
    """Name the option that scores other documents at the thresholds that are best by a measure."""
    best = [row for row in rows if row["best"] and row["measure"] == measure]
    if not best:
        return f"{measure} is undefined at every threshold."
    option = ",".join(f"{row['hypothesis']}={row['threshold']:g}" for row in best)
    return (
        f"To score other documents at the thresholds that are best by {measure} here: segscore "
        f"score REFERENCES HYPOTHESES --threshold {option} --measures {measure} --output RUN"
    )


def _key(row: _Row) -> tuple[str, str]:
    return row["hypothesis"], row["measure"]
