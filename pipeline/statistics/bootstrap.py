"""Poisson bootstrap: how far a value would move had other documents been drawn.

Each replicate gives each document an independent Poisson(1) weight (Chamandy et al. 2012,
"Estimating uncertainty for massive data streams", 3).  A weight is a function of (seed, document,
replicate) alone, so a replicate's sums are the same however the work is split.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints

# 65536 * P(X <= j) for X ~ Poisson(1), rounded; their complement sums to 65536: mean exactly 1.
POISSON = np.array([24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535], np.uint64)
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
FLIPS = np.uint64(0x9FB21C651E98DF25)
"""Keeps the draws of permutations apart from those of weights."""

BUCKETS = 4096
CONFIDENCE = 0.95


@kernel
def _draw(hashes: Hashes, seed: np.uint64, weights: NDArray[np.uint8]) -> None:
    key = mix(seed + _GOLDEN_RATIO)
    for row in range(weights.shape[0]):
        state = hashes[row] ^ key
        lanes = np.uint64(0)
        for replicate in range(weights.shape[1]):
            if replicate % 4 == 0:
                state += _GOLDEN_RATIO
                lanes = mix(state)
            lane = lanes & np.uint64(0xFFFF)
            lanes >>= np.uint64(16)
            weight = 0
            while weight < 8 and lane >= POISSON[weight]:
                weight += 1
            weights[row, replicate] = weight


def weights(hashes: Hashes, seed: int, replicates: int) -> NDArray[np.uint8]:
    """Draw Poisson(1) weights, shape (resampling units, replicates), each 0..8."""
    drawn = np.empty((len(hashes), replicates), np.uint8)
    _draw(hashes, np.uint64(seed), drawn)
    return drawn


@dataclass(frozen=True)
class Drawn:
    """The weights of a run's resampling units.

    Attributes:
        units: hashes of documents, or numbers of buckets, ascending, shape (units,).
        weights: of each unit in each replicate, shape (units, replicates).
    """

    units: Hashes
    weights: NDArray[np.uint8]

    def of(self, units: Hashes) -> NDArray[np.uint8]:
        """The weights of some of the units, shape (them, replicates)."""
        return self.weights[np.searchsorted(self.units, units)]


def draw_weights(units: Hashes, seed: int, replicates: int) -> Drawn:
    """Draw the weights of resampling units, each listed once or more often."""
    distinct = np.unique(units)
    return Drawn(distinct, weights(distinct, seed, replicates))


def estimator(documents: int, replicates: int) -> str:
    """Name how intervals are estimated, for the signature."""
    if not replicates:
        return "none"
    return "poisson,documents" if documents <= BUCKETS else f"poisson,{BUCKETS}-buckets"


@kernel
def _spread(hashes: Hashes, buckets: np.uint64, unit: Ints) -> None:
    for row in range(len(hashes)):
        unit[row] = mix(hashes[row] ^ MIX_1) % buckets


def buckets(hashes: Hashes) -> Ints:
    """Assign documents to ``BUCKETS`` resampling units by their hash, shape (rows,).

    Above that many documents a replicate weighs a bucket of documents at once.  The documents of
    a bucket are a random sample, so the spread is that of the documents; the cost no longer grows
    with them.
    """
    unit = np.empty(len(hashes), np.int64)
    _spread(hashes, np.uint64(BUCKETS), unit)
    return unit


@dataclass(frozen=True)
class Units:
    """What is drawn together: each document, or above ``BUCKETS`` documents a bucket of them.

    Attributes:
        of: index into ``hashes`` of each document's unit, shape (documents,).
        hashes: what draws each unit's random numbers: the document's hash, the bucket's number,
            shape (units,).
        kind: how the signature calls them.
    """

    of: Ints
    hashes: Hashes
    kind: str = "documents"


def units(hashes: Hashes, documents: int | None = None) -> Units:
    """Assign documents, told by their hashes, to resampling units.

    Args:
        hashes: of some documents or all.
        documents: how many there are in all; None for these.
    """
    if (len(hashes) if documents is None else documents) <= BUCKETS:
        return Units(np.arange(len(hashes)), hashes)
    every = np.arange(BUCKETS, dtype=np.uint64)
    return Units(buckets(hashes), every, f"{BUCKETS}-buckets")


@kernel
def _flip(hashes: Hashes, seed: np.uint64, first: np.uint64, flipped: NDArray[np.uint8]) -> None:
    key = mix(mix(seed + _GOLDEN_RATIO) ^ FLIPS)
    for row in range(flipped.shape[0]):
        bits = np.uint64(0)
        for column in range(flipped.shape[1]):
            number = first + np.uint64(column)
            place = number & np.uint64(63)
            if column == 0 or place == 0:
                word = (number >> np.uint64(6)) + np.uint64(1)
                bits = mix((hashes[row] ^ key) + _GOLDEN_RATIO * word)
            flipped[row, column] = (bits >> place) & np.uint64(1)


def flips(hashes: Hashes, seed: int, first: int, permutations: int) -> NDArray[np.uint8]:
    """Draw whether two systems change places, shape (resampling units, permutations), 0 or 1.

    A draw is a function of (seed, unit, permutation) alone, and of none of the bootstrap's weights.

    Args:
        hashes: of the units.
        seed: of the permutations.
        first: number of the first permutation, so that they can be drawn some at a time.
        permutations: how many.
    """
    drawn = np.empty((len(hashes), permutations), np.uint8)
    _flip(hashes, np.uint64(seed), np.uint64(first), drawn)
    return drawn


def replicate_sums(sums: Floats, drawn: NDArray[np.uint8]) -> Floats:
    """Sum each column under each replicate's weights, the same in any order of summation.

    Args:
        sums: a sum a resampling unit, of any sign, shape (units, columns).
        drawn: weights, shape (units, replicates).

    Returns:
        Shape (replicates, columns).  Each column is first scaled by a power of two to whole numbers
        whose weighted total stays below 2^53, where adding floats is exact.
    """
    total = 8.0 * np.abs(sums).sum(axis=0)
    scale = np.exp2(np.ceil(np.log2(np.where(total > 0, total, 1.0))) - 52)
    summed: Floats = drawn.T.astype(np.float64) @ np.rint(sums / scale)
    return summed * scale


def interval(replicates: Floats) -> tuple[float, float]:
    """Take the central 95 % of the defined replicates; NaN, NaN where none is defined."""
    defined = replicates[~np.isnan(replicates)]
    if len(defined) == 0:
        return float("nan"), float("nan")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
