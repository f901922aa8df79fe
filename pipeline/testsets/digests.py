"""Digests of references: what a reference says, without its text, its document or its coder.

The digest of a reference is the SHA-256 of one line of ASCII text: the length of its document in
units, a space, and its boundaries in ascending order with a space between two of them. With
boundary types, the word ``types`` with a space on each side and the type of each boundary follow; a
position is repeated for each of its types. A newline ends the line. A document of 10 units with
boundaries at 3 and 7, for example, is the line ``10 3 7``.

The fingerprint of a set of references is the sum of their digests modulo 2^256. It does not depend
on the order of the references, on ids or on the format of a file, and the fingerprint of a whole is
the sum of those of its parts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged

HashWords = NDArray[np.uint32]

FINGERPRINT = re.compile("[0-9a-f]{64}", re.ASCII)

_ROWS_AT_ONCE, _POSITIONS_AT_ONCE = 1 << 15, 1 << 20
"""References whose lines are made and hashed at a time, and their positions; a reference with more
positions is alone."""

_TYPES = "types"
"""What stands between the positions and the types of a reference."""


@dataclass(frozen=True)
class Digests:
    """The digests of some references, as words, big end first, shape (references, 8)."""

    words: HashWords

    @cached_property
    def fingerprint(self) -> str:
        """The sum of the digests modulo 2^256, as 64 hexadecimal digits."""
        total = 0
        for sum_of_word in self.words.sum(axis=0, dtype=np.uint64).tolist():
            total = (total << 32) + sum_of_word
        return _as_digits(total)


def add_fingerprints(fingerprints: Iterable[str]) -> str:
    """Return the fingerprint of a set of references from those of its parts."""
    return _as_digits(sum(int(fingerprint, 16) for fingerprint in fingerprints))


def _as_digits(total: int) -> str:
    return f"{total % (1 << 256):064x}"


def digest_rows(n_units: Ints, positions: Ragged, types: Positions | None = None) -> Digests:
    """Compute the digests of references.

    Args:
        n_units: length of each reference's document in units, shape (references,).
        positions: boundaries in units, ascending, one row per reference.
        types: type of each entry of ``positions.values``; None for references without types.
    """
    words = np.empty((len(positions), 8), np.uint32)
    start = 0
    while start < len(positions):
        enough = positions.offsets[start] + _POSITIONS_AT_ONCE
        most = int(np.searchsorted(positions.offsets, enough, side="right")) - 1
        end = min(max(most, start + 1), start + _ROWS_AT_ONCE, len(positions))
        offsets = positions.offsets[start : end + 1]
        columns = [_as_text(n_units[start:end]), _as_lists(positions.values, offsets)]
        if types is not None:
            columns += [_TYPES, _as_lists(types, offsets)]
        lines = pc.binary_join_element_wise(*columns, " ")
        words[start:end] = _digest_each(pc.binary_join_element_wise(lines, "", "\n"))
        start = end
    return Digests(words)


def _as_text(numbers: Positions | Ints) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def _as_lists(numbers: Positions, offsets: Ints) -> pa.Array:
    """Return rows of numbers as text, with a space between two of them."""
    first, last = int(offsets[0]), int(offsets[-1])
    ends = (offsets - first).astype(np.int32)
    lists = pa.ListArray.from_arrays(ends, _as_text(numbers[first:last]))
    return pc.binary_join(lists, " ")


def _digest_each(lines: pa.Array) -> HashWords:
    """Return the SHA-256 of each line as words, shape (lines, 8)."""
    _, offsets, content = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[: len(lines) + 1].tolist()
    text = memoryview(content)
    digests = b"".join(sha256(text[start:end]).digest() for start, end in pairwise(ends))
    return np.frombuffer(digests, ">u4").reshape(-1, 8)
