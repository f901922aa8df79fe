"""Averages over documents: the summary table that a run's sums make."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats, Ints, column
from segscore.pipeline.measures import Table
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.statistics.bootstrap import Drawn, draw_weights, interval, replicate_sums
from segscore.pipeline.statistics.sums import DIGIT, DIGITS, FINE, HALF, PRODUCTS, Sums


def _exact_mean(digits: NDArray[Any], defined: int) -> float:
    """Mean of values given as sums of digits, rounded once."""
    whole, high, low = (int(digit) for digit in digits[:3])
    return float(((whole * HALF + high) * HALF + low) / (HALF * HALF * defined))


def _standard_deviation(squares: NDArray[Any], n: int) -> float:
    """Standard deviation (n - 1), from exact sums of digits; NaN for fewer than two documents."""
    if n < 2:
        return float("nan")
    places = [DIGIT**3, DIGIT**2, DIGIT, 1]
    total = sum(place * int(digit) for place, digit in zip(places, squares, strict=False))
    squared = sum(
        (1 if i == j else 2) * places[i] * places[j] * int(product)
        for (i, j), product in zip(PRODUCTS, squares[DIGITS:], strict=True)
    )
    return math.sqrt((n * squared - total * total) / (n * (n - 1))) / DIGIT**2


@dataclass(frozen=True)
class Average:
    """One row of the summary table, but for the group's columns."""

    measure: str
    average: str
    value: float
    ci_low: float
    ci_high: float
    sd: float
    documents: int
    defined: int


def replicates(
    kind: Table,
    sums: Sums,
    cells: Ints,
    weights: NDArray[np.uint8],
    parameters: Mapping[str, float],
) -> dict[tuple[str, str], Floats]:
    """Take every measure's averages under resampling weights.

    Args:
        kind: what the rows are.
        sums: of which some cells are resampled.
        cells: which, all of one group.
        weights: of each cell's resampling unit, shape (cells, replicates).
        parameters: as ``evaluate`` takes them.

    Returns:
        (measure, average) -> shape (replicates,), NaN where undefined.
    """
    kept = np.concatenate([each[:, cells] for each in (sums.counts, sums.values, sums.defined)])
    resampled = replicate_sums(kept.T.astype(np.float64), weights).T
    counts, measures = len(sums.counts), len(sums.values)
    pooled, total, defined = np.split(resampled, [counts, counts + measures])
    by_name = dict(zip(kind.counts, pooled, strict=True))
    micro = evaluate(kind.measures.values(), by_name, parameters, rows=False)
    with np.errstate(invalid="ignore"):
        macro = dict(zip(kind.measures, total / FINE / defined, strict=True))
    return {
        (measure, average): each
        for average, by_measure in (("micro", micro), ("macro", macro))
        for measure, each in by_measure.items()
    }


def averages(
    kind: Table, sums: Sums, group: int, drawn: Drawn | None, parameters: Mapping[str, float]
) -> Iterator[Average]:
    """Take every measure's micro and macro average over one group's documents.

    The micro average is the formula over summed counts, the macro average the mean of the
    documents' values.  An interval needs two documents with a defined value.

    Args:
        kind: what the rows are.
        sums: merged sums.
        group: index into ``sums.groups``.
        drawn: weights of the resampling units; None for no intervals.
        parameters: as ``evaluate`` takes them.
    """
    cells = np.flatnonzero(sums.group == group)
    # Python's integers: words squared over an archive may pass 2^63.
    pooled = {
        name: np.array([float(sum(row[cells].tolist()))])
        for name, row in zip(kind.counts, sums.counts, strict=True)
    }
    micro = evaluate(kind.measures.values(), pooled, parameters, rows=False)
    limits = {}
    if drawn is not None:
        again = replicates(kind, sums, cells, drawn.of(sums.unit[cells]), parameters)
        limits = {key: interval(each) for key, each in again.items()}
    undefined = float("nan")
    documents = int(sums.documents[group])
    for name, digits, squares in zip(kind.measures, sums.digits, sums.squares, strict=True):
        defined = int(digits[group, 3])
        mean = _exact_mean(digits[group], defined) if defined else undefined
        spread = _standard_deviation(squares[group], defined)
        for average, value, sd in (("micro", micro[name][0], undefined), ("macro", mean, spread)):
            known = defined > 1 and not np.isnan(value)
            low, high = limits.get((name, average), (undefined,) * 2) if known else (undefined,) * 2
            yield Average(name, average, float(value), low, high, sd, documents, defined)


SUMMARY_COLUMNS = (
    "hypothesis",
    "measure",
    "average",
    "value",
    "ci_low",
    "ci_high",
    "sd",
    "documents",
    "defined",
)


def summary_groups(columns: Iterable[str]) -> list[str]:
    """List the group-by columns among those of a summary."""
    return [name for name in columns if name not in SUMMARY_COLUMNS]


def summarise(
    kinds: Sequence[tuple[Table, Sums]],
    group_by: Mapping[str, pa.DataType],
    parameters: Mapping[str, float],
    seed: int,
    how_many: int,
) -> pa.Table:
    """Write the summary table: hypothesis x group x measure x average (schemas/summary.py).

    Args:
        kinds: of each kind of rows, the merged sums over the whole run.
        group_by: the group-by columns and their types; null in the rows over all documents.
        parameters: as ``evaluate`` takes them.
        seed: of the bootstrap.
        how_many: replicates of the bootstrap; 0 for no intervals.
    """
    rows = [
        (key, average)
        for kind, sums in kinds
        for drawn in [draw_weights(sums.unit, seed, how_many) if how_many else None]
        for group, key in enumerate(sums.groups)
        for average in averages(kind, sums, group, drawn, parameters)
    ]
    columns = {"hypothesis": pa.array([key[0] for key, _ in rows], pa.string())}
    for i, (name, kind) in enumerate(group_by.items(), start=1):
        columns[name] = pa.array([key[i] for key, _ in rows], kind)
    for name in ("measure", "average"):
        columns[name] = pa.array([getattr(row, name) for _, row in rows], pa.string())
    for name in ("value", "ci_low", "ci_high", "sd"):
        columns[name] = column(np.array([getattr(row, name) for _, row in rows], np.float64))
    for name in ("documents", "defined"):
        columns[name] = column(np.array([getattr(row, name) for _, row in rows], np.int64))
    return pa.table(columns)


def best_first(rows: Iterable[dict[str, Any]], *, higher: bool) -> list[dict[str, Any]]:
    """Order rows of a summary: best value first, undefined ones last, equal ones by name.

    Args:
        rows: of one measure, average and group.
        higher: whether a higher value is the better one.
    """

    def key(row: dict[str, Any]) -> tuple[bool, float, str]:
        value = 0.0 if row["value"] is None else row["value"]
        return row["value"] is None, -value if higher else value, row["hypothesis"]

    return sorted(rows, key=key)
