"""Levels of a hierarchy: boundaries of all types up to that of the level, or of that type alone.

A level is scored as if its boundaries were all there is: it has windows, a P_seg and boundary types
of its own.  Beside the averages of each level there are those over all levels: the macro average is
over each document's mean over levels (Gklezakos, Misiak & Bishop 2024, TreeSeg), the micro average
adds the counts of the levels.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Coded, Ints
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.pairs import GroupedRows
from segscore.pipeline.scoring.references import (
    References,
    count_windows,
    estimate_p_seg,
)
from segscore.pipeline.scoring.window_policy import share_of_windows, window_sizes
from segscore.pipeline.statistics.sums import CountedRows
from segscore.pipeline.tables.boundary_types import only_types
from segscore.pipeline.tables.read import Rows

_SPAN = "substitution_span"
_FITS = 2**62
"""Counts from here on are kept as Python integers."""


@dataclass(frozen=True)
class LevelParameters:
    """What the formulas of a level use in addition to counts.

    Attributes:
        level: number of the level, which is its type; None for all levels.
        type_range: largest type difference of the level, plus 1; for all levels, the least common
            multiple of theirs, as ``common_counts`` writes the counts.
        p_seg: P_seg of the level; NaN if undefined.
    """

    level: int | None
    type_range: int
    p_seg: float


def references_at(references: References, rows: Rows, rule: Rule) -> References:
    """Return references with the boundaries of a level alone."""
    document, size = references.document, references.size
    side = side_from_rows(only_types(rows, rule.types), document, references.words, typed=True)
    window, panel_window = window_sizes(
        size, side.boundaries.lengths + 1, document, len(references.documents), rule.settings
    )
    p_seg = estimate_p_seg(side.boundaries, size, window, rule.settings)
    return replace(references, side=side, window=window, panel_window=panel_window, p_seg=p_seg)


def window_counts(references: References) -> tuple[int, int]:
    """Count the windows of some references, and how many of them contain a boundary."""
    return count_windows(references.side.boundaries, references.size, references.window)


def level_parameters(rule: Rule, windows: Sequence[tuple[int, int]]) -> tuple[LevelParameters, ...]:
    """Return the parameters over all levels, then those of each level; empty without levels.

    Args:
        rule: the rule of the run.
        windows: for each level, the number of windows of all references, and how many of them
            contain a boundary.
    """
    levels = rule.levels
    if not rule.by_level:
        return ()
    given = rule.settings.p_seg
    totals = [tuple(map(sum, zip(*windows, strict=True))), *windows]
    ranges = [common_range(levels), *(each.type_range for each in levels)]
    return tuple(
        LevelParameters(level, kinds, share_of_windows(covered, total) if given is None else given)
        for level, kinds, (total, covered) in zip(
            (None, *(each.level for each in levels)), ranges, totals, strict=True
        )
    )


def common_range(levels: Sequence[Rule]) -> int:
    """Return the least common multiple of the type ranges of all levels."""
    return math.lcm(*(level.type_range for level in levels))


def common_counts(name: str, counts: NDArray[Any], factor: int) -> NDArray[Any]:
    """Write the counts of a level so that they can be added to those of other levels.

    A substitution weighs its type difference divided by the type range of its level.  With the
    differences multiplied by a factor, the range of all levels is their least common multiple: 1/2
    on a level with two types and 1/3 on one with three become 3 and 2, of a range of 6.

    Args:
        name: name of the count; only ``substitution_span`` changes.
        counts: the counts, shape (rows,).
        factor: the range of all levels divided by that of the level.
    """
    if name != _SPAN or factor == 1:
        return counts
    if int(counts.max(initial=1)) * factor >= _FITS:
        return np.asarray(counts.astype(object) * factor)
    return np.asarray(counts * factor)


def add_up_levels(
    names: Iterable[str], rows: CountedRows, level: Ints, factor: Callable[[int], int]
) -> CountedRows:
    """Write the rows of all levels so that they can be added up, as ``join_levels`` does.

    Args:
        names: names of the counts.
        rows: the rows.
        level: the level of each row, shape (rows,).
        factor: returns the factor of a level for ``common_counts``.
    """
    levels, on_level = np.unique(level, return_inverse=True)
    counts = []
    for name, row in zip(names, rows.counts, strict=True):
        parts = [common_counts(name, row[level == each], factor(each)) for each in levels.tolist()]
        order = np.argsort(on_level, kind="stable")
        scaled = np.empty(len(row), np.result_type(*parts))
        scaled[order] = np.concatenate(parts)
        counts.append(scaled)
    return rows._replace(counts=counts, level=np.asarray(on_level, np.int64))


def join_levels(levels: Sequence[Rule], rows: Sequence[GroupedRows]) -> GroupedRows:
    """Join the rows of all levels of the same pairs, to average over levels."""
    whole = common_range(levels)
    names, first = rows[0].counts, rows[0].counted
    counts = [
        np.concatenate(
            [
                common_counts(name, each.counted.counts[i], whole // level.type_range)
                for level, each in zip(levels, rows, strict=True)
            ]
        )
        for i, name in enumerate(names)
    ]
    values = [
        np.concatenate(arrays)
        for arrays in zip(*(each.counted.values for each in rows), strict=True)
    ]
    repeats = len(levels)
    counted = CountedRows(
        np.tile(first.document, repeats),
        counts,
        values,
        one_each=False,
        level=np.repeat(np.arange(repeats), len(first.document)),
    )
    groups = None if rows[0].groups is None else [_tiled(g, repeats) for g in rows[0].groups]
    return GroupedRows(_tiled(rows[0].system, repeats), groups, names, counted)


def _tiled(coded: Coded, repeats: int) -> Coded:
    code: Ints = np.tile(coded.code, repeats)
    return Coded(code, coded.names)
