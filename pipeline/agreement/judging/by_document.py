"""Fit effects of coders and of documents to the similarity of each pair of codings.

The similarity of coders i and j in document d is fitted by S_ijd = m + a_i + a_j + g_d, by least
squares weighted with its denominator: some documents are harder than others for everybody, and who
codes these is not to blame.  With two codings, the effect of a document cannot be told from those
of its coders; all such documents share one effect, whatever groups they are in, so that who is
named does not depend on ``--group-by``.

The effects of documents are eliminated from the normal equations, which leaves as many unknowns as
there are coders.  What is left of a pair of coders, averaged over their documents, is its residual.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.coefficients import ACTUAL, PAIR_COUNTS
from segscore.pipeline.agreement.tallies import folds
from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.kernel import kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, numbers
from segscore.pipeline.measures.measure import divided_by, evaluate

_OWN = -1
"""The shared effect of a document that has one of its own."""

_RIDGE = 1e-9
"""Share of the mean diagonal that is added to it, so that coders apart from all others have 0."""


class CodedPairs(NamedTuple):
    """Pairs of codings by document, in the form that compiled loops accept.

    Attributes:
        start: document d has the rows start[d]..start[d+1]-1, shape (documents + 1,).
        first: number of the first coder, shape (rows,).
        second: number of the second coder, likewise.
        value: similarity, 0 where it is undefined, likewise.
        weight: what the similarity divides by, 0 where it is undefined, likewise.
        shared: number of the effect that a document shares with others if it has only one pair,
            shape (documents,).
    """

    start: Ints
    first: Ints
    second: Ints
    value: Floats
    weight: Floats
    shared: Ints


@dataclass(frozen=True)
class ByDocument:
    """Counts of pairs of codings, document by document.

    Attributes:
        coders: number of coders.
        hashes: hash of each document, ascending, shape (documents,).
        units: name of its resampling unit, likewise.
        start: document d has the rows start[d]..start[d+1]-1, shape (documents + 1,).
        first: number of the first coder of each pair, ascending in a document, shape (rows,).
        second: number of the second coder, likewise.
        counts: ``PAIR_COUNTS`` of each pair, shape (rows,) each.
        folds: group of documents that a jackknife leaves out of each document, likewise.
        stratum: group of each document, counted from 0, shape (documents,).
    """

    coders: int
    hashes: Hashes
    units: Hashes
    start: Ints
    first: Ints
    second: Ints
    counts: Mapping[str, Ints]
    folds: Ints
    stratum: Ints

    def pairs(self, similarity: str, n_t: int) -> CodedPairs:
        """Return the similarities, with their weights."""
        measure = ACTUAL[similarity]
        counts = {name: self.counts[name] for name in PAIR_COUNTS}
        value = evaluate([measure], counts, {"n_t": n_t}, rows=False)[similarity]
        weight = next(
            divided_by(code, counts, {})
            for code in measure.divisors
            if not counts.keys().isdisjoint(code.co_names)
        )
        known = ~np.isnan(value)
        of_known = np.where(known, weight, 0).astype(np.float64)
        values = np.where(known, value, 0.0)
        shared = np.zeros(len(self.start) - 1, np.int64)
        return CodedPairs(self.start, self.first, self.second, values, of_known, shared)

    @cached_property
    def document(self) -> Ints:
        """Document of each row, shape (rows,)."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def by_document(
    sample: pa.Table, names: tuple[Ints, Ints], coders: int, strata: pa.Table | None
) -> ByDocument:
    """Arrange the tally ``sample`` of a group of documents.

    Args:
        sample: sorted by document, unit, coder and peer.
        names: numbers of the coders of each row.
        coders: number of coders.
        strata: ``document`` and ``stratum``, of documents that are in a group; None: in none.
    """
    document = numbers(sample.column("document").combine_chunks())
    hashes, first = np.unique(document, return_index=True)
    stratum = np.zeros(len(hashes), np.int64)
    if strata is not None and len(strata):
        known = numbers(strata.column("document").combine_chunks())
        at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        number = numbers(strata.column("stratum").combine_chunks())
        stratum = np.where(known[at] == hashes, 1 + number[at], 0)
    return ByDocument(
        coders,
        hashes,
        numbers(sample.column("unit").combine_chunks())[first].astype(np.uint64),
        np.append(first, len(document)).astype(np.int64),
        *names,
        {name: numbers(sample.column(name).combine_chunks()) for name in PAIR_COUNTS},
        folds(hashes),
        stratum,
    )


class Effects(NamedTuple):
    """What is fitted.

    Attributes:
        coder: effect of each coder; NaN without any pair, shape (coders,).
        base: similarity of two coders with effects 0 in a document with effect 0.
        residual: mean residual of each pair of coders, both ways round, 0 where there is none,
            shape (coders, coders).
        weight: sum of the weights of each pair of coders, likewise.
        documents: documents of each pair of coders, likewise.
    """

    coder: Floats
    base: float
    residual: Floats
    weight: Floats
    documents: Ints


def fit_effects(pairs: CodedPairs, used: Flags, coders: int, shown: Flags | None = None) -> Effects:
    """Fit effects to the rows that are used; the sum of the coders' effects is 0.

    Args:
        pairs: pairs of codings.
        used: which rows effects are fitted to, shape (rows,).
        coders: number of coders.
        shown: of which rows residuals are averaged, likewise; None: those that are used.
    """
    strata = int(pairs.shared.max(initial=0)) + 1
    chosen = used if shown is None else shown
    return Effects(*fit(pairs, (pairs.first, pairs.second), used, chosen, (coders, strata)))


@kernel
def _solve(a: Floats, b: Floats) -> None:
    """Solve a x = b for a symmetric, positive definite matrix (Cholesky), in place."""
    n = len(b)
    for j in range(n):
        for k in range(j):
            factor = a[j, k]
            if factor != 0.0:
                for i in range(j, n):
                    a[i, j] -= a[i, k] * factor
        root = np.sqrt(a[j, j])
        for i in range(j, n):
            a[i, j] /= root
    for i in range(n):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= a[k, i] * b[k]
        b[i] /= a[i, i]


@kernel
def _eliminate(a: Floats, b: Floats, x: Floats, weight: float, product: float) -> None:
    """Take the effect of a document, or of several that share one, out of the equations."""
    for u in range(len(b)):
        if x[u] != 0.0:
            b[u] -= x[u] * product / weight
            for v in range(len(b)):
                a[u, v] -= x[u] * x[v] / weight


@kernel
def _shares(pairs: CodedPairs, used: Flags) -> Ints:
    """Return the effect that each document shares; ``_OWN`` if at least two pairs are used."""
    shares = np.empty(len(pairs.shared), np.int64)
    for d in range(len(shares)):
        shares[d] = pairs.shared[d]
        known = 0
        for row in range(pairs.start[d], pairs.start[d + 1]):
            known += used[row] and pairs.weight[row] > 0
        if known > 1:
            shares[d] = _OWN
    return shares


@kernel
def _coder_effects(
    pairs: CodedPairs, first: Ints, second: Ints, used: Flags, shares: Ints, sizes: tuple[int, int]
) -> Floats:
    """Return the effect of each coder, 0 without pairs."""
    n, strata = sizes
    a, b = np.zeros((n, n)), np.zeros(n)
    # The last row is of the document at hand, the others of effects that documents share.
    x, sums = np.zeros((strata + 1, n)), np.zeros((strata + 1, 2))
    for d in range(len(shares)):
        at = strata if shares[d] == _OWN else shares[d]
        for row in range(pairs.start[d], pairs.start[d + 1]):
            w = pairs.weight[row] if used[row] else 0.0
            if w > 0:
                i, j, value = first[row], second[row], pairs.value[row]
                a[i, i] += w
                a[j, j] += w
                a[i, j] += w
                a[j, i] += w
                b[i] += w * value
                b[j] += w * value
                x[at, i] += w
                x[at, j] += w
                sums[at, 0] += w
                sums[at, 1] += w * value
        if at == strata:
            _eliminate(a, b, x[at], sums[at, 0], sums[at, 1])
            sums[at, 0] = sums[at, 1] = 0.0
            for i in range(n):
                x[at, i] = 0.0
    trace = 0.0
    for s in range(strata):
        _eliminate(a, b, x[s], sums[s, 0], sums[s, 1])
    for i in range(n):
        trace += a[i, i]
    for i in range(n):
        # A coder without a pair has an equation of their own.
        a[i, i] += _RIDGE * trace / n if a[i, i] > _RIDGE * trace / n else 1.0
    _solve(a, b)
    return b


@kernel
def _document_effects(
    pairs: CodedPairs, used: Flags, shares: Ints, apart: Floats, strata: int
) -> Floats:
    """Return the effect of each document: the mean of what the coders' effects leave."""
    documents = len(shares)
    rest, weight = np.zeros(documents + strata), np.zeros(documents + strata)
    effect = np.empty(documents)
    for d in range(documents):
        at = d if shares[d] == _OWN else documents + shares[d]
        for row in range(pairs.start[d], pairs.start[d + 1]):
            if used[row] and pairs.weight[row] > 0:
                rest[at] += pairs.weight[row] * apart[row]
                weight[at] += pairs.weight[row]
    for d in range(documents):
        at = d if shares[d] == _OWN else documents + shares[d]
        effect[d] = rest[at] / weight[at] if weight[at] > 0 else np.nan
    return effect


@kernel_of_steps(lambda _0, _1, used, _2, sizes: (len(used) + sizes[0] ** 2) * sizes[0])
def fit(
    pairs: CodedPairs, names: tuple[Ints, Ints], used: Flags, shown: Flags, sizes: tuple[int, int]
) -> tuple[Floats, float, Floats, Floats, Ints]:
    """Fit effects to the rows that are used, as if coded by ``names``; return ``Effects``."""
    n, strata = sizes
    first, second = names
    shares = _shares(pairs, used)
    effect = _coder_effects(pairs, first, second, used, shares, sizes)
    apart = np.empty(len(first))
    for row in range(len(first)):
        apart[row] = pairs.value[row] - effect[first[row]] - effect[second[row]]
    of_document = _document_effects(pairs, used, shares, apart, strata)
    residual, weights, documents = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n), np.int64)
    known = np.zeros(n)
    level, total = 0.0, 0.0
    for d in range(len(shares)):
        for row in range(pairs.start[d], pairs.start[d + 1]):
            w, i, j = pairs.weight[row], first[row], second[row]
            if w > 0 and used[row]:
                level += w * of_document[d]
                total += w
                known[i] = known[j] = 1.0
            if w > 0 and shown[row] and not np.isnan(of_document[d]):
                rest = w * (apart[row] - of_document[d])
                residual[i, j] += rest
                residual[j, i] += rest
                weights[i, j] += w
                weights[j, i] += w
                documents[i, j] += 1
                documents[j, i] += 1
    for i in range(n):
        for j in range(n):
            if weights[i, j] > 0:
                residual[i, j] /= weights[i, j]
        if known[i] == 0.0:
            effect[i] = np.nan
    return effect, level / total if total > 0 else np.nan, residual, weights, documents
