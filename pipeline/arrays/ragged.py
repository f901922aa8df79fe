"""Convert between ragged arrays (offsets, values) and Arrow lists, and from units to words.

Values are viewed, not copied: an Arrow list column and its ragged array share their memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import inlined, kernel

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]
Positions = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Bits = NDArray[np.uint8]

_NUMPY_TYPES: dict[str, np.dtype[Any]] = {
    "int8": np.dtype(np.int8),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint64": np.dtype(np.uint64),
    "double": np.dtype(np.float64),
}
"""Arrow's name of a type -> the type of NumPy."""


class RowArrays(NamedTuple):
    """The two arrays of a ``Ragged``, in the form that compiled loops accept."""

    offsets: Ints
    values: Positions


@dataclass(frozen=True, slots=True)
class Ragged:
    """Lists of int32 stored end to end: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Ints
    values: Positions

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """The number of values in each row, shape (rows,)."""
        return np.diff(self.offsets)

    @property
    def arrays(self) -> RowArrays:
        """Both arrays, as one argument for a compiled loop."""
        return RowArrays(self.offsets, self.values)


@dataclass(frozen=True, slots=True)
class Categorical:
    """Values as numbers: row ``i`` has the value ``names[code[i]]``, or null if the code is -1."""

    code: Ints
    names: list[Any]


def encode(column: "pa.Array") -> Categorical:
    """Number the distinct values of a column in order of first appearance."""
    encoded = column.dictionary_encode()
    codes = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    return Categorical(numbers(codes).astype(np.int64), encoded.dictionary.to_pylist())


def numbers(column: "pa.Array") -> NDArray[Any]:
    """View a primitive Arrow array as numpy, shape (rows,); values at nulls are arbitrary."""
    data = column.buffers()[1]
    if data is None or len(column) == 0:
        return np.empty(0, _NUMPY_TYPES[str(column.type)])
    return np.frombuffer(data, _NUMPY_TYPES[str(column.type)])[
        column.offset : column.offset + len(column)
    ]


def flags(column: "pa.BooleanArray") -> Flags:
    """Unpack an Arrow boolean array (no nulls), shape (rows,)."""
    return numbers(column.cast("int8")).astype(bool)


def offsets_of(lengths: NDArray[Any]) -> Ints:
    """Return the offsets of lists, shape (lists + 1,); of lengths 2 and 3 they are 0, 2, 5."""
    return np.append(0, np.cumsum(lengths, dtype=np.int64))


def ragged(column: "pa.ListArray") -> Ragged:
    """View a list<int32> array as offsets and values; whether a list is null is ignored."""
    if len(column) == 0:
        return Ragged(np.zeros(1, np.int64), np.empty(0, np.int32))
    offsets = np.frombuffer(column.buffers()[1], np.int32)
    offsets = offsets[column.offset : column.offset + len(column) + 1]
    return Ragged(offsets.astype(np.int64), np.asarray(numbers(column.values), np.int32))


def trimmed(lists: Ragged) -> Ragged:
    """Return the same lists without the values before the first list and after the last."""
    first, last = lists.offsets[0], lists.offsets[-1]
    return Ragged(lists.offsets - first, lists.values[first:last])


def from_lists(lists: Sequence[Sequence[int]]) -> Ragged:
    """Build a ragged array from Python lists, one per row."""
    offsets = np.array([0, *accumulate(len(row) for row in lists)], np.int64)
    return Ragged(offsets, np.array([value for row in lists for value in row], np.int32))


def column(values: NDArray[Any]) -> "pa.Array":
    """Wrap numbers as an Arrow column; NaN, which means undefined, becomes null.

    The numbers are copied only if some are NaN.
    """
    import pyarrow as pa

    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    defined = ~np.isnan(values) if values.dtype.kind == "f" else np.True_
    if np.all(defined):
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
    valid = pa.py_buffer(np.packbits(defined, bitorder="little"))
    # Write zero beneath every null, so that equal columns have equal bytes.
    data = pa.py_buffer(np.where(defined, values, 0.0))
    return pa.Array.from_buffers(kind, len(values), [valid, data])


@inlined
def row_values(rows: RowArrays, i: int) -> Positions:
    """View the values of row i."""
    return rows.values[rows.offsets[i] : rows.offsets[i + 1]]


@kernel
def _cumulate(offsets: Ints, lengths: Positions, totals: Ints) -> None:
    for row in range(len(offsets) - 1):
        total = 0
        for i in range(offsets[row], offsets[row + 1]):
            total += lengths[i]
            totals[i] = total


def cumulative(lengths: Ragged) -> Ints:
    """Return the running totals of unit lengths within each row, shape (values,)."""
    totals = np.empty(len(lengths.values), np.int64)
    _cumulate(lengths.offsets, lengths.values, totals)
    return totals


@kernel
def _convert(
    boundaries: RowArrays, document: Ints, document_offsets: Ints, totals: Ints, output: RowArrays
) -> None:
    """Write the positions in words, and the offsets of the segmentations, to ``output``."""
    offsets, positions = boundaries.offsets, boundaries.values
    written = 0
    output.offsets[0] = 0
    for row in range(len(offsets) - 1):
        start = document_offsets[document[row]]
        n_words = totals[document_offsets[document[row] + 1] - 1]
        previous = 0
        for i in range(offsets[row], offsets[row + 1]):
            word_position = totals[start + positions[i] - 1]
            if previous < word_position < n_words:
                output.values[written] = word_position
                written += 1
                previous = word_position
        output.offsets[row + 1] = written


def add_up(values: NDArray[Any], place: Ints, number: int) -> NDArray[Any]:
    """Add up the values that have the same place, exactly if they are integers, shape (number,).

    Args:
        values: shape (n,).
        place: where each value is added, in 0..number - 1, shape (n,).
        number: number of places.
    """
    total = np.zeros(number, np.int64 if values.dtype.kind == "i" else values.dtype)
    np.add.at(total, place, values)
    return total


def to_words(boundaries: Ragged, document: Ints, lengths: Ragged, totals: Ints) -> Ragged:
    """Convert positions from units to words (docs/method-averages.md: units of measurement).

    Position p becomes the sum of the first p unit lengths of its document.  Positions that become
    0, the total or equal to another one are dropped; a row's length shows how many it lost.

    Args:
        boundaries: positions in units, one row per segmentation.
        document: row of ``lengths`` for each segmentation, shape (rows,).
        lengths: words per unit, one row per document, each row with a total of at least 1.
        totals: ``cumulative(lengths)``.
    """
    output = RowArrays(np.empty_like(boundaries.offsets), np.zeros_like(boundaries.values))
    _convert(boundaries.arrays, document, lengths.offsets, totals, output)
    return Ragged(output.offsets, output.values[: output.offsets[-1]])
