"""Draw what known faults give, and list the faults that would give the values of a run."""

from segscore.pipeline.conventions.calibrate import Calibration
from segscore.pipeline.conventions.calibration_tables import scale_table
from segscore.pipeline.conventions.faults import MOVED, RANDOM
from segscore.pipeline.reports.chart_parts import Chart
from segscore.pipeline.reports.line_charts import line_chart
from segscore.pipeline.reports.page import Figure, shown_figure
from segscore.pipeline.reports.ranking import Ranking


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
    scale = scale_table(calibration, ranking.rows(calibration.measure))
    return shown_figure(scale, folded=False, wide=True)
