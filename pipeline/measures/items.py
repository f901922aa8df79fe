"""Segments that are compared as items: some of the segments of each segmentation."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Ints, Positions, Ragged, RowArrays, offsets_of


class ItemArrays(NamedTuple):
    """The arrays of ``Items``, in the form that compiled loops accept."""

    starts: RowArrays
    ends: RowArrays


@dataclass(frozen=True, slots=True)
class Items:
    """Segments of each row from left to right, which do not overlap.

    Attributes:
        starts: units before each of them, in the unit of the run.
        ends: units up to its end, parallel to ``starts``.
    """

    starts: Ragged
    ends: Ragged

    @property
    def arrays(self) -> ItemArrays:
        """All arrays, as one argument for a compiled loop."""
        return ItemArrays(self.starts.arrays, self.ends.arrays)


class Selected(NamedTuple):
    """Which segments are items.

    Attributes:
        labels: the labels of segments that are.
        join: segments less than so many units apart become one item; 0 joins none.
    """

    labels: tuple[str, ...]
    join: Fraction


def no_items(rows: int) -> Items:
    """Return rows without items."""
    nothing = Ragged(np.zeros(rows + 1, np.int64), np.empty(0, np.int32))
    return Items(nothing, nothing)


def whole_segments(boundaries: RowArrays, row: Ints, n_units: Ints) -> Items:
    """Return all segments of some rows.

    Args:
        boundaries: boundary positions, one row per segmentation.
        row: rows that are needed, each as often as it is, shape (pairs,).
        n_units: number of units of the document of each, shape (pairs,).
    """
    units = np.zeros(len(boundaries.offsets) - 1, np.int64)
    units[row] = n_units
    first, last = boundaries.offsets[0], boundaries.offsets[-1]
    lists = Ragged(boundaries.offsets - first, boundaries.values[first:last])
    return segments_of(lists, units)


def segments_of(boundaries: Ragged, n_units: Ints) -> Items:
    """Return all segments of rows whose values begin with those of the first row."""
    rows = np.arange(len(boundaries))
    of_value = np.repeat(rows, boundaries.lengths)
    place = np.arange(len(of_value)) + of_value
    offsets = offsets_of(boundaries.lengths + 1)
    starts = np.zeros(offsets[-1], np.int32)
    ends = np.empty(offsets[-1], np.int32)
    starts[place + 1] = ends[place] = boundaries.values
    ends[offsets[1:] - 1] = n_units
    return Items(Ragged(offsets, starts), Ragged(offsets, ends))


def chosen_items(segments: Items, chosen: Flags, join: Fraction) -> Items:
    """Return the segments that are chosen, shape (segments,), and join those that are near.

    Segments without length, as units without words make them, are left out.
    """
    starts, ends = segments.starts.values, segments.ends.values
    row = np.repeat(np.arange(len(segments.starts)), segments.starts.lengths)
    kept = chosen & (ends > starts)
    row, starts, ends = row[kept], starts[kept], ends[kept]
    gap = starts[1:].astype(np.int64) - ends[:-1]
    # A whole number is less than a fraction exactly if it is less than the fraction rounded up.
    begins = np.ones(len(row), bool)
    begins[1:] = (row[1:] != row[:-1]) | (gap >= -(-join.numerator // join.denominator))
    finishes = np.ones(len(row), bool)
    finishes[:-1] = begins[1:]
    lengths = np.bincount(row[begins], minlength=len(segments.starts))
    offsets = offsets_of(lengths)
    return Items(_ragged(offsets, starts[begins]), _ragged(offsets, ends[finishes]))


def _ragged(offsets: Ints, values: Positions) -> Ragged:
    return Ragged(offsets, np.asarray(values, np.int32))
