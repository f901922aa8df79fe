"""What the values of a run are worth: the faults that would give them on its references."""

from collections.abc import Sequence

from segscore.pipeline.conventions.calibrate import Calibration, calibrate_references
from segscore.pipeline.conventions.faults import MOVED, RANDOM
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.measures.selection import select
from segscore.pipeline.reports.chart_parts import Chart
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.results.names import is_point
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.reopen import reopen
from segscore.pipeline.settings.measuring import settings_without_effect
from segscore.pipeline.statistics.shown_numbers import shown_number
from segscore.schemas.rows import AverageRow

_HEADINGS = {
    "missed": "boundaries missed",
    "added": "added",
    "missed-or-added": "missed or added",
    "mixed": "misplaced by 1, missed or added",
    MOVED: "moved by, on average",
}


def calibrate_run(run: FinishedScoring, measure: str) -> Calibration:
    """Measure the references of a run with known faults, as the run measured its systems.

    Raises:
        Refused: an input has changed since the run, or faults cannot be simulated for the measure.
    """
    if measure not in PAIRS.measures:
        raise Refused(f"--calibrate: {measure} is no measure of pairs; choose another --measure")
    used = {"types", "unit_weights"} - settings_without_effect(select((measure,)))
    if "types" in used and run.types != (1,):
        raise Refused(
            f"--calibrate: {measure} distinguishes the boundary types of the run, which simulated "
            "faults do not have; choose another --measure, or omit --calibrate"
        )
    if "unit_weights" in used and run.score_settings().unit_weights:
        raise Refused(
            f"--calibrate: {measure} is measured in unit weights, which simulated faults do not "
            "have; choose another --measure, or omit --calibrate"
        )
    if run.by_level:
        raise Refused(
            f"--calibrate: {run.url} is by level, and simulated faults have no levels; omit "
            "--calibrate"
        )
    reopened = reopen(run)
    return calibrate_references(measure, reopened.settings, reopened.references)


def curve_charts(calibration: Calibration) -> list[Chart]:
    """Draw the value that each size of a fault gives: shares of boundaries, then distances."""
    shares = [
        {"name": kind, "x": point.size, "y": point.micro}
        for kind, points in calibration.kinds.items()
        for point in points
        if kind != MOVED
    ]
    random = [point.micro for point in calibration.points if point.fault.kind == RANDOM]
    shares += [{"name": "random", "x": end, "y": value} for value in random for end in (0.0, 1.0)]
    moved = [
        {"name": MOVED, "x": point.size, "y": point.micro} for point in calibration.kinds[MOVED]
    ]
    value = f"{calibration.measure}, micro average"
    drawn = [
        line_chart(shares, "share of boundaries", value),
        line_chart(moved, "distance moved, on average", value),
    ]
    return [chart for chart in drawn if chart is not None]


def scale_figure(ranking: Ranking, calibration: Calibration) -> Figure:
    """List the faults that would give the value of each system."""
    name = ranking.measure.name
    systems: list[Sequence[Cell]] = []
    points: list[Sequence[Cell]] = []
    for row in ranking.rows(name):
        cells = [row["hypothesis"], *_cells(calibration, row["value"], ranking.average)]
        (points if is_point(row["hypothesis"]) else systems).append(cells)
    rows = [row for row in ranking.rows(name) if not is_point(row["hypothesis"])]
    best = [
        calibration.describe(row["value"], ranking.average, _interval(row))
        for row in rows[:1]
        if row["value"] is not None
    ]
    best += [person] if (person := calibration.second_person_in_words()) else []
    on = f" on {calibration.sample.words}" if calibration.sample.words else ""
    return Figure(
        f"What {name} is worth",
        " ".join(
            [
                "Each column is the size of one fault that alone gives the value on the references "
                f"of this run, in simulations{on}; – if no size does.",
                *best,
            ]
        ),
        PageTable(
            ["system", name + ranking.measure.arrow, *_HEADINGS.values()],
            systems,
            apart=points,
            apart_heading="Reference points",
        ),
        folded=False,
        wide=True,
    )


def _interval(row: AverageRow) -> tuple[float, float] | None:
    """Return the interval of an average; None if there is none."""
    low, high = row["ci_low"], row["ci_high"]
    return None if low is None or high is None else (low, high)


def _cells(calibration: Calibration, value: float | None, average: str) -> list[Cell]:
    if value is None:
        return [None] * (1 + len(_HEADINGS))
    sizes = calibration.sizes(value, average)
    return [NumberCell(shown_number(value), value), *(_cell(k, sizes[k]) for k in _HEADINGS)]


def _cell(kind: str, size: float | None) -> Cell:
    if size is None:
        return None
    return NumberCell(f"{size:.1f}" if kind == MOVED else f"{size:.0%}", size)
