"""Correlate measures with people's ratings of the segmentations of single documents.

Spearman's correlation is over the pairs of a document and a system. Its interval is by the
jackknife over documents, as the pairs of a document are not independent, on the scale of Fisher's
z, which is half the logit of (1 + rho) / 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import Hashes, hash_names
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.comparison.read_ratings import Ratings
from segscore.pipeline.comparison.rows import ScoreRows, read_rows
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import first_of_documents, means_of_cells
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.resampling import settled, unit_hashes


@dataclass(frozen=True)
class RatedPairs:
    """The pairs of a document and a system that are rated and scored.

    Attributes:
        rating: the rating of each pair, shape (pairs,).
        document: document of each pair, shape (pairs,).
        unit: resampling unit of each pair, shape (pairs,).
        values: measure -> the value of each pair, NaN where undefined, shape (pairs,).
    """

    rating: Floats
    document: Ints
    unit: Hashes
    values: dict[str, Floats]


def correlate_ratings(
    runs: Sequence[FinishedScoring],
    systems: Sequence[System],
    ratings: Ratings,
    resample_by: str | None,
) -> tuple[list[dict[str, object]], list[str]]:
    """Correlate the ratings with each measure of pairs that all of the runs have.

    Returns:
        Rows of the table ratings, and warnings of what was not matched.

    Raises:
        Refused: no rated pair of a document and a system is in the runs.
    """
    systems = [system for system in systems if not system.is_point]
    measures = [
        name
        for name in runs[0].selection.pairs.measures
        if all(name in run.selection.pairs.measures for run in runs)
    ]
    attributes = [] if resample_by is None else [resample_by]
    rows = read_rows(runs, systems, PAIRS, measures, attributes)
    pairs, warnings = _match(rows, systems, ratings, measures, resample_by)
    return [*_rows(pairs)], warnings


def _match(
    rows: ScoreRows,
    systems: Sequence[System],
    ratings: Ratings,
    measures: Sequence[str],
    resample_by: str | None,
) -> tuple[RatedPairs, list[str]]:
    """Find the value of each rated pair: the mean over the references of its document."""
    shape = len(systems), len(rows.documents)
    used = rows.original & (rows.system >= 0)
    cell = rows.system[used] * shape[1] + rows.document[used]
    scored = np.zeros(shape[0] * shape[1], bool)
    scored[cell] = True
    numbers, unmatched = _cells_of_ratings(rows, systems, ratings)
    cells = np.array([place for place in numbers if scored[place]], np.int64)
    if lacking := len(numbers) - len(cells):
        unmatched.append(f"{lacking:,} of documents that the system lacks")
    if not len(cells):
        raise Refused(
            f"--ratings: none of the {counted(len(ratings), 'rated pair')} of a document and a "
            f"system is in the runs: {', '.join(unmatched)}"
        )
    warnings = []
    if unmatched:
        warnings.append(
            f"--ratings: of {counted(len(ratings), 'rated pair')}, these were left out: "
            f"{', '.join(unmatched)}"
        )
    if unrated := int(scored.sum()) - len(cells):
        warnings.append(
            f"--ratings: {counted(unrated, 'scored pair')} left out for want of a rating"
        )
    shows = first_of_documents(rows, resample_by)
    unit = settled(unit_hashes(hash_names(rows.documents.ids).hashes, shows))
    level = None if rows.level is None else rows.level[used]
    values = {
        name: means_of_cells(cell, rows.numbers[name][used], shape, level).ravel()[cells]
        for name in measures
    }
    document = cells % shape[1]
    rating = np.array([numbers[place] for place in cells.tolist()])
    return RatedPairs(rating, document, unit[document], values), warnings


def _cells_of_ratings(
    rows: ScoreRows, systems: Sequence[System], ratings: Ratings
) -> tuple[dict[int, float], list[str]]:
    """Return the cell of each rated pair, ascending, with its rating; and what is not there."""
    labels = {system.label: number for number, system in enumerate(systems)}
    names = [system.hypothesis for system in systems]
    labels |= {name: n for n, name in enumerate(names) if names.count(name) == 1}
    ids = [document for document, _ in ratings]
    found = rows.documents.find(pa.array(ids, pa.string())).tolist()
    cells: dict[int, float] = {}
    other_systems: dict[str, int] = {}
    documents = 0
    for (key, rating), document in zip(ratings.items(), found, strict=True):
        if key[1] not in labels:
            other_systems[key[1]] = other_systems.get(key[1], 0) + 1
        elif document < 0:
            documents += 1
        else:
            cells[labels[key[1]] * len(rows.documents) + document] = rating
    unmatched = []
    if other_systems:
        named = first_named(sorted(other_systems), "systems")
        unmatched.append(f"{sum(other_systems.values()):,} of systems not compared ({named})")
    if documents:
        unmatched.append(f"{documents:,} of documents that were not scored")
    return dict(sorted(cells.items())), unmatched


def _rows(pairs: RatedPairs) -> Iterator[dict[str, object]]:
    """Yield the row of each measure."""
    for name, values in pairs.values.items():
        known = ~np.isnan(values)
        sign = -1.0 if ALL[name].better == "lower" else 1.0
        estimate = spearman(sign * values[known], pairs.rating[known], pairs.unit[known])
        low, high = interval_of(estimate)
        yield {
            "measure": name,
            "correlation": _as_correlation(estimate.value),
            "ci_low": low,
            "ci_high": high,
            "pairs": int(known.sum()),
            "documents": len(np.unique(pairs.document[known])),
            "effective": estimate.effective,
        }


def spearman(values: Floats, ratings: Floats, unit: Hashes) -> Estimate:
    """Estimate Spearman's correlation, as (1 + rho) / 2, with and without each unit.

    Equal values share the mean of their ranks. Ranks without a unit follow from those with it: each
    value of the unit that is lower takes 1 from a rank, and each equal one 1/2.

    Args:
        values: the value of each pair, shape (pairs,).
        ratings: the rating of each pair, shape (pairs,).
        unit: resampling unit of each pair, shape (pairs,).
    """
    units, place = np.unique(unit, return_inverse=True)
    ranks = [_ranks(side) for side in (values, ratings)]
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(len(units) + 1))
    without = np.full(len(units), nan)
    for number in range(len(units)):
        own = order[ends[number] : ends[number + 1]]
        kept = np.ones(len(values), bool)
        kept[own] = False
        without[number] = _half(
            *(
                (rank - _removed(side, side[own]))[kept]
                for rank, side in zip(ranks, (values, ratings), strict=True)
            )
        )
    weight = np.diff(ends).astype(np.float64)
    return Estimate(_half(*ranks), units, without, weight, (0, 1))


def interval_of(estimate: Estimate) -> tuple[float, float]:
    """Return the 95 % interval of a correlation; NaN, NaN without one, as of -1 or 1."""
    if estimate.value in (0, 1):
        return nan, nan
    low, high = estimate.interval()
    return _as_correlation(low), _as_correlation(high)


def _as_correlation(half: float) -> float:
    return nan if isnan(half) else 2 * half - 1


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value, from 1; equal values share the mean of their ranks."""
    ascending = np.sort(values)
    left, right = (np.searchsorted(ascending, values, side) for side in ("left", "right"))
    return (left + right + 1) / 2


def _removed(values: Floats, removed: Floats) -> Floats:
    """Return by how much each rank falls if some of the values are removed."""
    ascending = np.sort(removed)
    left, right = (np.searchsorted(ascending, values, side) for side in ("left", "right"))
    return (left + right) / 2


def _half(one: Floats, other: Floats) -> float:
    """Return (1 + r) / 2 of the correlation of two lists of ranks; NaN where one is constant."""
    if len(one) < 2:
        return nan
    x, y = one - one.mean(), other - other.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    return nan if size == 0 else min(1.0, max(0.0, (1 + float(x @ y) / size) / 2))
