"""What a threshold sweep has to show: its curves, and where systems would be run."""

from collections.abc import Iterator, Sequence

from pipeline.reporting import charts
from pipeline.reporting.finished import Finished, Row
from pipeline.reporting.page import Figure, Section, Table

POINTS = 200
"""Thresholds drawn and listed of a curve; of more, as many at equal steps."""

ENDS = (
    (
        "pk_false_alarm_rate",
        "pk_miss_rate",
        "Of windows: a miss where the reference has a boundary, a false alarm where it has none.",
    ),
    (
        "r_false_alarm",
        "r_miss",
        "Of content, on average over units, in the unit of the run: what a unit's segment lacks, "
        "and what does not belong there.",
    ),
)
"""Two rates against each other, and how to read them."""


def sections(run: Finished) -> Iterator[Section]:
    """The curves of a sweep."""
    chosen = run.rows("operating_points")
    curves = [*_thinned(run.rows("curves"))]
    yield Section(
        "curves",
        "Misses against false alarms",
        "Each line is a system at falling thresholds. The large circle is its operating point, "
        "where segments are as long on average as the references'.",
        [_curve(curves, chosen, *ends) for ends in ENDS],
    )
    yield Section("points", "Operating points", "", [_points(chosen)])


def _thinned(rows: Sequence[Row]) -> Iterator[Row]:
    """At most so many rows of each system, its first and last among them."""
    for name in dict.fromkeys(row["hypothesis"] for row in rows):
        own = [row for row in rows if row["hypothesis"] == name]
        most = min(POINTS, len(own))
        steps = {i * (len(own) - 1) // max(1, most - 1) for i in range(most)}
        yield from (own[i] for i in sorted(steps))


def _curve(rows: Sequence[Row], chosen: Sequence[Row], x: str, y: str, says: str) -> Figure:
    drawn = [_point(row, x, y) | {"place": place} for place, row in enumerate(rows)]
    known = [row for row in drawn if None not in (row["x"], row["y"])]
    listed = [[row["name"], row["threshold"], row["x"], row["y"]] for row in drawn]
    thinned = f"At most {POINTS} thresholds of a system; all are in the table curves."
    return Figure(
        f"{y} against {x}",
        says,
        Table(["system", "threshold", x, y], listed, thinned),
        charts.curves(known, [_point(row, x, y) for row in chosen], x, y),
    )


def _point(row: Row, x: str, y: str) -> Row:
    return {"name": row["hypothesis"], "threshold": row["threshold"], "x": row[x], "y": row[y]}


TOLD = (
    "hypothesis",
    "threshold",
    "mean_segment_length",
    "reference_mean_segment_length",
    "pk_miss_rate",
    "pk_false_alarm_rate",
    "r_miss",
    "r_false_alarm",
)


def _points(chosen: Sequence[Row]) -> Figure:
    rows = [[row[name] for name in TOLD] for row in chosen]
    says = "No threshold stands for one above all scores: no boundary at all."
    return Figure("Where each would be run", says, Table(TOLD, rows), folded=False, wide=True)
