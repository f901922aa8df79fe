"""Add up rows over all documents and by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from segscore.pipeline.arrays.ragged import Categorical
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.group_numbers import number_groups
from segscore.pipeline.statistics.resampling import Units
from segscore.pipeline.statistics.sums import CountedRows, Sums, sum_rows


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
