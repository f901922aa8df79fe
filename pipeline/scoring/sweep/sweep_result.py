"""What a sweep shows, as tables in reading order and sentences."""

from collections.abc import Callable, Iterator

from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.sweep.shown_curves import (
    curves_shown,
    thresholds_in_words,
    tolerances_in_words,
    tolerances_shown,
)
from segscore.pipeline.scoring.sweep.shown_measured import measured_shown, threshold_in_words
from segscore.pipeline.scoring.sweep.shown_ranks import ranks_in_words, ranks_shown
from segscore.pipeline.statistics.shown_tables import ShownTable


def sweep_tables(run: FinishedRun) -> Iterator[ShownTable]:
    """Yield the tables that a terminal shows of the kind of sweep that a run is."""
    if run.files("ranks"):
        yield from ranks_shown(run.rows("ranks"))
    if run.files("tolerances"):
        yield tolerances_shown(run.rows("tolerances"))
    if run.files("curves"):
        yield curves_shown(run.table("curves"), run.table("operating_points"))
    if run.files("measured") and any(row["best"] for row in run.rows("measured")):
        yield measured_shown(run.rows("measured"))


def sweep_in_words(run: FinishedRun, shown: Callable[[str], str] = str) -> Iterator[str]:
    """Say what the tables show.

    Args:
        run: the sweep.
        shown: writes a name.
    """
    if run.files("ranks"):
        yield from ranks_in_words(run.rows("ranks"))
    if run.files("tolerances"):
        yield from tolerances_in_words(run.rows("tolerances"), shown)
    if run.files("curves"):
        yield from thresholds_in_words(run.rows("operating_points"), shown)
    if run.files("measured"):
        yield threshold_in_words(run.rows("measured"), run.settings["measures"])
