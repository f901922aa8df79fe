"""Score the accepted hypotheses and the reference points of a part, block by block."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Categorical, Flags, Ints
from segscore.pipeline.results.names import POINT
from segscore.pipeline.scoring.aspects import ASPECTS
from segscore.pipeline.scoring.aspects.aspect import NOTHING
from segscore.pipeline.scoring.boundaries import Side, side, side_from_rows
from segscore.pipeline.scoring.counting import Pairs, pair_up
from segscore.pipeline.scoring.density_matched_rows import density_matched_rows
from segscore.pipeline.scoring.documents import Job
from segscore.pipeline.scoring.draw_sums import add_draws
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.levels import join_levels, rows_at
from segscore.pipeline.scoring.pairs import Scored, score_pairs, score_panels, sum_groups
from segscore.pipeline.scoring.records import PartSums, add
from segscore.pipeline.scoring.reference_points import (
    REFERENCE_POINTS,
    Codings,
    Points,
    points,
)
from segscore.pipeline.scoring.reference_set import ReferenceSet
from segscore.pipeline.scoring.references import References, label_use
from segscore.pipeline.scoring.trial_sums import add_trials
from segscore.pipeline.scoring.trials import Trials, blocks, labelled
from segscore.pipeline.scoring.view import Block, Hypotheses, View
from segscore.pipeline.settings.reading import RANDOM_POINT_NAMES
from segscore.pipeline.statistics.sums import Sums, merge
from segscore.pipeline.tables.boundary_types import COLUMN as BOUNDARY_TYPES
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.trial_numbers import trial_numbers


@dataclass(frozen=True)
class ScoredBlock:
    """Rows of `scores` and of `panel_scores`, and what was observed of them."""

    pairs: list[Scored]
    panels: list[Scored]
    observed: PartSums = field(default_factory=PartSums)

    @property
    def sums(self) -> PartSums:
        """The sums over the rows, and what aspects observed: they fill different fields."""
        return replace(
            self.observed,
            pairs=_merge_sums(self.pairs),
            panels=_merge_sums(self.panels),
            draws=add_draws(scored.draws for scored in self.pairs),
            trials=add_trials(scored.trials for scored in (*self.pairs, *self.panels)),
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

    Args:
        job: what all tasks share.
        reference_set: the references of the part.
        accepted: the hypotheses.
        paired: for each reference, whether a hypothesis was scored against it; set here.
        are_given: whether the hypotheses are rows of an input, and not empty answers added to it.
    """
    rule, references = job.rule, reference_set.references
    at_once = max(1, job.rows_at_once // len(rule.levels))
    trials = _trials(job, accepted)
    for start, end in blocks(accepted.answer, len(accepted.rows), at_once):
        rows, document = accepted.rows.part(start, end), accepted.document[start:end]
        of_block = None if trials is None else trials.part(start, end)
        pairs = pair_up(document, references.first)
        paired[pairs.ref_row] = True
        whole = _hypotheses(job, references, rows, document, of_block)
        rows_of, on_levels = [rows], [whole]
        if rule.by_level:
            rows_of = [rows_at(rows, level) for level in rule.levels]
            on_levels = [_hypotheses(job, references, each, document, of_block) for each in rows_of]
        views = _views(job, reference_set, on_levels, pairs)
        block = Block(
            View(whole, pairs, references, rule),
            views,
            documents=job.totals.documents,
            is_given=are_given,
            is_first=start == 0,
            part_rows=len(accepted.rows),
            part_far=accepted.far,
        )
        observed = (aspect.observe(block) for aspect in ASPECTS)
        seen = add(sums for sums in observed if sums is not NOTHING)
        yield replace(_score(job, reference_set, views), observed=seen)
        for name in rule.settings.own_points:
            drawn = [
                density_matched_rows(name, each, of_level, references, rule)
                for each, of_level in zip(rows_of, on_levels, strict=True)
            ]
            drawn_pairs = pair_up(drawn[0].document, references.first)
            yield _score(job, reference_set, _views(job, reference_set, drawn, drawn_pairs))


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


def _views(
    job: Job, reference_set: ReferenceSet, hypotheses: Sequence[Hypotheses], pairs: Pairs
) -> tuple[View, ...]:
    """Return a view for the hypotheses with the boundaries of each level, or one without levels."""
    levels = zip(hypotheses, reference_set.by_level, job.rule.levels, strict=True)
    return tuple(View(each, pairs, references, rule) for each, references, rule in levels)


def _consensus_views(job: Job, reference_set: ReferenceSet, whole: View) -> Iterator[View]:
    """Yield a view of the same hypotheses and each of the consensus references."""
    for consensus in reference_set.consensus:
        pairs = pair_up(whole.hypotheses.document, consensus.first)
        yield View(whole.hypotheses, pairs, consensus, job.rule, is_original=False)


def _score(job: Job, reference_set: ReferenceSet, views: Sequence[View]) -> ScoredBlock:
    """Score each view, each consensus, and all references at once."""
    has_panels = reference_set.has_panels
    pairs = [score_pairs(view, has_panels=has_panels) for view in views]
    panels = []
    if has_panels:
        panels = [score_panels(view, scored) for view, scored in zip(views, pairs, strict=True)]
    if job.rule.by_level:
        whole = [_over_levels(job, reference_set, rows) for rows in (pairs, panels)]
        return ScoredBlock(whole[0], whole[1])
    pairs += [score_pairs(view) for view in _consensus_views(job, reference_set, views[0])]
    return ScoredBlock(pairs, panels)


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
        view = View(hypotheses, pairs, references, job.rule)
        if REFERENCE_POINTS[name].scored_against == "all":
            yield _score(job, reference_set, [view])
        else:
            yield ScoredBlock([score_pairs(view)], [])


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
