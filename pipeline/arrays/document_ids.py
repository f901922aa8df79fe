"""Document ids as numbers: a stable hash of an id's bytes, and a hash table to look ids up."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int32]

FNV_OFFSET = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

_TOUCHED = 256
"""Number of ids whose searches are prepared together."""


@kernel
def mix(number: np.uint64) -> np.uint64:
    """Spread a 64-bit number over all its bits (the finaliser of splitmix64)."""
    number = (number ^ (number >> np.uint64(30))) * MIX_1
    number = (number ^ (number >> np.uint64(27))) * MIX_2
    return number ^ (number >> np.uint64(31))


@kernel
def _hash(offsets: Offsets, data: Bytes, hashes: Hashes) -> None:
    for row in range(len(offsets) - 1):
        state = FNV_OFFSET
        for i in range(offsets[row], offsets[row + 1]):
            state = (state ^ np.uint64(data[i])) * FNV_PRIME
        hashes[row] = mix(state)


@inlined
def _same(a: Bytes, b: Bytes) -> bool:
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


class _NameArrays(NamedTuple):
    """The arrays of ``Names``, in the form that compiled loops accept."""

    offsets: Offsets
    data: Bytes


@kernel
def _touch(slots: Ints, names: _NameArrays, hashes: Hashes) -> int:
    """Read what the searches for some hashes begin with.

    These places are scattered over tables larger than the processor's caches. Reading them in loops
    without conditions overlaps the waits for memory; the searches then wait no more.
    """
    rows = np.empty(len(hashes), np.int64)
    mask = np.uint64(len(slots) - 1)
    for i in range(len(hashes)):
        rows[i] = max(0, slots[hashes[i] & mask])
    for i in range(len(hashes)):
        rows[i] = names.offsets[rows[i]]
    last = len(names.data) - 1
    read = 0
    for i in range(len(hashes)):
        read |= names.data[min(rows[i], last)] if last >= 0 else 0
    return read


@kernel
def _find(
    slots: Ints, names: _NameArrays, queries: _NameArrays, hashes: Hashes, adding: bool, rows: Ints
) -> int:
    """Look up ids in a hash table: write the row of ``names`` with each id, or -1 if it is absent.

    The table uses open addressing.  ``slots`` has 2^b entries, more than half of them free (-1);
    the others are rows of ``names``.  The search for an id starts at the entry that the low b bits
    of its hash select, and visits one entry after another until it reaches the id or a free entry.
    With ``adding``, where ``names`` and ``queries`` are the same, an absent id takes that entry.

    Returns:
        A number without meaning; without it the compiler would leave out what ``_touch`` does.
    """
    mask, read = np.uint64(len(slots) - 1), 0
    for row in range(len(queries.offsets) - 1):
        if row % _TOUCHED == 0:
            read |= _touch(slots, names, hashes[row : row + _TOUCHED])
        name = queries.data[queries.offsets[row] : queries.offsets[row + 1]]
        slot = hashes[row] & mask
        while slots[slot] >= 0:
            candidate = slots[slot]
            if _same(name, names.data[names.offsets[candidate] : names.offsets[candidate + 1]]):
                break
            slot = (slot + np.uint64(1)) & mask
        if adding and slots[slot] < 0:
            slots[slot] = row
        rows[row] = slots[slot]
    return read


@dataclass(frozen=True)
class Names:
    """Strings as numpy arrays: row i is the bytes ``data[offsets[i]:offsets[i + 1]]``."""

    offsets: Offsets
    data: Bytes

    @property
    def arrays(self) -> _NameArrays:
        """Both arrays, as one argument for a compiled loop."""
        return _NameArrays(self.offsets, self.data)

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash per row, computed from the bytes alone: the same on every machine."""
        hashes = np.empty(len(self.offsets) - 1, np.uint64)
        _hash(self.offsets, self.data, hashes)
        return hashes


def hash_names(column: pa.StringArray) -> Names:
    """View an Arrow string array (no nulls) as bytes."""
    if len(column) == 0:
        return Names(np.zeros(1, np.int32), np.empty(0, np.uint8))
    _, offsets, data = column.buffers()
    rows = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return Names(rows, np.frombuffer(data if data is not None else b"", np.uint8))


@dataclass(frozen=True)
class Documents:
    """The distinct documents of a table, numbered 0..n-1 in order of first appearance."""

    ids: pa.StringArray
    slots: Ints

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, column: pa.StringArray) -> Ints:
        """Return the number of each row's document, -1 if it is not here, shape (rows,)."""
        names, queries = hash_names(self.ids), hash_names(column)
        document = np.empty(len(column), np.int64)
        _find(self.slots, names.arrays, queries.arrays, queries.hashes, False, document)
        return document


@dataclass(frozen=True)
class Numbered:
    """The documents of a column of ids, and the document of each row.

    Attributes:
        documents: the distinct documents, in order of first appearance.
        document: number of each row's document, shape (rows,).
    """

    documents: Documents
    document: Ints

    @property
    def are_distinct(self) -> bool:
        """Whether no document has two rows."""
        return len(self.documents) == len(self.document)


def number(column: pa.StringArray) -> Numbered:
    """Number the documents of a column of ids (no nulls)."""
    rows = hash_names(column)
    slots = np.full(1 << (2 * len(column) + 1).bit_length(), -1, np.int64)
    document = np.empty(len(column), np.int64)
    _find(slots, rows.arrays, rows.arrays, rows.hashes, True, document)
    first_rows = np.flatnonzero(document == np.arange(len(column)))
    if len(first_rows) == len(column):
        return Numbered(Documents(column, slots), document)
    new_number = np.full(len(column) + 1, -1, np.int64)
    new_number[first_rows] = np.arange(len(first_rows))
    return Numbered(
        Documents(column.take(pa.array(first_rows)), new_number[slots]), new_number[document]
    )
