"""Run `segscore score` from its settings to its results, in a published folder or in memory."""

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa

from segscore.pipeline.errors import Done
from segscore.pipeline.results.coverage import warn_of_fewer_documents
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.adding import SavedSums, add_saved
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.planning import Limits, Plan
from segscore.pipeline.runs.record import (
    RowCounts,
    require_few_rejects,
    warn_of_similar_names,
    warn_of_trial_names,
)
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.runs.tasks import Progress, TaskRun, ignore_progress
from segscore.pipeline.scoring.absent_labels import warn_of_absent_labels
from segscore.pipeline.scoring.accounting import require_scored
from segscore.pipeline.scoring.answer_columns import with_answers
from segscore.pipeline.scoring.few_draws import warn_of_few_draws
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import (
    Inputs,
    attribute_types,
    find_inputs,
    inputs_of,
    rule_of,
)
from segscore.pipeline.scoring.label_confusion import tabulate_labels
from segscore.pipeline.scoring.missing import (
    Missing,
    describe_missing,
    require_answered,
    require_few_missing,
)
from segscore.pipeline.scoring.noticed import (
    Noticed,
    warn_of_large_limit,
    warn_of_long_segments,
    warn_of_noticed,
    warn_of_panels,
)
from segscore.pipeline.scoring.part import PartSums, TaskResults, add, settle_units
from segscore.pipeline.scoring.related_documents import warn_of_related
from segscore.pipeline.scoring.results import (
    describe_results,
    summarise_results,
    warn_of_absent_points,
)
from segscore.pipeline.scoring.score_documents import score_documents, score_tables
from segscore.pipeline.scoring.self_pairs import warn_of_self_pairs
from segscore.pipeline.scoring.settings import NONE, ScoreSettings
from segscore.pipeline.scoring.shared_averages import with_shared_averages
from segscore.pipeline.scoring.thresholds import SCORE_COLUMN, require_scores, require_systems
from segscore.pipeline.scoring.trial_summary import with_trials
from segscore.pipeline.scoring.type_confusion import tabulate_confusion
from segscore.pipeline.scoring.unpaired import require_few_unpaired, warn_of_unpaired
from segscore.pipeline.settings.measuring import settings_without_effect
from segscore.pipeline.tables.segment_labels import have_labels, warn_of_labels_on_one_side
from segscore.pipeline.tables.sources import Sources

SCORES_UNUSED = (
    "boundary_scores were ignored, every candidate counts; to score at a threshold add --threshold "
    "T, and to choose one run `segscore sweep`"
)


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
        require_scores(settings, inputs.hypotheses)
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
        return _finish(run, settings, inputs, plan, results, unknown=unknown)


def _finish(
    run: TaskRun,
    settings: ScoreSettings,
    inputs: Inputs,
    plan: Plan,
    results: TaskResults,
    *,
    unknown: bool,
) -> FinishedScoring:
    """Average the results, compose the record, and publish the run or keep it in memory."""
    with run.stage("summary"):
        require_scored(run.sink, inputs, results.rows)
        _require_few_lost(run, settings, results.rows, results.missing)
        require_answered(results.missing, settings.missing)
        sums = settle_units(_sums(run, results))
        scored = {str(key[0]) for key in sums.pairs.groups} if sums.pairs is not None else set()
        require_systems(settings, scored)
        described = describe_results(settings, results, inputs, sums)
        scoring = FinishedScoring(settings.output, described)
        summary = summarise_results(results, sums, scoring)
        summary = with_trials(summary, results, sums, scoring)
        summary = with_answers(summary, inputs.hypotheses.accounts)
        summary = with_shared_averages(summary, scoring, run.sink.pieces)
        run.write("summary", summary)
        if settings.confusion:
            _write_confusion(run, inputs, results, sums)
    record = {
        **described,
        **run.record(inputs.tables, results.rows, scored),
        "missing": results.missing.record,
        "plan": plan.explanation,
    }
    record["warnings"] += warn_of_unpaired(run.sink, results.rows, scored)
    record["warnings"] += describe_missing(results.missing, NONE) * (settings.missing == NONE)
    record["warnings"] += warn_of_self_pairs(run.sink, inputs)
    record["warnings"] += results.test_set.warnings
    record["warnings"] += warn_of_absent_points(settings, scored)
    record["warnings"] += _warn_of_summary(summary, scored, settings.group_by)
    record["warnings"] += _warn_of_noticed(settings, sums.noticed, scored, unknown=unknown)
    record["warnings"] += warn_of_absent_labels(settings, scoring.selection.pairs, sums.pairs)
    record["warnings"] += warn_of_few_draws(sums.draws, sums.pairs, scoring)
    of_documents = attribute_types([inputs.references, inputs.documents])
    record["warnings"] += warn_of_related(settings, of_documents, run.sink.pieces)
    if settings.confusion:
        record["warnings"] += warn_of_labels_on_one_side([inputs.references, inputs.hypotheses])
    if settings.threshold is None and SCORE_COLUMN in inputs.hypotheses.further.names:
        record["warnings"].append(SCORES_UNUSED)
    published, tables = run.publish(record), run.sink.tables
    return FinishedScoring(settings.output, published, tables=tables, read={"summary": summary})


def _write_confusion(run: TaskRun, inputs: Inputs, results: TaskResults, sums: PartSums) -> None:
    """Write which boundary types, and labels if there are any, were mistaken for which."""
    run.write("confusion", tabulate_confusion(sums.confusion, results.rule))
    if have_labels([inputs.references, inputs.hypotheses]):
        run.write("label_confusion", tabulate_labels(sums.labels))


def _sums(run: TaskRun, results: TaskResults) -> PartSums:
    """Add up the sums of all parts; a run in memory has them."""
    if results.sums is not None:
        return results.sums
    return add_saved(run, SavedSums(results.folder, PartSums, add), results.parts)


def _warn_of_groups(summary: pa.Table, group_by: tuple[str, ...]) -> list[str]:
    """Return a warning if no document is in a group."""
    if not group_by or any(summary[name].null_count < len(summary) for name in group_by):
        return []
    return [
        f"no document is in a group: none has a value of {', '.join(group_by)}; if --documents has "
        "the values, see whether its ids are those of the references"
    ]


def _warn_of_summary(
    summary: pa.Table, scored: Iterable[str], group_by: tuple[str, ...]
) -> list[str]:
    """Return warnings of groups, of other documents and of similar names."""
    systems = [name for name in scored if not is_point(name)]
    warnings = [*_warn_of_groups(summary, group_by), *warn_of_fewer_documents(summary)]
    return [*warnings, *warn_of_similar_names(systems), *warn_of_trial_names(systems)]


def _warn_of_noticed(
    settings: ScoreSettings, noticed: Noticed, scored: Iterable[str], *, unknown: bool
) -> list[str]:
    """Return what a run warns of by its counts.

    It is ``unknown`` what a near miss is if neither n_t nor the unit was stated.
    """
    without_effect = settings_without_effect(settings.selection)
    chosen_by_unit = settings.units == "units" and "n_t" not in without_effect
    systems = [name for name in scored if not is_point(name)]
    warnings = [
        *warn_of_panels(noticed, settings, systems),
        *warn_of_noticed(noticed, settings),
    ]
    if not chosen_by_unit:
        return warnings
    long = warn_of_long_segments(noticed) if unknown else []
    return [*warnings, *long, *warn_of_large_limit(noticed, settings.near_limit)]


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
