"""The result of a sweep: tables in reading order, and sentences."""

from collections.abc import Callable, Iterator

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.sweep.curves_tables import (
    curves_table,
    thresholds_in_words,
    tolerances_in_words,
    tolerances_table,
)
from segscore.pipeline.scoring.sweep.measures_tables import measures_table, threshold_in_words
from segscore.pipeline.scoring.sweep.ranks_tables import ranks_in_words, ranks_tables
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.result_table import ResultTable
from segscore.pipeline.statistics.sentences import Sentence, Tone


def sweep_tables(run: FinishedRun) -> Iterator[ResultTable]:
    """Yield the tables that a terminal shows of the kind of sweep that a run is."""
    if run.files("ranks"):
        yield from ranks_tables(run.rows("ranks"))
    if run.files("tolerances"):
        yield tolerances_table(run.rows("tolerances"))
    if run.files("curves"):
        yield curves_table(run.table("curves"), run.table("operating_points"))
    if run.files("measured") and any(row["best"] for row in run.rows("measured")):
        yield measures_table(run.rows("measured"))


def sweep_finding(run: FinishedRun, shown: Callable[[str], str] = str) -> Finding:
    """Return what a sweep found: the thresholds, or where the order of the systems changes.

    Args:
        run: the sweep.
        shown: writes a name.
    """
    sentences = [Sentence(text) for text in _in_words(run, shown)]
    if not (run.files("curves") or run.files("measured")):
        first, *rest = (sentence.text for sentence in sentences)
        return Finding(first.removesuffix("."), Tone.NOTE, [*map(Sentence, rest)])
    about, thresholds = _thresholds(run)
    few = [f"{value:.3g} for {shown(name)}" for name, value in thresholds[:_NAMED]]
    more = len(thresholds) - len(few)
    listed = named_list([*few, *[f"{more} more"] * bool(more)])
    headline = f"{about}: {listed}" if few else f"No threshold: {about.lower()} is undefined"
    return Finding(headline, Tone.NOTE, sentences)


_NAMED = 3
"""Most systems whose threshold is in the headline."""


def _thresholds(run: FinishedRun) -> tuple[str, list[tuple[str, float]]]:
    """Return what the thresholds are by, and the threshold of each system."""
    if run.files("measured"):
        measure = run.settings["measures"][0]
        rows = [row for row in run.rows("measured") if row["best"] and row["measure"] == measure]
        about = f"Best threshold by {measure}"
    else:
        rows = [row for row in run.rows("operating_points") if row["threshold"] is not None]
        about = "Threshold at the references' length"
    return about, [(row["hypothesis"], row["threshold"]) for row in rows]


def _in_words(run: FinishedRun, shown: Callable[[str], str]) -> Iterator[str]:
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
