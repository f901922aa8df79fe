"""Close a scoring run: average its results, let every aspect add to them, and publish the run."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.errors import Done
from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.runs.adding import SavedSums, add_saved
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.accounting import require_few_lost, require_scored
from segscore.pipeline.scoring.aspects import ASPECTS
from segscore.pipeline.scoring.aspects.aspect import Outcome
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.records import PartSums, TaskResults, add, bucket_run_units
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.statistics import averages
from segscore.pipeline.statistics.resampling import estimator
from segscore.pipeline.tables.answer_accounts import stated_accounts


def finish(
    run: TaskRun,
    settings: ScoreSettings,
    inputs: Inputs,
    results: TaskResults,
    explanation: Sequence[str],
    *,
    is_unit_unknown: bool,
) -> FinishedScoring:
    """Average the results, compose the record, and publish the run or keep it in memory.

    Args:
        run: the run, whose tables are written.
        settings: settings of the run, in the unit of its tables.
        inputs: the input tables.
        results: what the tasks returned.
        explanation: lines that say how the run was planned.
        is_unit_unknown: as in ``Outcome``.

    Raises:
        Refused, Failed: nothing was scored, too many rows were lost, or an aspect refuses the run.
    """
    require_scored(run.sink, inputs, results.rows)
    require_few_lost(run.sink, settings, results.rows, results.missing)
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
    published = run.publish({**record, "plan": explanation})
    read = {"summary": outcome.summary}
    return FinishedScoring(settings.output, published, tables=run.sink.tables, read=read)


def already_done(run: TaskRun, settings: ScoreSettings) -> Done:
    """Return the outcome of a run that had already been published, unless it lost too many rows."""
    record = run.finished_record
    missing = Missing.of_record(record.get("missing"))
    require_few_lost(run.sink, settings, record["rows"], missing)
    return run.done


def _average(
    run: TaskRun, settings: ScoreSettings, inputs: Inputs, results: TaskResults
) -> Outcome:
    """Add up the sums of all parts and average them."""
    sums = bucket_run_units(_add_up(run, results))
    scored = {str(key[0]) for key in sums.pairs.groups} if sums.pairs is not None else set()
    described = _describe(settings, results, inputs, sums)
    scoring = FinishedScoring(settings.output, described)
    summary = _summarise(results, sums, scoring)
    return Outcome(settings, inputs, results, sums, scored, scoring, run.sink, summary)


def _add_up(run: TaskRun, results: TaskResults) -> PartSums:
    """Add up the sums of all parts; a run in memory has them."""
    if results.sums is not None:
        return results.sums
    return add_saved(run, SavedSums(results.folder, PartSums, add), results.parts)


def _describe(
    settings: ScoreSettings, results: TaskResults, inputs: Inputs, totals: PartSums
) -> dict[str, Any]:
    """Return the fields of run.json that describe what was computed."""
    types = results.rule.types if inputs.typed else None
    units = np.zeros(0, np.uint64) if totals.pairs is None else totals.pairs.unit
    resampling = estimator(units, settings.resample_by)
    return {
        "signature": settings.signature(
            resampling,
            types,
            inputs.made,
            trials=(results.trials or 1) > 1,
        ),
        # Not whether it started over: a run that was resumed has the same record.
        "settings": {name: one for name, one in asdict(settings).items() if name != "fresh"},
        "boundary_types": types,
        "p_seg": None if np.isnan(results.p_seg) else results.p_seg,
        "levels": [_without_nan(asdict(each)) for each in results.levels],
        "trials": results.trials,
        "answers": stated_accounts(inputs.hypotheses.accounts),
        "pairs": results.pairs,
        "test_set": results.test_set.record,
    }


def _without_nan(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: None if number != number else number for name, number in parameters.items()}


def _summarise(results: TaskResults, totals: PartSums, scoring: FinishedScoring) -> pa.Table:
    """Compute the summary table of a run from the sums of all its rows."""
    selection = results.rule.selection
    kind_sums = [(selection.pairs, totals.pairs), (selection.panels, totals.panels)]
    kinds = [(kind, sums) for kind, sums in kind_sums if sums is not None]
    groups = results.rule.summary_groups
    return averages.summarise(kinds, groups, scoring.group_parameters, CHANCE)
