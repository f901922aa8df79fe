"""Pair hypotheses with their references, and count the pairs; needs only NumPy and numba."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures import PAIR_FAMILIES
from segscore.pipeline.measures.compared import ComparedPairs, UnitTotals, WeightedPairs
from segscore.pipeline.measures.items import Items, no_items
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs, pair_rows
from segscore.pipeline.measures.selection import Selection
from segscore.pipeline.scoring.boundaries import Side, UnitLengths
from segscore.pipeline.settings.measuring import LEVEL, MeasuringSettings
from segscore.pipeline.settings.reading import ONLY

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Pairs:
    """Pairs of a reference and a hypothesis.

    Attributes:
        ref_row: rows of the references, shape (pairs,).
        hyp_row: rows of the hypotheses, shape (pairs,).
        one_to_one: whether each hypothesis is in exactly one pair, in order.
    """

    ref_row: Ints
    hyp_row: Ints
    one_to_one: bool = False

    def hypothesis_column(self, column: "pa.ChunkedArray") -> "pa.ChunkedArray":
        """Return each pair's value in a column of the hypotheses, without a copy if possible."""
        import pyarrow as pa

        return column if self.one_to_one else column.take(pa.array(self.hyp_row))


@dataclass(frozen=True)
class Rule:
    """How pairs are counted and added up.

    Attributes:
        settings: how to measure.
        types: boundary types of the run, ascending; (1,) in a run without types.
        group_by: the group-by columns and their types, without ``level``.
        level: the level of a hierarchy that is counted; None for all levels, or without levels.
        merged: the types of the boundaries that the level has, which are then of one type; empty
            for all levels, or without levels.
    """

    settings: MeasuringSettings
    types: tuple[int, ...]
    group_by: dict[str, "pa.DataType"]
    level: int | None = None
    merged: tuple[int, ...] = ()

    @property
    def selection(self) -> Selection:
        """The counts and measures of the run."""
        return self.settings.selection

    @property
    def by_level(self) -> bool:
        """Whether the levels of a hierarchy are scored."""
        return self.settings.by_level is not None

    @property
    def levels(self) -> tuple["Rule", ...]:
        """The rule of each level of the run, the coarsest first; this rule alone without levels."""
        if not self.by_level:
            return (self,)
        only = self.settings.by_level == ONLY
        return tuple(
            replace(
                self, types=(kind,), level=kind, merged=(kind,) if only else self.types[: i + 1]
            )
            for i, kind in enumerate(self.types)
        )

    @property
    def summary_groups(self) -> "dict[str, pa.DataType]":
        """The columns of the summary that name its groups, and their types."""
        import pyarrow as pa

        return {**self.group_by, LEVEL: pa.int64()} if self.by_level else self.group_by


def pair_up(document: Ints, first: Ints) -> Pairs:
    """Pair each hypothesis with all references of its document.

    Args:
        document: document number of each hypothesis, shape (hypotheses,).
        first: document d has the reference rows first[d]..first[d+1]-1, shape (documents + 1,).

    Returns:
        Pairs in the order of the hypotheses, then of the references.
    """
    start = first[document]
    partners = first[document + 1] - start
    if (partners == 1).all():
        return Pairs(start, np.arange(len(document)), one_to_one=True)
    hyp_row = np.repeat(np.arange(len(document)), partners)
    before = np.cumsum(partners) - partners
    return Pairs(np.arange(len(hyp_row)) + np.repeat(start - before, partners), hyp_row)


class CountedHypotheses(Protocol):
    """What counting needs to know of hypotheses; see ``Hypotheses``."""

    @property
    def document(self) -> Ints:
        """Document number of each hypothesis."""

    @property
    def side(self) -> Side:
        """Boundaries of the hypotheses."""


class DocumentSides(NamedTuple):
    """Hypotheses of which no more is known than counting needs; see ``CountedHypotheses``."""

    document: Ints
    side: Side


class CountedReferences(Protocol):
    """What counting needs to know of references; see ``References``."""

    @property
    def size(self) -> Ints:
        """N of each reference's document."""

    @property
    def side(self) -> Side:
        """Boundaries of the references."""

    @property
    def window(self) -> Ints:
        """Window size of each reference."""

    @property
    def words(self) -> UnitLengths | None:
        """Words in each unit of each document, in a run in words."""

    @property
    def weights(self) -> UnitLengths | None:
        """Weight of each unit of each document, in a run that weighs content."""


def count_pairs(
    hypotheses: CountedHypotheses, pairs: Pairs, references: CountedReferences, rule: Rule
) -> dict[str, Ints]:
    """Count all pairs for the families that are needed: count name -> shape (pairs,)."""
    ref, hyp, selection = references.side, hypotheses.side, rule.selection
    rows = pairs.ref_row, pairs.hyp_row, references.size[pairs.ref_row]
    untyped = pair_rows(ref.boundaries, hyp.boundaries, *rows)
    same = ref.typed is ref.boundaries and hyp.typed is hyp.boundaries
    compared = ComparedPairs(
        untyped,
        untyped if same else pair_rows(ref.typed, hyp.typed, *rows),
        TypedSides(rule.types, ref.types, hyp.types),
        references.window[pairs.ref_row],
        rule.settings,
        _weighted(hypotheses, untyped, references),
        None if rule.settings.selected is None else (_items(ref), _items(hyp)),
    )
    counts: dict[str, Ints] = {}
    for name, family in PAIR_FAMILIES.items():
        if name in selection.families:
            counts |= zip(family.COUNTS, family.count_compared(compared), strict=True)
    return {name: counts[name] for name in selection.pairs.counts}


def _items(side: Side) -> Items:
    """Return the selected segments of a side; a reference point has none, as it has no labels."""
    return no_items(len(side)) if side.items is None else side.items


def _weighted(
    hypotheses: CountedHypotheses, untyped: SegmentationPairs, references: CountedReferences
) -> WeightedPairs | None:
    weights = references.weights
    if weights is None:
        return None
    totals = weights.units if references.words is None else references.words.totals
    in_units = untyped._replace(
        references=references.side.in_units.arrays, hypotheses=hypotheses.side.in_units.arrays
    )
    return WeightedPairs(
        in_units,
        hypotheses.document[untyped.hyp_row],
        UnitTotals(weights.lengths.offsets, totals, weights.totals),
    )
