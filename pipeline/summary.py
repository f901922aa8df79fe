"""Averages over documents: additive sums a task gathers, and the summary table they add up to.

Everything is gathered in whole numbers, so that sums do not depend on how the work was split.  A
value v is cut into digits: floor(v), then 30 bits and 30 more behind the point.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.errors import Failed
from pipeline.kernel import kernel
from pipeline.measures import Table
from pipeline.measures.measure import evaluate
from pipeline.resampling import interval, replicate_sums
from pipeline.segmentations import Floats, Ints, column

GroupKey = tuple[object, ...]
"""The hypothesis, then a value for each group-by column; None for the row over all documents."""

DENSE = 16
"""How many numbers there may be for each row, to number them by a table."""

HALF = 2**30
"""Values of a digit behind the point: two of them hold any float64 of 1/256 or more exactly."""

DIGIT = 2**20
"""Values of a digit where digits are multiplied: no product, and no sum of them, overflows."""

MOST = 2.0**36
"""No value of a measure comes near: words missed are below 2^31, C_seg below 10^6."""


@dataclass(frozen=True)
class Sums:
    """What documents add up to, by group and resampling unit.

    Attributes:
        groups: the groups met, in any order.
        group: index into ``groups`` of each cell, shape (cells,).
        unit: resampling unit of each cell, shape (cells,).
        counts: sums of counts over rows, shape (cells, counts).
        values: for each measure sums over documents of the three digits of the document's mean
            over its references, and how many documents are defined, shape (cells, measures, 4).
        squares: for each group and measure, sums over documents for the standard deviation: with
            2^40 v = a 2^60 + b 2^40 + c 2^20 + d, row 0 holds the sums of a, b, c, d, the rows
            below those of their products, shape (groups, measures, 5, 4).
        documents: documents of each group, shape (groups,).
    """

    groups: list[GroupKey]
    group: Ints
    unit: Ints
    counts: Ints
    values: Ints
    squares: Ints
    documents: Ints


@kernel
def _add_count(cell: Ints, counts: Ints, sums: Ints) -> None:
    for row in range(len(cell)):
        sums[cell[row]] += counts[row]


@kernel
def _add_value(cell: Ints, group: Ints, values: Floats, sums: Ints, squares: Ints) -> None:
    digits = np.zeros(4, np.int64)
    for row in range(len(cell)):
        value = values[row]
        if np.isnan(value):
            continue
        c, g = cell[row], group[row]
        sums[c, 3] += 1
        if value == 0:
            continue
        whole = np.int64(value)
        behind = (value - whole) * HALF
        high = np.int64(behind)
        sums[c, 0] += whole
        sums[c, 1] += high
        sums[c, 2] += np.int64(np.rint((behind - high) * HALF))
        tail = np.int64((value - whole) * (DIGIT * DIGIT))
        digits[2], digits[3] = tail // DIGIT, tail % DIGIT
        first = 2
        if whole > 0:  # most measures are shares, and most shares below 1
            digits[0], digits[1] = whole // DIGIT, whole % DIGIT
            first = 0
        for i in range(first, 4):
            squares[g, 0, i] += digits[i]
            for j in range(first, 4):
                squares[g, 1 + i, j] += digits[i] * digits[j]


def mean_over_references(values: Sequence[Floats], document: Ints) -> list[Floats]:
    """Average each measure over the rows of a document, where defined.

    Args:
        values: of each measure, shape (rows,), NaN where undefined.
        document: 0..n-1, the document each row belongs to, shape (rows,).

    Returns:
        Of each measure, shape (n,); NaN where no row of the document is defined.
    """
    n = int(document.max()) + 1 if len(document) else 0
    if n == len(document):
        return list(values)
    means = []
    with np.errstate(invalid="ignore"):
        for row in values:
            defined = ~np.isnan(row)
            total = np.bincount(document[defined], row[defined], n)
            means.append(total / np.bincount(document[defined], minlength=n))
    return means


def _distinct(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct codes, ascending; where each is first; and the place of each row's code.

    Codes that leave few numbers out are numbered without sorting them.
    """
    most = int(codes.max(initial=0)) + 1
    if most > DENSE * len(codes) + DENSE:
        return np.unique(codes, return_index=True, return_inverse=True)
    first = np.full(most, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last to be written is the first row
    keys = np.flatnonzero(first >= 0)
    place = np.empty(most, np.int64)
    place[keys] = np.arange(len(keys))
    return keys, first[keys], place[codes]


def gather(
    groups: list[GroupKey],
    group: Ints,
    unit: Ints,
    document: Ints,
    counts: Sequence[Ints],
    values: Sequence[Floats],
) -> Sums:
    """Add up the rows of one task.

    Args:
        groups: the groups' keys.
        group: index into ``groups`` of each row, shape (rows,).
        unit: resampling unit of each row's document, shape (rows,).
        document: of each row, shape (rows,).
        counts: of each count, shape (rows,).
        values: of each measure, shape (rows,), NaN where undefined.
    """
    if max((np.nanmax(row, initial=0.0) for row in values), default=0.0) >= MOST:
        raise Failed(f"a measure has a value above {MOST:.0f}: it cannot be averaged")
    units = int(unit.max(initial=0)) + 1
    cell_keys, _, cell = _distinct(group * units + unit)
    listed, first, place = _distinct(document * len(groups) + group)
    sums = Sums(
        groups=groups,
        group=cell_keys // units,
        unit=cell_keys % units,
        counts=np.zeros((len(cell_keys), len(counts)), np.int64),
        values=np.zeros((len(cell_keys), len(values), 4), np.int64),
        squares=np.zeros((len(groups), len(values), 5, 4), np.int64),
        documents=np.bincount(group[first], minlength=len(groups)).astype(np.int64),
    )
    for c, row in enumerate(counts):
        _add_count(cell, row, sums.counts[:, c])
    if len(listed) < len(cell):  # several references a document
        values = mean_over_references(values, place)
        cell, group = cell[first], group[first]
    for m, means in enumerate(values):
        _add_value(cell, group, means, sums.values[:, m], sums.squares[:, m])
    return sums


def merge(parts: Sequence[Sums]) -> Sums:
    """Add up sums of disjoint rows, at least one; the result does not depend on their order."""
    keys = sorted({key for part in parts for key in part.groups}, key=_order)
    number = {key: i for i, key in enumerate(keys)}
    renamed = [np.array([number[key] for key in part.groups], np.int64) for part in parts]
    cells = [new[part.group] << 32 | part.unit for new, part in zip(renamed, parts, strict=True)]
    cell_keys = np.unique(np.concatenate([np.empty(0, np.int64), *cells]))
    total = Sums(
        groups=keys,
        group=cell_keys >> 32,
        unit=cell_keys & 0xFFFFFFFF,
        counts=np.zeros((len(cell_keys), *parts[0].counts.shape[1:]), np.int64),
        values=np.zeros((len(cell_keys), *parts[0].values.shape[1:]), np.int64),
        # Python's integers: squares over an archive may pass 2^63.
        squares=np.zeros((len(keys), *parts[0].squares.shape[1:]), object),
        documents=np.zeros(len(keys), np.int64),
    )
    for new, cell, part in zip(renamed, cells, parts, strict=True):
        place = np.searchsorted(cell_keys, cell)
        total.counts[place] += part.counts
        total.values[place] += part.values
        total.squares[new] += part.squares
        total.documents[new] += part.documents
    return total


def _order(key: GroupKey) -> tuple[tuple[Any, ...], ...]:
    """Sort by hypothesis; within it the row over all documents first, then as values sort."""
    return tuple(() if part is None else (part,) for part in key)


def _exact_mean(cells: Ints, defined: int) -> float:
    """Mean of values given as sums of digits, rounded once."""
    whole, high, low = (sum(cells[:, i].tolist()) for i in range(3))
    return float(((whole * HALF + high) * HALF + low) / (HALF * HALF * defined))


def _standard_deviation(squares: NDArray[np.object_], n: int) -> float:
    """Standard deviation (n - 1), from exact sums of digits; NaN for fewer than two documents."""
    if n < 2:
        return float("nan")
    places = [DIGIT**3, DIGIT**2, DIGIT, 1]
    total = sum(place * int(digit) for place, digit in zip(places, squares[0], strict=True))
    squared = sum(
        places[i] * places[j] * int(squares[1 + i, j]) for i in range(4) for j in range(4)
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
    counts: Ints,
    values: Ints,
    drawn: NDArray[np.uint8],
    parameters: Mapping[str, float],
) -> dict[tuple[str, str], Floats]:
    """Take every measure's averages under resampling weights.

    Args:
        kind: what the rows are.
        counts: of the cells of one group, as in ``Sums``.
        values: of the same cells, as in ``Sums``.
        drawn: weights of each cell's resampling unit, shape (cells, replicates).
        parameters: as ``evaluate`` takes them.

    Returns:
        (measure, average) -> shape (replicates,), NaN where undefined.
    """
    pooled = replicate_sums(counts.astype(np.float64), drawn)
    by_name = dict(zip(kind.counts, pooled.T, strict=True))
    micro = evaluate(kind.measures.values(), by_name, parameters, rows=False)
    behind = values[:, :, 1] / HALF + values[:, :, 2] / HALF**2
    total = replicate_sums(values[:, :, 0] + behind, drawn)
    defined = replicate_sums(values[:, :, 3].astype(np.float64), drawn)
    with np.errstate(invalid="ignore"):
        macro = dict(zip(kind.measures, (total / defined).T, strict=True))
    return {
        (measure, average): each
        for average, by_measure in (("micro", micro), ("macro", macro))
        for measure, each in by_measure.items()
    }


def averages(
    kind: Table,
    sums: Sums,
    group: int,
    drawn: NDArray[np.uint8] | None,
    parameters: Mapping[str, float],
) -> Iterator[Average]:
    """Take every measure's micro and macro average over one group's documents.

    The micro average is the formula over summed counts, the macro average the mean of the
    documents' values.  An interval needs two documents with a defined value.

    Args:
        kind: what the rows are.
        sums: merged sums.
        group: index into ``sums.groups``.
        drawn: weights of the resampling units, shape (units, replicates); None for no intervals.
        parameters: as ``evaluate`` takes them.
    """
    cells = np.flatnonzero(sums.group == group)
    counts, values = sums.counts[cells], sums.values[cells]
    # Python's integers: words squared over an archive may pass 2^63.
    pooled = {
        name: np.array([float(sum(counts[:, i].tolist()))]) for i, name in enumerate(kind.counts)
    }
    micro = evaluate(kind.measures.values(), pooled, parameters, rows=False)
    limits = {}
    if drawn is not None:
        again = replicates(kind, counts, values, drawn[sums.unit[cells]], parameters)
        limits = {key: interval(each) for key, each in again.items()}
    undefined = float("nan")
    documents = int(sums.documents[group])
    for m, name in enumerate(kind.measures):
        defined = int(values[:, m, 3].sum())
        mean = _exact_mean(values[:, m], defined) if defined else undefined
        spread = _standard_deviation(sums.squares[group, m], defined)
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


def summarise(
    kinds: Sequence[tuple[Table, Sums]],
    group_by: Mapping[str, pa.DataType],
    parameters: Mapping[str, float],
    drawn: NDArray[np.uint8] | None,
) -> pa.Table:
    """Write the summary table: hypothesis x group x measure x average (schemas/summary.py).

    Args:
        kinds: of each kind of rows, the merged sums over the whole run.
        group_by: the group-by columns and their types; null in the rows over all documents.
        parameters: as ``evaluate`` takes them.
        drawn: weights of all resampling units, shape (units, replicates); None for no intervals.
    """
    rows = [
        (key, average)
        for kind, sums in kinds
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
