"""Levels of a hierarchy: boundaries of all types up to the level's, or of its type alone.

A level is scored as if its boundaries were all there is, and had no types: it has windows and a
P_seg of its own.  Beside the averages of each level there are those over all levels: the macro
average is over each document's mean over levels (Gklezakos, Misiak & Bishop 2024, TreeSeg), the
micro average adds the counts of the levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segscore.pipeline.arrays.ragged import Categorical, Ints
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
from segscore.pipeline.tables.boundary_types import only_types, positions_alone
from segscore.pipeline.tables.read import Rows


@dataclass(frozen=True)
class LevelParameters:
    """What the formulas of a level use in addition to counts.

    Attributes:
        level: number of the level, which is its type; None for all levels.
        type_range: 1, as the boundaries of a level have no types.
        p_seg: P_seg of the level; NaN if undefined.
    """

    level: int | None
    type_range: int
    p_seg: float


def rows_at(rows: Rows, rule: Rule) -> Rows:
    """Return segmentations with the boundaries of a level alone, each position once."""
    return positions_alone(only_types(rows, rule.merged))


def references_at(references: References, rows: Rows, rule: Rule) -> References:
    """Return references with the boundaries of a level alone."""
    document, size = references.document, references.size
    side = side_from_rows(rows_at(rows, rule), document, references.words, typed=False)
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
    return tuple(
        LevelParameters(level, 1, share_of_windows(covered, total) if given is None else given)
        for level, (total, covered) in zip(
            (None, *(each.level for each in levels)), totals, strict=True
        )
    )


def add_up_levels(rows: CountedRows, level: Ints) -> CountedRows:
    """Write the rows of all levels so that they can be added up, as ``join_levels`` does.

    Args:
        rows: the rows.
        level: the level of each row, shape (rows,).
    """
    _, on_level = np.unique(level, return_inverse=True)
    return rows._replace(level=np.asarray(on_level, np.int64))


def join_levels(rows: Sequence[GroupedRows]) -> GroupedRows:
    """Join the rows of all levels of the same pairs, to average over levels."""
    names, first = rows[0].counts, rows[0].counted
    counts, values = (
        [np.concatenate(arrays) for arrays in zip(*of_levels, strict=True)]
        for of_levels in (
            [each.counted.counts for each in rows],
            [each.counted.values for each in rows],
        )
    )
    repeats = len(rows)
    counted = CountedRows(
        np.tile(first.document, repeats),
        counts,
        values,
        one_each=False,
        level=np.repeat(np.arange(repeats), len(first.document)),
    )
    groups = None if rows[0].groups is None else [_tiled(g, repeats) for g in rows[0].groups]
    return GroupedRows(_tiled(rows[0].system, repeats), groups, names, counted)


def _tiled(coded: Categorical, repeats: int) -> Categorical:
    code: Ints = np.tile(coded.code, repeats)
    return Categorical(code, coded.names)
