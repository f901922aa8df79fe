"""Ranks of systems under other settings: n_t, the window, or words in place of units.

One setting is varied at a time; the others are those of the run. At each, the micro averages are
those of a run of `segscore score` with this setting. How far the order of the systems depends on it
is told by Kendall's tau-b with their order at the run's own settings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats, Ints, column
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.selection import select
from segscore.pipeline.results.coverage import Coverage
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import DocumentSides, Rule, count_pairs, pair_up
from segscore.pipeline.scoring.documents import DocumentRows
from segscore.pipeline.scoring.levels import window_counts
from segscore.pipeline.scoring.sweep.variants import Variant
from segscore.pipeline.scoring.window_policy import share_of_windows
from segscore.pipeline.settings.measuring import MeasuringSettings, settings_without_effect
from segscore.pipeline.statistics.rank_tests import kendall_tau

RowsAt = Callable[[MeasuringSettings], DocumentRows]
"""Separates the rows of some documents, as settings prepare them."""

_ROWS_AT_ONCE = 65_536
_OWN, _SHARED = range(2)


@dataclass(frozen=True)
class VariedSums:
    """Sums over the pairs of one coder of hypotheses.

    Attributes:
        counts: at each way, over its own documents and then over those that all systems have: the
            number of documents, then the counts, shape (2 ways, 1 + counts).
    """

    counts: Ints

    def __post_init__(self) -> None:
        """Refuse a wrong shape, because sums may come from a file."""
        if self.counts.ndim != 2 or len(self.counts) % 2:
            raise ValueError("the sums do not have the shape (2 ways, counts)")


def count_varied(
    rows_at: RowsAt, rule: Rule, ways: Sequence[Variant], systems: Sequence[str]
) -> tuple[dict[str, VariedSums], Ints]:
    """Count hypotheses against all references of their documents, in each way.

    Args:
        rows_at: separates the rows.
        rule: the boundary types of the run, and its measures.
        ways: the settings.
        systems: all systems of the run.

    Returns:
        The sums of each coder; and for each way the number of windows of all references, and how
        many contain a boundary, shape (ways, 2).
    """
    read: dict[tuple[object, str], DocumentRows] = {}
    sums: dict[str, list[Ints]] = {}
    windows = np.zeros((len(ways), 2), np.int64)
    for number, way in enumerate(ways):
        key = way.settings.window, way.settings.units
        if key not in read:
            read = {key: rows_at(way.settings)}
        windows[number] = window_counts(read[key].references)
        counted = _count(read[key], replace(rule, settings=way.settings), systems)
        for coder, counts in counted.items():
            sums.setdefault(coder, [np.zeros_like(counts)] * number).append(counts)
        for listed in sums.values():
            if len(listed) == number:
                listed.append(np.zeros_like(listed[0]))
    return {coder: VariedSums(np.concatenate(each)) for coder, each in sums.items()}, windows


def _count(rows: DocumentRows, rule: Rule, systems: Sequence[str]) -> dict[str, Ints]:
    """Count in one way: coder -> sums over its own and over shared documents, (2, 1 + counts)."""
    accepted, references = rows.accepted, rows.references
    coders = accepted.rows.coders
    is_shared = np.ones(len(references.documents), bool)
    for name in systems:
        has = np.zeros(len(is_shared), bool)
        if name in coders.names:
            has[accepted.document[coders.code == coders.names.index(name)]] = True
        is_shared &= has
    sums = np.zeros((2, len(coders.names), 1 + len(rule.selection.pairs.counts)), np.int64)
    for start in range(0, len(accepted.rows), _ROWS_AT_ONCE):
        part = slice(start, min(start + _ROWS_AT_ONCE, len(accepted.rows)))
        document, code = accepted.document[part], coders.code[part]
        block = accepted.rows.part(part.start, part.stop)
        typed = references.side.types is not None
        side = side_from_rows(block, document, references.words, typed=typed)
        pairs = pair_up(document, references.first)
        counts = count_pairs(DocumentSides(document, side), pairs, references, rule)
        of_pairs = np.stack([*counts.values()], axis=1)
        for which, chosen in ((_OWN, np.ones(len(document), bool)), (_SHARED, is_shared[document])):
            np.add.at(sums[which, :, 0], code[chosen], 1)
            used = chosen[pairs.hyp_row]
            np.add.at(sums[which, :, 1:], code[pairs.hyp_row][used], of_pairs[used])
    return {name: sums[:, number] for number, name in enumerate(coders.names)}


def tabulate_varied(
    sums: Mapping[str, Ints], windows: Ints, ways: Sequence[Variant], rule: Rule
) -> pa.Table:
    """Build the table ranks (schemas/curves.py): measure, setting, choice, hypothesis."""
    rows = [
        row
        for measure in rule.selection.pairs.measures
        for setting, of_setting in _by_setting(ways)
        if setting == "units" or setting not in settings_without_effect(select((measure,)))
        for row in _rows(measure, of_setting, ways, sums, windows, rule)
    ]
    names = ("measure", "setting", "choice", "own", "hypothesis", "value", "rank", "tau")
    texts, truth = ("measure", "setting", "choice", "hypothesis"), ("own",)
    columns = {
        name: pa.array([row[place] for row in rows], pa.string())
        if name in texts
        else pa.array([row[place] for row in rows], pa.bool_())
        if name in truth
        else column(np.array([row[place] for row in rows], np.float64))
        for place, name in enumerate(names)
    }
    columns["documents"] = pa.array([row[-1] for row in rows], pa.int64())
    return pa.table(columns)


def _by_setting(ways: Sequence[Variant]) -> list[tuple[str, list[int]]]:
    """Return each setting with the numbers of its ways."""
    names = dict.fromkeys(way.setting for way in ways)
    return [(name, [n for n, way in enumerate(ways) if way.setting == name]) for name in names]


_Row = tuple[str, str, str, bool, str, float, float, float, int]


def _rows(
    measure: str,
    chosen: Sequence[int],
    ways: Sequence[Variant],
    sums: Mapping[str, Ints],
    windows: Ints,
    rule: Rule,
) -> Iterator[_Row]:
    """Yield the rows of a measure and a setting."""
    values = {n: _values(measure, n, ways[n], sums, windows[n], rule) for n in chosen}
    own = next(n for n in chosen if ways[n].own)
    for n in chosen:
        tau = kendall_tau(values[n].value, values[own].value) if values[own].ranked else nan
        ranks = _ranks(values[n].value, measure) if values[n].ranked else np.full(len(sums), nan)
        for place, name in enumerate(sums):
            yield (
                *(measure, ways[n].setting, ways[n].choice, ways[n].own, name),
                *(float(values[n].value[place]), float(ranks[place]), tau),
                int(values[n].documents[place]),
            )


class _Values(NamedTuple):
    """Values of the systems, whether they can be ranked by them, and over how many documents."""

    value: Floats
    ranked: bool
    documents: Ints


def _values(
    measure: str, number: int, way: Variant, sums: Mapping[str, Ints], windows: Ints, rule: Rule
) -> _Values:
    """Average in one way: over all documents of a system, or those on which they are ranked."""
    counts = np.array([each[2 * number : 2 * number + 2] for each in sums.values()])
    own, shared = counts[:, _OWN, 0].tolist(), int(counts[:, _SHARED, 0].max(initial=0))
    coverage = Coverage(own, all(each == shared for each in own), shared)
    which = _SHARED if coverage.ranks_on_shared else _OWN
    total, covered = windows.tolist()
    p_seg = share_of_windows(covered, total) if way.settings.p_seg is None else way.settings.p_seg
    pairs = rule.selection.pairs
    by_count = dict(zip(pairs.counts, counts[:, which, 1:].T, strict=True))
    parameters = way.settings.parameters(p_seg, rule.types)
    values = np.asarray(pairs.values(by_count, parameters, rows=False)[measure], np.float64)
    return _Values(np.broadcast_to(values, len(sums)), coverage.ranks, counts[:, which, 0])


def _ranks(values: Floats, measure: str) -> Floats:
    """Return the rank of each system, from 1 for the best; equal values have the same rank."""
    better = (
        values[:, None] < values if ALL[measure].better == "higher" else values[:, None] > values
    )
    return np.where(np.isnan(values), nan, 1 + better.sum(axis=1))
