"""`segscore calibrate`: show which faults give which values on a corpus."""

from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import FigureFile
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings

_COLUMNS = ("missed", "added", "missed-or-added", "mixed")
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)


def calibrate(chosen: CalibrateSettings, figure: FigureFile = None) -> None:
    """Show what a value of a measure is worth: the value that known faults give.

    Misses, adds and moves boundaries of REFERENCES at random, and measures the result; also of
    no boundaries, and of random ones.
    """
    from segscore.jobs.show.fitted import Column, out, print_fitted
    from segscore.pipeline.conventions.calibrate import run_calibration
    from segscore.pipeline.conventions.faults import MOVED
    from segscore.pipeline.reports.figures import require_figure, save_figure
    from segscore.pipeline.statistics.shown_numbers import shown_number

    if figure is not None:
        require_figure("--figure", figure)
    calibration = run_calibration(chosen)
    for warning in calibration.warnings:
        LOG.say("warning", warning)
    if chosen.value is not None:
        out().print(calibration.describe(chosen.value), markup=False)
    else:
        values = {(p.fault.kind, p.fault.level): p.micro for p in calibration.points}
        shares = Column("share of boundaries", [f"{share:.0%}" for share in _SHARES])
        columns = [
            Column(kind, [shown_number(values[kind, share]) for share in _SHARES])
            for kind in _COLUMNS
        ]
        print_fitted([shares, *columns], title=f"{chosen.measure}, micro")
        points = calibration.kinds[MOVED]
        print_fitted(
            [
                Column("moved by at most", [f"{point.fault.level:g}" for point in points]),
                Column("on average", [f"{point.size:.2f}" for point in points]),
                Column("value", [shown_number(point.micro) for point in points]),
            ]
        )
    if calibration.sample.words:
        sentence = f"simulated on {calibration.sample.words}; --sample all takes every one"
        out().print(sentence, markup=False)
    out().print(calibration.chance_in_words(), markup=False)
    if chosen.output is not None:
        out().print(f"written to {chosen.output}", markup=False)
    if figure is not None:
        from segscore.pipeline.reports.calibration import curve_charts

        save_figure(curve_charts(calibration), figure)
        LOG.say("info", f"{figure}: written", figure=figure)
