"""What residuals of pairs of coders are like if it does not matter who coded: permuted names.

The names of the coders of each document are permuted among its codings, and the same effects are
fitted.  In documents with one pair of codings that would change nothing: there, the pairs of names
are permuted among the documents that share an effect.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.agreement.judging.by_document import CodedPairs, fit
from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

PERMUTATIONS = 200
_TURNS = 300
_CLOSE = 1e-9


@kernel
def leading(matrix: Floats, vector: Floats) -> float:
    """Return the largest eigenvalue of a symmetric matrix, and write its eigenvector."""
    n = len(matrix)
    moved, shift = np.empty(n), 0.0
    # The eigenvalue that is furthest from 0 first, so that it can be added to all.
    for phase in range(2):
        value = 0.0
        for i in range(n):
            vector[i] = 0.5 + np.float64(mix(np.uint64(i + 1)) >> np.uint64(12)) / 2.0**52
        for _ in range(_TURNS * (1 + phase)):
            size = _multiply(matrix, vector, shift, moved)
            if size == 0.0:
                return 0.0
            near = abs(size - value) <= _CLOSE * size
            value = size
            for i in range(n):
                vector[i] = moved[i] / size
            if near:
                break
        if phase == 0:
            shift = value
    return value - shift


@kernel
def _multiply(matrix: Floats, vector: Floats, shift: float, moved: Floats) -> float:
    """Write (matrix + shift) vector, and return its length."""
    squares = 0.0
    for i in range(len(vector)):
        total = shift * vector[i]
        for j in range(len(vector)):
            total += matrix[i, j] * vector[j]
        moved[i] = total
        squares += total * total
    return np.sqrt(squares)


@kernel
def standardised(residual: Floats, weight: Floats) -> Floats:
    """Return residuals in units of the standard error of one boundary pair."""
    return residual * np.sqrt(weight)


@kernel
def _largest(scaled: Floats, documents: Ints, fewest: int) -> float:
    largest = 0.0
    for i in range(len(scaled)):
        for j in range(i):
            if documents[i, j] >= fewest:
                largest = max(largest, scaled[i, j])
    return largest


class _Panels(NamedTuple):
    """Who coded each document.

    Attributes:
        start: document d has the members start[d]..start[d+1]-1, shape (documents + 1,).
        member: numbers of coders.
        first: place of each row's first coder among the members of its document; -1 if the row is
            not used, shape (rows,).
        second: place of the second coder, likewise.
    """

    start: Ints
    member: Ints
    first: Ints
    second: Ints


@kernel
def _panels(pairs: CodedPairs, used: Flags) -> _Panels:
    documents, rows = len(pairs.start) - 1, len(used)
    start, member = np.zeros(documents + 1, np.int64), np.empty(2 * rows, np.int64)
    first, second = np.full(rows, -1), np.full(rows, -1)
    for d in range(documents):
        begin = end = start[d]
        for row in range(pairs.start[d], pairs.start[d + 1]):
            if not used[row]:
                continue
            for of_second in range(2):
                name = pairs.second[row] if of_second else pairs.first[row]
                k = begin
                while k < end and member[k] != name:
                    k += 1
                if k == end:
                    member[k] = name
                    end += 1
                if of_second:
                    second[row] = k - begin
                else:
                    first[row] = k - begin
        start[d + 1] = end
    return _Panels(start, member[: start[-1]], first, second)


@kernel
def _permute(
    pairs: CodedPairs, panels: _Panels, keys: Hashes, scratch: Ints, names: tuple[Ints, Ints]
) -> None:
    """Write the names of each row's coders after a permutation."""
    first, second = names
    for d in range(len(pairs.start) - 1):
        begin, size = panels.start[d], panels.start[d + 1] - panels.start[d]
        state = keys[d]
        for k in range(size):
            scratch[k] = panels.member[begin + k]
        for k in range(size - 1, 0, -1):
            state = mix(state + MIX_1)
            other = np.int64(state % np.uint64(k + 1))
            scratch[k], scratch[other] = scratch[other], scratch[k]
        for row in range(pairs.start[d], pairs.start[d + 1]):
            if panels.first[row] >= 0:
                first[row] = scratch[panels.first[row]]
                second[row] = scratch[panels.second[row]]


@kernel
def _exchange(
    pairs: CodedPairs, alone: Ints, keys: Hashes, names: tuple[Ints, Ints], strata: int
) -> None:
    """Permute the pairs of names of documents with one pair, whose rows are ``alone``."""
    first, second = names
    for stratum in range(strata):
        chosen = np.flatnonzero((alone >= 0) & (pairs.shared == stratum))
        order = np.argsort(keys[chosen])
        for k in range(len(chosen)):
            row, other = alone[chosen[k]], alone[chosen[order[k]]]
            first[row], second[row] = pairs.first[other], pairs.second[other]


@kernel
def _rows_alone(pairs: CodedPairs, used: Flags) -> Ints:
    alone = np.full(len(pairs.start) - 1, -1)
    for d in range(len(alone)):
        rows = np.flatnonzero(used[pairs.start[d] : pairs.start[d + 1]])
        if len(rows) == 1:
            alone[d] = pairs.start[d] + rows[0]
    return alone


@kernel
def permuted(
    pairs: CodedPairs,
    hashes: Hashes,
    used: Flags,
    sizes: tuple[int, int],
    limits: tuple[int, int, int],
) -> tuple[Floats, Floats]:
    """Return the largest eigenvalue and the largest residual of each permutation.

    Residuals are standardised; the largest is that of pairs with enough documents.

    Args:
        pairs: pairs of codings.
        hashes: hash of each document.
        used: which rows are used.
        sizes: number of coders, and of effects that documents share.
        limits: seed, number of permutations, and the fewest documents of a pair.
    """
    seed, number, fewest = limits
    first, second = pairs.first.copy(), pairs.second.copy()
    eigenvalues, largest = np.zeros(number), np.zeros(number)
    vector, scratch = np.zeros(sizes[0]), np.zeros(sizes[0], np.int64)
    panels, alone = _panels(pairs, used), _rows_alone(pairs, used)
    keys = np.empty(len(hashes), np.uint64)
    for p in range(number):
        state = mix(mix(np.uint64(seed) + MIX_1) + np.uint64(p))
        for d in range(len(hashes)):
            keys[d] = mix(hashes[d] ^ state)
        _permute(pairs, panels, keys, scratch, (first, second))
        _exchange(pairs, alone, keys, (first, second), sizes[1])
        _, _, residual, weight, documents = fit(pairs, (first, second), used, used, sizes)
        scaled = standardised(residual, weight)
        eigenvalues[p] = leading(scaled, vector)
        largest[p] = _largest(scaled, documents, fewest)
    return eigenvalues, largest
