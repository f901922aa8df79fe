"""Score the documents of a run, part by part."""

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline.runs import shuffle
from segscore.pipeline.runs.planning import ROWS_AT_ONCE, Plan
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.shuffle import NOWHERE, Partitioning
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.accounting import count_rows, list_unpaired_inputs
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.documents import (
    DocumentRows,
    Job,
    Part,
    Totals,
    levels_of,
    parts_of,
    require_declared,
    rows_of_part,
    separate_rows,
    survey_run,
    survey_whole,
)
from segscore.pipeline.scoring.hypotheses import no_documents
from segscore.pipeline.scoring.inputs import Inputs, cut_points
from segscore.pipeline.scoring.missing import (
    count_missing,
    empty_hypotheses,
    first_examples,
    missing_policy,
    name_missing,
)
from segscore.pipeline.scoring.part import hypothesis_blocks, point_blocks
from segscore.pipeline.scoring.part_tables import FolderTables, MemoryTables, PartTables
from segscore.pipeline.scoring.records import Receipt, TaskResults
from segscore.pipeline.scoring.reference_set import ReferenceSet
from segscore.pipeline.scoring.references import References, with_units
from segscore.pipeline.scoring.settings import LEAVE_OUT, NONE, REFUSE
from segscore.pipeline.tables.plain_attributes import without_plain
from segscore.pipeline.tables.sources import Sources, read_sources
from segscore.pipeline.testsets.content import add_contents
from segscore.pipeline.testsets.recognise import recognise
from segscore.pipeline.testsets.registry import own_registry

_SCORED = "scored"
_POINTS_PART, _WITHOUT_PART = "points-", "without-"
"""What the names of the files of reference points and of documents that systems lack begin with."""

_WHOLE = "part-00000.parquet"


def score_documents(run: TaskRun, inputs: Inputs, plan: Plan, rule: Rule) -> TaskResults | None:
    """Bring the rows of each document together, and score all documents in tasks.

    Returns:
        The result of the tasks; None if another job finished the same run first.

    Raises:
        Failed: parts failed.
    """
    parts = parts_of(plan)
    with run.stage("meet"):
        tables = without_plain(inputs.tables)
        partitioning = shuffle.gather_by_document(run, plan, tables, _SCORED, parts)
        if partitioning is None:
            return None
    with run.stage("references"):
        job = survey_run(run, _job(inputs, rule, plan.rows_at_once, partitioning), parts)
    with run.stage("score"):
        scored = [*run.tasks(score_part, parts, job, stage=_SCORED).values()]
        shuffle.remove_shuffled(partitioning)
    kinds = ["", *[_POINTS_PART] * bool(rule.settings.points)]
    kinds += [_WITHOUT_PART] * (missing_policy(rule.settings) == NONE)
    names = [kind + part.name for kind in kinds for part in parts]
    return replace(_results(job, scored), parts=names)


def score_tables(run: TaskRun, inputs: Inputs, sources: Sources, rule: Rule) -> TaskResults:
    """Score tables that are read in this process, as one part that stays in memory.

    Raises:
        Refused: a table has wrong content.
    """
    job = _job(inputs, rule, ROWS_AT_ONCE, NOWHERE)
    tables = MemoryTables(run)
    separated = separate_rows(
        rule.settings, read_sources(sources), typed=inputs.typed, attributes=inputs.attributes
    )
    receipt = score_rows(job, _WHOLE, separated, tables)
    return replace(_results(job, [receipt]), sums=tables.sums)


def _job(inputs: Inputs, rule: Rule, rows_at_once: int, partitioning: Partitioning) -> Job:
    return Job(
        rule=rule,
        typed=inputs.typed,
        rows_at_once=rows_at_once,
        partitioning=partitioning,
        totals=Totals(rule.types),
        finds_systems=missing_policy(rule.settings) != LEAVE_OUT,
        has_trials=inputs.has_trials,
        attributes=inputs.attributes,
    )


def _results(job: Job, scored: Collection[Receipt]) -> TaskResults:
    """Combine what is known of all documents with the receipts of all parts."""
    totals, settings = job.totals, job.rule.settings
    for receipt in scored:
        totals = receipt.totals or totals
    content = add_contents(receipt.content for receipt in scored)
    missing = count_missing(
        totals.documents,
        missing_policy(settings),
        answered=[receipt.answered for receipt in scored],
        rejected=[receipt.rejected for receipt in scored],
        contradicting=[receipt.contradicting for receipt in scored],
    )
    examples = first_examples(receipt.lacked for receipt in scored)
    return TaskResults(
        rule=replace(job.rule, types=totals.types),
        p_seg=totals.p_seg,
        documents=totals.documents,
        test_set=recognise(content, totals.documents, own_registry()),
        rows=add_rows(receipt.rows for receipt in scored),
        pairs=sum(receipt.pairs for receipt in scored),
        folder=job.folder,
        levels=totals.levels,
        trials=totals.trials,
        missing=replace(missing, examples=examples),
    )


def score_part(job: Job, part: Part) -> Receipt:
    """Score a part's hypotheses and reference points, and write its files."""
    tables = FolderTables(job.folder, is_first=part.bucket == 0)
    return score_rows(job, part.name, rows_of_part(job, part), tables)


def score_rows(job: Job, name: str, rows: DocumentRows, tables: PartTables) -> Receipt:
    """Score all hypotheses and reference points of some documents, and write the tables.

    Args:
        job: what all tasks share.
        name: name of the part.
        rows: all rows of the documents.
        tables: where the tables of the part are written.
    """
    if job.is_whole:
        job, levels = survey_whole(job, rows)
    else:
        require_declared(job, rows)
        levels = levels_of(job, rows.collected)
    collected, accepted = rows.collected, rows.accepted
    reference_set = _reference_set(job, rows, levels)
    references, settings = reference_set.references, job.settings
    pieces = cut_points(references, settings, job.rows_at_once)
    answered = {system: no_documents(references) for system in job.totals.systems}
    answered |= accepted.answered
    paired = np.zeros(len(references), bool)
    pairs = tables.write_scored(name, hypothesis_blocks(job, reference_set, accepted, paired))
    if missing_policy(settings) == NONE:
        given = answered | accepted.uncharged
        added = empty_hypotheses(given, references, job.rows_at_once, typed=job.typed)
        blocks = (
            hypothesis_blocks(job, reference_set, portion, paired, are_given=False)
            for portion in added
        )
        pairs += tables.write_scored(_WITHOUT_PART + name, chain.from_iterable(blocks))
    if settings.points:
        pairs += tables.write_scored(_POINTS_PART + name, point_blocks(job, reference_set, pieces))
    account = accepted.account
    unpaired = [list_unpaired_inputs(collected, paired), account.unpaired]
    tables.write_unscored(name, rows.rejects, pa.concat_tables(unpaired))
    return Receipt(
        name,
        {**count_rows(collected, paired), **account.rows},
        pairs,
        answered=accepted.answered,
        rejected=accepted.rejected,
        contradicting=accepted.contradicting,
        lacked=name_missing(answered, references) if missing_policy(settings) == REFUSE else {},
        content=collected.content(job.totals.documents),
        totals=job.totals if job.is_whole else None,
    )


def _reference_set(job: Job, rows: DocumentRows, levels: tuple[References, ...]) -> ReferenceSet:
    """Return the references of some documents with what is known of all documents of the run."""
    totals, settings = job.totals, job.settings
    digest = rows.collected.digests
    references = replace(rows.references, p_seg=totals.p_seg, digest=digest)
    if totals.documents != len(references.documents):
        references = with_units(references, settings.resample_by, totals.documents)
    reference_set = ReferenceSet.build(references, settings, has_panels=totals.has_panels)
    if not job.rule.by_level:
        return reference_set
    known = zip(levels, totals.levels[1:], strict=True)
    resampling = references.resampling
    of_levels = tuple(
        replace(each, p_seg=of_run.p_seg, digest=digest, resampling=resampling)
        for each, of_run in known
    )
    return replace(reference_set, levels=of_levels)
