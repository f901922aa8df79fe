"""Averages over documents: compute the summary table from the sums of a run."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Floats, Ints, column
from segscore.pipeline.measures import Table
from segscore.pipeline.statistics.bootstrap import (
    UnitWeights,
    draw_weights,
    interval,
    replicate_sums,
)
from segscore.pipeline.statistics.sums import DIGIT, DIGITS, FINE, HALF, PRODUCTS, GroupKey, Sums


def exact_mean(digits: NDArray[Any], defined: int) -> float:
    """Return the mean of values from the sums of their digits (see ``Sums``), rounded once."""
    whole, high, low = (int(digit) for digit in digits[:3])
    return float(((whole * HALF + high) * HALF + low) / (HALF * HALF * defined))


def exact_mean_of(values: Floats) -> float:
    """Return the mean of the values that are defined, as ``exact_mean``; NaN without any."""
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan
    sign, size = np.sign(known).astype(np.int64), np.abs(known)
    whole = size.astype(np.int64)
    fraction = (size - whole) * HALF
    high = fraction.astype(np.int64)
    low = ((fraction - high) * HALF + 0.5).astype(np.int64)
    digits = np.array([int((sign * digit).sum()) for digit in (whole, high, low)], object)
    return exact_mean(digits, len(known))


def _standard_deviation(squares: NDArray[Any], n: int) -> float:
    """Return the standard deviation (n - 1) from exact sums; NaN for fewer than two documents."""
    if n < 2:
        return float("nan")
    powers = [DIGIT**3, DIGIT**2, DIGIT, 1]
    total = sum(power * int(digit) for power, digit in zip(powers, squares, strict=False))
    squared = sum(
        (1 if i == j else 2) * powers[i] * powers[j] * int(product)
        for (i, j), product in zip(PRODUCTS, squares[DIGITS:], strict=True)
    )
    return math.sqrt((n * squared - total * total) / (n * (n - 1))) / DIGIT**2


@dataclass(frozen=True)
class Average:
    """One row of the summary table, without the columns that identify the group."""

    measure: str
    average: str
    value: float
    ci_low: float
    ci_high: float
    sd: float
    documents: int
    defined: int
    skill: float = math.nan
    skill_low: float = math.nan
    skill_high: float = math.nan
    document_set: str = ""


@dataclass(frozen=True)
class GroupAverages:
    """The averages over the documents of one group.

    Attributes:
        rows: (measure, average) -> the row of the summary, without skill.
        replicates: (measure, average) -> the average in each bootstrap replicate, shape
            (replicates,), NaN where undefined; empty without intervals.
    """

    rows: Mapping[tuple[str, str], Average]
    replicates: Mapping[tuple[str, str], Floats]


def replicates(
    kind: Table,
    sums: Sums,
    cells: Ints,
    weights: NDArray[np.uint8],
    parameters: Mapping[str, float],
) -> dict[tuple[str, str], Floats]:
    """Compute every measure's averages in each bootstrap replicate.

    Returns:
        (measure, average) -> values, shape (replicates,), NaN where undefined.
    """
    stacked = np.concatenate(
        [values[:, cells] for values in (sums.counts, sums.values, sums.defined)]
    )
    resampled = replicate_sums(stacked.T.astype(np.float64), weights).T
    counts, measures = len(sums.counts), len(sums.values)
    pooled, total, defined = np.split(resampled, [counts, counts + measures])
    by_name = dict(zip(kind.counts, pooled, strict=True))
    micro = kind.values(by_name, parameters, rows=False)
    with np.errstate(invalid="ignore"):
        macro = dict(zip(kind.measures, total / FINE / defined, strict=True))
    return {
        (measure, average): values
        for average, by_measure in (("micro", micro), ("macro", macro))
        for measure, values in by_measure.items()
    }


def averages(
    kind: Table,
    sums: Sums,
    group: int,
    unit_weights: UnitWeights | None,
    parameters: Mapping[str, float],
) -> GroupAverages:
    """Compute the micro and macro average of every measure over the documents of one group.

    The micro average is the formula applied to summed counts; the macro average is the mean of the
    documents' values.  An interval needs at least two documents with a defined value.
    """
    cells = np.flatnonzero(sums.group == group)
    # Python integers, as sums of squared words over a large archive may exceed 2^63.
    pooled = {
        name: np.array([float(sum(row[cells].tolist()))])
        for name, row in zip(kind.counts, sums.counts, strict=True)
    }
    micro = kind.values(pooled, parameters, rows=False)
    resampled = {}
    if unit_weights is not None:
        resampled = replicates(
            kind, sums, cells, unit_weights.for_units(sums.unit[cells]), parameters
        )
    rows = {}
    undefined = float("nan")
    documents = int(sums.documents[group])
    of_set = f"{int(sums.document_sets[group]):016x}"
    for name, digits, squares in zip(kind.measures, sums.digits, sums.squares, strict=True):
        defined = int(digits[group, 3])
        mean = exact_mean(digits[group], defined) if defined else undefined
        deviation = _standard_deviation(squares[group], defined)
        for average, value, sd in (
            ("micro", micro[name][0], undefined),
            ("macro", mean, deviation),
        ):
            low, high = undefined, undefined
            if resampled and defined > 1 and not np.isnan(value):
                low, high = interval(resampled[name, average])
            rows[name, average] = Average(
                name, average, float(value), low, high, sd, documents, defined, document_set=of_set
            )
    return GroupAverages(rows, resampled)


def with_skill(kind: Table, own: GroupAverages, chance: GroupAverages) -> Iterator[Average]:
    """Yield the rows of a group with its skill: 0 is chance, 1 perfect, below 0 worse."""
    for (name, average), row in own.rows.items():
        best = kind.measures[name].best
        key = name, average
        if best is None:
            yield row
            continue
        value = skill(row.value, chance.rows[key].value, best)
        low, high = math.nan, math.nan
        if own.replicates and row.defined > 1 and not math.isnan(value):
            low, high = interval(skill(own.replicates[key], chance.replicates[key], best))
        yield replace(row, skill=float(value), skill_low=low, skill_high=high)


def skill(value: Any, chance: Any, best: float) -> Any:
    """Return (value - chance) / (best - chance), NaN where chance is the best value."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = np.divide(value - np.asarray(chance), best - np.asarray(chance))
    return np.where(np.isfinite(gained), gained, math.nan)


@dataclass(frozen=True)
class Resampling:
    """How intervals are estimated: the seed and the number of replicates, 0 for no intervals."""

    seed: int
    replicates: int

    def draw(self, units: Hashes) -> UnitWeights | None:
        """Draw the weights of resampling units; None for no intervals."""
        return draw_weights(units, self.seed, self.replicates) if self.replicates else None


SHARED_COLUMNS = {
    "shared_documents": "documents",
    "shared_value": "value",
    "shared_ci_low": "ci_low",
    "shared_ci_high": "ci_high",
    "shared_defined": "defined",
    "shared_skill": "skill",
    "shared_skill_low": "skill_low",
    "shared_skill_high": "skill_high",
}
"""Columns about the documents that all systems share -> those of which they have the values there.

They are null where all systems have the same documents."""

_COUNT_COLUMNS = ("documents", "defined", "shared_documents", "shared_defined")
"""Columns of the summary with whole numbers."""

_TEXT_COLUMNS = ("hypothesis", "measure", "average", "document_set")
"""Columns of the summary with text."""

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
    "skill",
    "skill_low",
    "skill_high",
    "document_set",
    *SHARED_COLUMNS,
)


def summary_groups(columns: Iterable[str]) -> list[str]:
    """Return the group-by columns among the columns of a summary."""
    return [name for name in columns if name not in SUMMARY_COLUMNS]


def summarise(
    kinds: Sequence[tuple[Table, Sums]],
    group_by: Mapping[str, pa.DataType],
    parameters: Callable[[GroupKey], Mapping[str, float]],
    resampling: Resampling,
    chance: str,
) -> pa.Table:
    """Return the summary table: hypothesis x group x measure x average (schemas/scores.py).

    Args:
        kinds: each kind of rows with its merged sums over the whole run.
        group_by: the group-by columns and their types; null in the rows over all documents.
        parameters: parameters of the formulas of a group; see ``evaluate``.
        resampling: how intervals are estimated.
        chance: what the name of a system is preceded by in the name of the reference point that
            its skill is measured against.
    """
    rows = [
        row for kind, sums in kinds for row in _rows(kind, sums, parameters, resampling, chance)
    ]
    columns = {"hypothesis": pa.array([key[0] for key, _ in rows], pa.string())}
    for i, (name, kind) in enumerate(group_by.items(), start=1):
        columns[name] = pa.array([key[i] for key, _ in rows], kind)
    for name in ("measure", "average", "document_set"):
        columns[name] = pa.array([getattr(row, name) for _, row in rows], pa.string())
    for name in ("value", "ci_low", "ci_high", "sd", "skill", "skill_low", "skill_high"):
        columns[name] = column(np.array([getattr(row, name) for _, row in rows], np.float64))
    for name in ("documents", "defined"):
        columns[name] = column(np.array([getattr(row, name) for _, row in rows], np.int64))
    for name in SHARED_COLUMNS:
        columns[name] = pa.nulls(len(rows), summary_type(name))
    return pa.table(columns).select(["hypothesis", *group_by, *SUMMARY_COLUMNS[1:]])


def summary_type(name: str) -> pa.DataType:
    """Return the type of a column of the summary that does not name a group."""
    if name in _TEXT_COLUMNS:
        return pa.string()
    return pa.int64() if name in _COUNT_COLUMNS else pa.float64()


def _rows(
    kind: Table,
    sums: Sums,
    parameters: Callable[[GroupKey], Mapping[str, float]],
    resampling: Resampling,
    chance: str,
) -> Iterator[tuple[GroupKey, Average]]:
    """Yield the rows of the summary for one kind of rows, with the keys of their groups."""
    weights = resampling.draw(sums.unit)
    number = {key: group for group, key in enumerate(sums.groups)}
    for group, key in enumerate(sums.groups):
        of_group = averages(kind, sums, group, weights, parameters(key))
        rows: Iterable[Average] = of_group.rows.values()
        by_chance = number.get((f"{chance}{key[0]}", *key[1:]))
        if by_chance is not None:
            at_chance = averages(kind, sums, by_chance, weights, parameters(key))
            rows = with_skill(kind, of_group, at_chance)
        yield from ((key, row) for row in rows)
