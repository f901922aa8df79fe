"""The boundaries of references or hypotheses, in units and in the unit of the run."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import (
    Ints,
    Positions,
    Ragged,
    cumulative,
    numbers,
    ragged,
    to_words,
    trimmed,
)
from segscore.pipeline.measures.items import Items, Selected, chosen_items, segments_of

if TYPE_CHECKING:
    from segscore.pipeline.tables.read import Rows


@dataclass(frozen=True)
class UnitLengths:
    """Words (or weights) of each unit, one row per document, and their running totals."""

    lengths: Ragged
    totals: Ints

    @classmethod
    def from_lengths(cls, lengths: Ragged) -> "UnitLengths":
        """Compute the running totals of each document's unit lengths."""
        return cls(lengths, cumulative(lengths))

    @property
    def units(self) -> Ints:
        """Running totals of units, parallel to ``totals``: 1, 2, 3... within a document."""
        start = np.repeat(self.lengths.offsets[:-1], self.lengths.lengths)
        return 1 + np.arange(len(self.totals)) - start

    def whole(self, document: Ints) -> Ints:
        """Return the total words of each document, shape (rows,)."""
        return self.totals[self.lengths.offsets[document + 1] - 1]


class Labelled(NamedTuple):
    """All segments of each row, and their labels.

    Attributes:
        segments: the segments, in the unit of the run.
        code: index into ``names`` of each, shape (segments,).
        names: the labels; None for segments without one.
    """

    segments: Items
    code: Ints
    names: list[str | None]


class LabelUse(NamedTuple):
    """What a run needs the labels of segments for.

    Attributes:
        selected: which segments are items; None if the run selects none.
        counted: whether labels are counted over overlaps.
    """

    selected: Selected | None
    counted: bool


NO_LABELS = LabelUse(None, counted=False)


@dataclass(frozen=True)
class Side:
    """Segmentations, one per row; positions repeat only in ``typed``.

    Attributes:
        in_units: positions in units.
        boundaries: positions in the unit of the run.
        typed: positions in the unit of the run, repeated for each boundary type at the position.
        types: type of each entry of ``typed``; None in a run without types, where ``typed`` is
            ``boundaries``.
        collapsed: boundaries that each row lost: in its import, beyond the end of its document, and
            by conversion to words; shape (rows,).
        items: segments that are selected; None if none are, or if the run selects none.
        labels: all segments with their labels; None if they have none, or the run needs none.
    """

    in_units: Ragged
    boundaries: Ragged
    typed: Ragged
    types: Positions | None
    collapsed: Ints
    items: Items | None = None
    labels: Labelled | None = None

    def __len__(self) -> int:
        return len(self.boundaries)


def side(positions: Ragged, document: Ints, words: UnitLengths | None) -> Side:
    """Convert segmentations without types to the unit of the run."""
    measured = positions
    if words is not None:
        measured = to_words(positions, document, words.lengths, words.totals)
    return Side(positions, measured, measured, None, positions.lengths - measured.lengths)


def typed_side(
    positions: Ragged, types: Positions, document: Ints, words: UnitLengths | None
) -> Side:
    """Convert segmentations with types to the unit of the run.

    Boundaries that fall on the same position remain separate if their types differ.

    Args:
        positions: positions in units, one row per segmentation, repeated for each type.
        types: type of each entry of ``positions``.
        document: row of ``words`` for each segmentation, shape (rows,).
        words: words in each unit, in a run in words; else None.
    """
    row = np.repeat(np.arange(len(positions)), positions.lengths)
    in_units = np.stack([row, positions.values])
    position = positions.values.astype(np.int64)
    inside = np.ones(len(position), bool)
    if words is not None:
        position = words.totals[words.lengths.offsets[document[row]] + position - 1]
        inside = (position > 0) & (position < words.whole(document[row]))
    order = np.lexsort((types, position, row))
    order = order[inside[order]]
    keys = np.stack([row[order], position[order], types[order]])
    distinct = keys[:, _first_occurrences(keys)]
    untyped = distinct[:2, _first_occurrences(distinct[:2])]
    typed = _ragged(distinct[0], distinct[1], len(positions))
    unit_positions = in_units[:, _first_occurrences(in_units)]
    return Side(
        in_units=_ragged(unit_positions[0], unit_positions[1], len(positions)),
        boundaries=_ragged(untyped[0], untyped[1], len(positions)),
        typed=typed,
        types=distinct[2].astype(np.int32),
        collapsed=positions.lengths - typed.lengths,
    )


def _first_occurrences(keys: Ints) -> Ints:
    """Return the columns of sorted keys that differ from the column before, shape (distinct,)."""
    new = np.ones(keys.shape[1], bool)
    new[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    return np.flatnonzero(new)


def _ragged(row: Ints, values: Ints, rows: int) -> Ragged:
    return Ragged(np.searchsorted(row, np.arange(rows + 1)), values.astype(np.int32))


@dataclass(frozen=True)
class InWords:
    """Words, and the document of each segmentation among them, shape (rows,)."""

    words: UnitLengths
    document: Ints

    def convert(self, positions: Positions, row: Ints) -> Positions:
        """Return positions of segmentations in words; 0 stays 0."""
        before = self.words.lengths.offsets[self.document[row]] + positions.astype(np.int64) - 1
        return np.where(positions > 0, self.words.totals[np.maximum(before, 0)], 0).astype(np.int32)


def measured_segments(positions: Ragged, n_units: Ints, in_words: InWords | None) -> Items:
    """Return all segments of segmentations, in the unit of the run.

    Args:
        positions: different positions in units, one row per segmentation.
        n_units: number of units of each, shape (rows,).
        in_words: where the words of each segmentation are, in a run in words; else None.
    """
    segments = segments_of(trimmed(positions), n_units)
    if in_words is None:
        return segments
    row = np.repeat(np.arange(len(positions)), segments.starts.lengths)
    starts, ends = (
        Ragged(each.offsets, in_words.convert(each.values, row))
        for each in (segments.starts, segments.ends)
    )
    return Items(starts, ends)


def side_from_rows(
    rows: "Rows",
    document: Ints,
    words: UnitLengths | None,
    *,
    typed: bool,
    use: LabelUse = NO_LABELS,
) -> Side:
    """Return the boundaries of validated rows.

    Args:
        rows: segmentations, with boundary_types if ``typed``.
        document: row of ``words`` for each segmentation, shape (rows,).
        words: words in each unit, in a run in words; else None.
        typed: whether the run distinguishes boundary types.
        use: what the labels of segments are needed for; to select, all rows must have labels.
    """
    from segscore.pipeline.tables.document_lengths import COLLAPSED, collapsed
    from segscore.schemas.input_columns import BY_SEGMENT

    positions = ragged(rows.table.column("boundaries").chunk(0))
    if typed:
        types = ragged(rows.table.column("boundary_types").chunk(0))
        converted = typed_side(trimmed(positions), trimmed(types).values, document, words)
    else:
        converted = side(positions, document, words)
    # Rows that are added for missing ones have no labels.
    if use != NO_LABELS and BY_SEGMENT in rows.table.column_names:
        in_words = None if words is None else InWords(words, document)
        converted = _with_labels(converted, rows, use, in_words)
    if COLLAPSED not in rows.table.column_names:
        return converted
    return replace(converted, collapsed=converted.collapsed + collapsed(rows))


def _with_labels(side: Side, rows: "Rows", use: LabelUse, in_words: InWords | None) -> Side:
    """Return the boundaries of rows with their selected segments, and their labels, as needed."""
    from segscore.pipeline.tables.segment_labels import have_label, number_labels

    n_units = numbers(rows.table.column("n_units").chunk(0)).astype(np.int64)
    segments = measured_segments(side.in_units, n_units, in_words)
    if use.selected is not None:
        chosen = have_label(rows, use.selected.labels)
        side = replace(side, items=chosen_items(segments, chosen, use.selected.join))
    if use.counted:
        code, names = number_labels(rows, segments.starts.lengths)
        side = replace(side, labels=Labelled(segments, code, names))
    return side
