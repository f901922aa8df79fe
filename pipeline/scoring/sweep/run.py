"""Run `segscore sweep` from its settings to a published folder."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs import planning, shuffle
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.shuffle import Partitioning
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.runs.tasks import Progress, TaskRun, ignore_progress
from segscore.pipeline.scoring.accounting import require_scored
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.documents import (
    DocumentRows,
    Totals,
    parts_of,
    separate_rows,
    survey_run,
    with_windows,
)
from segscore.pipeline.scoring.inputs import Inputs, find_sides, require_units
from segscore.pipeline.scoring.part_tables import MemoryTables
from segscore.pipeline.scoring.self_pairs import describe_self_pairs
from segscore.pipeline.scoring.sweep.candidates import CHANGING
from segscore.pipeline.scoring.sweep.coder_sums import merge_sums
from segscore.pipeline.scoring.sweep.curves import VALUES, merge_steps, tabulate_curves
from segscore.pipeline.scoring.sweep.measured import (
    HUNDREDTHS,
    best_thresholds,
    intervals_at_best,
    tabulate_measured,
)
from segscore.pipeline.scoring.sweep.part import (
    BestReceipt,
    SweepJob,
    SweepReceipt,
    best_part,
    best_rows,
    sweep_part,
    sweep_rows,
)
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.scoring.sweep.tolerances import tabulate_tolerances
from segscore.pipeline.scoring.sweep.varied import tabulate_varied
from segscore.pipeline.scoring.thresholds import SCORE_COLUMN
from segscore.pipeline.scoring.window_policy import share_of_windows
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.signature import NO_INTERVALS
from segscore.pipeline.tables.path_columns import TRIAL
from segscore.pipeline.tables.plain_attributes import require_lists, without_plain
from segscore.pipeline.tables.sources import Sources, read_sources

SWEEP_STAGE = "swept"


class _Measured(NamedTuple):
    """The table measured, None without it, and how its intervals are estimated."""

    table: pa.Table | None
    estimator: str


_NOT_MEASURED = _Measured(None, NO_INTERVALS)


def run_sweep(
    settings: SweepSettings,
    executor: Executor | None = None,
    progress: Progress = ignore_progress,
    sources: Sources | None = None,
    sink: Sink | None = None,
) -> FinishedRun | Done:
    """Sweep hypotheses over thresholds of their scores, tolerances, or other settings.

    Args, Returns: as ``run_scoring``.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: nothing could be scored, or parts failed; nothing was published.
    """
    run = TaskRun("sweep", settings, executor, progress, sink)
    with run.stage("plan"):
        inputs = _find_inputs(settings, sources)
        run.settings = settings = settings.in_unit(inputs.unit)
        plan = planning.ALL_AT_ONCE
        if sources is None:
            tables = {table.name: table for table in inputs.tables}
            plan = planning.plan(tables, inputs.hypotheses.name, None, run.limits)
        if not run.prepare(inputs.tables):
            return run.done
    with run.work():
        if sources is None:
            found = _sweep(run, settings, inputs, plan)
        else:
            found = _sweep_tables(run, settings, inputs, sources)
        if found is None:
            return run.done
        return _finish(run, settings, inputs, *found)


def _finish(
    run: TaskRun,
    settings: SweepSettings,
    inputs: Inputs,
    swept: Sequence[SweepReceipt],
    measured: _Measured,
) -> FinishedRun:
    """Write the tables, compose the record, and publish the run or keep it in memory."""
    with run.stage("curves"):
        account = add_rows(receipt.rows for receipt in swept)
        require_scored(run.sink, inputs, account)
        p_seg = _p_seg(settings.p_seg, swept)
        written = _write(run, settings, swept, settings.measured.parameters(p_seg))
        if measured.table is not None:
            run.write("measured", measured.table)
            written["measured"] = measured.table
    record = {
        "signature": settings.signature(measured.estimator),
        "settings": asdict(settings),
        "boundary_types": None,
        "p_seg": None if np.isnan(p_seg) else p_seg,
        "pairs": sum(receipt.pairs for receipt in swept),
        **run.record(inputs.tables, account, _swept(written)),
    }
    if inputs.shared_files and any(receipt.has_self_pairs for receipt in swept):
        record["warnings"].append(describe_self_pairs(inputs))
    published, in_memory = run.publish(record), run.sink.tables
    return FinishedRun(settings.output, published, tables=in_memory, read=written)


def _sweep(
    run: TaskRun, settings: SweepSettings, inputs: Inputs, plan: Plan
) -> tuple[list[SweepReceipt], _Measured] | None:
    """Bring the rows of each document together, and sweep all documents in tasks.

    Returns:
        The receipts of the parts, and what is measured; None if another job finished the same run
        first.
    """
    parts = parts_of(plan)
    with run.stage("meet"):
        tables = without_plain(inputs.tables)
        partitioning = shuffle.gather_by_document(run, plan, tables, SWEEP_STAGE, parts)
        if partitioning is None:
            return None
    with run.stage("sweep"):
        survey = survey_run if settings.varies else with_windows
        job = survey(run, _job(settings, inputs, plan.rows_at_once, partitioning), parts)
        swept = [*run.tasks(sweep_part, parts, job, stage=SWEEP_STAGE).values()]

        def at_best(job: SweepJob) -> Iterable[BestReceipt]:
            return run.tasks(best_part, parts, job, stage="best").values()

        measured = _measured(settings, job, swept, at_best)
        shuffle.remove_shuffled(partitioning)
    return swept, measured


def _sweep_tables(
    run: TaskRun, settings: SweepSettings, inputs: Inputs, sources: Sources
) -> tuple[list[SweepReceipt], _Measured]:
    """Sweep tables that are read in this process, as one part that stays in memory."""
    job = _job(settings, inputs, planning.ROWS_AT_ONCE, shuffle.NOWHERE)
    rows = read_sources(sources)

    def rows_at(chosen: MeasuringSettings) -> DocumentRows:
        return separate_rows(chosen, rows, typed=inputs.typed, attributes=inputs.attributes)

    swept = [sweep_rows(job, "part-00000.parquet", rows_at, MemoryTables(run))]
    return swept, _measured(settings, job, swept, lambda job: [best_rows(job, rows_at)])


def _measured(
    settings: SweepSettings,
    job: SweepJob,
    swept: Collection[SweepReceipt],
    at_best: Callable[[SweepJob], Iterable[BestReceipt]],
) -> _Measured:
    """Find the best threshold by each measure, and count again there for its interval.

    There is no table if no measure is chosen, or no hypothesis is left.
    """
    if not settings.measures or settings.varies:
        return _NOT_MEASURED
    selection = settings.measured.selection
    parameters = settings.measured.parameters(_p_seg(settings.p_seg, swept))
    sums = merge_sums((receipt.measured for receipt in swept), "thresholds or measures")
    if not sums:
        return _NOT_MEASURED
    table = tabulate_measured(sums, job.thresholds, selection, parameters)
    job = replace(job, best=best_thresholds(table))
    intervals, named = intervals_at_best(
        (receipt.counts for receipt in at_best(job)),
        selection,
        parameters,
        p_seg_varies=settings.p_seg is None,
        resample_by=settings.resample_by,
    )
    table = tabulate_measured(sums, job.thresholds, selection, parameters, intervals)
    return _Measured(table, named)


def _job(
    settings: SweepSettings, inputs: Inputs, rows_at_once: int, partitioning: Partitioning
) -> SweepJob:
    rule = Rule(settings.measuring, (1,), {})
    return SweepJob(
        rule=rule,
        typed=inputs.typed,
        rows_at_once=rows_at_once,
        partitioning=partitioning,
        totals=Totals(rule.types),
        finds_systems=settings.varies,
        has_trials=False,
        attributes=inputs.attributes,
        tolerances=settings.tolerances,
        measured=Rule(settings.measured, (1,), {}) if settings.measures else None,
        thresholds=settings.thresholds or HUNDREDTHS,
        ways=settings.ways if settings.varies else (),
    )


def _p_seg(given: float | None, swept: Iterable[SweepReceipt]) -> float:
    """Return P_seg of all references, unless it is given; NaN without windows."""
    if given is not None:
        return given
    total, covered = np.sum([receipt.windows for receipt in swept], axis=0).tolist()
    return share_of_windows(covered, total)


def _swept(written: Mapping[str, pa.Table]) -> list[str]:
    """Return the hypotheses that have a result."""
    curves = next(iter(written.values()))
    names: list[str] = curves.column("hypothesis").unique().to_pylist()
    return names


def _write(
    run: TaskRun,
    settings: SweepSettings,
    swept: Collection[SweepReceipt],
    parameters: Mapping[str, float],
) -> dict[str, pa.Table]:
    """Write the tables, and return them: ranks, tolerances, or curves and operating points."""
    if settings.varies:
        counted = merge_sums((receipt.varied for receipt in swept), "settings or measures")
        windows = np.sum([receipt.way_windows for receipt in swept], axis=0)
        rule = Rule(settings.measured, next(iter(swept)).types, {})
        ranks = tabulate_varied(counted, windows, settings.ways, rule)
        run.write("ranks", ranks)
        return {"ranks": ranks}
    if settings.tolerances:
        sums = merge_sums((receipt.sums for receipt in swept), "numbers of tolerances")
        tolerances = tabulate_tolerances(sums, settings.tolerances, parameters)
        run.write("tolerances", tolerances)
        return {"tolerances": tolerances}
    steps = merge_steps(receipt.steps for receipt in swept)
    curves, points = tabulate_curves(steps, parameters)
    run.write("curves", curves, plain=("threshold", *CHANGING, *VALUES))
    run.write("operating_points", points)
    return {"curves": curves, "operating_points": points}


def _find_inputs(settings: SweepSettings, sources: Sources | None) -> Inputs:
    if sources is None:
        inputs = find_sides(settings.references, settings.scored, settings.documents)
    else:
        given = {name: source.table for name, source in sources.items()}
        inputs = Inputs(given["references"], given["hypotheses"], given.get("documents"))
    if (
        not settings.tolerances
        and not settings.varies
        and SCORE_COLUMN not in inputs.hypotheses.further.names
    ):
        raise Refused(
            f"{settings.scored}: has no column {SCORE_COLUMN}, whose values are the thresholds; to "
            "score boundaries as they are, use `segscore score`, or sweep over --tolerances"
        )
    if inputs.has_trials:
        raise Refused(
            f"{settings.scored}: has a column {TRIAL}, and a sweep takes one answer of a system "
            "for each document; write a table of one trial without this column"
        )
    require_units(settings.resample_by, inputs)
    words = settings.units == "words" or settings.also_words
    require_lists(inputs.tables, words=words)
    return inputs.in_unit(settings.unit)
