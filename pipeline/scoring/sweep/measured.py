"""Any measure over thresholds: the sums of its counts at each of some thresholds.

At a threshold, the boundaries of a hypothesis are its candidates with at least that score, as in
`segscore score --threshold`, so that each value is the micro average of such a run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, column
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.selection import Selection
from segscore.pipeline.scoring.boundaries import Side, side_from_rows
from segscore.pipeline.scoring.counting import DocumentSides, Pairs, Rule, count_pairs, pair_up
from segscore.pipeline.scoring.hypotheses import Accepted
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.thresholds import reaching
from segscore.pipeline.statistics.jackknife import UnitSums, micro_estimates
from segscore.pipeline.statistics.resampling import are_buckets, estimator, settled
from segscore.pipeline.tables.read import Rows

HUNDREDTHS = tuple(step / 100 for step in range(101))
"""The thresholds at which measures are computed if none are chosen."""

_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class MeasureSums:
    """Sums over the pairs of one coder of hypotheses; ``counts`` has shape (thresholds, counts)."""

    counts: Ints

    def __post_init__(self) -> None:
        """Refuse a wrong shape, because sums may come from a file."""
        if self.counts.ndim != 2:
            raise ValueError("the sums do not have the shape (thresholds, counts)")


@dataclass(frozen=True)
class BestCounts:
    """Counts of a hypothesis at a threshold that is best by some measure, by resampling unit.

    Attributes:
        hypothesis: the coder.
        threshold: the threshold.
        units: hashes of the units, shape (units,).
        counts: sums over the pairs of each unit, shape (counts, units).
    """

    hypothesis: str
    threshold: float
    units: Hashes
    counts: Ints

    def __post_init__(self) -> None:
        """Refuse shapes that do not match, because counts may come from a file."""
        if self.counts.ndim != 2 or self.units.shape != self.counts.shape[1:]:
            raise ValueError("the shapes of units and counts do not match")


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


def count_at_best(
    accepted: Accepted, references: References, rule: Rule, best: Mapping[str, Sequence[float]]
) -> list[BestCounts]:
    """Count hypotheses at the thresholds that are best for their coder, by resampling unit.

    Args:
        accepted: the hypotheses, all with scores.
        references: the accepted references.
        rule: how pairs are counted, and for which measures.
        best: coder -> thresholds.
    """
    references = replace(references, side=_untyped(references.side))
    resampling, found = references.resampling, []
    coders = accepted.rows.coders
    for number, coder in enumerate(coders.names):
        is_own = coders.code == number
        rows, document = accepted.rows.keep(is_own), accepted.document[is_own]
        pairs = pair_up(document, references.first)
        used, unit = np.unique(resampling.index[document[pairs.hyp_row]], return_inverse=True)
        for least in best.get(coder, ()) if len(rows) else ():
            counts = _count(rows, document, least, pairs, references, rule)
            sums = np.zeros((len(used), counts.shape[1]), np.int64)
            np.add.at(sums, unit, counts)
            found.append(BestCounts(coder, least, resampling.hashes[used], sums.T))
    return found


def best_thresholds(table: pa.Table) -> dict[str, list[float]]:
    """Return the thresholds that are best by any measure, ascending, by hypothesis."""
    found: dict[str, set[float]] = {}
    for row in table.filter(table.column("best")).to_pylist():
        found.setdefault(row["hypothesis"], set()).add(row["threshold"])
    return {hypothesis: sorted(thresholds) for hypothesis, thresholds in found.items()}


BestIntervals = Mapping[tuple[str, float, str], tuple[float, float]]
"""Hypothesis, threshold and measure -> the ends of the 95 % interval of the micro average."""


def intervals_at_best(
    parts: Iterable[Sequence[BestCounts]],
    selection: Selection,
    parameters: Mapping[str, float],
    *,
    p_seg_varies: bool,
    resample_by: str | None,
) -> tuple[BestIntervals, str]:
    """Compute the intervals of the values at the best thresholds, as `segscore score` does.

    Args:
        parts: the counts of each part.
        selection: the measures.
        parameters: parameters of their formulas.
        p_seg_varies: whether P_seg was estimated from the references, so that it varies with them.
        resample_by: attribute whose documents are one resampling unit; None for single documents.

    Returns:
        The intervals, and how the signature names their estimator.
    """
    found = [one for part in parts for one in part]
    every = settled(np.concatenate([np.zeros(0, np.uint64), *(one.units for one in found)]))
    of_several = resample_by is not None or are_buckets(every)
    ends = np.cumsum([len(one.units) for one in found])
    by_threshold: dict[tuple[str, float], list[tuple[Hashes, Ints]]] = {}
    for one, end in zip(found, ends.tolist(), strict=True):
        own = every[end - len(one.units) : end], one.counts
        by_threshold.setdefault((one.hypothesis, one.threshold), []).append(own)
    intervals = {}
    for key, counted in by_threshold.items():
        hashes, of_units = zip(*counted, strict=True)
        units, place = np.unique(np.concatenate(hashes), return_inverse=True)
        counts = np.zeros((len(units), len(selection.pairs.counts)), np.int64)
        np.add.at(counts, place, np.concatenate(of_units, axis=1).T)
        by_name = dict(zip(selection.pairs.counts, counts.T, strict=True))
        sums = UnitSums(units, by_name, {}, {}, of_several)
        of_run = sums if p_seg_varies else None
        for measure, estimate in micro_estimates(selection.pairs, sums, parameters, of_run).items():
            intervals[*key, measure] = estimate.interval()
    return intervals, estimator(every, resample_by)


def tabulate_measured(
    sums: Mapping[str, Ints],
    thresholds: Sequence[float],
    selection: Selection,
    parameters: Mapping[str, float],
    intervals: BestIntervals = MappingProxyType({}),
) -> pa.Table:
    """Build the table measured (schemas/curves.py): by hypothesis and measure, then threshold."""
    tables = []
    many = len(thresholds)
    for coder, counts in sums.items():
        by_count = dict(zip(selection.pairs.counts, counts.T, strict=True))
        values = selection.pairs.values(by_count, parameters, rows=False)
        for measure in selection.pairs.measures:
            of_measure = np.asarray(values[measure], np.float64)
            lower = ALL[measure].better == "lower"
            place = None if one_sided(measure) else _best(of_measure, lower=lower)
            ends = np.full((2, many), np.nan)
            if place is not None:
                known = intervals.get((coder, thresholds[place], measure), (np.nan, np.nan))
                ends[:, place] = known
            columns = {
                "hypothesis": pa.array([coder] * many, pa.string()),
                "measure": pa.array([measure] * many, pa.string()),
                "threshold": column(np.array(thresholds, np.float64)),
                "value": column(of_measure),
                "best": pa.array(np.arange(many) == (-1 if place is None else place)),
                "ci_low": column(ends[0]),
                "ci_high": column(ends[1]),
                "near_best": pa.array(_near(of_measure, place, ends, lower=lower)),
            }
            tables.append(pa.table(columns))
    return pa.concat_tables(tables)


def one_sided(measure: str) -> bool:
    """Return whether a measure is about misses or false alarms alone, so that an extreme is best.

    >>> one_sided("b_precision"), one_sided("b_f1")
    (True, False)
    """
    return measure.endswith(_ONE_SIDED)


_ONE_SIDED = ("precision", "recall", "miss", "miss_rate", "false_alarm", "false_alarm_rate")
"""Endings of the names of such measures."""


def _best(values: Floats, *, lower: bool) -> int | None:
    """Return the place of the best value; None if no value is defined.

    Of equal values, the middle of the longest row of neighbours is the best, the first of several
    such rows.
    """
    goodness = np.where(np.isnan(values), -np.inf, -values if lower else values)
    if np.isneginf(goodness).all():
        return None
    first, end = max(_runs(goodness == goodness.max()), key=_length)
    return (first + end - 1) // 2


def _near(values: Floats, place: int | None, ends: Floats, *, lower: bool) -> Flags:
    """Return which neighbours of the best value are in its interval, or equal it without one."""
    near = np.zeros(len(values), bool)
    if place is None:
        return near
    low, high = ends[:, place]
    worst = high if lower else low
    worst = values[place] if np.isnan(worst) else worst
    for first, end in _runs(values <= worst if lower else values >= worst):
        near[first:end] = first <= place < end
    return near


def _runs(chosen: Flags) -> list[tuple[int, int]]:
    """Return the first place and the end of each row of neighbours that are chosen."""
    steps = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist()
    return list(zip(starts, ends, strict=True))


def _length(run: tuple[int, int]) -> int:
    return run[1] - run[0]
