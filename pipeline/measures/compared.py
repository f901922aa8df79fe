"""Input of the counting pass of a family: pairs of segmentations, and how a run measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from segscore.pipeline.arrays.ragged import Ints, Ragged
from segscore.pipeline.measures.items import Items
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs


class CountingSettings(Protocol):
    """The settings that counts depend on; see ``MeasuringSettings``."""

    @property
    def near_limit(self) -> int:
        """The limit n_t: near misses lie 1..n_t-1 positions apart."""

    @property
    def pairing(self) -> str:
        """How boundaries are paired: greedy or optimal."""

    @property
    def reach(self) -> int | Fraction:
        """Largest distance of boundaries that are the same: in units, or a share of a document."""

    @property
    def edges(self) -> int:
        """Ends of the document that count as boundaries."""

    @property
    def iou(self) -> Fraction:
        """Fraction that the IoU of two segments must exceed."""

    @property
    def iou_reached(self) -> bool:
        """Whether an IoU equal to the fraction is enough."""


class UnitTotals(NamedTuple):
    """The words and the weights of the units of documents, as running totals.

    Attributes:
        offsets: document d has units offsets[d]..offsets[d+1]-1, shape (documents + 1,).
        words: running total of words within each document, from ``ragged.cumulative`` (1, 2, 3 ...
            if a listener is at a unit, not a word), at least 1 at the end, shape (units,).
        weights: running total of unit weights, integers >= 0, within each document, shape (units,).
    """

    offsets: Ints
    words: Ints
    weights: Ints


class WeightedPairs(NamedTuple):
    """The pairs of a run that weighs content.

    Attributes:
        pairs: the segmentations, with positions in units even if the run measures in words.
        document: index into ``units.offsets`` of each pair's document, shape (pairs,).
        units: words and weights of all documents.
    """

    pairs: SegmentationPairs
    document: Ints
    units: UnitTotals


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs of segmentations that a run counts.

    Attributes:
        pairs: the segmentations, without boundary types.
        typed: the segmentations, with a boundary at a position for each of its types.
        types: the types of the boundaries in ``typed``.
        window: window size k of each pair, at least 1, shape (pairs,).
        settings: how the run measures.
        weighted: the pairs with unit weights; None if the run does not weigh content.
        items: selected segments of references and of hypotheses; None in a run that selects none,
            and compares all segments as items.
    """

    pairs: SegmentationPairs
    typed: SegmentationPairs
    types: TypedSides
    window: Ints
    settings: CountingSettings
    weighted: WeightedPairs | None = None
    items: tuple[Items, Items] | None = None


class MeasureFamily(Protocol):
    """What the module of a family of measures has."""

    @property
    def COUNTS(self) -> Mapping[str, str]:  # noqa: N802
        """Count name -> description, in the order of the pass."""

    @property
    def MEASURES(self) -> tuple[Measure, ...]:  # noqa: N802
        """The measures, in the order of the columns."""


class PanelRows(NamedTuple):
    """Hypotheses to judge, each against all references of its document.

    Attributes:
        first: the references of document d are rows first[d]..first[d+1]-1, shape (documents + 1,).
        document: document of each row, which must have a reference, shape (rows,).
        hyp_row: index into the hypotheses for each row, shape (rows,).
        n_units: number N of units of each row's document, at least 1, shape (rows,).
        window: window size m of each row's document, at least 1, shape (rows,).
    """

    first: Ints
    document: Ints
    hyp_row: Ints
    n_units: Ints
    window: Ints


class PanelFamily(MeasureFamily, Protocol):
    """What the module of a family of `panel_scores` has."""

    def count_panels(
        self,
        references: Ragged,
        hypotheses: Ragged,
        rows: PanelRows,
        settings: CountingSettings,
    ) -> Ints:
        """Count each row: one row per count of ``COUNTS``, shape (counts, rows)."""


class PairFamily(MeasureFamily, Protocol):
    """What the module of a family of `scores` has."""

    def count_compared(self, compared: ComparedPairs) -> Ints:
        """Count each pair: one row per count of ``COUNTS``, shape (counts, pairs)."""
