"""Scoring where the references are sent to every task, and hypotheses are read as they come."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.runs import cluster
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.run_folder import Attempt, claim
from segscore.pipeline.runs.tasks import Progress, spread
from segscore.pipeline.scoring.accounting import (
    Clock,
    add_rows,
    count_rows,
    left_over,
    met_references,
)
from segscore.pipeline.scoring.duplicates import spread_twice
from segscore.pipeline.scoring.hypotheses import list_unpaired, write_left_out
from segscore.pipeline.scoring.inputs import Inputs, collect, cut, cut_points
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import (
    Against,
    Part,
    Receipt,
    Worked,
    declared,
    require_declared,
    score_hypotheses,
    score_points,
)
from segscore.pipeline.scoring.sent import SentJob, accept_part
from segscore.pipeline.tables.boundary_types import occurring

_SCORED, _POINTS = "scored", "points"
INPUTS_PART = "inputs.parquet"


def score_sent(
    inputs: Inputs,
    plan: Plan,
    rule: Rule,
    found: Attempt,
    client: cluster.Client,
    progress: Progress,
    clock: Clock,
) -> Worked:
    """Score all hypotheses, the references sent to every task.

    Args:
        inputs: the tables.
        plan: how many rows a task takes.
        rule: how to count; its types are those declared.
        found: where the run is prepared.
        client: where the work runs.
        progress: told of each part done.
        clock: told of the stages.

    Raises:
        Failed: no reference was accepted, or parts failed.
    """
    settings = rule.settings
    parts = cut(inputs.hypotheses.slices, plan.rows_at_once)
    with clock.stage("references"):
        collected = collect(settings, inputs)
        references = collected.references
        documents = len(references.documents)
        points = cut_points(documents, len(settings.points), plan.rows_at_once)
        stages = {_SCORED: parts, _POINTS: points}
        names = {stage: [part.name for part in of] for stage, of in stages.items()}
        folder = claim(found, names)
        storage.write_table(storage.join(folder, "rejects", INPUTS_PART), collected.rejects)
    with clock.stage("score"):
        further = inputs.hypotheses.further
        against = Against.of(references, settings)
        job = SentJob(rule, inputs.typed, further, folder, plan.rows_at_once, against)
        if inputs.typed and not settings.boundary_types:
            surveyed = spread_twice(client, survey_part, parts, job, progress, stage="surveyed")
            types = occurring(collected.reference_rows).union(
                *(receipt.types for receipt in surveyed.values())
            )
            job = replace(job, rule=declared(rule, types))
        receipts = spread_twice(client, score_part, parts, job, progress, stage=_SCORED)
        made = spread(client, score_documents, points, job, progress, stage=_POINTS)
    met = met_references(receipts, len(references))
    alone = left_over(collected, met)
    storage.write_table(storage.join(folder, "unpaired", INPUTS_PART), alone)
    told = [*receipts.values(), *made.values()]
    return Worked(
        rule=job.rule,
        p_seg=references.p_seg,
        documents=documents,
        rows=add_rows([count_rows(collected, met), *(receipt.rows for receipt in told)]),
        pairs=sum(receipt.pairs for receipt in told),
        folder=folder,
        parts=[receipt.part for receipt in told],
    )


def score_part(job: SentJob, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Score the hypotheses of one part against all their references; write its files.

    Args:
        job: what all tasks share.
        part: what to read.
        duplicates: coder -> bits over the documents for which it has several rows, all refused.
    """
    accepted = accept_part(job, part, duplicates)
    require_declared(job, accepted.rows)
    pairs, met = score_hypotheses(job, part.name, job.against, accepted)
    write_left_out(job.folder, part.name, accepted.rejects, list_unpaired(accepted.unpaired))
    return Receipt(part.name, accepted.became, pairs, met=np.packbits(met), seen=accepted.seen)


def score_documents(job: SentJob, part: Part) -> Receipt:
    """Score the reference points of some documents."""
    return Receipt(part.name, pairs=score_points(job, part.name, job.against, [part.documents]))


def survey_part(job: SentJob, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Find which boundary types the hypotheses of a part have; write nothing."""
    accepted = accept_part(job, part, duplicates)
    types = tuple(sorted(occurring(accepted.rows)))
    return Receipt(part.name, seen=accepted.seen, types=types)
