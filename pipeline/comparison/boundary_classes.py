"""Classes of boundaries: story length, position, prominence, kind, and distance."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from segscore.pipeline.agreement.prominence import marked
from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.boundaries import InWords
from segscore.pipeline.scoring.inputs import Collected
from segscore.pipeline.scoring.references import References
from segscore.pipeline.tables.read import Rows
from segscore.schemas.input_columns import BOUNDARY_KINDS

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
        kinds: the names of classes that are kinds of reference boundaries, which have no ends.
    """

    low: Sequence[float | None]
    high: Sequence[float | None]
    class_of: Callable[[Ints, Ints], Ints]
    boundary_class: Ints
    kinds: Sequence[str] = ()


class Places:
    """Classes of a run's reference boundaries by story length, position and prominence.

    Those of prominence are there only if a document has several references, and kinds only if
    references have an attribute of kinds.
    """

    def __init__(self, collected: Collected, shared: Flags) -> None:
        """Divide the boundaries of the shared documents into classes.

        Raises:
            Refused: a reference has another number of kinds than of boundaries.
        """
        references = self.references = collected.references
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
        if BOUNDARY_KINDS in collected.reference_rows.table.column_names:
            self.classes["kind"] = self._kinds(collected.reference_rows)

    def _kinds(self, rows: Rows) -> Classes:
        """Return the classes by kind; a boundary without one, and a false alarm, has no class."""
        names, key, code = _kinds_by_place(rows, self.references)
        typed = self.references.side.typed
        own = np.repeat(np.arange(len(typed)), typed.lengths) << 32 | typed.values
        # The last key is of no row, so that each place has a key that is not smaller.
        found = np.searchsorted(key, own)
        boundary_class = np.where(key[found] == own, code[found], NO_CLASS)
        ends = [None] * len(names)
        return Classes(ends, ends, _no_class, boundary_class, names)

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


def _kinds_by_place(rows: Rows, references: References) -> tuple[list[str], Ints, Ints]:
    """Return the kinds, most frequent first, and the places that have one with its number.

    A place is the row of a reference times 2^32 plus the position in the unit of the run.

    Raises:
        Refused: a row has another number of kinds than of boundaries.
    """
    kinds, lists = (
        rows.table.column(name).combine_chunks() for name in (BOUNDARY_KINDS, "boundaries")
    )
    if not (pa.types.is_list(kinds.type) or pa.types.is_large_list(kinds.type)):
        raise Refused(f"--where: {BOUNDARY_KINDS} of the references must be a list of texts")
    given, expected = (pc.fill_null(pc.list_value_length(each), 0) for each in (kinds, lists))
    wrong = pc.and_(kinds.is_valid(), pc.not_equal(given, expected))
    if (row := pc.index(wrong, True).as_py()) >= 0:
        document, coder = (rows.table.column(name)[row] for name in ("document_id", "coder"))
        raise Refused(
            f"--where: {BOUNDARY_KINDS} of {document} by {coder} has {given[row]} kinds for "
            f"{expected[row]} boundaries; expected one for each"
        )
    stated = pc.list_flatten(pc.if_else(kinds.is_valid(), lists, None)).to_numpy()
    row_of = pc.list_parent_indices(kinds).to_numpy().astype(np.int64)
    texts = pc.list_flatten(kinds).cast(pa.string()).to_pylist()
    if references.words is not None:
        stated = InWords(references.words, references.document).convert(stated, row_of)
    counts = Counter(text for text in texts if text is not None)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    number = {name: n for n, name in enumerate(names)}
    code = np.array([*(number.get(text, NO_CLASS) for text in texts), NO_CLASS])
    key, first = np.unique(np.append(row_of << 32 | stated, len(rows) << 32), return_index=True)
    return names, key, code[first]


def _no_class(_row: Ints, position: Ints) -> Ints:
    return np.full(len(position), NO_CLASS)


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
