"""Classes of boundaries by story length, position and prominence."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.agreement.prominence import marked
from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged
from segscore.pipeline.scoring.references import References

TENTHS = 10
QUARTERS = 4
NO_CLASS = -1


@dataclass(frozen=True)
class Classes:
    """The classes of boundaries in one analysis.

    Attributes:
        low: lower end of each class, shape (classes,).
        high: upper end of each class, shape (classes,).
        class_of: function that returns the class of positions, -1 for none; it takes the row of the
            reference and the position in the unit of the run, each of shape (positions,).
        boundary_class: class of each reference boundary, shape (boundaries,).
    """

    low: list[float]
    high: list[float]
    class_of: Callable[[Ints, Ints], Ints]
    boundary_class: Ints


class Places:
    """Classes of a run's reference boundaries by story length, position and prominence.

    Those of prominence are there only if a document has several references.
    """

    def __init__(self, references: References, shared: Flags) -> None:
        """Divide the boundaries of the shared documents into classes."""
        self.references = references
        once = references.side.boundaries
        self.keys = np.repeat(np.arange(len(once)), once.lengths) << 32 | once.values
        self.lengths = _lengths(once, references.size)
        self.edges = _quartiles(
            self.lengths.values[np.repeat(shared[references.document], self.lengths.lengths)]
        )
        tenths = [i / TENTHS for i in range(TENTHS + 1)]
        self.classes = {
            "story_length": self._classes(*self.edges, self._story_class),
            "position": self._classes(tenths[:-1], tenths[1:], self._position_class),
        }
        if references.has_panels:
            positions = marked(once, references.first, references.panel_window)
            self.marked = positions.document << 32 | positions.position
            self.support = positions.coders[0]
            quarters = [0.0, *(i / QUARTERS for i in range(QUARTERS + 1))]
            self.classes["prominence"] = self._classes(
                quarters[:-1], [0.0, *quarters[2:]], self._prominence_class
            )

    def _classes(
        self, low: list[float], high: list[float], class_of: Callable[[Ints, Ints], Ints]
    ) -> Classes:
        typed = self.references.side.typed
        row = np.repeat(np.arange(len(typed)), typed.lengths)
        return Classes(low, high, class_of, class_of(row, typed.values.astype(np.int64)))

    def _story_class(self, row: Ints, position: Ints) -> Ints:
        """Return the class of the story that starts at the position or contains it, by length."""
        once = self.references.side.boundaries
        before = np.searchsorted(self.keys, row << 32 | position, side="right") - once.offsets[row]
        length = self.lengths.values[self.lengths.offsets[row] + before]
        return np.searchsorted(np.array(self.edges[1]), length).astype(np.int64)

    def _position_class(self, row: Ints, position: Ints) -> Ints:
        """Return the tenth of the document in which the position lies."""
        return position * TENTHS // self.references.size[row]

    def _prominence_class(self, row: Ints, position: Ints) -> Ints:
        """Return the class by share of coders who marked the position; -1 with a single coder."""
        document = self.references.document[row]
        key = document << 32 | position
        support = np.zeros(len(key), np.int64)
        if len(self.marked):
            index = np.minimum(np.searchsorted(self.marked, key), len(self.marked) - 1)
            support = np.where(self.marked[index] == key, self.support[index], 0)
        coders = np.diff(self.references.first)[document]
        return np.where(coders > 1, -(-QUARTERS * support // coders), NO_CLASS)


def _lengths(boundaries: Ragged, size: Ints) -> Ragged:
    """Return the segment sizes of each reference, one more than it has boundaries."""
    offsets = boundaries.offsets + np.arange(len(boundaries.offsets))
    ends = np.empty(offsets[-1], np.int64)
    last = offsets[1:] - 1
    inner = np.ones(len(ends), bool)
    inner[last] = False
    ends[inner] = boundaries.values
    ends[last] = size
    sizes = np.diff(ends, prepend=0)
    sizes[offsets[:-1]] = ends[offsets[:-1]]
    return Ragged(offsets, sizes.astype(np.int32))


def _quartiles(lengths: NDArray[np.int32]) -> tuple[list[float], list[float]]:
    """Return the shortest and longest story of each quarter; equal lengths share a quarter."""
    ordered = np.sort(lengths)
    places = np.arange(1, QUARTERS + 1) * len(ordered) // QUARTERS - 1
    high = np.unique(ordered[np.maximum(places, 0)])
    low = [
        int(ordered[0]),
        *(int(ordered[np.searchsorted(ordered, h, "right")]) for h in high[:-1]),
    ]
    return [float(length) for length in low], [float(length) for length in high]
