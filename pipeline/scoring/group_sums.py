"""Add up rows over all documents and by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Categorical, Ints
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.statistics.resampling import Units
from segscore.pipeline.statistics.sums import CountedRows, GroupKey, Sums, distinct, sum_rows


def number_groups(columns: list[Categorical]) -> tuple[Ints, list[GroupKey]]:
    """Number the combinations of values that occur; -1 where a value is null."""
    code = np.zeros(len(columns[0].code), np.int64)
    for coded in columns:
        code = np.where((code < 0) | (coded.code < 0), -1, code * len(coded.names) + coded.code)
    known = code >= 0
    number = np.full(len(code), -1, np.int64)
    combinations, _, number[known] = distinct(code[known])
    keys, remainder = [], combinations
    for coded in reversed(columns):
        remainder, digit = np.divmod(remainder, max(1, len(coded.names)))
        keys.append([coded.names[i] for i in digit.tolist()])
    return number, [*zip(*reversed(keys), strict=True)]


@dataclass(frozen=True)
class KeyedRows:
    """Rows to add up by system, perhaps by another column, and by group.

    Attributes:
        keys: the columns that the keys of all groups begin with.
        groups: the group-by columns; None if the rows are in no group.
        level: the level of the rows, as the last part of keys; empty in a run without levels.
        counted: what is added up.
    """

    keys: Sequence[Categorical]
    groups: Sequence[Categorical] | None
    level: tuple[int | None, ...]
    counted: CountedRows


def sums_by_group(
    rows: KeyedRows, rule: Rule, units: Units, *, over_all: bool = True
) -> Iterator[Sums]:
    """Yield the sums over all documents and, with group-by columns, those of each group.

    Args:
        rows: the rows.
        rule: how they were counted.
        units: the resampling units of the documents.
        over_all: whether the rows count over all documents.
    """
    if over_all:
        code, keys = number_groups([*rows.keys])
        nothing = [None] * len(rule.group_by)
        all_keys = [(*key, *nothing, *rows.level) for key in keys]
        yield sum_rows(all_keys, code, units, rows.counted)
    if rows.groups is not None:
        code, keys = number_groups([*rows.keys, *rows.groups])
        # A document without a value for an attribute is in no group; it counts only in the whole.
        grouped = code >= 0
        group_keys = [(*key, *rows.level) for key in keys]
        yield sum_rows(group_keys, code[grouped], units, rows.counted.select(grouped))
