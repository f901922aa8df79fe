"""Parts of a run: some documents each, with all their rows.

A document is in one part, so a part is scored without knowing the rows of the others.  A small run
has one part, whose rows are read where they are.  Otherwise documents are divided by ranges of
their ids, if files are in that order, or by hash (``runs.shuffle``).  What depends on the
references of all documents, such as P_seg, is surveyed before, unless there is one part.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from segscore.pipeline.errors import StartOver
from segscore.pipeline.runs.planning import Plan
from segscore.pipeline.runs.shuffle import Partitioning, read_partition
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses
from segscore.pipeline.scoring.inputs import Collected, gather_inputs
from segscore.pipeline.scoring.levels import (
    LevelParameters,
    level_parameters,
    references_at,
    window_counts,
)
from segscore.pipeline.scoring.reference_points import sizes_in_units
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.trials import common_scale, numbers_of_trials
from segscore.pipeline.scoring.window_policy import run_windows, share_of_windows
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.boundary_types import occurring
from segscore.pipeline.tables.columns import DOCUMENTS, contract_of, segmentations_contract
from segscore.pipeline.tables.read import Rows, join_rows, no_rows, validate_rows


@dataclass(frozen=True)
class Part:
    """The input of one task.

    Attributes:
        name: name of the output files.
        bucket: number of its hash bucket or id range of documents.
    """

    name: str
    bucket: int = 0


def parts_of(plan: Plan) -> list[Part]:
    """Return the parts of a run; sorted by name, they are in the order of their documents."""
    return [Part(f"part-{number:05d}.parquet", number) for number in range(plan.groups)]


@dataclass(frozen=True)
class Totals:
    """Totals of a whole run, which every task needs.

    Attributes:
        types: boundary types of the run.
        windows: with a `per-run` window, its size on each level, one number without levels; empty
            with another window, and in a run of one part.
        documents: number of documents with an accepted reference.
        p_seg: P_seg of the run; NaN if undefined.
        levels: parameters over all levels, then of each level; empty without levels.
        in_units: total size of all accepted references in units, and the number of their segments.
        systems: the systems of the run, if the job asks for them.
        has_panels: whether any document has several references.
        trials: number of trials that the counts of each hypothesis are extended to; None in a run
            without trials.
    """

    types: tuple[int, ...]
    windows: tuple[int, ...] = ()
    documents: int = 0
    p_seg: float = float("nan")
    levels: tuple[LevelParameters, ...] = ()
    in_units: tuple[int, int] = (0, 0)
    systems: tuple[str, ...] = ()
    has_panels: bool = False
    trials: int | None = None


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share.

    Attributes:
        rule: how pairs are counted and added up.
        typed: whether boundary types are distinguished.
        rows_at_once: how many hypotheses are scored at a time.
        partitioning: where the rows of each document are.
        totals: what is known of all documents.
        finds_systems: whether the totals have to list the systems.
        has_trials: whether hypotheses have the column ``trial``.
        attributes: attributes of documents, from a plain table; None without one.
    """

    rule: Rule
    typed: bool
    rows_at_once: int
    partitioning: Partitioning
    totals: Totals
    finds_systems: bool
    has_trials: bool
    attributes: pa.Table | None

    @property
    def folder(self) -> str:
        """The folder that parts are written to until the run is published."""
        return self.partitioning.folder

    @property
    def is_whole(self) -> bool:
        """Whether a part has all documents of the run, and finds the totals itself."""
        return self.partitioning.partitions == 1

    @property
    def settings(self) -> MeasuringSettings:
        """The settings of the run, with a `per-run` window replaced by its size if it is known."""
        settings, windows = self.rule.settings, self.totals.windows
        if self.rule.by_level or not windows:
            return settings
        return replace(settings, window=windows[0])

    @property
    def level_rules(self) -> tuple[Rule, ...]:
        """The rule of each level, with the size of its window where that is known."""
        rules, windows = self.rule.levels, self.totals.windows
        if not windows:
            return rules
        return tuple(
            replace(rule, settings=replace(self.settings, window=size))
            for rule, size in zip(rules, windows, strict=True)
        )

    @property
    def finds_types(self) -> bool:
        """Whether the boundary types have to be found in the rows."""
        return self.typed and not self.rule.settings.boundary_types


AnyJob = TypeVar("AnyJob", bound=Job)


@dataclass(frozen=True)
class DocumentRows:
    """All rows of some documents: what can be scored, and what cannot."""

    collected: Collected
    accepted: Accepted

    @property
    def references(self) -> References:
        """The accepted references."""
        return self.collected.references

    @property
    def rejects(self) -> pa.Table:
        """The rejected rows of all tables."""
        return pa.concat_tables([self.collected.rejects, self.accepted.rejects])

    @property
    def types(self) -> set[int]:
        """The boundary types that occur in accepted rows."""
        return occurring(self.collected.reference_rows) | occurring(self.accepted.rows)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems with valid hypotheses, by name."""
        return tuple(sorted(self.accepted.answered))

    @property
    def trials(self) -> tuple[int, ...]:
        """How many trials systems have of documents; empty if hypotheses have no trials."""
        return tuple(sorted(numbers_of_trials(self.accepted.answer)))


def separate_rows(
    settings: MeasuringSettings,
    tables: Mapping[str, Rows],
    *,
    typed: bool,
    attributes: pa.Table | None = None,
) -> DocumentRows:
    """Validate the rows of some documents: what can be scored, and what cannot.

    Args:
        settings: how the run measures.
        tables: the rows by the name of their table.
        typed: whether boundary types are distinguished.
        attributes: attributes of documents from a plain table, if there is one.
    """
    collected = _collect(settings, tables, attributes, typed=typed)
    references = collected.references
    accepted = accept_hypotheses(tables["hypotheses"], references, typed=typed, settings=settings)
    return DocumentRows(collected, accepted)


def _collect(
    settings: MeasuringSettings,
    tables: Mapping[str, Rows],
    attributes: pa.Table | None,
    *,
    typed: bool,
) -> Collected:
    """Validate the rows of the references and the documents."""
    described = None
    if "documents" in tables:
        described = validate_rows(tables["documents"], DOCUMENTS)
    contract = segmentations_contract(settings.length_tolerance)
    references = validate_rows(tables["references"], contract)
    return gather_inputs(settings, references, described, typed=typed, attributes=attributes)


def _read(job: Job, part: Part, names: Collection[str]) -> dict[str, Rows]:
    """Read the rows of a part's documents in some of the tables, as far as there are such."""
    found = {}
    for name in names:
        if name in job.partitioning.tables:
            blocks = read_partition(job.partitioning, name, part.bucket)
            nothing = no_rows(job.partitioning.tables[name], contract_of(name))
            found[name] = join_rows(blocks) if blocks else nothing
    return found


def rows_of_part(job: Job, part: Part) -> DocumentRows:
    """Read all rows of a part's documents."""
    tables = _read(job, part, ("documents", "references", "hypotheses"))
    return separate_rows(job.settings, tables, typed=job.typed, attributes=job.attributes)


@dataclass(frozen=True)
class PartSurvey:
    """What a part says about its rows before any are scored.

    Attributes:
        documents: number of documents with an accepted reference.
        units: total size of all accepted references, in the unit of the run.
        segments: number of segments of all accepted references on each level; one number without
            levels.
        windows: on each level, the number of windows of all accepted references, and how many
            contain a boundary.
        in_units: total size of all accepted references in units, and the number of their segments.
        has_panels: whether any document has several references.
        types: boundary types that occur; empty unless the run has to find them.
        systems: systems with valid hypotheses; empty unless the run has to know them.
        trials: how many trials systems have of documents; empty in a run without trials.
    """

    documents: int
    units: int
    segments: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]
    in_units: tuple[int, int]
    has_panels: bool
    types: tuple[int, ...] = ()
    systems: tuple[str, ...] = ()
    trials: tuple[int, ...] = ()


def survey_part(job: Job, part: Part) -> PartSurvey:
    """Add up sizes, windows and types of a part; write nothing."""
    if job.finds_types or job.finds_systems or job.has_trials:
        rows = rows_of_part(job, part)
        types = rows.types if job.finds_types else ()
        survey = _survey(rows.references, levels_of(job, rows.collected))
        systems = rows.systems if job.finds_systems else ()
        return replace(survey, types=tuple(sorted(types)), systems=systems, trials=rows.trials)
    tables = _read(job, part, ("documents", "references"))
    collected = _collect(job.settings, tables, job.attributes, typed=job.typed)
    return _survey(collected.references, levels_of(job, collected))


def levels_of(job: Job, collected: Collected) -> tuple[References, ...]:
    """Return the references with the boundaries of each level; as they are without levels."""
    if not job.rule.by_level:
        return (collected.references,)
    rows = collected.reference_rows
    return tuple(references_at(collected.references, rows, rule) for rule in job.level_rules)


def _survey(references: References, levels: tuple[References, ...]) -> PartSurvey:
    """Survey the references of some documents; types and systems are left empty."""
    return PartSurvey(
        documents=len(references.documents),
        units=int(references.size.sum()),
        segments=tuple(int((each.side.boundaries.lengths + 1).sum()) for each in levels),
        windows=tuple(window_counts(each) for each in levels),
        in_units=sizes_in_units(references.units[references.document], references.side.in_units),
        has_panels=references.has_panels,
    )


def survey_run(run: TaskRun, job: AnyJob, parts: list[Part]) -> AnyJob:
    """Return the job with what depends on all documents; one part finds it when it is scored.

    Levels are made of types, so that types that have to be found are found before all else.
    """
    if job.is_whole:
        return job
    if job.rule.by_level and job.finds_types:
        job = _with_types(job, run.tasks(survey_part, parts, job, stage="typed").values())
    job = with_windows(run, job, parts)
    surveys = run.tasks(survey_part, parts, job, stage="surveyed").values()
    if not job.rule.by_level:
        job = _with_types(job, surveys)
    return _with_totals(job, surveys)


def survey_whole(job: AnyJob, rows: DocumentRows) -> tuple[AnyJob, tuple[References, ...]]:
    """Return the job with its totals, which are those of these rows; and ``levels_of`` it."""
    if job.finds_types:
        job = _with_found_types(job, rows.types)
    levels = levels_of(job, rows.collected)
    survey = _survey(rows.references, levels)
    survey = replace(survey, systems=rows.systems, trials=rows.trials)
    return _with_totals(job, [survey]), levels


def with_windows(run: TaskRun, job: AnyJob, parts: list[Part]) -> AnyJob:
    """Return the job with the size of a `per-run` window, on each level if there are levels."""
    if job.is_whole or job.rule.settings.window != "per-run":
        return job
    surveys = run.tasks(survey_part, parts, job, stage="sized").values()
    units = sum(survey.units for survey in surveys)
    segments = np.sum([survey.segments for survey in surveys], axis=0).astype(np.int64)
    sizes = run_windows(units, segments, job.rule.settings).tolist()
    return replace(job, totals=replace(job.totals, windows=tuple(sizes)))


def _with_types(job: AnyJob, surveys: Iterable[PartSurvey]) -> AnyJob:
    """Return the job with the boundary types that occur, if the settings declare none."""
    if not job.finds_types:
        return job
    return _with_found_types(job, set[int]().union(*(survey.types for survey in surveys)))


def _with_found_types(job: AnyJob, types: set[int]) -> AnyJob:
    """Return the job with boundary types that occur.

    Raises:
        Refused: the settings are invalid for these types.
    """
    occurring_types = tuple(sorted(types)) or (1,)
    # Refuses settings that do not suit these types; the result is not needed.
    replace(job.rule.settings, boundary_types=occurring_types)
    rule = replace(job.rule, types=occurring_types)
    return replace(job, rule=rule, totals=replace(job.totals, types=occurring_types))


def _with_totals(job: AnyJob, surveys: Collection[PartSurvey]) -> AnyJob:
    """Return the job with the totals of all parts; types and windows are known before."""
    windows = [
        (sum(total for total, _ in of_level), sum(covered for _, covered in of_level))
        for of_level in zip(*(survey.windows for survey in surveys), strict=True)
    ]
    levels, p_seg = level_parameters(job.rule, windows), job.rule.settings.p_seg
    if levels:
        p_seg = levels[0].p_seg
    elif p_seg is None:
        ((total, covered),) = windows
        p_seg = share_of_windows(covered, total)
    totals = replace(
        job.totals,
        documents=sum(survey.documents for survey in surveys),
        p_seg=p_seg,
        levels=levels,
        in_units=(sum(one.in_units[0] for one in surveys), sum(one.in_units[1] for one in surveys)),
        systems=tuple(sorted({name for survey in surveys for name in survey.systems})),
        has_panels=any(survey.has_panels for survey in surveys),
        trials=_common_trials(job, surveys),
    )
    return replace(job, totals=totals)


def _common_trials(job: Job, surveys: Collection[PartSurvey]) -> int | None:
    """Return the number of trials that counts are extended to; None in a run without trials."""
    if not job.has_trials:
        return None
    return common_scale({number for survey in surveys for number in survey.trials})


def require_declared(job: Job, rows: DocumentRows) -> None:
    """Check that rows have only boundary types of the rule, as the counting loops assume.

    Raises:
        StartOver: a row has another type; the survey of the parts, which a resumed run reads from a
            file, did not list it.
    """
    if job.typed and not rows.types <= {*job.rule.types}:
        raise StartOver(
            f"{job.folder}: rows have boundary types missing from the survey of the "
            "parts; run again with --fresh"
        )
