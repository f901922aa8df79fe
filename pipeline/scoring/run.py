"""Run `segscore score` from its settings to its results, in a published folder or in memory."""

from dataclasses import replace

from segscore.pipeline.errors import Done
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.planning import Limits, Plan
from segscore.pipeline.runs.record import RowCounts, require_few_rejects
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.runs.tasks import Progress, TaskRun, ignore_progress
from segscore.pipeline.scoring.accounting import require_scored
from segscore.pipeline.scoring.aspects import ASPECTS
from segscore.pipeline.scoring.closing import close
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs, find_inputs, inputs_of, rule_of
from segscore.pipeline.scoring.missing import Missing, require_few_missing
from segscore.pipeline.scoring.records import TaskResults
from segscore.pipeline.scoring.score_documents import score_documents, score_tables
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.unpaired import require_few_unpaired
from segscore.pipeline.tables.sources import Sources

_LEVELS = 4
"""Number of levels to plan for if the settings do not declare the boundary types."""


def run_scoring(
    settings: ScoreSettings,
    executor: Executor | None = None,
    progress: Progress = ignore_progress,
    sources: Sources | None = None,
    sink: Sink | None = None,
) -> FinishedScoring | Done:
    """Score hypotheses against references, and publish the run or keep it in memory.

    Args:
        settings: input tables, how to measure, and where to publish.
        executor: executes the tasks; None if ``sources`` are given.
        progress: called whenever a part is done.
        sources: the input tables, to be read all at once in this process; None to find those that
            the settings name, and to read them in tasks.
        sink: where the results go; None for the output folder of the settings.

    Returns:
        The run, or ``Done`` if the same run had already been published.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: nothing could be scored, parts failed, or too many rows were rejected or unpaired,
            also in a run that had already been published; nothing was published.
    """
    run = TaskRun("score", settings, executor, progress, sink)
    with run.stage("plan"):
        inputs = find_inputs(settings) if sources is None else inputs_of(settings, sources)
        unknown = settings.n_t is None and inputs.unit is None
        run.settings = settings = settings.in_unit(inputs.unit)
        for aspect in ASPECTS:
            aspect.admit(settings, inputs)
        rule = rule_of(settings, inputs)
        plan = planning.ALL_AT_ONCE if sources else scoring_plan(settings, inputs, run.limits)
        if not run.prepare(inputs.tables):
            return _done(run, settings)
    with run.work():
        if sources is None:
            results = score_documents(run, inputs, plan, rule)
        else:
            results = score_tables(run, inputs, sources, rule)
        if results is None:
            return _done(run, settings)
        return _finish(run, settings, inputs, plan, results, is_unit_unknown=unknown)


def _finish(
    run: TaskRun,
    settings: ScoreSettings,
    inputs: Inputs,
    plan: Plan,
    results: TaskResults,
    *,
    is_unit_unknown: bool,
) -> FinishedScoring:
    """Average the results, compose the record, and publish the run or keep it in memory."""
    require_scored(run.sink, inputs, results.rows)
    _require_few_lost(run, settings, results.rows, results.missing)
    outcome, record = close(run, settings, inputs, results, is_unit_unknown=is_unit_unknown)
    published = run.publish({**record, "plan": plan.explanation})
    read = {"summary": outcome.summary}
    return FinishedScoring(settings.output, published, tables=run.sink.tables, read=read)


def _done(run: TaskRun, settings: ScoreSettings) -> Done:
    """Return the outcome of a run that had already been published, unless it lost too many rows."""
    record = run.finished_record
    missing = Missing.of_record(record.get("missing"))
    _require_few_lost(run, settings, record["rows"], missing)
    return run.done


def _require_few_lost(
    run: TaskRun, settings: ScoreSettings, rows: RowCounts, missing: Missing
) -> None:
    """Refuse to publish a run that lost too many rows; one in memory is not published."""
    if run.sink.publishes:
        require_few_rejects(run.sink, rows, settings.max_rejects)
        require_few_unpaired(run.sink, rows, settings.most_unpaired)
        require_few_missing(missing, settings.max_unpaired, settings.missing)


def scoring_plan(settings: ScoreSettings, inputs: Inputs, limits: Limits) -> Plan:
    """Choose how hypotheses are brought together with their references."""
    tables = {table.name: table for table in inputs.tables}
    scored = inputs.hypotheses.name
    points = len(settings.points) * sum(piece.rows for piece in inputs.references.slices)
    if settings.by_level is None:
        return planning.plan(tables, scored, settings.memory_limit, limits, points)
    levels = len(settings.boundary_types) or _LEVELS
    limits = replace(limits, copies=1 + levels)
    plan = planning.plan(tables, scored, settings.memory_limit, limits)
    assumed = "" if settings.boundary_types else " (assumed; --boundary-types states them)"
    line = f"by level: each row is scored on each level, planned for {levels} levels{assumed}"
    return replace(plan, explanation=(*plan.explanation, line))
