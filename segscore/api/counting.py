"""Count pairs of segmentations by the passes that the commands use."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from segscore.api.segmentation import Segmentation
from segscore.pipeline.arrays.ragged import Ints, Ragged
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import Table as MeasureTable
from segscore.pipeline.measures.items import chosen_items
from segscore.pipeline.measures.selection import EVERYTHING
from segscore.pipeline.measures.windows import window_size
from segscore.pipeline.scoring.boundaries import Side, UnitLengths, measured_segments, typed_side
from segscore.pipeline.scoring.counting import DocumentSides, Pairs, Rule, count_pairs
from segscore.pipeline.scoring.window_policy import window_sizes
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.faults import (
    DECLARED,
    GIVEN,
    TYPES_MISSING,
    undeclared_types,
)

_FIRST, _NONE = np.zeros(1, np.int64), np.zeros(1, np.int64)


class PairCounts(NamedTuple):
    """The counts of one pair.

    Attributes:
        counts: one number for each count of ``table``, shape (counts,).
        table: the counts, and the measures that can be computed from them.
        types: boundary types of the pair, ascending; (1,) without types.
        typed: whether the pair has boundary types.
        window: window size k.
    """

    counts: Ints
    table: MeasureTable
    types: tuple[int, ...]
    typed: bool
    window: int


def count_pair(
    reference: Segmentation, hypothesis: Segmentation, settings: MeasuringSettings
) -> PairCounts:
    """Count one pair by the passes that the commands use.

    Raises:
        Refused: one side has boundary types that the other lacks, or undeclared ones.
    """
    types, typed = _types_of_pair(reference, hypothesis, settings)
    size = np.array([reference.n_units])
    given = {"reference": reference, "hypothesis": hypothesis}
    sides = [_side(name, each, settings, typed=typed) for name, each in given.items()]
    rule = Rule(counted_settings(settings), types, {})
    counts, window = _count(sides[0], sides[1], size, rule)
    table = rule.selection.pairs
    vector = np.array([counts[name][0] for name in table.counts], np.int64)
    return PairCounts(vector, table, types, typed, int(window[0]))


def count_batch(
    references: Ragged, hypotheses: Ragged, n_units: Ints, settings: MeasuringSettings
) -> dict[str, Ints]:
    """Count many pairs without boundary types: count name -> shape (pairs,).

    Args:
        references: boundaries of the references, one row a pair.
        hypotheses: boundaries of the hypotheses, one row a pair.
        n_units: number of units of each pair's document, shape (pairs,).
        settings: how to measure.
    """
    rule = Rule(settings, settings.boundary_types or (1,), {})
    none = np.zeros(len(n_units), np.int64)
    sides = [Side(rows, rows, rows, None, none) for rows in (references, hypotheses)]
    return _count(sides[0], sides[1], n_units, rule)[0]


def _count(
    reference: Side, hypothesis: Side, size: Ints, rule: Rule
) -> tuple[dict[str, Ints], Ints]:
    """Count pairs; return the counts by name and the window size of each pair, shape (pairs,)."""
    rows = np.arange(len(size))
    segments = reference.boundaries.lengths + 1
    if rule.settings.window in ("per-pair", "per-document"):  # each pair is a document of its own
        window = window_size(size, segments, rule.settings.rounding)
    else:
        window, _ = window_sizes(size, segments, rows, len(rows), rule.settings)
    counts = count_pairs(
        DocumentSides(rows, hypothesis),
        Pairs(rows, rows, one_to_one=True),
        _References(size, reference, window),
        rule,
    )
    return counts, window


@lru_cache
def counted_settings(settings: MeasuringSettings) -> MeasuringSettings:
    """Return how a pair is counted: for every measure, unless some are chosen."""
    return settings if settings.measures else replace(settings, measures=(EVERYTHING,))


class _References(NamedTuple):
    """The references; see ``pairs.CountedReferences``."""

    size: Ints
    side: Side
    window: Ints
    words: UnitLengths | None = None
    weights: UnitLengths | None = None


def _side(
    name: str, segmentation: Segmentation, settings: MeasuringSettings, *, typed: bool
) -> Side:
    positions = np.array(segmentation.boundaries, np.int32)
    rows = Ragged(np.array([0, len(positions)]), positions)
    side = Side(rows, rows, rows, None, _NONE)
    if typed:
        side = typed_side(rows, np.array(segmentation.types, np.int32), _FIRST, None)
    selected, labels = settings.selected, segmentation.labels
    if selected is None:
        return side
    if labels is None:
        raise Refused(f"{name}: --select needs labels; give a Segmentation with labels=[...]")
    chosen = np.array([label in selected.labels for label in labels])
    n_units = np.array([segmentation.n_units])
    segments = measured_segments(side.in_units, n_units, None)
    return replace(side, items=chosen_items(segments, chosen, selected.join))


def _types_of_pair(
    reference: Segmentation, hypothesis: Segmentation, settings: MeasuringSettings
) -> tuple[tuple[int, ...], bool]:
    """Return the boundary types of a pair, ascending, and whether its boundaries have types."""
    sides = {"reference": reference.types, "hypothesis": hypothesis.types}
    given = {name: types for name, types in sides.items() if types is not None}
    if not given:
        return settings.boundary_types or (1,), False
    for name, types in sides.items():
        if types is None:
            raise Refused(f"{name}: {GIVEN}: {TYPES_MISSING}")
        if settings.boundary_types and not {*types} <= {*settings.boundary_types}:
            raise Refused(f"{name}: {DECLARED}: {undeclared_types(settings.boundary_types)}")
    occurring = tuple(sorted({*given["reference"], *given["hypothesis"]})) or (1,)
    return settings.boundary_types or occurring, True
