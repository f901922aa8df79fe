"""Score the pairs of a view: rows of `scores` and `panel_scores`, and their sums."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Categorical, Floats, Ints, column, encode, numbers
from segscore.pipeline.measures import PANEL_FAMILIES, Table
from segscore.pipeline.measures.compared import PanelRows
from segscore.pipeline.measures.several_references import BEST, MEAN, best_over_references
from segscore.pipeline.scoring.counting import Pairs, Rule, count_pairs
from segscore.pipeline.scoring.draw_sums import DrawSums, draw_sums, sum_draw
from segscore.pipeline.scoring.group_sums import KeyedRows, sums_by_group
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.trial_sums import (
    TrialSums,
    own_agreement,
    sum_keyed,
    sum_own,
)
from segscore.pipeline.scoring.trials import NUMBER, PairTrials
from segscore.pipeline.scoring.view import Hypotheses, View
from segscore.pipeline.settings.measuring import LEVEL
from segscore.pipeline.statistics import sums as adding
from segscore.pipeline.statistics.resampling import Units
from segscore.pipeline.statistics.sums import Sums

PAIR_ROWS, PANEL_ROWS = "scores", "panel_scores"

_ROWS_AT_ONCE = 8192
"""Rows that formulas are applied to at a time, so that intermediate results stay in the cache."""


@dataclass(frozen=True)
class GroupedRows:
    """Rows to add up by system and group; the groups are None if the rows are in none."""

    system: Categorical
    groups: list[Categorical] | None
    counts: tuple[str, ...]
    counted: adding.CountedRows


@dataclass(frozen=True)
class Scored:
    """Rows of an output table, and their sums.

    Attributes:
        table: the rows.
        sums: their sums by group.
        rows: the rows of this level, to be added up with those of the other levels; None in a run
            without levels.
        draws: the sums of each draw over all documents, of random boundaries.
        trials: the sums of each trial, of systems with trials.
        bests: by measure, the best value of each hypothesis over the references of its document,
            of random boundaries the mean over draws of it, shape (hypotheses,); empty if no panel
            needs it.
    """

    table: pa.Table
    sums: list[Sums]
    rows: GroupedRows | None = None
    draws: DrawSums = field(default_factory=dict)
    trials: TrialSums = field(default_factory=TrialSums)
    bests: Mapping[str, Floats] = field(default_factory=dict)


def score_pairs(view: View, *, has_panels: bool = False) -> Scored:
    """Count every pair and compute its measures, as rows of `scores` (schemas/scores.py).

    Args:
        view: the hypotheses beside their references.
        has_panels: whether the best values over references are wanted, too, for ``score_panels``.
    """
    hypotheses, pairs, rule = view.hypotheses, view.pairs, view.rule
    each, draws, bests = _count(view, has_bests=has_panels)
    together = view.trials_of(pairs)
    rows = each if together is None else each.over_trials(together)
    table = _table_of(rows, view)
    ready = rows.grouped(hypotheses, _groups(table, rule), one_each=pairs.one_to_one)
    sums = sum_groups(ready, rule, view.references.resampling, original=view.is_original)
    found = Scored(table, sums, draws=draw_sums(draws, ready.system.names), bests=bests)
    if together is not None and hypotheses.drawn is None and view.is_original:
        of_each = each.grouped(hypotheses, None, one_each=pairs.one_to_one)
        trials = _sum_trials(PAIR_ROWS, view, (of_each, ready, together))
        found = replace(found, trials=trials)
    return found if rule.level is None else replace(found, rows=ready)


def _count(
    view: View, *, has_bests: bool
) -> tuple["_Rows", list[NDArray[Any]], Mapping[str, Floats]]:
    """Count every pair, compute its measures and the best of them, and add up each draw.

    The counts of a pair are sums over the draws, and its values means of theirs, because the value
    of mean counts is another one (a quotient is not linear).
    """
    hypotheses, pairs, references, rule = view.hypotheses, view.pairs, view.references, view.rule
    ref, hyp = pairs.ref_row, pairs.hyp_row
    parameters = rule.settings.parameters(references.p_seg, rule.types)
    counts: dict[str, Ints] = {}
    values, bests = _MeanValues(), _MeanValues()
    collapsed = np.zeros(len(ref), np.int64)
    system = Categorical(hypotheses.system.code[hyp], hypotheses.system.names)
    draws = []
    for draw in hypotheses.every_draw():
        of_draw = count_pairs(draw, pairs, references, rule)
        _add_draw(counts, of_draw)
        found = _compute_measures(rule.selection.pairs, of_draw, parameters)
        values.add(found)
        if has_bests:
            bests.add(_best_values(rule.selection.pairs, found, pairs))
        if hypotheses.drawn is not None and view.is_original:
            draws.append(sum_draw(of_draw, system))
        collapsed += references.side.collapsed[ref] + draw.side.collapsed[hyp]
    return _Rows(pairs, counts, values.means(), collapsed), draws, bests.means()


def _best_values(table: Table, values: Mapping[str, Floats], pairs: Pairs) -> dict[str, Floats]:
    """Return the best values of each hypothesis, shape (hypotheses,) each."""
    better = {name: measure.better for name, measure in table.measures.items()}
    return {
        name: row if pairs.one_to_one else best_over_references(row, pairs.hyp_row, better[name])
        for name, row in values.items()
        if better[name] != "neither"
    }


@dataclass(frozen=True)
class _Rows:
    """Pairs with their counts and values, or one row for all trials of an answer.

    Attributes:
        pairs: the pairs; that of the first trial of each answer.
        counts: shape (rows,) each.
        values: shape (rows,) each, NaN where undefined.
        collapsed: boundaries that were dropped, shape (rows,).
        trials: how many trials each row is about; None if rows are pairs.
    """

    pairs: Pairs
    counts: Mapping[str, Ints]
    values: Mapping[str, Floats]
    collapsed: Ints
    trials: Ints | None = None

    def over_trials(self, together: PairTrials) -> "_Rows":
        """Return a row for each answer: mean values, counts extended to the scale of the run."""
        return _Rows(
            together.first(self.pairs),
            together.extended(self.counts),
            together.means(self.values),
            together.totals(self.collapsed),
            together.number,
        )

    def grouped(
        self, hypotheses: Hypotheses, groups: list[Categorical] | None, *, one_each: bool
    ) -> GroupedRows:
        """Return the rows to add up by system and group."""
        hyp = self.pairs.hyp_row
        counted = adding.CountedRows(
            hypotheses.document[hyp], [*self.counts.values()], [*self.values.values()], one_each
        )
        system = Categorical(hypotheses.system.code[hyp], hypotheses.system.names)
        return GroupedRows(system, groups, tuple(self.counts), counted)


def _table_of(rows: _Rows, view: View) -> pa.Table:
    """Return rows of `scores`."""
    hypotheses, references = view.hypotheses, view.references
    pairs, ref = rows.pairs, rows.pairs.ref_row
    names = {
        "document_id": pairs.hypothesis_column(hypotheses.document_id),
        "reference": references.coder.take(pa.array(ref)),
        "hypothesis": pairs.hypothesis_column(hypotheses.coder),
        **_attributes(view, pairs),
        **_level(view.rule, len(ref)),
    }
    sizes = {
        "n_units": column(references.size[ref]),
        "window": column(references.window[ref]),
        "collapsed_boundaries": column(rows.collapsed),
        "reference_digest": column(references.digest[ref]),
    }
    numbers_by_name = {name: column(row) for name, row in {**rows.counts, **rows.values}.items()}
    return pa.table({**names, **sizes, **_number_of_trials(rows), **numbers_by_name})


def _number_of_trials(rows: _Rows) -> dict[str, pa.Array]:
    return {} if rows.trials is None else {NUMBER: column(rows.trials)}


def _sum_trials(
    table: str, view: View, rows: tuple[GroupedRows, GroupedRows, PairTrials]
) -> TrialSums:
    """Add up the rows of each trial and, once, how far the trials of each answer agree.

    Args:
        table: name of the table of the rows.
        view: the hypotheses, with their trials, beside their references.
        rows: the row of each trial, those of each answer, and which trials are of which answer.
    """
    of_each, ready, together = rows
    hypotheses, references, rule = view.hypotheses, view.references, view.rule
    trials = hypotheses.trials
    assert trials is not None
    hyp_row = together.hyp_row
    label = Categorical(trials.label.code[hyp_row], trials.label.names)
    level = (rule.level,) if rule.by_level else ()
    groups = ready.groups
    of_rows = None
    if groups is not None:
        of_rows = [Categorical(each.code[together.row], each.names) for each in groups]
    keyed = KeyedRows([of_each.system, label], of_rows, level, of_each.counted)
    units = references.resampling
    sums = TrialSums({table: sum_keyed(keyed, rule, units)})
    if table != PAIR_ROWS:
        return sums
    size = references.size[references.first[hypotheses.document]]
    own = own_agreement(hypotheses.side, trials.answer, size, rule)
    first = hyp_row[together.order[together.starts]]
    answer = np.unique(trials.answer, return_inverse=True)[1][first]
    keyed = KeyedRows([ready.system], groups, level, ready.counted)
    of_answers = [row[answer] for row in own]
    return replace(sums, own=sum_own(of_answers, ready.counted.document, keyed, rule, units))


def _add_draw(counts: dict[str, Ints], further: Mapping[str, Ints]) -> None:
    """Add the counts of another draw, in place."""
    for name, added in further.items():
        counts[name] = counts[name] + added if name in counts else added


def _compute_measures(
    table: Table, counts: Mapping[str, Ints], parameters: Mapping[str, float]
) -> dict[str, Floats]:
    """Compute every measure from the counts of rows, shape (rows,) each, NaN where undefined."""
    rows = max(map(len, counts.values()), default=0)
    values = {name: np.empty(rows) for name in table.measures}
    for start in range(0, rows, _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        by_name = {name: row[block] for name, row in counts.items()}
        for name, value in table.values(by_name, parameters, rows=True).items():
            values[name][block] = value
    return values


class _MeanValues:
    """The means of the values of rows over the draws where they are defined."""

    def __init__(self) -> None:
        self._first: Mapping[str, Floats] = {}
        self._sums: dict[str, tuple[Floats, Ints]] = {}

    def add(self, draw: Mapping[str, Floats]) -> None:
        """Add the values of a draw, by measure."""
        if not self._first:
            self._first = draw
            return
        for name, values in draw.items():
            total, defined = self._sums.get(name) or _defined(self._first[name])
            further, known = _defined(values)
            self._sums[name] = total + further, defined + known

    def means(self) -> Mapping[str, Floats]:
        """Return the means, NaN where a measure is undefined in every draw."""
        with np.errstate(invalid="ignore"):
            means = {name: total / defined for name, (total, defined) in self._sums.items()}
        return means or self._first


def _defined(values: Floats) -> tuple[Floats, Ints]:
    """Return values with 0 where they are undefined, and 1 where they are defined."""
    known = ~np.isnan(values)
    return np.where(known, values, 0.0), known.astype(np.int64)


def score_panels(view: View, scored: Scored) -> Scored:
    """Compare each hypothesis with all its references at once (docs/measures.md).

    Args:
        view: each hypothesis, one row per document and coder, with all references of its document.
        scored: what was scored of its pairs, for the mean and the best over references.

    Returns:
        Rows of `panel_scores`, and their sums.
    """
    hypotheses, pairs, references, rule = view.hypotheses, view.pairs, view.references, view.rule
    document, table = hypotheses.document, rule.selection.panels
    counts: dict[str, Ints] = {}
    parameters = rule.settings.parameters(references.p_seg, rule.types)
    values = _MeanValues()
    for draw in hypotheses.every_draw() if table.counts else ():
        counted = _count_panels(draw, references, rule)
        of_draw = {name: counted[name] for name in table.counts}
        _add_draw(counts, of_draw)
        values.add(table.values(of_draw, parameters, rows=True))
    whole = Pairs(references.first[document], np.arange(len(document)), one_to_one=True)
    nothing = np.zeros(len(document), np.int64)
    each = _Rows(whole, counts, values.means(), nothing)
    together = view.trials_of(whole)
    rows, of_scored, bests = each, pairs.hyp_row, scored.bests
    if together is not None and hypotheses.trials is not None:
        rows = each.over_trials(together)
        first = hypotheses.trials.of_pairs(pairs).first(pairs).hyp_row
        of_scored = np.searchsorted(rows.pairs.hyp_row, first)
        bests = together.means(bests)
    measures = rule.selection.pairs.measures
    means = adding.mean_over_references(read_measures(scored.table, measures), of_scored)
    over_references = dict(zip((MEAN + name for name in measures), means, strict=True))
    over_references |= {BEST + name: row for name, row in bests.items()}
    written = _panel_table(rows, over_references, view)
    if not table.measures:
        return Scored(written, [])
    ready = rows.grouped(hypotheses, _groups(written, rule), one_each=True)
    sums = sum_groups(ready, rule, references.resampling, original=True)
    found = Scored(written, sums, None if rule.level is None else ready)
    if together is None or hypotheses.drawn is not None:
        return found
    of_each = each.grouped(hypotheses, None, one_each=True)
    of_trials = _sum_trials(PANEL_ROWS, view, (of_each, ready, together))
    return replace(found, trials=of_trials)


def _panel_table(rows: _Rows, over_references: Mapping[str, Floats], view: View) -> pa.Table:
    """Return rows of `panel_scores`; ``over_references`` has columns of means and best values."""
    hypotheses, references = view.hypotheses, view.references
    document = hypotheses.document[rows.pairs.hyp_row]
    sizes = {
        "references": np.diff(references.first)[document],
        "window": references.panel_window[document],
    }
    names = {
        "document_id": rows.pairs.hypothesis_column(hypotheses.document_id),
        "hypothesis": rows.pairs.hypothesis_column(hypotheses.coder),
        **_attributes(view, rows.pairs),
        **_level(view.rule, len(document)),
        **_number_of_trials(rows),
    }
    columns = {**sizes, **rows.counts, **rows.values, **over_references}
    return pa.table(names | {name: column(row) for name, row in columns.items()})


def _count_panels(hypotheses: Hypotheses, references: References, rule: Rule) -> dict[str, Ints]:
    """Count all hypotheses against the references of their documents, by name of the count."""
    document = hypotheses.document
    size, window = references.size[references.first[document]], references.panel_window[document]
    rows = PanelRows(references.first, document, np.arange(len(document)), size, window)
    sides = references.side.boundaries, hypotheses.side.boundaries
    counts: dict[str, Ints] = {}
    for name, family in PANEL_FAMILIES.items():
        if name in rule.selection.families:
            counted = family.count_panels(*sides, rows, rule.settings)
            counts |= zip(family.COUNTS, counted, strict=True)
    return counts


def read_measures(scored: pa.Table, measures: Iterable[str]) -> list[Floats]:
    """Return the measures in rows of `scores`, NaN where null, shape (rows,) each."""
    return [
        numbers(scored.column(name).combine_chunks().fill_null(float("nan"))) for name in measures
    ]


def _attributes(view: View, pairs: Pairs) -> dict[str, pa.ChunkedArray]:
    """Return each pair's attributes: the document's or reference's, else the hypothesis's."""
    hypotheses = view.hypotheses
    from_references = view.references.attributes.take(pa.array(pairs.ref_row))
    columns = dict(zip(from_references.column_names, from_references.columns, strict=True))
    for name in hypotheses.attributes.column_names:
        if name not in columns:
            columns[name] = pairs.hypothesis_column(hypotheses.attributes.column(name))
    return columns


def _level(rule: Rule, rows: int) -> dict[str, pa.Array]:
    """Return the column of the level that was counted, if any."""
    return {} if rule.level is None else {LEVEL: pa.repeat(pa.scalar(rule.level, pa.int64()), rows)}


def _groups(table: pa.Table, rule: Rule) -> list[Categorical] | None:
    """Return each row's values of the group-by columns; None if it has not all of these columns."""
    if not rule.group_by or not all(name in table.column_names for name in rule.group_by):
        return None
    return [encode(table.column(name).combine_chunks()) for name in rule.group_by]


def sum_groups(rows: GroupedRows, rule: Rule, units: Units, *, original: bool) -> list[Sums]:
    """Sum over all documents of each system and, with group-by columns, over each of its groups.

    Args:
        rows: the rows.
        rule: how they were counted; its level is the last part of the keys in a run by level.
        units: the resampling units of the documents.
        original: whether the rows are about original references, which alone count over all.
    """
    level = (rule.level,) if rule.by_level else ()
    keyed = KeyedRows([rows.system], rows.groups, level, rows.counted)
    return [*sums_by_group(keyed, rule, units, over_all=original)]
