"""Document ids as numbers: a stable hash of an id's bytes, and their order of appearance."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, numbers

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int32]

FNV_OFFSET = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, an odd number whose multiples are far apart."""


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


@dataclass(frozen=True)
class Names:
    """Strings as numpy arrays: row i is the bytes ``data[offsets[i]:offsets[i + 1]]``."""

    offsets: Offsets
    data: Bytes

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash per row, computed from the bytes alone: the same on every machine."""
        hashes = np.empty(len(self.offsets) - 1, np.uint64)
        _hash(self.offsets, self.data, hashes)
        return hashes


def hash_names(column: "pa.StringArray") -> Names:
    """View an Arrow string array (no nulls) as bytes."""
    if len(column) == 0:
        return Names(np.zeros(1, np.int32), np.empty(0, np.uint8))
    _, offsets, data = column.buffers()
    rows = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return Names(rows, np.frombuffer(data if data is not None else b"", np.uint8))


@dataclass(frozen=True)
class Documents:
    """The distinct documents of a table, numbered 0..n-1 in order of first appearance."""

    ids: "pa.StringArray"

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, column: "pa.StringArray") -> Ints:
        """Return the number of each row's document, -1 if it is not here, shape (rows,)."""
        import pyarrow.compute as pc

        found = pc.index_in(column, value_set=self.ids).fill_null(-1)
        return numbers(found).astype(np.int64)


@dataclass(frozen=True)
class IndexedDocuments:
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


def index_documents(column: "pa.StringArray") -> IndexedDocuments:
    """Number the documents of a column of ids (no nulls)."""
    encoded = column.dictionary_encode()
    document = numbers(encoded.indices).astype(np.int64)
    are_distinct = len(encoded.dictionary) == len(column)
    return IndexedDocuments(Documents(column if are_distinct else encoded.dictionary), document)
