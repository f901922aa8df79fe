"""Score with the references sent to every task, reading hypotheses in the order of their files."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.accounting import count_rows, list_unpaired_inputs, paired_references
from segscore.pipeline.scoring.broadcast_job import BroadcastJob, accept_part, portions_of
from segscore.pipeline.scoring.duplicates import run_with_duplicates
from segscore.pipeline.scoring.hypotheses import (
    Accepted,
    Account,
    join_accounts,
    merge_seen,
    write_unscored,
)
from segscore.pipeline.scoring.inputs import (
    Inputs,
    collect,
    cut,
    cut_missing,
    cut_points,
    registry_of,
)
from segscore.pipeline.scoring.missing import (
    count_missing,
    empty_hypotheses,
    merge_answered,
    name_missing,
    way_of,
)
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import (
    Part,
    Receipt,
    ReferenceSet,
    TaskResults,
    declare_types,
    require_declared,
    score_hypotheses,
    score_points,
    with_levels,
)
from segscore.pipeline.scoring.settings import REFUSE
from segscore.pipeline.tables.boundary_types import occurring
from segscore.pipeline.tables.read import Rows

_SCORED, _POINTS, _MISSING = "scored", "points", "missing"
INPUTS_PART = "inputs.parquet"


def score_broadcast(run: TaskRun, inputs: Inputs, plan: Plan, rule: Rule) -> TaskResults | None:
    """Send the references to every task and score all hypotheses.

    Returns:
        The result of the tasks; None if another job finished the same run first.

    Raises:
        Failed: no reference was accepted, or parts failed.
    """
    settings = rule.settings
    parts = cut(inputs.hypotheses.slices, plan.rows_per_part)
    with run.stage("references"):
        collected = collect(settings, inputs)
        references = replace(collected.references, digest=collected.digests.column)
        points = cut_points(references, settings, plan.rows_at_once)
        if not run.claim({_SCORED: parts, _POINTS: points}):
            return None
        run.write("rejects", collected.rejects, INPUTS_PART)
    with run.stage("score"):
        reference_set = ReferenceSet.build(references, settings, has_panels=references.has_panels)
        shared = (inputs.typed, inputs.hypotheses.further, run.folder, plan.rows_at_once)
        job = BroadcastJob(rule, *shared, reference_set)
        job = _with_types(run, job, parts, collected.reference_rows)
        receipts = run_with_duplicates(run, score_part, parts, job, stage=_SCORED)
        point_receipts = run.tasks(score_documents, points, job, stage=_POINTS)
        answered = merge_answered(
            (receipt.answered for receipt in receipts.values()), len(references.documents)
        )
        missing = count_missing([answered], len(references.documents), way_of(settings))
        if way_of(settings) == REFUSE:
            missing = replace(missing, examples=name_missing(answered, references))
        added = cut_missing(missing.added, plan.rows_per_part)
        added_receipts = run.tasks(score_missing, added, job, answered, stage=_MISSING)
    paired = paired_references(receipts, len(references)) | bool(missing.added)
    run.write("unpaired", list_unpaired_inputs(collected, paired), INPUTS_PART)
    all_receipts = [*receipts.values(), *point_receipts.values(), *added_receipts.values()]
    return TaskResults(
        rule=job.rule,
        p_seg=job.reference_set.p_seg,
        documents=len(references.documents),
        test_set=collected.recognise(registry_of(settings)),
        rows=add_rows([count_rows(collected, paired), *(receipt.rows for receipt in all_receipts)]),
        pairs=sum(receipt.pairs for receipt in all_receipts),
        folder=run.folder,
        parts=[receipt.part for receipt in all_receipts],
        levels=job.reference_set.parameters,
        missing=missing,
    )


def _with_types(
    run: TaskRun, job: BroadcastJob, parts: list[Part], reference_rows: Rows
) -> BroadcastJob:
    """Return the job with the boundary types that occur, if none are declared, and its levels."""
    if job.typed and not job.rule.settings.boundary_types:
        surveys = run_with_duplicates(run, survey_part, parts, job, stage="surveyed")
        types = occurring(reference_rows).union(*(receipt.types for receipt in surveys.values()))
        job = replace(job, rule=declare_types(job.rule, types))
    return replace(job, reference_set=with_levels(job.reference_set, reference_rows, job.rule))


def score_part(job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Score the hypotheses of one part against all their references, and write its files.

    Args:
        job: what all tasks share.
        part: the slices to read.
        duplicates: for each coder, bits over the documents for which it has several rows, all of
            which are rejected.
    """
    accounts: list[Account] = []
    portions = _accepted_portions(job, part, duplicates, accounts)
    pairs, paired = score_hypotheses(job, part.name, job.reference_set, portions)
    account = join_accounts(accounts)
    write_unscored(job.folder, part.name, account.rejects, account.unpaired)
    return Receipt(
        part.name,
        account.rows,
        pairs,
        paired=np.packbits(paired),
        seen=account.seen,
        answered=account.answered,
    )


def _accepted_portions(
    job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits], accounts: list[Account]
) -> Iterator[Accepted]:
    """Yield the hypotheses of a part that can be scored, some at a time; account for the others."""
    for portion in portions_of(job, part):
        accepted = accept_part(job, portion, duplicates)
        require_declared(job, accepted.rows)
        accounts.append(accepted.account)
        yield accepted


def score_documents(job: BroadcastJob, part: Part) -> Receipt:
    """Score the reference points of some documents."""
    return Receipt(
        part.name, pairs=score_points(job, part.name, job.reference_set, [part.documents])
    )


def score_missing(job: BroadcastJob, part: Part, answered: Mapping[str, Bits]) -> Receipt:
    """Score hypotheses without boundaries in the place of some that systems lack.

    Args:
        job: what all tasks share.
        part: which of these hypotheses to score.
        answered: for each system, bits over the documents of which it has a hypothesis.
    """
    references = job.reference_set.references
    portions = empty_hypotheses(
        dict(answered), references, job.rows_at_once, part.missing, typed=job.typed
    )
    pairs, _ = score_hypotheses(job, part.name, job.reference_set, portions)
    return Receipt(part.name, pairs=pairs)


def survey_part(job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Find which boundary types the hypotheses of a part have; write nothing."""
    types, seen = set[int](), []
    for portion in portions_of(job, part):
        accepted = accept_part(job, portion, duplicates)
        types |= occurring(accepted.rows)
        seen.append(accepted.seen)
    return Receipt(part.name, seen=merge_seen(seen), types=tuple(sorted(types)))
