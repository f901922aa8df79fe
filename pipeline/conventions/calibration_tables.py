"""Tables of what known faults give on a corpus, and of the faults that give what systems have."""

from collections.abc import Sequence
from functools import partial

from segscore.pipeline.conventions.calibrate import Calibration
from segscore.pipeline.conventions.faults import MOVED
from segscore.pipeline.measures import ALL
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.formatted_numbers import percent, shown_as
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import AverageRow

_KINDS = ("missed", "added", "missed-or-added", "mixed")
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)

_SIZES = {
    "missed": "boundaries missed",
    "added": "added",
    "missed-or-added": "missed or added",
    "mixed": "misplaced by 1, missed or added",
    MOVED: "moved by, on average",
}
"""Kind of fault -> heading of its sizes."""


def shares_table(calibration: Calibration) -> ResultTable:
    """Show the values that faults in some shares of boundaries give."""
    values = {(p.fault.kind, p.fault.level): p.micro for p in calibration.points}
    return ResultTable(
        [
            Column("share of boundaries", _SHARES, write=percent),
            *(Column(kind, [values[kind, share] for share in _SHARES]) for kind in _KINDS),
        ],
        title=f"{calibration.measure}, micro",
    )


def distances_table(calibration: Calibration) -> ResultTable:
    """Show the values that boundaries moved by some distances give."""
    points = calibration.kinds[MOVED]
    return ResultTable(
        [
            Column("moved by at most", [f"{point.fault.level:g}" for point in points]),
            Column("on average", [point.size for point in points], write="{:.2f}".format),
            Column("value", [point.micro for point in points]),
        ]
    )


def scale_table(calibration: Calibration, rows: Sequence[AverageRow]) -> ResultTable:
    """Show the faults that would give the value of each system, and say what the first one has.

    Args:
        calibration: of the measure that the rows have.
        rows: averages of systems, best first, and of reference points.
    """
    systems = [row for row in rows if not is_point(row["hypothesis"])]
    points = [row for row in rows if is_point(row["hypothesis"])]
    rows = [*systems, *points]
    sizes = [
        {} if row["value"] is None else calibration.sizes(row["value"], row["average"])
        for row in rows
    ]
    heading = calibration.measure + ALL[calibration.measure].arrow
    on = f" on {calibration.sample.words}" if calibration.sample.words else ""
    guide = [
        "Each column is the size of one fault that alone gives the value on the references of this "
        f"run, in simulations{on}; – if no size does.",
        *(
            calibration.describe(row["value"], row["average"], _interval(row))
            for row in systems[:1]
            if row["value"] is not None
        ),
        calibration.second_person_in_words(),
    ]
    return ResultTable(
        [
            Column("system", [row["hypothesis"] for row in rows], is_name=True),
            Column(heading, [row["value"] for row in rows]),
            *(
                Column(
                    title,
                    [each.get(kind) for each in sizes],
                    write=partial(shown_as, form=".1f") if kind == MOVED else percent,
                )
                for kind, title in _SIZES.items()
            ),
        ],
        title=f"What {calibration.measure} is worth",
        guide=" ".join(filter(None, guide)),
        apart=len(points),
        apart_heading="Reference points",
    )


def _interval(row: AverageRow) -> tuple[float, float] | None:
    """Return the interval of an average; None if there is none."""
    low, high = row["ci_low"], row["ci_high"]
    return None if low is None or high is None else (low, high)
