"""Close a scoring run: average its results, and let every aspect add to them and its record."""

from dataclasses import replace
from itertools import chain

from segscore.pipeline.runs.adding import SavedSums, add_saved
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.aspects import ASPECTS
from segscore.pipeline.scoring.aspects.aspect import Outcome
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.records import PartSums, TaskResults, add, bucket_run_units
from segscore.pipeline.scoring.results import describe_results, summarise_results
from segscore.pipeline.scoring.settings import ScoreSettings


def close(
    run: TaskRun,
    settings: ScoreSettings,
    inputs: Inputs,
    results: TaskResults,
    *,
    is_unit_unknown: bool,
) -> tuple[Outcome, dict[str, object]]:
    """Average the results and let every aspect add to them.

    Args:
        run: the run, whose tables are written.
        settings: settings of the run, in the unit of its tables.
        inputs: the input tables.
        results: what the tasks returned.
        is_unit_unknown: as in ``Outcome``.

    Returns:
        The outcome, and the record of the run.

    Raises:
        Refused, Failed: an aspect refuses to publish the run.
    """
    with run.stage("summary"):
        outcome = replace(_average(run, settings, inputs, results), is_unit_unknown=is_unit_unknown)
        for aspect in ASPECTS:
            aspect.require(outcome)
        for aspect in ASPECTS:
            outcome = replace(outcome, summary=aspect.fill(outcome))
        run.write("summary", outcome.summary)
        for name, table in chain.from_iterable(aspect.tables(outcome) for aspect in ASPECTS):
            run.write(name, table)
    record = {
        **outcome.scoring.record,
        **run.record(inputs.tables, results.rows, outcome.scored),
    }
    for aspect in ASPECTS:
        record |= aspect.record(outcome)
        record["warnings"] += aspect.warnings(outcome)
    return outcome, record


def _average(
    run: TaskRun, settings: ScoreSettings, inputs: Inputs, results: TaskResults
) -> Outcome:
    """Add up the sums of all parts and average them."""
    sums = bucket_run_units(_add_up(run, results))
    scored = {str(key[0]) for key in sums.pairs.groups} if sums.pairs is not None else set()
    described = describe_results(settings, results, inputs, sums)
    scoring = FinishedScoring(settings.output, described)
    summary = summarise_results(results, sums, scoring)
    return Outcome(settings, inputs, results, sums, scored, scoring, run.sink, summary)


def _add_up(run: TaskRun, results: TaskResults) -> PartSums:
    """Add up the sums of all parts; a run in memory has them."""
    if results.sums is not None:
        return results.sums
    return add_saved(run, SavedSums(results.folder, PartSums, add), results.parts)
