"""Run `segscore score` from its settings to its results, in a published folder or in memory."""

from dataclasses import replace

from segscore.pipeline.errors import Done
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.runs.tasks import Progress, TaskRun, ignore_progress
from segscore.pipeline.scoring.aspects import ASPECTS
from segscore.pipeline.scoring.closing import already_done, finish
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Inputs, find_inputs, inputs_of, rule_of
from segscore.pipeline.scoring.score_documents import score_documents, score_tables
from segscore.pipeline.scoring.settings import ScoreSettings
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
            return already_done(run, settings)
    with run.work():
        if sources is None:
            results = score_documents(run, inputs, plan, rule)
        else:
            results = score_tables(run, inputs, sources, rule)
        if results is None:
            return already_done(run, settings)
        explanation = plan.explanation
        return finish(run, settings, inputs, results, explanation, is_unit_unknown=unknown)


def scoring_plan(settings: ScoreSettings, inputs: Inputs, limits: planning.Limits) -> planning.Plan:
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
