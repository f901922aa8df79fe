"""SHA-256 (FIPS 180-4) of many short messages at once.

Called from Python, hashlib takes 0.7 microseconds for a message of 20 bytes, most of them for the
call. Here, each of the 64 lanes of a loop works on a message of its own, which the compiler turns
into vector instructions: 0.05 microseconds. Long messages go to hashlib, which is faster for them.
"""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Bytes
from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Ints

HashWords = NDArray[np.uint32]


BLOCK_BYTES = 64
"""Bytes of a block."""

_LANES = 64
_MOST_BLOCKS = 32
"""The most blocks of a message that goes through the lanes."""

_PRIMES = tuple(n for n in range(2, 312) if all(n % divisor for divisor in range(2, n)))


def _root_bits(prime: int, degree: int) -> int:
    """Return the first 32 bits of the fractional part of a root of a prime."""
    root = 0
    for bit in reversed(range(36)):
        if (root | 1 << bit) ** degree <= prime << 32 * degree:
            root |= 1 << bit
    return root & 0xFFFFFFFF


_CONSTANTS = np.array([_root_bits(prime, 3) for prime in _PRIMES], np.uint32)
_START = np.array([_root_bits(prime, 2) for prime in _PRIMES[:8]], np.uint32)
_U = np.uint32


@inlined
def _rotated(word: np.uint32, bits: int) -> np.uint32:
    return _U(_U(word >> _U(bits)) | _U(word << _U(32 - bits)))


@kernel
def _extend(schedule: HashWords) -> None:
    """Compute words 16 to 63 of the message schedule, shape (64, lanes)."""
    for t in range(16, 64):
        word, w2, w7 = schedule[t], schedule[t - 2], schedule[t - 7]
        w15, w16 = schedule[t - 15], schedule[t - 16]
        for lane in range(_LANES):
            x, y = w15[lane], w2[lane]
            s0 = _U(_U(_rotated(x, 7) ^ _rotated(x, 18)) ^ _U(x >> _U(3)))
            s1 = _U(_U(_rotated(y, 17) ^ _rotated(y, 19)) ^ _U(y >> _U(10)))
            word[lane] = _U(_U(w16[lane] + s0) + _U(w7[lane] + s1))


@kernel
def _rounds(schedule: HashWords, working: HashWords, constants: HashWords) -> None:
    """Apply the 64 rounds to the working variables a to h, shape (8, lanes)."""
    a, b, c, d = working[0], working[1], working[2], working[3]
    e, f, g, h = working[4], working[5], working[6], working[7]
    for t in range(64):
        constant, word = constants[t], schedule[t]
        for lane in range(_LANES):
            x, y = e[lane], a[lane]
            chosen = _U(_U(x & f[lane]) ^ _U(_U(~x) & g[lane]))
            sum_1 = _U(_U(_rotated(x, 6) ^ _rotated(x, 11)) ^ _rotated(x, 25))
            t1 = _U(_U(h[lane] + _U(word[lane] + constant)) + _U(sum_1 + chosen))
            majority = _U(_U(y & b[lane]) ^ _U(c[lane] & _U(y ^ b[lane])))
            sum_0 = _U(_U(_rotated(y, 2) ^ _rotated(y, 13)) ^ _rotated(y, 22))
            d[lane] = _U(d[lane] + t1)
            h[lane] = _U(t1 + _U(sum_0 + majority))
        # Rename the variables instead of moving them; after 64 rounds the names are as before.
        a, b, c, d, e, f, g, h = h, a, b, c, d, e, f, g


@kernel
def _add_block(
    schedule: HashWords, constants: HashWords, working: HashWords, state: HashWords
) -> None:
    """Add a block to the state of each lane, shape (8, lanes)."""
    for i in range(8):
        for lane in range(_LANES):
            working[i, lane] = state[i, lane]
    _extend(schedule)
    _rounds(schedule, working, constants)
    for i in range(8):
        for lane in range(_LANES):
            state[i, lane] += working[i, lane]


@inlined
def _load(blocks: Bytes, block: int, schedule: HashWords, lane: int) -> None:
    """Copy a block to the first 16 words of a lane, big end first."""
    for i in range(16):
        at = block * BLOCK_BYTES + 4 * i
        high = _U(_U(blocks[at]) << _U(24)) | _U(_U(blocks[at + 1]) << _U(16))
        low = _U(_U(blocks[at + 2]) << _U(8)) | _U(blocks[at + 3])
        schedule[i, lane] = _U(_U(high) | _U(low))


@kernel
def _digest(
    blocks: Bytes,
    first: Ints,
    order: Ints,
    constants: HashWords,
    start: HashWords,
    digests: HashWords,
) -> None:
    """Write the digests of some messages, which ``order`` lists by ascending number of blocks."""
    schedule = np.zeros((64, _LANES), np.uint32)
    state = np.empty((8, _LANES), np.uint32)
    working = np.empty((8, _LANES), np.uint32)
    for group in range(0, len(order), _LANES):
        lanes = min(_LANES, len(order) - group)
        last = order[group + lanes - 1]
        for i in range(8):
            for lane in range(_LANES):
                state[i, lane] = start[i]
        for number in range(first[last + 1] - first[last]):
            for lane in range(lanes):
                block = first[order[group + lane]] + number
                if block < first[order[group + lane] + 1]:
                    _load(blocks, block, schedule, lane)
            _add_block(schedule, constants, working, state)
            for lane in range(lanes):
                message = order[group + lane]
                if first[message] + number + 1 == first[message + 1]:
                    for i in range(8):
                        digests[message, i] = state[i, lane]


@inlined
def pad(blocks: Bytes, start: int, end: int) -> None:
    """Complete a message that a buffer contains from ``start`` to ``end``: to whole blocks."""
    stop = start + (end - start + 9 + BLOCK_BYTES - 1) // BLOCK_BYTES * BLOCK_BYTES
    blocks[end] = 0x80
    blocks[end + 1 : stop] = 0
    bits = (end - start) * 8
    for i in range(8):
        blocks[stop - 1 - i] = (bits >> (8 * i)) & 0xFF


def count_blocks(lengths: Ints) -> Ints:
    """Return how many blocks messages of some lengths in bytes take with their padding."""
    return (lengths + 9 + BLOCK_BYTES - 1) // BLOCK_BYTES


def write_digests(blocks: Bytes, first: Ints, lengths: Ints, digests: HashWords) -> None:
    """Compute the SHA-256 of many messages.

    Args:
        blocks: the messages, each completed by ``pad``, shape (bytes,).
        first: message m has the blocks first[m]..first[m+1]-1, shape (messages + 1,).
        lengths: length of each message in bytes, without the padding, shape (messages,).
        digests: output: the digests as words, big end first, shape (messages, 8).
    """
    counts = np.diff(first)
    order = np.argsort(counts, kind="stable")
    short = int(np.searchsorted(counts[order], _MOST_BLOCKS, side="right"))
    _digest(blocks, first, order[:short], _CONSTANTS, _START, digests)
    for message in order[short:].tolist():
        begin = int(first[message]) * BLOCK_BYTES
        digest = sha256(blocks[begin : begin + int(lengths[message])].tobytes()).digest()
        digests[message] = np.frombuffer(digest, ">u4")
