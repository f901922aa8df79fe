"""Averages over documents: compute the summary table from the sums of a run."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Floats, Ints, column
from segscore.pipeline.measures import Table
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    UnitSums,
    combine,
    macro_estimates,
    micro_estimates,
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
    effective: float
    freedom: float
    skill: float = math.nan
    skill_low: float = math.nan
    skill_high: float = math.nan
    document_set: str = ""


@dataclass(frozen=True)
class GroupAverages:
    """The averages over the documents of one group.

    Attributes:
        rows: (measure, average) -> the row of the summary, without skill.
        estimates: (measure, average) -> the average without each resampling unit.
    """

    rows: dict[tuple[str, str], Average]
    estimates: dict[tuple[str, str], Estimate]


class Parameters(NamedTuple):
    """Parameters of the formulas of a group.

    Attributes:
        values: parameters by their names in formulas; see ``evaluate``.
        p_seg_of: values of the group-by columns of the documents from whose references P_seg was
            estimated, so that it varies with them; None if it was given.
        draws: what counts are divided by: the number of draws of random boundaries, times the
            number of trials that counts are extended to.
    """

    values: Mapping[str, float]
    p_seg_of: tuple[object, ...] | None
    draws: int = 1


def averages(kind: Table, sums: Sums, group: int, parameters: Parameters) -> GroupAverages:
    """Compute the micro and macro average of every measure over the documents of one group.

    The micro average is the formula applied to summed counts; the macro average is the mean of the
    documents' values.

    Args:
        kind: the counts and measures.
        sums: sums by group and resampling unit, which are ascending.
        group: number of the group.
        parameters: parameters of the formulas.
    """
    own = unit_sums(kind, sums, group)
    of_run = None
    if parameters.p_seg_of is not None:
        of_run = unit_sums(
            kind, sums, sums.groups.index((sums.groups[group][0], *parameters.p_seg_of))
        )
    digits = {name: sums.digits[m, group] for m, name in enumerate(kind.measures)}
    means = {
        name: exact_mean(row, int(row[3])) if row[3] else math.nan for name, row in digits.items()
    }
    estimates = {
        "micro": micro_estimates(kind, own, parameters.values, of_run, parameters.draws),
        "macro": macro_estimates(kind, own, means),
    }
    found = GroupAverages({}, {})
    documents, of_set = int(sums.documents[group]), f"{int(sums.document_sets[group]):016x}"
    for m, name in enumerate(kind.measures):
        defined = int(digits[name][3])
        sd = {"macro": _standard_deviation(sums.squares[m, group], defined), "micro": math.nan}
        for average, by_measure in estimates.items():
            estimate = found.estimates[name, average] = by_measure[name]
            found.rows[name, average] = Average(
                name,
                average,
                estimate.value,
                *estimate.interval(),
                sd[average],
                documents,
                defined,
                estimate.effective,
                estimate.freedom,
                document_set=of_set,
            )
    return found


def unit_sums(kind: Table, sums: Sums, group: int) -> UnitSums:
    """Return the sums of one group by resampling unit."""
    first, end = np.searchsorted(sums.group, [group, group + 1])
    cells: Ints = first + np.argsort(sums.unit[first:end], kind="stable")
    return UnitSums(
        sums.unit[cells],
        dict(zip(kind.counts, sums.counts[:, cells], strict=True)),
        dict(zip(kind.measures, sums.values[:, cells] / FINE, strict=True)),
        dict(zip(kind.measures, sums.defined[:, cells], strict=True)),
    )


def with_skill(kind: Table, own: GroupAverages, chance: GroupAverages) -> Iterator[Average]:
    """Yield the rows of a group with its skill: 0 is chance, 1 perfect, below 0 worse."""
    for key, row in own.rows.items():
        best = kind.measures[row.measure].best
        if best is None or key not in chance.estimates:
            yield row
            continue
        sides = own.estimates[key], chance.estimates[key]
        gained = combine(partial(skill, best=best), sides, (None, 1))
        low, high = gained.interval()
        yield replace(row, skill=gained.value, skill_low=low, skill_high=high)


def skill(value: Any, chance: Any, best: float) -> Any:
    """Return (value - chance) / (best - chance), NaN where chance is the best value."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = np.divide(value - np.asarray(chance), best - np.asarray(chance))
    return np.where(np.isfinite(gained), gained, math.nan)


_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()

_OF_AVERAGES = {
    "measure": _TEXT,
    "average": _TEXT,
    "value": _NUMBER,
    "ci_low": _NUMBER,
    "ci_high": _NUMBER,
    "sd": _NUMBER,
    "documents": _WHOLE,
    "defined": _WHOLE,
    "skill": _NUMBER,
    "skill_low": _NUMBER,
    "skill_high": _NUMBER,
    "document_set": _TEXT,
    "effective": _NUMBER,
    "freedom": _NUMBER,
}
"""Columns of the summary that have the fields of ``Average``, with their types."""

ANSWER_COLUMNS = {
    "answers": _WHOLE,
    "failed_answers": _WHOLE,
    "undivided_answers": _WHOLE,
    "edit_rate": _NUMBER,
}
"""Columns about the answers of a language model; null of other systems, and of groups."""

TRIAL_COLUMNS = {
    "trials": _WHOLE,
    "sd_trials": _NUMBER,
    "sd_documents": _NUMBER,
    "self_agreement": _NUMBER,
    "stable_boundaries": _NUMBER,
    "trials_needed": _WHOLE,
}
"""Columns about the trials of a system; they are null where no document has several."""

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

_TYPES = {
    "hypothesis": _TEXT,
    **_OF_AVERAGES,
    **ANSWER_COLUMNS,
    **TRIAL_COLUMNS,
    **{name: _OF_AVERAGES[of] for name, of in SHARED_COLUMNS.items()},
}

SUMMARY_COLUMNS = tuple(_TYPES)
"""The columns of the summary that do not name a group, in their order."""


def summary_groups(columns: Iterable[str]) -> list[str]:
    """Return the group-by columns among the columns of a summary."""
    return [name for name in columns if name not in SUMMARY_COLUMNS]


def summarise(
    kinds: Sequence[tuple[Table, Sums]],
    group_by: Mapping[str, pa.DataType],
    parameters: Callable[[GroupKey], Parameters],
    chance: str,
) -> pa.Table:
    """Return the summary table: hypothesis x group x measure x average (schemas/scores.py).

    Args:
        kinds: each kind of rows with its merged sums over the whole run.
        group_by: the group-by columns and their types; null in the rows over all documents.
        parameters: parameters of the formulas of a group.
        chance: what the name of a system is preceded by in the name of the reference point that
            its skill is measured against.
    """
    rows = [row for kind, sums in kinds for row in _rows(kind, sums, parameters, chance)]
    columns = {"hypothesis": pa.array([key[0] for key, _ in rows], pa.string())}
    for i, (name, kind) in enumerate(group_by.items(), start=1):
        columns[name] = pa.array([key[i] for key, _ in rows], kind)
    for name, kind in _OF_AVERAGES.items():
        columns[name] = _column([getattr(row, name) for _, row in rows], kind)
    for name in (*SHARED_COLUMNS, *TRIAL_COLUMNS, *ANSWER_COLUMNS):
        columns[name] = pa.nulls(len(rows), summary_type(name))
    return pa.table(columns).select(["hypothesis", *group_by, *SUMMARY_COLUMNS[1:]])


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return texts or numbers as a column, in which NaN is null."""
    if kind == _TEXT:
        return pa.array(values, kind)
    return column(np.array(values, np.int64 if kind == _WHOLE else np.float64))


def summary_type(name: str) -> pa.DataType:
    """Return the type of a column of the summary that does not name a group."""
    return _TYPES[name]


def _rows(
    kind: Table, sums: Sums, parameters: Callable[[GroupKey], Parameters], chance: str
) -> Iterator[tuple[GroupKey, Average]]:
    """Yield the rows of the summary for one kind of rows, with the keys of their groups."""
    number = {key: group for group, key in enumerate(sums.groups)}
    for group, key in enumerate(sums.groups):
        of_group = averages(kind, sums, group, parameters(key))
        rows: Iterable[Average] = of_group.rows.values()
        by_chance = number.get((f"{chance}{key[0]}", *key[1:]))
        if by_chance is not None:
            at_chance = averages(kind, sums, by_chance, parameters(sums.groups[by_chance]))
            rows = with_skill(kind, of_group, at_chance)
        yield from ((key, row) for row in rows)
