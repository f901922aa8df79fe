"""Slide a window over a pair, 64 windows at a time: each is one bit of a 64-bit word.

The boundaries of a window are counted in binary: one word holds the lowest digits of the counts of
64 windows, the next the second digits, and so on. Adding a boundary to all of them takes a few
operations on words.
"""

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints, Positions
from segscore.pipeline.measures.prefetch import Index
from segscore.pipeline.measures.sliding import WindowTally, write_tally

Word = np.uint64
WindowBits = NDArray[np.uint64]
_ZERO, _ONE, _ALL = Word(0), Word(1), Word(0xFFFFFFFFFFFFFFFF)
_PAIRS, _FOURS, _EIGHTS = (
    Word(0x5555555555555555),
    Word(0x3333333333333333),
    Word(0x0F0F0F0F0F0F0F0F),
)
_BYTES = Word(0x0101010101010101)
_B1, _B2, _B4, _B6, _B56, _B63 = Word(1), Word(2), Word(4), Word(6), Word(56), Word(63)

LARGEST_WINDOW = 15
"""Largest window whose boundaries four binary digits can count."""

BIT_WORDS = 520
"""Words for the longest document that may be counted by words, with its padding."""

_UNITS = 64 * (BIT_WORDS - 8)


@inlined
def few_words(boundaries: int, n_units: int, k: int) -> bool:
    """Return whether counting by words is faster than from boundary to boundary."""
    words = (n_units + 2 * k) // 64 + 1
    return k <= LARGEST_WINDOW and n_units <= _UNITS and words * (16 + 3 * k) < 11 * boundaries


@inlined
def _ones(word: Word) -> np.int64:
    """Return the number of ones in a word; the compiler has an instruction for this."""
    word = word - ((word >> _B1) & _PAIRS)
    word = (word & _FOURS) + ((word >> _B2) & _FOURS)
    word = (word + (word >> _B4)) & _EIGHTS
    return np.int64((word * _BYTES) >> _B56)


@inlined
def _below(bits: int | np.int64) -> Word:
    """Return a word whose lowest bits are ones."""
    if bits >= 64:
        return _ALL
    return (_ONE << Word(max(0, bits))) - _ONE


@inlined
def _set_bits(positions: Positions, k: int, bits: WindowBits) -> None:
    """Set the bit of each boundary: bits i..i + k - 1 are the positions in window i."""
    current, word = Index(0), _ZERO
    for p in positions:
        i = Index(p + k - 1)
        # Store always, to avoid an unpredictable branch.
        word = (word if i >> _B6 == current else _ZERO) | (_ONE << (i & _B63))
        current = i >> _B6
        bits[current] = word


@inlined
def _add(d0: Word, d1: Word, d2: Word, d3: Word, bits: Word) -> tuple[Word, Word, Word, Word]:
    """Add a bit to each of 64 numbers; d0 has their lowest digits, d3 the highest."""
    c1 = d0 & bits
    c2 = d1 & c1
    return d0 ^ bits, d1 ^ c1, d2 ^ c2, d3 ^ (d2 & c2)


@kernel
def slide_by_word(
    ref: Positions, hyp: Positions, n_units: int, k: int, bits: WindowBits, out: Ints
) -> None:
    """Count windows, 64 at a time.

    Args:
        ref: positions of the reference, strictly ascending.
        hyp: positions of the hypothesis, strictly ascending.
        n_units: number N of units of the document.
        k: window size, at most LARGEST_WINDOW.
        bits: scratch space of type uint64, shape (2, BIT_WORDS).
        out: output: the counts of ``windows.COUNTS``, shape (11,).
    """
    last = Index(n_units + k - 1) >> _B6
    for w in range(last + Index(3)):
        bits[0, w] = _ZERO
        bits[1, w] = _ZERO
    _set_bits(ref, k, bits[0])
    _set_bits(hyp, k, bits[1])
    with_ref = with_hyp = with_any = more = fewer = absolute = unequal = np.int64(0)
    for w in range(last + Index(1)):
        a, b, c, d = bits[0, w], bits[0, w + Index(1)], bits[1, w], bits[1, w + Index(1)]
        r0 = r1 = r2 = r3 = h0 = h1 = h2 = h3 = _ZERO
        for _ in range(k):
            r0, r1, r2, r3 = _add(r0, r1, r2, r3, a)
            h0, h1, h2, h3 = _add(h0, h1, h2, h3, c)
            a, b = (a >> _B1) | (b << _B63), b >> _B1
            c, d = (c >> _B1) | (d << _B63), d >> _B1
        first = np.int64(w) * 64
        inside = _below(n_units - first) & ~_below(k - first)
        x0, x1, x2, x3 = r0 ^ h0, r1 ^ h1, r2 ^ h2, r3 ^ h3
        differ = x0 | x1 | x2 | x3
        # The highest digit in which two counts differ decides which is greater.
        greater = (x3 & r3) | (~x3 & ((x2 & r2) | (~x2 & ((x1 & r1) | (~x1 & (x0 & r0))))))
        in_ref, in_hyp = r0 | r1 | r2 | r3, h0 | h1 | h2 | h3
        with_ref += _ones(in_ref & inside)
        with_hyp += _ones(in_hyp & inside)
        with_any += _ones((in_ref | in_hyp) & inside)
        more += _ones(greater & inside)
        fewer += _ones(differ & ~greater & inside)
        unequal += _ones(differ & _below(n_units + k - first))
        # A digit that only the smaller count has is subtracted.
        x0, x1, x2, x3 = x0 & inside, x1 & inside, x2 & inside, x3 & inside
        absolute += _ones(x0) + 2 * _ones(x1) + 4 * _ones(x2) + 8 * _ones(x3)
        absolute -= 2 * _ones(x0 & (r0 ^ greater)) + 4 * _ones(x1 & (r1 ^ greater))
        absolute -= 8 * _ones(x2 & (r2 ^ greater))
    tally = WindowTally(with_ref, with_hyp, with_any, more, fewer, absolute, unequal)
    write_tally(tally, n_units, k, out)
