"""Residuals of pairs under permuted names: their distribution if it does not matter who coded.

The names of the coders of each document are permuted among its codings, and the same effects are
fitted.  In documents with one pair of codings that would change nothing: there, the pairs of names
are permuted among the documents that share an effect.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.agreement.judging.by_document import CodedPairs, fit
from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

_MOST_WORK = 20_000
_TURNS, _FEW_TURNS, _CLOSE = 300, 50, 1e-8
_SAFELY = 1.1
"""The shift need not be exact, but must exceed the eigenvalue that is furthest from 0."""


@kernel_of_steps(lambda matrix, _: matrix.size * _TURNS // 3)
def leading(matrix: Floats, vector: Floats) -> float:
    """Return the largest eigenvalue of a symmetric matrix, and write its eigenvector."""
    n = len(matrix)
    moved, shift = np.empty(n), 0.0
    # The eigenvalue that is furthest from 0 first, so that it can be added to all.
    for phase in range(2):
        value = 0.0
        for i in range(n):
            vector[i] = 0.5 + np.float64(mix(np.uint64(i + 1)) >> np.uint64(12)) / 2.0**52
        for _ in range(_TURNS if phase else _FEW_TURNS):
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
            shift = _SAFELY * value
    return value - shift


@kernel
def _multiply(matrix: Floats, vector: Floats, shift: float, moved: Floats) -> float:
    """Write (matrix + shift) vector, and return its length."""
    for i in range(len(vector)):
        moved[i] = shift * vector[i]
    # The matrix is symmetric: row by row, several sums at once, each in the order of j.
    for j in range(len(vector)):
        for i in range(len(vector)):
            moved[i] += matrix[j, i] * vector[j]
    squares = 0.0
    for i in range(len(vector)):
        squares += moved[i] * moved[i]
    return np.sqrt(squares)


def permutations(coders: int) -> int:
    """Return how many permutations to make: 200, or fewer for more than 100 coders."""
    return max(50, min(200, _MOST_WORK // coders))


def standardised(residual: Floats, weight: Floats) -> Floats:
    """Return residuals in units of the standard error of one boundary pair."""
    return np.asarray(residual * np.sqrt(weight))


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
        alone: the rows of documents with one pair, by the effect that they share and by document.
        effect: number of that effect of each, ascending.
    """

    start: Ints
    member: Ints
    first: Ints
    second: Ints
    alone: Ints
    effect: Ints


def _panels(pairs: CodedPairs, used: Flags) -> _Panels:
    """List who coded each document, and the documents with one pair."""
    documents = len(pairs.start) - 1
    document = np.repeat(np.arange(documents), np.diff(pairs.start))
    alone = np.flatnonzero(used & (np.bincount(document[used], minlength=documents)[document] == 1))
    effect = pairs.shared[document[alone]]
    order = np.argsort(effect, kind="stable")
    return _Panels(*_members(pairs, used), alone[order], effect[order])


@kernel
def _members(pairs: CodedPairs, used: Flags) -> tuple[Ints, Ints, Ints, Ints]:
    """Write the first four fields of ``_Panels``."""
    documents, rows = len(pairs.start) - 1, len(used)
    start, member = np.zeros(documents + 1, np.int64), np.empty(2 * rows, np.int64)
    first, second = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for d in range(documents):
        begin = end = start[d]
        for row in range(pairs.start[d], pairs.start[d + 1]):
            first[row] = second[row] = -1
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
    return start, member, first, second


@kernel
def _permute(
    start: Ints, panels: _Panels, keys: Hashes, scratch: Ints, names: tuple[Ints, Ints]
) -> None:
    """Write the names of each row's coders after a permutation in each document."""
    first, second = names
    for d in range(len(start) - 1):
        begin, size = panels.start[d], panels.start[d + 1] - panels.start[d]
        state = keys[d]
        for k in range(size):
            scratch[k] = panels.member[begin + k]
        for k in range(size - 1, 0, -1):
            state = mix(state + MIX_1)
            other = np.int64(state % np.uint64(k + 1))
            scratch[k], scratch[other] = scratch[other], scratch[k]
        for row in range(start[d], start[d + 1]):
            if panels.first[row] >= 0:
                first[row] = scratch[panels.first[row]]
                second[row] = scratch[panels.second[row]]


@kernel
def _exchange(
    pairs: CodedPairs, panels: _Panels, order: Ints, state: np.uint64, names: tuple[Ints, Ints]
) -> None:
    """Permute the pairs of names of documents with one pair, among those that share an effect."""
    first, second = names
    alone, begin = panels.alone, 0
    for k in range(len(alone)):
        if k > 0 and panels.effect[k] != panels.effect[k - 1]:
            begin = k
        state = mix(state + MIX_1)
        # One of the places up to this one, so that all orders are as likely.
        other = begin + np.int64(state % np.uint64(k + 1 - begin))
        order[k] = order[other]
        order[other] = alone[k]
    for k in range(len(alone)):
        first[alone[k]] = pairs.first[order[k]]
        second[alone[k]] = pairs.second[order[k]]


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
    maxima = np.zeros((2, limits[1]))
    _permute_all(pairs, _panels(pairs, used), (hashes, used, sizes, limits), maxima)
    return maxima[0], maxima[1]


@kernel_of_steps(lambda pairs, _, how, maxima: maxima.size * len(pairs.first) * how[2][0])
def _permute_all(
    pairs: CodedPairs,
    panels: _Panels,
    how: tuple[Hashes, Flags, tuple[int, int], tuple[int, int, int]],
    maxima: Floats,
) -> None:
    """Write what ``permuted`` returns."""
    hashes, used, sizes, (seed, number, fewest) = how
    first, second = pairs.first.copy(), pairs.second.copy()
    vector, scratch = np.zeros(sizes[0]), np.zeros(sizes[0], np.int64)
    order, keys = panels.alone.copy(), np.empty(len(hashes), np.uint64)
    for p in range(number):
        state = mix(mix(np.uint64(seed) + MIX_1) + np.uint64(p))
        for d in range(len(hashes)):
            keys[d] = mix(hashes[d] ^ state)
        _permute(pairs.start, panels, keys, scratch, (first, second))
        _exchange(pairs, panels, order, state, (first, second))
        _, _, residual, weight, documents = fit(pairs, (first, second), used, used, sizes)
        for i in range(sizes[0]):
            for j in range(sizes[0]):
                residual[i, j] *= np.sqrt(weight[i, j])
        maxima[0, p] = leading(residual, vector)
        maxima[1, p] = _largest(residual, documents, fewest)
