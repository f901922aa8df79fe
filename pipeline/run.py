"""A scoring run from its settings to its published folder."""

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from pipeline import cluster, resampling, run_folder, storage, summary
from pipeline.account import Clock, gate, left_over, met_references, rows_of, tell
from pipeline.boundary_types import occurring
from pipeline.class_confusion import add_up, tabulate
from pipeline.counting import Rule
from pipeline.fingerprint import Fingerprint
from pipeline.inputs import Collected, Inputs, collect, cut, cut_points, find_inputs, group_types
from pipeline.measures import PAIRS, PANELS
from pipeline.references import agreed, drawn_units
from pipeline.scoring import (
    Job,
    Receipt,
    score_part,
    score_points,
    survey_part,
)
from pipeline.settings import ScoreSettings
from pipeline.spreading import Progress, spread, spread_twice

SCORED, POINTS = "scored", "points"
INPUTS_PART = "inputs.parquet"
SCORES_UNUSED = "boundary_scores were not looked at, every candidate counts; see `segscore sweep`"


@dataclass(frozen=True)
class Finished:
    """A published run: its record (run.json) and its summary table."""

    record: dict[str, Any]
    summary: pa.Table


def score(settings: ScoreSettings, client: cluster.Client, progress: Progress) -> Finished:
    """Score hypotheses against references and publish the run.

    Args:
        settings: what to do.
        client: where the work runs.
        progress: told of each part done.

    Raises:
        Refused: wrong input or settings; nothing was written.
        Failed: nothing could be scored, parts failed, or too much was rejected; nothing published.
    """
    clock = Clock()
    with clock.stage("plan"):
        inputs = find_inputs(settings)
        group_by = group_types(settings, inputs)
        parts = cut(inputs.hypotheses.slices)
        asked = Fingerprint.of("score", settings, inputs.tables)
        found = run_folder.check(settings.output, asked, fresh=settings.fresh)
    with clock.stage("references"):
        collected = collect(settings, inputs)
        points = cut_points(len(collected.references.documents), len(settings.points))
        stages = {SCORED: parts, POINTS: points}
        folder = run_folder.claim(
            found, {stage: [part.name for part in listed] for stage, listed in stages.items()}
        )
        storage.write_table(storage.join(folder, "rejects", INPUTS_PART), collected.rejects)
    with clock.stage("score"):
        job = _job(settings, inputs, collected, group_by, folder)
        if job.typed and not settings.boundary_types:
            surveyed = spread_twice(client, survey_part, parts, job, progress, stage="surveyed")
            job = _with_types(job, collected, surveyed)
        receipts = spread_twice(client, score_part, parts, job, progress, stage=SCORED)
        made = spread(client, score_points, points, job, progress, stage=POINTS)
    with clock.stage("summary"):
        met = met_references(receipts, len(collected.references))
        account = rows_of(collected, receipts, met)
        gate(settings, account)
        table = _summarise(job, [*receipts.values(), *made.values()])
        storage.write_table(storage.join(folder, "summary", "summary.parquet"), table)
        if settings.confusion:
            cells = add_up(receipt.confusion for receipt in receipts.values())
            confusion = tabulate(cells, job.rule)
            storage.write_table(storage.join(folder, "confusion", "confusion.parquet"), confusion)
        alone = left_over(collected, met)
        storage.write_table(storage.join(folder, "unpaired", INPUTS_PART), alone)
    record = tell(settings, inputs, collected, account, receipts | made, clock, job)
    if "boundary_scores" in inputs.hypotheses.further.names:
        record["warnings"].append(SCORES_UNUSED)
    return Finished(run_folder.publish(found, record), table)


def _job(
    settings: ScoreSettings,
    inputs: Inputs,
    collected: Collected,
    group_by: dict[str, pa.DataType],
    folder: str,
) -> Job:
    references = collected.references
    shares = settings.shares.items()
    consensus = tuple(agreed(references, label, share, settings) for label, share in shares)
    rule = Rule(settings, settings.boundary_types or (1,), group_by)
    further = inputs.hypotheses.further
    return Job(references, consensus, rule, collected.typed, further, folder)


def _with_types(job: Job, collected: Collected, surveyed: dict[str, Receipt]) -> Job:
    """The types of a run are those of its accepted rows, if none are declared."""
    found = occurring(collected.reference_rows)
    for receipt in surveyed.values():
        found.update(receipt.types)
    types = tuple(sorted(found)) or (1,)
    # Refuses what does not fit these types, as if they had been declared.
    replace(job.rule.settings, boundary_types=types)
    return replace(job, rule=replace(job.rule, types=types))


def _summarise(job: Job, receipts: list[Receipt]) -> pa.Table:
    settings, references = job.rule.settings, job.references
    drawn = None
    if settings.replicates:
        drawn = resampling.weights(
            drawn_units(references).hashes, settings.seed, settings.replicates
        )
    found = [
        (PAIRS, [receipt.sums for receipt in receipts if receipt.sums is not None]),
        (PANELS, [receipt.panel_sums for receipt in receipts if receipt.panel_sums is not None]),
    ]
    kinds = [(kind, summary.merge(sums)) for kind, sums in found if sums]
    parameters = settings.parameters(references.p_seg, job.rule.types)
    return summary.summarise(kinds, job.rule.group_by, parameters, drawn)
