"""What the values of a run are worth: the faults that would give them on its references."""

from segscore.pipeline.conventions.calibrate import Calibration, calibrate_references
from segscore.pipeline.conventions.faults import MOVED, RANDOM
from segscore.pipeline.conventions.shown_calibration import scale_shown
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.measures.selection import select
from segscore.pipeline.reports.chart_parts import Chart
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.page import Figure, shown_figure
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.reopen import reopen
from segscore.pipeline.settings.measuring import settings_without_effect


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
    scale = scale_shown(calibration, ranking.rows(calibration.measure))
    return shown_figure(scale, folded=False, wide=True)
