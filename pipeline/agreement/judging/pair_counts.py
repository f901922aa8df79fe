"""The counts of each pair of coders, on all documents and without each group of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.coefficients import ACTUAL, PAIR_COUNTS
from segscore.pipeline.agreement.judging.by_document import CodedPairs
from segscore.pipeline.agreement.judging.fits import Neighbours
from segscore.pipeline.agreement.nearest import DISTANCE_CLASSES
from segscore.pipeline.arrays.kernel import kernel_of_steps
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, numbers
from segscore.pipeline.measures.measure import evaluate

_SUMMED = (*PAIR_COUNTS, "documents", "near_pairs", "offset_sum")
_TURNS, _CLOSE = 40, 1e-6
_BOUNDARY_PAIRS = ("matches", "near_misses", "misses", "false_alarms")


@dataclass(frozen=True)
class Distances:
    """How often boundaries of a pair of coders lie some distance apart.

    Attributes:
        pair: number of the pair, shape (rows,).
        distance: position in the second coding less position in the first, in units, likewise.
        fold: number of the group of documents, counted from 1, likewise.
        count: how many boundaries of both are that far apart, likewise.
    """

    pair: Ints
    distance: Floats
    fold: Ints
    count: Ints


class _NearRows(NamedTuple):
    """``Distances`` in the order of pairs; pair p has the rows start[p]..start[p+1]-1."""

    start: Ints
    distance: Floats
    fold: Ints
    number: Ints


@kernel_of_steps(lambda rows, *_: len(rows.distance) * _TURNS)
def _centre(rows: _NearRows, within: float, edge: float, offsets: Floats) -> None:
    """Move offsets to the mean distance in a window around them, without each group of documents.

    Args:
        rows: the distances.
        within: the largest distance.
        edge: at the ends of the window, its weight falls from 1 to 0 over this distance.
        offsets: to begin with; row f is without the group f, shape (1 + groups, pairs).
    """
    for f in range(len(offsets)):
        for p in range(offsets.shape[1]):
            offset = offsets[0, p]
            for _ in range(_TURNS):
                half = max(edge, min(within / 2, within - abs(offset)))
                total, weighted = 0.0, 0.0
                for row in range(rows.start[p], rows.start[p + 1]):
                    inside = (half - abs(rows.distance[row] - offset)) / edge + 0.5
                    if inside > 0 and (f == 0 or rows.fold[row] != f):
                        weight = min(1.0, inside) * rows.number[row]
                        total += weight
                        weighted += weight * rows.distance[row]
                moved = weighted / total if total > 0 else np.nan
                near = not abs(moved - offset) > _CLOSE * within
                offset = moved
                if near:
                    break
            offsets[f, p] = offset


@dataclass(frozen=True)
class CoderPairCounts:
    """Counts of pairs of coders; the first row of each is of all documents.

    Each other row leaves out one of up to 20 groups of documents.

    Attributes:
        coders: number of coders.
        first: number of the first coder of each pair, shape (pairs,).
        second: number of the second coder of each pair, likewise.
        counts: counts by name, shape (1 + groups, pairs) each: ``PAIR_COUNTS``; ``documents``;
            ``near_pairs``, boundaries paired within a distance; ``offset_sum``, the sum of their
            signed distances, position in the second coding less position in the first.
        distances: these distances, over all documents.
        shared: documents that each coder shares with another, shape (coders,).
        folds: numbers of the groups of documents, ascending.
    """

    coders: int
    first: Ints
    second: Ints
    counts: Mapping[str, Ints]
    distances: Distances
    shared: Ints
    folds: Ints

    @cached_property
    def neighbours(self) -> Neighbours:
        """The peers of each coder."""
        return Neighbours.of(self.first, self.second, self.coders)

    @property
    def groups(self) -> int:
        """Number of groups of documents."""
        return len(self.folds)

    def among(self, listed: Sequence[tuple[int, int]]) -> Flags:
        """Return which pairs are among those with these numbers, shape (pairs,)."""
        keys = np.array([first * self.coders + second for first, second in listed], np.int64)
        return np.isin(self.first * self.coders + self.second, keys)

    def offsets(self, within: float) -> Floats:
        """Return by how much the second coder marks later, shape (1 + groups, pairs).

        That is the mean distance of near boundaries around itself, which is found in turns: in a
        window with the offset in its middle, boundaries that are near by chance have the mean of
        the window, so they do not pull towards 0.

        Args:
            within: the largest distance that is known, in units.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            start = self.counts["offset_sum"][0] / self.counts["near_pairs"][0]
        found = np.tile(start, (1 + self.groups, 1))
        of_pair = np.argsort(self.distances.pair, kind="stable")
        rows = _NearRows(
            np.searchsorted(self.distances.pair[of_pair], np.arange(len(start) + 1)),
            self.distances.distance[of_pair],
            self.distances.fold[of_pair],
            self.distances.count[of_pair],
        )
        _centre(rows, within, max(1.0, within / DISTANCE_CLASSES), found)
        return found

    def log_ratios(self) -> Floats:
        """Return log(boundaries of the second / boundaries of the first), as ``offsets``.

        Half a boundary is added to both, so that a coder may have none.
        """
        both = self.counts["matches"] + self.counts["near_misses"]
        second, first = both + self.counts["false_alarms"], both + self.counts["misses"]
        return np.asarray(np.log((second + 0.5) / (first + 0.5)))

    def aligned(self, offsets: Floats, n_t: int) -> CodedPairs:
        """Return similarities of all pairs once each coder's offset is taken away.

        The share of boundaries of either coder that have a partner at most n_t away.  All pairs
        are as if coded in documents that share an effect.

        Args:
            offsets: offset of each coder in units; 0 for those that have none, shape (coders,).
            n_t: limit of near misses.
        """
        between = (offsets[self.second] - offsets[self.first])[self.distances.pair]
        apart, whole = self.distances.distance, np.floor(between)
        # A window of whole positions, however the offset lies between two.
        near, next_near = np.abs(apart - whole) <= n_t, np.abs(apart - whole - 1.0) <= n_t
        share = between - whole
        partners = np.zeros(len(self.first))
        weight = (1 - share) * near + share * next_near
        np.add.at(partners, self.distances.pair, weight * self.distances.count)
        of_both = sum(self.counts[name][0] for name in _BOUNDARY_PAIRS)
        matched = self.counts["matches"][0] + self.counts["near_misses"][0]
        boundaries = np.maximum(of_both + matched - partners, 0.0)
        value = np.divide(partners, boundaries, np.zeros(len(partners)), where=boundaries > 0)
        start, shared = np.arange(len(partners) + 1), np.zeros(len(partners), np.int64)
        return CodedPairs(start, self.first, self.second, value, boundaries, shared)


def pooled(counts: Mapping[str, Ints], similarity: str, n_t: int) -> Floats:
    """Return a similarity from counts of any shape; NaN where it is undefined."""
    shape = counts["pair_places"].shape
    flat = {name: counts[name].ravel() for name in PAIR_COUNTS}
    values = evaluate([ACTUAL[similarity]], flat, {"n_t": n_t}, rows=False)[similarity]
    return np.asarray(values.reshape(shape))


def pair_counts(
    by_fold: pa.Table,
    distances: pa.Table,
    coders: Sequence[str],
    shared: Ints,
    present: Ints | None = None,
) -> CoderPairCounts:
    """Arrange the tallies of a group of documents.

    Args:
        by_fold: the tally ``peers``.
        distances: the tally ``distances``.
        coders: names of the coders, ascending.
        shared: documents that each coder shares with another, shape (coders,).
        present: the groups of documents to leave out in turn, ascending; None: those that occur.
    """
    first, second = (coder_numbers(by_fold, name, coders) for name in ("coder", "peer"))
    key, pair = np.unique(first * len(coders) + second, return_inverse=True)
    folds = numbers(by_fold.column("fold").combine_chunks())
    present = np.unique(folds) if present is None else present
    fold = np.searchsorted(present, folds)
    counts = {}
    for name in _SUMMED:
        sums = np.zeros((len(present), len(key)), np.int64)
        np.add.at(sums, (fold, pair), numbers(by_fold.column(name).combine_chunks()))
        total = sums.sum(axis=0)
        counts[name] = np.concatenate([total[None], total - sums])
    near = [coder_numbers(distances, name, coders) for name in ("coder", "peer")]
    far = Distances(
        np.searchsorted(key, near[0] * len(coders) + near[1]),
        numbers(distances.column("distance").combine_chunks()).astype(np.float64),
        1 + np.searchsorted(present, numbers(distances.column("fold").combine_chunks())),
        numbers(distances.column("near").combine_chunks()),
    )
    ends = key // len(coders), key % len(coders)
    return CoderPairCounts(len(coders), *ends, counts, far, shared, present)


def coder_numbers(table: pa.Table, name: str, coders: Sequence[str]) -> Ints:
    """Return the numbers of the coders in a column, as indices into ``coders``."""
    number = {coder: i for i, coder in enumerate(coders)}
    encoded = table.column(name).combine_chunks().dictionary_encode()
    of_names = np.array([number[coder] for coder in encoded.dictionary.to_pylist()], np.int64)
    return of_names[numbers(encoded.indices)] if len(encoded) else np.zeros(0, np.int64)


def enough(pairs: CoderPairCounts, fewest_documents: int) -> Flags:
    """Return which coders share enough documents with others to be judged, shape (coders,)."""
    return np.asarray(pairs.shared >= fewest_documents)
