"""Score the accepted hypotheses and the reference points of a part, and add up their sums."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Categorical, Flags, Ints
from segscore.pipeline.results.names import POINT
from segscore.pipeline.runs.record import RowCounts, require_row_counts
from segscore.pipeline.scoring.boundaries import Side, side, side_from_rows
from segscore.pipeline.scoring.counting import Pairs, Rule, pair_up
from segscore.pipeline.scoring.density_matched_rows import density_matched_rows
from segscore.pipeline.scoring.documents import Job, Totals
from segscore.pipeline.scoring.draw_sums import DrawSums, add_draws
from segscore.pipeline.scoring.hypotheses import Accepted, DocumentsBySystem
from segscore.pipeline.scoring.input_stats import (
    InputStats,
    add_input_stats,
    collect_pair_stats,
    collect_part_stats,
)
from segscore.pipeline.scoring.label_confusion import LabelCells, count_labels
from segscore.pipeline.scoring.levels import LevelParameters, join_levels, rows_at
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.pairs import (
    Hypotheses,
    Scored,
    score_pairs,
    score_panels,
    sum_groups,
)
from segscore.pipeline.scoring.reference_points import (
    REFERENCE_POINTS,
    Codings,
    Points,
    points,
)
from segscore.pipeline.scoring.references import (
    References,
    consensus_references,
    label_use,
)
from segscore.pipeline.scoring.trial_sums import TrialSums, add_trials
from segscore.pipeline.scoring.trials import Trials, blocks, labelled
from segscore.pipeline.scoring.type_confusion import Cells, add_cells, count_classes
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.reading import RANDOM_POINT_NAMES
from segscore.pipeline.statistics.sums import Sums, add_numbers, bucket_units, merge
from segscore.pipeline.tables.boundary_types import COLUMN as BOUNDARY_TYPES
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.trial_numbers import trial_numbers
from segscore.pipeline.testsets.content import Content
from segscore.pipeline.testsets.recognise import Recognition


@dataclass(frozen=True)
class ReferenceSet:
    """The references that hypotheses are scored against.

    Attributes:
        references: the accepted references.
        consensus: for each consensus share, one consensus reference per document.
        has_panels: whether any document of the run has several references.
        levels: the references with the boundaries of each level; empty in a run without levels.
    """

    references: References
    consensus: tuple[References, ...]
    has_panels: bool = False
    levels: tuple[References, ...] = ()

    @property
    def by_level(self) -> tuple[References, ...]:
        """The references of each level, in the order of ``Rule.levels``."""
        return self.levels or (self.references,)

    @classmethod
    def build(
        cls, references: References, settings: MeasuringSettings, *, has_panels: bool
    ) -> "ReferenceSet":
        """Build the consensus references that the settings ask for."""
        consensus = [
            consensus_references(references, label, share, settings)
            for label, share in settings.shares.items()
        ]
        return cls(references, tuple(consensus), has_panels)


@dataclass(frozen=True)
class PartSums:
    """Sums over rows of scores.

    Attributes:
        pairs: sums over the rows of `scores`; None if there are no rows.
        panels: sums over the rows of `panel_scores`; None if there are no rows.
        confusion: counts of confused boundary types; empty unless the settings ask for them.
        input_stats: what the run may warn of.
        draws: sums of each draw of random boundaries.
        trials: sums of each trial of systems with trials.
        labels: units by labels of both sides; empty unless the settings ask for them.
    """

    pairs: Sums | None = None
    panels: Sums | None = None
    confusion: Cells = field(default_factory=dict)
    input_stats: InputStats = field(default_factory=InputStats)
    draws: DrawSums = field(default_factory=dict)
    trials: TrialSums = field(default_factory=TrialSums)
    labels: LabelCells = field(default_factory=dict)


def add(parts: Iterable[PartSums]) -> PartSums:
    """Add up the sums of disjoint sets of rows."""
    total = PartSums()
    for part in parts:
        total = PartSums(
            _merge_present(total.pairs, part.pairs),
            _merge_present(total.panels, part.panels),
            add_cells([total.confusion, part.confusion]),
            add_input_stats([total.input_stats, part.input_stats]),
            add_draws([total.draws, part.draws]),
            add_trials([total.trials, part.trials]),
            add_numbers([total.labels, part.labels]),
        )
    return total


def bucket_run_units(sums: PartSums) -> PartSums:
    """Return the sums of a whole run with its resampling units in buckets, if they are many."""
    pairs, panels = (
        None if each is None else bucket_units(each) for each in (sums.pairs, sums.panels)
    )
    return replace(sums, pairs=pairs, panels=panels)


def _merge_present(first: Sums | None, second: Sums | None) -> Sums | None:
    present = [sums for sums in (first, second) if sums is not None]
    return merge(present) if present else None


@dataclass(frozen=True)
class Receipt:
    """What a task returns about its part; rows and sums are in the files that it wrote.

    Attributes:
        part: name of the part, under which its sums are saved.
        rows: how many input rows were scored, rejected and unpaired.
        pairs: number of rows written to `scores`.
        answered: of which documents of the part systems have hypotheses that were scored.
        rejected: of which other documents systems have rejected hypotheses alone.
        contradicting: of which of these a hypothesis contradicts other rows.
        lacked: the first documents of the part that systems lack, where they are to be named.
        content: what was counted of the part's references to recognise them.
        totals: what is known of all documents, if the part has all documents of the run.
    """

    part: str
    rows: RowCounts
    pairs: int
    answered: DocumentsBySystem
    rejected: DocumentsBySystem
    contradicting: DocumentsBySystem
    lacked: dict[str, tuple[str, ...]]
    content: Content
    totals: Totals | None

    def __post_init__(self) -> None:
        """Refuse counts that do not add up, as a receipt may come from a file."""
        require_row_counts(self.rows)


@dataclass(frozen=True)
class TaskResults:
    """The result of all tasks of a run.

    Attributes:
        rule: how pairs were counted, with the boundary types that occur.
        p_seg: P_seg of the run; NaN if undefined.
        documents: number of documents with an accepted reference.
        test_set: what the accepted references were recognised as.
        rows: how many input rows were scored, rejected and unpaired.
        pairs: number of rows written to `scores`.
        folder: folder of the unfinished run; empty for a run in memory.
        parts: names of the parts whose sums are saved in ``folder``.
        sums: the sums of a run in memory; None if they are saved.
        levels: parameters over all levels, then of each level; empty without levels.
        missing: documents of which systems have no hypothesis.
        trials: as in ``Totals``.
    """

    rule: Rule
    p_seg: float
    documents: int
    test_set: Recognition
    rows: RowCounts
    pairs: int
    folder: str = ""
    parts: list[str] = field(default_factory=list)
    sums: PartSums | None = None
    levels: tuple[LevelParameters, ...] = ()
    missing: Missing = field(default_factory=Missing)
    trials: int | None = None


class Confusion(NamedTuple):
    """Confused boundary types, and confused labels of segments."""

    types: Cells
    labels: LabelCells


NOT_CONFUSED = Confusion({}, {})

ScoredBlock = tuple[list[Scored], list[Scored], Confusion, InputStats]
"""Rows of `scores` and `panel_scores`, what was confused, and what the run warns of."""


def block_sums(block: ScoredBlock) -> PartSums:
    """Add up the rows of a block."""
    pairs, panels, confused, input_stats = block
    return PartSums(
        _merge_sums(pairs),
        _merge_sums(panels),
        confused.types,
        input_stats,
        add_draws(scored.draws for scored in pairs),
        add_trials(scored.trials for scored in (*pairs, *panels)),
        confused.labels,
    )


def hypothesis_blocks(
    job: Job,
    reference_set: ReferenceSet,
    accepted: Accepted,
    paired: Flags,
    *,
    are_given: bool = True,
) -> Iterator[ScoredBlock]:
    """Yield the scores of accepted hypotheses and of their own points; note which are paired.

    Nothing is input_stats about hypotheses that were added, and are not given.
    """
    levels = job.rule.levels
    at_once = max(1, job.rows_at_once // len(levels))
    trials = _trials(job, accepted)
    for start, end in blocks(accepted.answer, len(accepted.rows), at_once):
        rows = accepted.rows.part(start, end)
        document = accepted.document[start:end]
        references = reference_set.references
        of_block = None if trials is None else trials.part(start, end)
        hypotheses = _hypotheses(job, references, rows, document, of_block)
        pairs = pair_up(document, references.first)
        paired[pairs.ref_row] = True
        input_stats = []
        if are_given:
            group_by, documents = job.rule.group_by, job.totals.documents
            input_stats.append(
                collect_pair_stats(hypotheses, pairs, references, group_by, documents)
            )
        if are_given and start == 0:
            input_stats.append(collect_part_stats(references, len(accepted.rows), accepted.far))
        rows_of, on_levels = [rows], [hypotheses]
        if job.rule.by_level:
            rows_of = [rows_at(rows, level) for level in levels]
            on_levels = [_hypotheses(job, references, each, document, of_block) for each in rows_of]
        confusion = _confusion(job, reference_set, on_levels, pairs)
        yield *_score(job, reference_set, on_levels, pairs), confusion, add_input_stats(input_stats)
        for name in job.rule.settings.own_points:
            drawn = [
                density_matched_rows(name, each, of_level, references, job.rule)
                for each, of_level in zip(rows_of, on_levels, strict=True)
            ]
            drawn_pairs = pair_up(drawn[0].document, references.first)
            yield *_score(job, reference_set, drawn, drawn_pairs), NOT_CONFUSED, InputStats()


def _trials(job: Job, accepted: Accepted) -> Trials | None:
    """Return which hypotheses are trials of one answer; None in a run without trials."""
    if job.totals.trials is None:
        return None
    trial = trial_numbers(accepted.rows.table)
    if accepted.answer is None or trial is None:
        return Trials(np.arange(len(accepted.rows)), _unnumbered(accepted), job.totals.trials)
    return Trials(accepted.answer, labelled(trial), job.totals.trials)


def _unnumbered(accepted: Accepted) -> Categorical:
    return Categorical(np.zeros(len(accepted.rows), np.int64), [""])


def _hypotheses(
    job: Job, references: References, rows: Rows, document: Ints, trials: Trials | None
) -> Hypotheses:
    attributes = [name for name in rows.table.column_names if name not in SEGMENTATIONS.names]
    ids, coder = (rows.table.column(name).chunk(0) for name in ("document_id", "coder"))
    use = label_use(job.rule.settings)
    typed = job.typed and BOUNDARY_TYPES in rows.table.column_names
    sides = side_from_rows(rows, document, references.words, typed=typed, use=use)
    further = rows.table.select(attributes)
    return Hypotheses(ids, coder, rows.coders, document, sides, further, trials=trials)


def _score(
    job: Job, reference_set: ReferenceSet, hypotheses: Sequence[Hypotheses], pairs: Pairs
) -> tuple[list[Scored], list[Scored]]:
    """Score hypotheses against each reference, each consensus, and all references at once.

    Args:
        job: what all tasks share.
        reference_set: the references.
        hypotheses: the hypotheses with the boundaries of each level, in the order of
            ``Rule.levels``; one item without levels.
        pairs: each hypothesis with all references of its document.
    """
    levels = [*zip(hypotheses, reference_set.by_level, job.rule.levels, strict=True)]
    scored = [score_pairs(each, pairs, refs, rule, original=True) for each, refs, rule in levels]
    panels = []
    if reference_set.has_panels:
        panels = [
            score_panels(each, of_level.table, pairs, refs, rule)
            for (each, refs, rule), of_level in zip(levels, scored, strict=True)
        ]
    if job.rule.by_level:
        return _over_levels(job, reference_set, scored), _over_levels(job, reference_set, panels)
    for consensus in reference_set.consensus:
        consensus_pairs = pair_up(hypotheses[0].document, consensus.first)
        scored.append(
            score_pairs(hypotheses[0], consensus_pairs, consensus, job.rule, original=False)
        )
    return scored, panels


def _over_levels(job: Job, reference_set: ReferenceSet, scored: list[Scored]) -> list[Scored]:
    """Add the sums over all levels to those of each level."""
    rows = [each.rows for each in scored if each.rows is not None]
    if not rows:
        return scored
    whole = sum_groups(
        join_levels(rows),
        job.rule,
        reference_set.references.resampling,
        original=True,
    )
    tables = [Scored(each.table, each.sums) for each in scored]
    return [Scored(tables[0].table, [*tables[0].sums, *whole]), *tables[1:]]


def _confusion(
    job: Job, reference_set: ReferenceSet, hypotheses: Sequence[Hypotheses], pairs: Pairs
) -> Confusion:
    if not job.rule.settings.confusion:
        return NOT_CONFUSED
    levels = zip(hypotheses, reference_set.by_level, job.rule.levels, strict=True)
    types = add_cells(count_classes(each, pairs, refs, rule) for each, refs, rule in levels)
    labels = (
        {} if job.rule.by_level else count_labels(hypotheses[0], pairs, reference_set.references)
    )
    return Confusion(types, labels)


def _merge_sums(tables: list[Scored]) -> Sums | None:
    sums = [part_sums for scored in tables for part_sums in scored.sums]
    return merge(sums) if len(sums) > 1 else next(iter(sums), None)


def point_blocks(
    job: Job, reference_set: ReferenceSet, pieces: Sequence[tuple[int, int]]
) -> Iterator[ScoredBlock]:
    """Yield the scores of the reference points of some documents.

    A reference point with one segmentation per document is scored against all references of the
    document, consensus references included. One with a segmentation per reference is scored against
    that reference only, or against the document's other references.
    """
    references = reference_set.references
    for piece, name in product(pieces, job.rule.settings.points):
        codings = _codings(job, references, piece)
        segmentations = points(name, codings)
        hypotheses = _as_hypotheses(name, references, segmentations, piece[0])
        if name in RANDOM_POINT_NAMES:
            draws = job.rule.settings.draws
            drawn = _drawn(name, references, codings, hypotheses.document)
            hypotheses = replace(hypotheses, draws=draws, drawn=drawn)
        pairs = Pairs(segmentations.ref_row, segmentations.hyp_row)
        if REFERENCE_POINTS[name].scored_against == "all":
            yield *_score(job, reference_set, [hypotheses], pairs), NOT_CONFUSED, InputStats()
        else:
            scored = score_pairs(hypotheses, pairs, references, job.rule, original=True)
            yield [scored], [], NOT_CONFUSED, InputStats()


def _as_hypotheses(
    name: str, references: References, segmentations: Points, first_document: int
) -> Hypotheses:
    """Present reference points as hypotheses; the name of a `human` one includes the coder."""
    document = first_document + segmentations.document
    ids = references.documents.ids.take(pa.array(document))
    coder = pa.array([POINT + name] * len(document), pa.string())
    system = Categorical(np.zeros(len(document), np.int64), [POINT + name])
    if REFERENCE_POINTS[name].scored_against == "others":
        held_out_coder = references.coder.slice(references.first[first_document], len(document))
        coder = pc.binary_join_element_wise(coder, held_out_coder, ":")
    no_attributes = pa.table({"": pa.nulls(len(document))}).select([])
    sides = side(segmentations.boundaries, document, references.words)
    return Hypotheses(ids, coder, system, document, sides, no_attributes)


def _drawn(
    name: str, references: References, codings: Codings, document: Ints
) -> Callable[[int], Side]:
    """Return the function that draws a random reference point again."""

    def drawn(number: int) -> Side:
        boundaries = REFERENCE_POINTS[name].make(replace(codings, draw=number))
        return side(boundaries, document, references.words)

    return drawn


def _codings(job: Job, references: References, documents: tuple[int, int]) -> Codings:
    """Return the references of a range of documents, with the documents numbered from 0."""
    first, end = documents
    return Codings(
        hashes=hash_names(references.documents.ids).hashes[first:end],
        n_units=references.units[first:end],
        first=references.first[first : end + 1],
        boundaries=references.side.in_units,
        mean_size=Fraction(*job.totals.in_units),
        seed=job.rule.settings.seed,
    )
