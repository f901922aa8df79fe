"""Add up each trial of a system over documents, and how far its trials agree with each other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures import PAIRS, edits
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.group_sums import KeyedRows, sums_by_group
from segscore.pipeline.statistics.resampling import Units
from segscore.pipeline.statistics.sums import CountedRows, Sums, merge

OWN = ("self_agreement", "placed_by_all", "placed_by_any")
"""What is known of the trials of a system for a document: the mean boundary similarity of each two
of them, and how many different boundaries all or any of them placed."""

_SIMILARITY = "boundary_similarity"


@dataclass(frozen=True)
class TrialSums:
    """Sums over documents of systems with trials.

    Attributes:
        tables: for `scores` and `panel_scores`, sums of the rows of each trial; the keys of their
            groups are the system, the trial as text, and then as those of other sums.
        own: sums of ``OWN``, whose values stand for measures; None without trials.
    """

    tables: dict[str, Sums] = field(default_factory=dict)
    own: Sums | None = None


def add_trials(parts: Iterable[TrialSums]) -> TrialSums:
    """Add up the sums of disjoint sets of documents."""
    present = [part for part in parts if part.own is not None or part.tables]
    if len(present) < 2:
        return next(iter(present), TrialSums())
    names = dict.fromkeys(name for part in present for name in part.tables)
    own = [part.own for part in present if part.own is not None]
    return TrialSums(
        {name: merge([p.tables[name] for p in present if name in p.tables]) for name in names},
        merge(own) if own else None,
    )


def sum_keyed(rows: KeyedRows, rule: Rule, units: Units) -> Sums:
    """Add up rows over all documents and by group."""
    return merge([*sums_by_group(rows, rule, units)])


def own_agreement(side: Side, answer: Ints, size: Ints, rule: Rule) -> list[Floats]:
    """Return ``OWN`` of each answer that occurs, ascending, shape (answers,) each.

    They are NaN for answers with a single trial.

    Args:
        side: the segmentations of all trials.
        answer: number of the document and system of each, ascending, shape (trials,).
        size: N of the document of each, shape (trials,).
        rule: how boundaries are paired.
    """
    _, first, number = np.unique(answer, return_index=True, return_inverse=True)
    trials = np.diff(np.append(first, len(answer)))
    several = trials > 1
    one, other, of_pair = _own_pairs(first, trials)
    similarity = _similarities(side, (one, other), size[one], rule)
    defined = ~np.isnan(similarity)
    total = np.bincount(of_pair[defined], similarity[defined], len(trials))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / np.bincount(of_pair[defined], minlength=len(trials))
    placed = _placed(side, number, trials)
    return [mean, *(np.where(several, row, np.nan) for row in placed)]


def _own_pairs(first: Ints, trials: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each two trials of each answer, and the number of the answer."""
    one, other, of_pair = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for number in np.unique(trials).tolist():
        answers = np.flatnonzero(trials == number)
        a, b = np.triu_indices(number, 1)
        one.append((first[answers, None] + a).ravel())
        other.append((first[answers, None] + b).ravel())
        of_pair.append(np.repeat(answers, len(a)))
    return np.concatenate(one), np.concatenate(other), np.concatenate(of_pair)


def _similarities(side: Side, pairs: tuple[Ints, Ints], size: Ints, rule: Rule) -> Floats:
    """Return the boundary similarity of pairs of segmentations, NaN where undefined."""
    table = PAIRS.only([_SIMILARITY])
    counted = edits.count(
        pair_rows(side.typed, side.typed, *pairs, size),
        rule.settings.near_limit,
        pairing=rule.settings.pairing,
        types=TypedSides(rule.types, side.types, side.types),
    )
    counts = dict(zip(edits.COUNTS, counted, strict=True))
    parameters = rule.settings.parameters(float("nan"), rule.types)
    by_name = {name: counts[name] for name in table.counts}
    return np.asarray(table.values(by_name, parameters, rows=True)[_SIMILARITY])


def _placed(side: Side, number: Ints, trials: Ints) -> tuple[Floats, Floats]:
    """Return how many different boundaries all and any trials of each answer placed."""
    lists = side.boundaries
    row = np.repeat(number, lists.lengths)
    start = lists.offsets[0]
    positions = lists.values[start : lists.offsets[-1]].astype(np.int64)
    keys, times = np.unique(row << 32 | positions, return_counts=True)
    of_answer = keys >> 32
    by_all = np.bincount(of_answer[times == trials[of_answer]], minlength=len(trials))
    by_any = np.bincount(of_answer, minlength=len(trials))
    return by_all.astype(np.float64), by_any.astype(np.float64)


def sum_own(own: list[Floats], document: Ints, rows: KeyedRows, rule: Rule, units: Units) -> Sums:
    """Add up ``OWN`` of rows by system and group."""
    counted = CountedRows(document, [np.zeros(len(document), np.int64)], own, one_each=False)
    return sum_keyed(KeyedRows(rows.keys, rows.groups, rows.level, counted), rule, units)
