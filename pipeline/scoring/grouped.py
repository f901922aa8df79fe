"""Score with the rows of each document brought together first, so that parts are independent."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.runs import shuffle
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.record import add_rows
from segscore.pipeline.runs.shuffle import Partitioning, read_partition
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.accounting import count_rows, list_unpaired_inputs
from segscore.pipeline.scoring.hypotheses import (
    Accepted,
    accept_hypotheses,
    nothing_of,
    write_unscored,
)
from segscore.pipeline.scoring.inputs import (
    Checked,
    Collected,
    Inputs,
    cut_points,
    gather_inputs,
    registry_of,
)
from segscore.pipeline.scoring.levels import (
    LevelParameters,
    level_parameters,
    references_at,
    window_counts,
)
from segscore.pipeline.scoring.missing import (
    count_missing,
    empty_hypotheses,
    first_examples,
    name_missing,
    way_of,
)
from segscore.pipeline.scoring.pairs import Rule
from segscore.pipeline.scoring.part import (
    Job,
    Part,
    Receipt,
    ReferenceSet,
    TaskResults,
    declare_types,
    require_declared,
    score_hypotheses,
    score_points,
)
from segscore.pipeline.scoring.references import References, share_of_windows, with_units
from segscore.pipeline.scoring.settings import LEAVE_OUT, NONE, REFUSE
from segscore.pipeline.scoring.window_policy import run_windows
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.boundary_types import occurring
from segscore.pipeline.tables.columns import (
    DOCUMENTS,
    SEGMENTATIONS,
    Contract,
    segmentations_contract,
)
from segscore.pipeline.tables.read import Rows, join_rows, no_rows, validate_rows
from segscore.pipeline.testsets.content import add_contents
from segscore.pipeline.testsets.recognise import recognise
from segscore.pipeline.testsets.registry import Registry

_SCORED = "scored"
POINTS_PART = "points-"


@dataclass(frozen=True)
class ShuffledJob(Job):
    """What all tasks of a run share.

    Attributes:
        partitioning: where the rows of each document are.
        settings: the run's settings, with a `per-run` window replaced by its size.
        p_seg: P_seg of the run; NaN if undefined.
        levels: parameters over all levels, then of each level; empty without levels.
        level_windows: with a `per-run` window, its size on each level; else empty.
        documents: number of documents of the run with an accepted reference.
        systems: the systems of the run, where the documents that they lack are scored or named.
        registry: the test sets to look for.
        has_panels: whether any document of the run has several references.
    """

    partitioning: Partitioning
    settings: MeasuringSettings
    p_seg: float
    documents: int
    registry: Registry
    systems: tuple[str, ...] = ()
    has_panels: bool = False
    levels: tuple[LevelParameters, ...] = ()
    level_windows: tuple[int, ...] = ()

    @property
    def level_rules(self) -> tuple[Rule, ...]:
        """The rule of each level, with the size of its window where that is known."""
        rules = self.rule.levels
        settings = [replace(self.settings, window=size) for size in self.level_windows]
        pairs = zip(rules, settings or [self.settings] * len(rules), strict=True)
        return tuple(replace(rule, settings=of_level) for rule, of_level in pairs)


@dataclass(frozen=True)
class SurveyReceipt:
    """What a part returns about its references and hypotheses before any are scored.

    Attributes:
        documents: number of documents with an accepted reference.
        units: total size of all accepted references, in the unit of the run.
        segments: number of segments of all accepted references on each level; one number without
            levels.
        windows: on each level, the number of windows of all accepted references, and how many
            contain a boundary.
        types: boundary types that occur; empty unless the run has to find them.
        systems: systems with valid hypotheses; empty unless the run has to know them.
        has_panels: whether any document has several references.
    """

    documents: int
    units: int
    segments: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]
    types: tuple[int, ...]
    systems: tuple[str, ...]
    has_panels: bool


def score_shuffled(run: TaskRun, inputs: Inputs, plan: Plan, rule: Rule) -> TaskResults | None:
    """Bring the rows of each document together, then score all hypotheses.

    Returns:
        The result of the tasks; None if another job finished the same run first.

    Raises:
        Failed: parts failed.
    """
    parts = [Part(f"part-{i:05d}.parquet", bucket=i) for i in range(plan.groups)]
    with run.stage("meet"):
        if not run.claim({_SCORED: parts}):
            return None
        tables = {table.name: table for table in inputs.tables}
        partitioning = Partitioning.of(plan, tables, run.folder)
        shuffle.shuffle_rows(run.executor, partitioning)
    with run.stage("references"):
        further = inputs.hypotheses.further
        shared = (rule, inputs.typed, further, run.folder, plan.rows_at_once)
        registry = registry_of(rule.settings)
        job = ShuffledJob(*shared, partitioning, rule.settings, np.nan, 0, registry)
        job = _with_survey(run, job, parts)
    with run.stage("score"):
        receipts = run.tasks(score_bucket, parts, job, stage=_SCORED).values()
        storage.remove(storage.join(run.folder, shuffle.FOLDER))
    points = [POINTS_PART + part.name for part in parts] if rule.settings.points else []
    return TaskResults(
        rule=job.rule,
        p_seg=job.p_seg,
        documents=job.documents,
        test_set=recognise(
            add_contents([each.content for each in receipts if each.content is not None], registry),
            job.documents,
            registry,
        ),
        rows=add_rows(receipt.rows for receipt in receipts),
        pairs=sum(receipt.pairs for receipt in receipts),
        folder=run.folder,
        parts=[*(part.name for part in parts), *points],
        levels=job.levels,
        missing=replace(
            count_missing(
                (receipt.answered for receipt in receipts), job.documents, way_of(rule.settings)
            ),
            examples=first_examples(receipt.lacked for receipt in receipts),
        ),
    )


def _with_survey(run: TaskRun, job: ShuffledJob, parts: list[Part]) -> ShuffledJob:
    """Compute what depends on all references together: types, `per-run` windows, P_seg.

    Levels are made of types, so that types that have to be found are found before all else.
    """
    settings = job.settings
    if job.rule.by_level and not settings.boundary_types:
        job = _with_types(job, run.tasks(survey_bucket, parts, job, stage="typed").values())
    if settings.window == "per-run":
        job = _with_window(job, run.tasks(survey_bucket, parts, job, stage="sized").values())
    surveys = run.tasks(survey_bucket, parts, job, stage="surveyed").values()
    if not job.rule.by_level:
        job = _with_types(job, surveys)
    windows = [
        (sum(total for total, _ in of_level), sum(covered for _, covered in of_level))
        for of_level in zip(*(survey.windows for survey in surveys), strict=True)
    ]
    levels = level_parameters(job.rule, windows)
    p_seg = settings.p_seg
    if levels:
        p_seg = levels[0].p_seg
    elif p_seg is None:
        ((total, covered),) = windows
        p_seg = share_of_windows(covered, total)
    documents = sum(survey.documents for survey in surveys)
    systems = tuple(sorted({name for survey in surveys for name in survey.systems}))
    has_panels = any(survey.has_panels for survey in surveys)
    known = replace(job, documents=documents, systems=systems, has_panels=has_panels)
    return replace(known, p_seg=p_seg, levels=levels)


def _with_types(job: ShuffledJob, surveys: Iterable[SurveyReceipt]) -> ShuffledJob:
    """Return the job with the boundary types that occur, if the settings declare none."""
    if not job.typed or job.settings.boundary_types:
        return job
    types = set[int]().union(*(survey.types for survey in surveys))
    return replace(job, rule=declare_types(job.rule, types))


def _with_window(job: ShuffledJob, surveys: Collection[SurveyReceipt]) -> ShuffledJob:
    """Return the job with the size of the `per-run` window, on each level if there are levels."""
    units = sum(survey.units for survey in surveys)
    segments = np.sum([survey.segments for survey in surveys], axis=0).astype(np.int64)
    sizes = run_windows(units, segments, job.settings).tolist()
    if job.rule.by_level:
        return replace(job, level_windows=tuple(sizes))
    return replace(job, settings=replace(job.settings, window=sizes[0]))


def survey_bucket(job: ShuffledJob, part: Part) -> SurveyReceipt:
    """Add up sizes, windows and types of a part's references; write nothing."""
    collected = _collected(job, part)
    references = collected.references
    levels = _levels(job, references, collected)
    types, systems = tuple[int, ...](), tuple[str, ...]()
    finds_types = job.typed and not job.settings.boundary_types
    if finds_types or way_of(job.settings) != LEAVE_OUT:
        accepted = _accepted(job, part, collected)
        if finds_types:
            types = tuple(sorted(occurring(collected.reference_rows) | occurring(accepted.rows)))
        systems = tuple(sorted(accepted.answered))
    return SurveyReceipt(
        documents=len(references.documents),
        units=int(references.size.sum()),
        segments=tuple(int((each.side.boundaries.lengths + 1).sum()) for each in levels),
        windows=tuple(window_counts(each) for each in levels),
        types=types,
        systems=systems,
        has_panels=references.has_panels,
    )


def _levels(
    job: ShuffledJob, references: References, collected: Collected
) -> tuple[References, ...]:
    """Return the references with the boundaries of each level; as they are without levels."""
    if not job.rule.by_level:
        return (references,)
    rows = collected.reference_rows
    return tuple(references_at(references, rows, rule) for rule in job.level_rules)


def score_bucket(job: ShuffledJob, part: Part) -> Receipt:
    """Score a part's hypotheses and reference points, and write its files."""
    collected = _collected(job, part)
    references = collected.references
    references = replace(references, p_seg=job.p_seg, digest=collected.digests.column)
    references = with_units(references, job.settings.resample_by, job.documents)
    reference_set = ReferenceSet.build(references, job.settings, has_panels=job.has_panels)
    if job.rule.by_level:
        levels = zip(_levels(job, references, collected), job.levels[1:], strict=True)
        of_levels = tuple(replace(each, p_seg=of_run.p_seg) for each, of_run in levels)
        reference_set = replace(reference_set, levels=of_levels)
    accepted = _accepted(job, part, collected)
    require_declared(job, collected.reference_rows, accepted.rows)
    pieces = cut_points(references, job.settings, job.rows_at_once)
    answered = {system: nothing_of(references) for system in job.systems} | accepted.answered
    portions, lacked = iter([accepted]), dict[str, tuple[str, ...]]()
    if way_of(job.settings) == NONE:
        added = empty_hypotheses(answered, references, job.rows_at_once, typed=job.typed)
        portions = chain(portions, added)
    elif way_of(job.settings) == REFUSE:
        lacked = name_missing(answered, references)
    pairs, paired = score_hypotheses(job, part.name, reference_set, portions)
    if job.settings.points:
        name = POINTS_PART + part.name
        pairs += score_points(job, name, reference_set, [piece.documents for piece in pieces])
    account = accepted.account
    rejects = pa.concat_tables([collected.rejects, account.rejects])
    unpaired = pa.concat_tables([list_unpaired_inputs(collected, paired), account.unpaired])
    write_unscored(job.folder, part.name, rejects, unpaired)
    rows = {**count_rows(collected, paired), **account.rows}
    return Receipt(
        part.name,
        rows,
        pairs,
        answered=accepted.answered,
        lacked=lacked,
        content=collected.content(job.registry),
    )


def _collected(job: ShuffledJob, part: Part) -> Collected:
    documents = None
    if "documents" in job.partitioning.tables:
        documents = _checked(job, part, "documents", DOCUMENTS)
    contract = segmentations_contract(job.settings.length_tolerance)
    rows = _checked(job, part, "references", contract)
    return gather_inputs(job.settings, rows, documents, typed=job.typed)


def _checked(job: ShuffledJob, part: Part, name: str, model: Contract) -> Checked:
    return validate_rows(_read(job, part, name, model), model)


def _read(job: ShuffledJob, part: Part, name: str, model: Contract) -> Rows:
    blocks = read_partition(job.partitioning, name, part.bucket)
    return join_rows(blocks) if blocks else no_rows(job.partitioning.tables[name], model)


def _accepted(job: ShuffledJob, part: Part, collected: Collected) -> Accepted:
    rows = _read(job, part, "hypotheses", SEGMENTATIONS)
    return accept_hypotheses(
        rows, collected.references, None, typed=job.typed, settings=job.settings
    )
