"""`segscore calibrate`: show which faults give which values on a corpus."""

from segscore.jobs.cli.log import LOG
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings

_COLUMNS = ("missed", "added", "missed-or-added", "mixed")
_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)


def calibrate(chosen: CalibrateSettings) -> None:
    """Show what a value of a measure is worth: the value that known faults give.

    Misses, adds and moves boundaries of REFERENCES at random, and measures the result.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from segscore.jobs.show.printing import out, shown_number
    from segscore.pipeline.conventions.calibrate import run_calibration
    from segscore.pipeline.conventions.faults import MOVED

    calibration = run_calibration(chosen)
    for warning in calibration.warnings:
        LOG.say("warning", warning)
    if chosen.value is not None:
        out().print(calibration.describe(chosen.value), markup=False)
    else:
        shares = Table(title=f"{chosen.measure}, micro", box=SIMPLE_HEAD)
        for heading in ("share of boundaries", *_COLUMNS):
            shares.add_column(heading, justify="right", no_wrap=True)
        values = {(p.fault.kind, p.fault.level): p.micro for p in calibration.points}
        for share in _SHARES:
            cells = [shown_number(values[kind, share]) for kind in _COLUMNS]
            shares.add_row(f"{share:.0%}", *cells)
        moved = Table(box=SIMPLE_HEAD)
        for heading in ("moved by at most", "on average", "value"):
            moved.add_column(heading, justify="right", no_wrap=True)
        for point in calibration.kinds[MOVED]:
            value = shown_number(point.micro)
            moved.add_row(f"{point.fault.level:g}", f"{point.size:.2f}", value)
        out().print(shares)
        out().print(moved)
    if chosen.output is not None:
        out().print(f"written to {chosen.output}", markup=False)
