"""Calibrate a measure on the references of a run, as the run measured its systems."""

from segscore.pipeline.conventions.calibrate import Calibration, calibrate_references
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.measures.selection import select
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.reopen import reopen
from segscore.pipeline.settings.measuring import settings_without_effect


def calibrate_run(run: FinishedScoring, measure: str) -> Calibration:
    """Measure the references of a run with known faults, as the run measured its systems.

    Raises:
        Refused: an input has changed since the run, or faults cannot be simulated for the measure.
    """
    if measure not in PAIRS.measures:
        raise Refused(f"--calibrate: {measure} is not a measure of pairs; choose another --measure")
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
