"""Run `segscore sweep` from its settings to a published folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Bits, Ints, flags, numbers
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs import cluster
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.tasks import Progress, TaskRun
from segscore.pipeline.scoring.accounting import (
    count_rows,
    list_unpaired_inputs,
    paired_references,
    require_scored,
)
from segscore.pipeline.scoring.broadcast import INPUTS_PART
from segscore.pipeline.scoring.broadcast_job import BroadcastJob, accept_part
from segscore.pipeline.scoring.duplicates import run_with_duplicates
from segscore.pipeline.scoring.hypotheses import write_unscored
from segscore.pipeline.scoring.inputs import Inputs, collect, cut, find_sides
from segscore.pipeline.scoring.measuring import MeasuringSettings
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import Part, Receipt, ReferenceSet
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sweep.candidates import CHANGING
from segscore.pipeline.scoring.sweep.curves import (
    VALUES,
    Steps,
    merge_steps,
    sweep_pairs,
    tabulate_curves,
)
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.tables.read import refuse

SWEEP_STAGE = "swept"
_SCORES = "boundary_scores"
SCORES_GIVEN = "boundary_scores_given"
CANDIDATES_AT_ONCE = 1_000_000
"""About how many candidates a task sweeps at a time; a single document may have more."""


@dataclass(frozen=True)
class SweepReceipt(Receipt):
    """What a task returns about its part, with the sums of each coder's rows.

    Attributes:
        steps: steps of each coder.
    """

    steps: dict[str, Steps] = field(default_factory=dict)


@dataclass(frozen=True)
class FinishedSweep:
    """The record (run.json), curves, and operating points' rows of a published sweep."""

    record: dict[str, Any]
    curves: pa.Table
    operating_points: Ints


def run_sweep(
    settings: SweepSettings, client: cluster.Client, progress: Progress
) -> FinishedSweep | Done:
    """Sweep scored hypotheses over all thresholds and publish the run.

    Args, Returns: as ``run_scoring``.

    Raises:
        Refused: the input or the settings are wrong; nothing was written.
        Failed: nothing could be scored, or parts failed; nothing was published.
    """
    run = TaskRun("sweep", settings, client, progress)
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
            job = _job(run, measuring, inputs, references)
            receipts = run_with_duplicates(run, sweep_part, parts, job, stage=SWEEP_STAGE)
        with run.stage("curves"):
            paired = paired_references(receipts, len(references))
            account = add_rows(
                [count_rows(collected, paired), *(receipt.rows for receipt in receipts.values())]
            )
            require_scored(run.attempt, inputs, account)
            run.write("unpaired", list_unpaired_inputs(collected, paired), INPUTS_PART)
            steps = merge_steps(receipt.steps for receipt in receipts.values())
            parameters = measuring.parameters(references.p_seg)
            curves, chosen = _write_curves(run, steps, parameters)
        record = {
            "signature": settings.signature,
            "settings": asdict(settings),
            "boundary_types": None,
            "p_seg": None if np.isnan(references.p_seg) else references.p_seg,
            "pairs": sum(receipt.pairs for receipt in receipts.values()),
            **run.record(inputs.tables, account, steps),
        }
        return FinishedSweep(run.publish(record), curves, chosen)


def _job(
    run: TaskRun, measuring: MeasuringSettings, inputs: Inputs, references: References
) -> BroadcastJob:
    rule, reference_set = Rule(measuring, (1,), {}), ReferenceSet(references, ())
    shared = (rule, inputs.typed, inputs.hypotheses.further, run.folder)
    return BroadcastJob(*shared, run.limits.rows_at_once, reference_set)


def _write_curves(
    run: TaskRun, steps: Mapping[str, Steps], parameters: Mapping[str, float]
) -> tuple[pa.Table, Ints]:
    """Write the curves and the operating points; return the curves and the points' rows."""
    curves, chosen = tabulate_curves(steps, parameters)
    run.write("curves", curves, plain=("threshold", *CHANGING, *VALUES))
    run.write("operating_points", curves.take(pa.array(chosen)))
    return curves, chosen


def _find_inputs(settings: SweepSettings) -> Inputs:
    inputs = find_sides(settings.references, settings.scored, settings.documents)
    if _SCORES not in inputs.hypotheses.further.names:
        raise Refused(
            f"{settings.scored}: has no column {_SCORES}, whose values are the thresholds; to "
            "score boundaries as they are, use `segscore score`"
        )
    return inputs


def sweep_part(job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits]) -> SweepReceipt:
    """Sweep the hypotheses of one part against all their references; list the rows left out.

    Args:
        job: what all tasks share.
        part: the slices to read.
        duplicates: for each coder, bits over the documents for which it has several rows, all of
            which are rejected.
    """
    references = job.reference_set.references
    accepted = accept_part(job, part, duplicates)
    without_scores = ~flags(accepted.rows.table.column(_SCORES).combine_chunks().is_valid())
    reason = "boundary_scores is null; it needs one score per boundary, [] without boundaries"
    rows, missing_scores = refuse(accepted.rows, without_scores, SCORES_GIVEN, reason)
    document = accepted.document[~without_scores]
    accepted = replace(accepted, rejects=pa.concat_tables([accepted.rejects, missing_scores]))
    account = accepted.account
    write_unscored(job.folder, part.name, account.rejects, account.unpaired)
    paired = np.zeros(len(references), bool)
    paired[np.isin(references.document, document)] = True
    return SweepReceipt(
        part.name,
        account.rows,
        pairs=int(np.diff(references.first)[document].sum()),
        paired=np.packbits(paired),
        seen=account.seen,
        steps=_in_portions(rows.table, document, references),
    )


def _in_portions(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep some rows at a time, because the sums are small where scores repeat."""
    lists = hypotheses.column("boundaries").combine_chunks()
    before = np.cumsum(numbers(pc.list_value_length(lists)).astype(np.int64))
    portions = np.flatnonzero(np.diff(before // CANDIDATES_AT_ONCE)) + 1
    edges = [0, *portions.tolist(), len(lists)]
    return merge_steps(
        sweep_pairs(hypotheses.slice(first, end - first), document[first:end], references)
        for first, end in pairwise(edges)
    )
