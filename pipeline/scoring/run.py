"""Run `segscore score` from its settings to a published folder."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from segscore.pipeline.errors import Done
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.planning import Limits, Plan
from segscore.pipeline.runs.record import RowCounts, require_few_rejects, warn_of_similar_names
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.scoring.accounting import require_scored
from segscore.pipeline.scoring.broadcast import score_broadcast
from segscore.pipeline.scoring.coverage import warn_of_fewer_documents
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.grouped import score_shuffled
from segscore.pipeline.scoring.inputs import Inputs, find_inputs, group_types
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.scoring.noticed import warn_of_noticed
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.results import (
    describe_results,
    summarise_results,
    warn_of_absent_points,
)
from segscore.pipeline.scoring.self_pairs import warn_of_self_pairs
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.totals import add_sums
from segscore.pipeline.scoring.type_confusion import tabulate_confusion
from segscore.pipeline.scoring.unpaired import require_few_unpaired, warn_of_unpaired

SCORES_UNUSED = (
    "boundary_scores were ignored, every candidate counts; to use them run `segscore sweep`"
)


_LEVELS = 4
"""Number of levels to plan for if the settings do not declare the boundary types."""


@dataclass(frozen=True)
class Finished:
    """The record (run.json) and the summary table of a published run."""

    record: dict[str, Any]
    summary: pa.Table


def run_scoring(settings: ScoreSettings, executor: Executor, progress: Progress) -> Finished | Done:
    """Score hypotheses against references and publish the run.

    Args:
        settings: input tables, how to measure, and where to publish.
        executor: executes the tasks.
        progress: called whenever a part is done.

    Returns:
        The published run, or ``Done`` if the same run had already been published.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: nothing could be scored, parts failed, or too many rows were rejected or unpaired,
            also in a run that had already been published; nothing was published.
    """
    run = TaskRun("score", settings, executor, progress)
    with run.stage("plan"):
        inputs = find_inputs(settings)
        rule = Rule(settings, settings.boundary_types or (1,), group_types(settings, inputs))
        plan = scoring_plan(settings, inputs, run.limits)
        if not run.prepare(inputs.tables):
            return _done(run, settings)
    with run.work():
        score_all = score_broadcast if plan.way == planning.SENT else score_shuffled
        results = score_all(run, inputs, plan, rule)
        if results is None:
            return _done(run, settings)
        with run.stage("summary"):
            require_scored(run.attempt, inputs, results.rows)
            _require_few_lost(run, settings, results.rows)
            sums = add_sums(run, results)
            summary = summarise_results(results, sums)
            run.write("summary", summary)
            if settings.confusion:
                run.write("confusion", tabulate_confusion(sums.confusion, results.rule))
        scored = {str(key[0]) for key in sums.pairs.groups} if sums.pairs is not None else ()
        record = {
            **describe_results(settings, results, inputs),
            **run.record(inputs.tables, results.rows, scored),
            "plan": plan.explanation,
        }
        record["warnings"] += warn_of_unpaired(run.attempt, results.rows, scored)
        record["warnings"] += warn_of_self_pairs(run.attempt, inputs)
        record["warnings"] += results.test_set.warnings
        record["warnings"] += warn_of_absent_points(settings, scored)
        record["warnings"] += _warn_of_systems(summary, scored) + warn_of_noticed(sums.noticed)
        if "boundary_scores" in inputs.hypotheses.further.names:
            record["warnings"].append(SCORES_UNUSED)
        return Finished(run.publish(record), summary)


def _warn_of_systems(summary: pa.Table, scored: Iterable[str]) -> list[str]:
    """Return warnings of other documents and of similar names."""
    systems = [name for name in scored if not is_point(name)]
    return [*warn_of_fewer_documents(summary), *warn_of_similar_names(systems)]


def _done(run: TaskRun, settings: ScoreSettings) -> Done:
    """Return the outcome of a run that had already been published, unless it lost too many rows."""
    _require_few_lost(run, settings, run.finished_rows)
    return run.done


def _require_few_lost(run: TaskRun, settings: ScoreSettings, rows: RowCounts) -> None:
    require_few_rejects(run.attempt, rows, settings.max_rejects)
    require_few_unpaired(run.attempt, rows, settings.max_unpaired)


def read_finished(output: str) -> Finished:
    """Read the scoring run that a folder contains.

    Raises:
        Refused: as for ``FinishedScoring.open``.
    """
    run = FinishedScoring.open(output)
    return Finished(run.record, run.table("summary"))


def scoring_plan(settings: ScoreSettings, inputs: Inputs, limits: Limits) -> Plan:
    """Choose how hypotheses are brought together with their references."""
    tables = {table.name: table for table in inputs.tables}
    scored = inputs.hypotheses.name
    if settings.by_level is None:
        return planning.plan(tables, scored, settings.memory_limit, limits)
    levels = len(settings.boundary_types) or _LEVELS
    limits = replace(limits, copies=1 + levels)
    plan = planning.plan(tables, scored, settings.memory_limit, limits)
    assumed = "" if settings.boundary_types else " (assumed; --boundary-types states them)"
    line = f"by level: each row is scored on each level, planned for {levels} levels{assumed}"
    return replace(plan, explanation=(*plan.explanation, line))
