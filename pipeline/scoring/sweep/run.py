"""Run `segscore sweep` from its settings to a published folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
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


@dataclass(frozen=True)
class FinishedSweep:
    """A published sweep.

    Attributes:
        record: content of its run.json.
        curves: the table `curves` of a sweep over thresholds, or `tolerances`.
        operating_points: the rows of the operating points in ``curves``; None in a sweep over
            tolerances.
    """

    record: dict[str, Any]
    curves: pa.Table
    operating_points: Ints | None = None

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The tables of results by name."""
        if self.operating_points is None:
            return {"tolerances": self.curves}
        chosen = self.curves.take(pa.array(self.operating_points))
        return {"curves": self.curves, "operating_points": chosen}


def run_sweep(
    settings: SweepSettings, executor: Executor, progress: Progress
) -> FinishedSweep | Done:
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
            curves, chosen = _write_curves(run, settings, receipts, parameters)
        record = {
            "signature": settings.signature,
            "settings": asdict(settings),
            "boundary_types": None,
            "p_seg": None if np.isnan(references.p_seg) else references.p_seg,
            "pairs": sum(receipt.pairs for receipt in receipts.values()),
            **run.record(inputs.tables, account, curves.column("hypothesis").unique().to_pylist()),
        }
        seen = (receipt.seen for receipt in receipts.values())
        record["warnings"] += describe_seen_selves(seen, references, inputs)
        return FinishedSweep(run.publish(record), curves, chosen)


def read_sweep(output: str) -> FinishedSweep:
    """Read the sweep that a folder contains.

    Raises:
        Refused: the folder has no finished run.
    """
    run = FinishedRun.open(output)
    if run.settings["tolerances"]:
        return FinishedSweep(run.record, run.table("tolerances"))
    curves, points = run.table("curves"), run.rows("operating_points")
    chosen = {(row["hypothesis"], row["threshold"]) for row in points}
    steps = zip(*(curves.column(name).to_pylist() for name in _POINT), strict=True)
    rows = [row for row, step in enumerate(steps) if step in chosen]
    return FinishedSweep(run.record, curves, np.array(rows, np.int64))


_POINT = ("hypothesis", "threshold")
"""Columns that name a point of the curves."""


def _job(run: TaskRun, settings: SweepSettings, inputs: Inputs, references: References) -> SweepJob:
    rule, reference_set = Rule(settings.measuring, (1,), {}), ReferenceSet(references, ())
    shared = (rule, inputs.typed, inputs.hypotheses.further, run.folder)
    return SweepJob(*shared, run.limits.rows_at_once, reference_set, settings.tolerances)


def _write_curves(
    run: TaskRun,
    settings: SweepSettings,
    receipts: Mapping[str, SweepReceipt],
    parameters: Mapping[str, float],
) -> tuple[pa.Table, Ints | None]:
    """Write the tables; return the curves and the rows of operating points in them, if any."""
    if settings.tolerances:
        sums = merge_sums(receipt.sums for receipt in receipts.values())
        curves = tabulate_tolerances(sums, settings.tolerances, parameters)
        run.write("tolerances", curves)
        return curves, None
    steps = merge_steps(receipt.steps for receipt in receipts.values())
    curves, chosen = tabulate_curves(steps, parameters)
    run.write("curves", curves, plain=("threshold", *CHANGING, *VALUES))
    run.write("operating_points", curves.take(pa.array(chosen)))
    return curves, chosen


def _find_inputs(settings: SweepSettings) -> Inputs:
    inputs = find_sides(settings.references, settings.scored, settings.documents)
    if not settings.tolerances and SCORE_COLUMN not in inputs.hypotheses.further.names:
        raise Refused(
            f"{settings.scored}: has no column {SCORE_COLUMN}, whose values are the thresholds; to "
            "score boundaries as they are, use `segscore score`, or sweep over --tolerances"
        )
    return inputs
