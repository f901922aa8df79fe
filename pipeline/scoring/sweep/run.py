"""Run `segscore sweep` from its settings to a published folder."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.scoring.accounting import (
    count_rows,
    list_unpaired_inputs,
    paired_references,
    require_scored,
)
from segscore.pipeline.scoring.broadcast import INPUTS_PART
from segscore.pipeline.scoring.duplicates import run_with_duplicates
from segscore.pipeline.scoring.inputs import Inputs, collect, cut, find_sides
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import ReferenceSet
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.self_pairs import describe_seen_selves
from segscore.pipeline.scoring.sweep.candidates import CHANGING
from segscore.pipeline.scoring.sweep.curves import VALUES, merge_steps, tabulate_curves
from segscore.pipeline.scoring.sweep.part import SCORE_COLUMN, SweepJob, SweepReceipt, sweep_part
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.scoring.sweep.tolerances import merge_sums, tabulate_tolerances

SWEEP_STAGE = "swept"


def run_sweep(
    settings: SweepSettings, executor: Executor, progress: Progress
) -> FinishedRun | Done:
    """Sweep hypotheses over the thresholds of their scores, or tolerances, and publish the run.

    Args, Returns: as ``run_scoring``.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: nothing could be scored, or parts failed; nothing was published.
    """
    run = TaskRun("sweep", settings, executor, progress)
    measuring = settings.measuring
    with run.stage("plan"):
        inputs = _find_inputs(settings)
        parts = cut(inputs.hypotheses.slices, run.limits.rows_at_once)
        if not run.prepare(inputs.tables):
            return run.done
    with run.work():
        with run.stage("references"):
            collected = collect(measuring, inputs)
            references = collected.references
            if not run.claim({SWEEP_STAGE: parts}):
                return run.done
            run.write("rejects", collected.rejects, INPUTS_PART)
        with run.stage("sweep"):
            job = _job(run, settings, inputs, references)
            receipts = run_with_duplicates(run, sweep_part, parts, job, stage=SWEEP_STAGE)
        with run.stage("curves"):
            paired = paired_references(receipts, len(references))
            account = add_rows(
                [count_rows(collected, paired), *(receipt.rows for receipt in receipts.values())]
            )
            require_scored(run.sink, inputs, account)
            run.write("unpaired", list_unpaired_inputs(collected, paired), INPUTS_PART)
            parameters = measuring.parameters(references.p_seg)
            written = _write_curves(run, settings, receipts, parameters)
        record = {
            "signature": settings.signature,
            "settings": asdict(settings),
            "boundary_types": None,
            "p_seg": None if np.isnan(references.p_seg) else references.p_seg,
            "pairs": sum(receipt.pairs for receipt in receipts.values()),
            **run.record(inputs.tables, account, _swept(written)),
        }
        seen = (receipt.seen for receipt in receipts.values())
        record["warnings"] += describe_seen_selves(seen, references, inputs)
        return FinishedRun(settings.output, run.publish(record), read=written)


def _job(run: TaskRun, settings: SweepSettings, inputs: Inputs, references: References) -> SweepJob:
    rule, reference_set = Rule(settings.measuring, (1,), {}), ReferenceSet(references, ())
    shared = (rule, inputs.typed, inputs.hypotheses.further, run.folder)
    return SweepJob(*shared, run.limits.rows_at_once, reference_set, settings.tolerances)


def _swept(written: Mapping[str, pa.Table]) -> list[str]:
    """Return the hypotheses that have a result."""
    curves = next(iter(written.values()))
    names: list[str] = curves.column("hypothesis").unique().to_pylist()
    return names


def _write_curves(
    run: TaskRun,
    settings: SweepSettings,
    receipts: Mapping[str, SweepReceipt],
    parameters: Mapping[str, float],
) -> dict[str, pa.Table]:
    """Write the tables, and return them: tolerances, or curves and the operating points."""
    if settings.tolerances:
        sums = merge_sums(receipt.sums for receipt in receipts.values())
        tolerances = tabulate_tolerances(sums, settings.tolerances, parameters)
        run.write("tolerances", tolerances)
        return {"tolerances": tolerances}
    steps = merge_steps(receipt.steps for receipt in receipts.values())
    curves, chosen = tabulate_curves(steps, parameters)
    points = curves.take(pa.array(chosen))
    run.write("curves", curves, plain=("threshold", *CHANGING, *VALUES))
    run.write("operating_points", points)
    return {"curves": curves, "operating_points": points}


def _find_inputs(settings: SweepSettings) -> Inputs:
    inputs = find_sides(settings.references, settings.scored, settings.documents)
    if not settings.tolerances and SCORE_COLUMN not in inputs.hypotheses.further.names:
        raise Refused(
            f"{settings.scored}: has no column {SCORE_COLUMN}, whose values are the thresholds; to "
            "score boundaries as they are, use `segscore score`, or sweep over --tolerances"
        )
    return inputs
