"""Any measure over thresholds: the sums of its counts at each of some thresholds.

At a threshold, the boundaries of a hypothesis are its candidates with at least that score, as in
`segscore score --threshold`, so that each value is the micro average of such a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, column
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.selection import Selection
from segscore.pipeline.scoring.boundaries import Side, side_from_rows
from segscore.pipeline.scoring.counting import DocumentSides, Pairs, Rule, count_pairs, pair_up
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.thresholds import reaching
from segscore.pipeline.tables.read import Rows

HUNDREDTHS = tuple(step / 100 for step in range(101))
"""The thresholds at which measures are computed if none are chosen."""

_NEAR = 0.01
"""How far a value may be from the best to be about as good."""

_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class MeasureSums:
    """Sums over the pairs of one coder of hypotheses; ``counts`` has shape (thresholds, counts)."""

    counts: Ints

    def __post_init__(self) -> None:
        """Refuse a wrong shape, because sums may come from a file."""
        if self.counts.ndim != 2:
            raise ValueError("the sums do not have the shape (thresholds, counts)")


def count_at_thresholds(
    accepted: Accepted, references: References, rule: Rule, thresholds: Sequence[float]
) -> dict[str, MeasureSums]:
    """Count hypotheses against all references of their documents, at each threshold.

    Boundaries have no types, as in the curves.

    Args:
        accepted: the hypotheses, all with scores.
        references: the accepted references.
        rule: how pairs are counted, and for which measures.
        thresholds: least scores of boundaries.

    Returns:
        The sums of each coder.
    """
    references = replace(references, side=_untyped(references.side))
    coders = accepted.rows.coders
    counted = len(rule.selection.pairs.counts)
    sums = np.zeros((len(coders.names), len(thresholds), counted), np.int64)
    for start in range(0, len(accepted.rows), _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, len(accepted.rows))
        rows, document = accepted.rows.part(start, end), accepted.document[start:end]
        pairs = pair_up(document, references.first)
        coder = coders.code[start:end][pairs.hyp_row]
        for place, least in enumerate(thresholds):
            counts = _count(rows, document, least, pairs, references, rule)
            np.add.at(sums[:, place], coder, counts)
    return {name: MeasureSums(sums[number]) for number, name in enumerate(coders.names)}


def _count(
    rows: Rows, document: Ints, least: float, pairs: Pairs, references: References, rule: Rule
) -> Ints:
    """Count pairs at one threshold, shape (pairs, counts)."""
    reached = reaching(rows, np.full(len(rows), least, np.float64))
    side = _untyped(side_from_rows(reached, document, references.words, typed=False))
    counts = count_pairs(DocumentSides(document, side), pairs, references, rule)
    return np.stack([*counts.values()], axis=1)


def _untyped(side: Side) -> Side:
    return replace(side, typed=side.boundaries, types=None)


def tabulate_measured(
    sums: Mapping[str, Ints],
    thresholds: Sequence[float],
    selection: Selection,
    parameters: Mapping[str, float],
) -> pa.Table:
    """Build the table measured (schemas/curves.py): by hypothesis and measure, then threshold."""
    tables = []
    for coder, counts in sums.items():
        by_count = dict(zip(selection.pairs.counts, counts.T, strict=True))
        values = selection.pairs.values(by_count, parameters, rows=False)
        for measure in selection.pairs.measures:
            of_measure = np.asarray(values[measure], np.float64)
            best, near = _best(of_measure, lower=ALL[measure].better == "lower")
            columns = {
                "hypothesis": pa.array([coder] * len(thresholds), pa.string()),
                "measure": pa.array([measure] * len(thresholds), pa.string()),
                "threshold": column(np.array(thresholds, np.float64)),
                "value": column(of_measure),
                "best": pa.array(best),
                "near_best": pa.array(near),
            }
            tables.append(pa.table(columns))
    return pa.concat_tables(tables)


def _best(values: Floats, *, lower: bool) -> tuple[Flags, Flags]:
    """Return which value is the best, and which neighbours of it are about as good.

    Of equal values, the middle of the longest row of neighbours is the best, the first of several
    such rows.  All are false if no value is defined.
    """
    best, near = np.zeros((2, len(values)), bool)
    goodness = np.where(np.isnan(values), -np.inf, -values if lower else values)
    if np.isneginf(goodness).all():
        return best, near
    first, end = max(_runs(goodness == goodness.max()), key=_length)
    place = (first + end - 1) // 2
    best[place] = True
    for first, end in _runs(goodness >= goodness.max() - _NEAR):
        near[first:end] = first <= place < end
    return best, near


def _runs(chosen: Flags) -> list[tuple[int, int]]:
    """Return the first place and the end of each row of neighbours that are chosen."""
    steps = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()
    return list(zip(starts, ends, strict=True))


def _length(run: tuple[int, int]) -> int:
    return run[1] - run[0]
