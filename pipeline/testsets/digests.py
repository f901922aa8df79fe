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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Bytes, Hashes
from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, offsets_of

HashWords = NDArray[np.uint32]

FINGERPRINT = re.compile("[0-9a-f]{64}", re.ASCII)

_BYTES_AT_ONCE = 1 << 21
"""Bytes of text that are made and hashed at a time, unless one reference needs more."""

_ROWS_AT_ONCE = 1 << 15
"""References whose lines are measured at a time."""

_TYPES = np.frombuffer(b" types ", np.uint8)
_SPACE, _NEWLINE, _ZERO = 32, 10, 48


@dataclass(frozen=True)
class Digests:
    """The digests of some references, as words, big end first, shape (references, 8)."""

    words: HashWords

    @cached_property
    def column(self) -> Ints:
        """The first 8 bytes of each digest as a signed integer, shape (references,)."""
        high, low = self.words[:, 0].astype(np.uint64), self.words[:, 1].astype(np.uint64)
        return (high << np.uint64(32) | low).view(np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """The sum of the digests modulo 2^256, as 64 hexadecimal digits."""
        total = 0
        for sum_of_word in _add_up(self.words).tolist():
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
    kinds = positions.values if types is None else types
    words = np.empty((len(positions), 8), np.uint32)
    for start in range(0, len(positions), _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, len(positions))
        offsets = positions.offsets[start : end + 1]
        references = _References(
            n_units[start:end], offsets, positions.values, kinds, types is not None
        )
        _write_digests(references, words[start:end])
    return Digests(words)


def _write_digests(references: "_References", words: HashWords) -> None:
    lengths = np.empty(len(words), np.int64)
    _measure(references, lengths)
    first = offsets_of(lengths)
    at_once = max(_BYTES_AT_ONCE, int(lengths.max()))
    text = np.empty(min(at_once, int(first[-1])), np.uint8)
    start = 0
    while start < len(words):
        end = int(np.searchsorted(first, first[start] + at_once, side="right")) - 1
        own_first = first[start : end + 1] - first[start]
        _write_lines(references, start, own_first, text, _TYPES)
        lines = memoryview(text.data)
        digests = b"".join(sha256(lines[a:b]).digest() for a, b in pairwise(own_first.tolist()))
        words[start:end] = np.frombuffer(digests, ">u4").reshape(-1, 8)
        start = end


class _References(NamedTuple):
    """References, in the form that compiled loops accept: ``digest_rows`` describes them."""

    n_units: Ints
    offsets: Ints
    positions: Positions
    types: Positions
    has_types: bool


@kernel
def _add_up(words: HashWords) -> Hashes:
    """Add up each word over the digests, shape (8,)."""
    sums = np.zeros(8, np.uint64)
    for row in range(len(words)):
        for word in range(8):
            sums[word] += np.uint64(words[row, word])
    return sums


@inlined
def _count_digits(number: int) -> int:
    if number < 100:
        return 1 if number < 10 else 2
    digits, rest = 2, number // 10
    while rest >= 10:
        rest //= 10
        digits += 1
    return digits


@inlined
def _write(number: int, text: Bytes, at: int) -> int:
    """Write a number in decimal from a place on; return the place after it."""
    if number < 10:
        text[at] = _ZERO + number
        return at + 1
    if number < 100:
        text[at] = _ZERO + number // 10
        text[at + 1] = _ZERO + number % 10
        return at + 2
    end = at + _count_digits(number)
    rest = number
    for place in range(end - 1, at - 1, -1):
        text[place] = _ZERO + rest % 10
        rest //= 10
    return end


@inlined
def _write_list(numbers: Positions, start: int, end: int, text: Bytes, at: int) -> int:
    """Write numbers with a space before each, or one space if there are none."""
    if start == end:
        text[at] = _SPACE
        return at + 1
    for i in range(start, end):
        text[at] = _SPACE
        at = _write(int(numbers[i]), text, at + 1)
    return at


@kernel
def _measure(rows: _References, lengths: Ints) -> None:
    """Compute the length of each line in bytes."""
    for row in range(len(rows.n_units)):
        start, end = rows.offsets[row], rows.offsets[row + 1]
        # A space or a newline follows each number.
        length = _count_digits(int(rows.n_units[row])) + 1 + max(end - start, 1)
        for i in range(start, end):
            length += _count_digits(int(rows.positions[i]))
        if rows.has_types:
            length += 6 + max(end - start, 1)
            for i in range(start, end):
                length += _count_digits(int(rows.types[i]))
        lengths[row] = length


@kernel
def _write_lines(
    rows: _References, start: int, first: Ints, text: Bytes, types_word: Bytes
) -> None:
    """Write the lines of some references one after the other.

    Args:
        rows: all references.
        start: the first of those to write.
        first: line i has the bytes first[i]..first[i+1]-1, shape (lines + 1,).
        text: output, shape (bytes,).
        types_word: the word ``types`` and the spaces around it.
    """
    for line in range(len(first) - 1):
        row = start + line
        at = _write(int(rows.n_units[row]), text, first[line])
        at = _write_list(rows.positions, rows.offsets[row], rows.offsets[row + 1], text, at)
        if rows.has_types:
            # One by one: numba needs seconds to compile the message of slices of unequal lengths.
            for i in range(len(types_word)):
                text[at + i] = types_word[i]
            at += len(types_word) - 1  # the list begins with the space
            at = _write_list(rows.types, rows.offsets[row], rows.offsets[row + 1], text, at)
        text[at] = _NEWLINE
