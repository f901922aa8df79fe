"""Poisson bootstrap: estimate how much a value would vary between samples of documents.

Each replicate gives each document an independent Poisson(1) weight (Chamandy et al. 2012,
"Estimating uncertainty for massive data streams", 3).  A weight is a function of (seed, document,
replicate) alone, so a replicate's sums do not depend on how the work is split.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import MIX_1, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints

# 65536 * P(X <= j) for X ~ Poisson(1), rounded so that the sum of 65536 * P(X > j) is 65536, and
# the mean therefore exactly 1.
POISSON = np.array([24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535], np.uint64)
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
FLIPS = np.uint64(0x9FB21C651E98DF25)
"""Constant that makes the draws of permutations independent of the draws of weights."""

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
    """Draw Poisson(1) weights, shape (resampling units, replicates), in 0..8."""
    drawn = np.empty((len(hashes), replicates), np.uint8)
    _draw(hashes, np.uint64(seed), drawn)
    return drawn


@dataclass(frozen=True)
class UnitWeights:
    """The weights of a run's resampling units.

    Attributes:
        units: the units, as in ``Units.hashes``, ascending and distinct, shape (units,).
        weights: weight of each unit in each replicate, shape (units, replicates).
    """

    units: Hashes
    weights: NDArray[np.uint8]

    def for_units(self, units: Hashes) -> NDArray[np.uint8]:
        """Return the weights of the given units, shape (len(units), replicates)."""
        return self.weights[np.searchsorted(self.units, units)]


def draw_weights(units: Hashes, seed: int, replicates: int) -> UnitWeights:
    """Draw the weights of resampling units; repeated units are drawn once."""
    distinct = np.unique(units)
    return UnitWeights(distinct, weights(distinct, seed, replicates))


def estimator(documents: int, replicates: int) -> str:
    """Return the name of the method that estimates intervals, for the signature."""
    if not replicates:
        return "none"
    return "poisson,documents" if documents <= BUCKETS else f"poisson,{BUCKETS}-buckets"


@kernel
def _spread(hashes: Hashes, buckets: np.uint64, unit: Ints) -> None:
    for row in range(len(hashes)):
        unit[row] = mix(hashes[row] ^ MIX_1) % buckets


def buckets(hashes: Hashes) -> Ints:
    """Return the resampling unit of each document, 0..``BUCKETS`` - 1, by its hash, shape (rows,).

    With more documents than ``BUCKETS``, several documents share a resampling unit.  The documents
    of a unit are a random sample, so the variance is that of resampling documents, while the cost
    no longer grows with their number.
    """
    unit = np.empty(len(hashes), np.int64)
    _spread(hashes, np.uint64(BUCKETS), unit)
    return unit


@dataclass(frozen=True)
class Units:
    """Resampling units: single documents, or sets of them if there are more than ``BUCKETS``.

    Attributes:
        index: index into ``hashes`` of each document's unit, shape (documents,).
        hashes: a number for each unit, from which its random numbers are derived: the document's
            hash, or the index of the set, shape (units,).
        documents: hash of each document, shape (documents,).
        kind: the signature's name for the units.
    """

    index: Ints
    hashes: Hashes
    documents: Hashes
    kind: str = "documents"


def units(hashes: Hashes, documents: int | None = None) -> Units:
    """Assign documents to resampling units.

    Args:
        hashes: hashes of the documents, which may be some of a run's.
        documents: number of all documents of the run; None if ``hashes`` has all of them.
    """
    if (len(hashes) if documents is None else documents) <= BUCKETS:
        return Units(np.arange(len(hashes)), hashes, hashes)
    all_units = np.arange(BUCKETS, dtype=np.uint64)
    return Units(buckets(hashes), all_units, hashes, f"{BUCKETS}-buckets")


@kernel
def _flip(hashes: Hashes, seed: np.uint64, first: np.uint64, flipped: NDArray[np.uint8]) -> None:
    key = mix(mix(seed + _GOLDEN_RATIO) ^ FLIPS)
    for row in range(flipped.shape[0]):
        bits = np.uint64(0)
        for column in range(flipped.shape[1]):
            number = first + np.uint64(column)
            bit = number & np.uint64(63)
            if column == 0 or bit == 0:
                word = (number >> np.uint64(6)) + np.uint64(1)
                bits = mix((hashes[row] ^ key) + _GOLDEN_RATIO * word)
            flipped[row, column] = (bits >> bit) & np.uint64(1)


def flips(hashes: Hashes, seed: int, first: int, permutations: int) -> NDArray[np.uint8]:
    """Draw whether to exchange two systems, shape (resampling units, permutations), 0 or 1.

    A draw is a function of (seed, unit, permutation) alone, and independent of the bootstrap's
    weights.

    Args:
        hashes: hashes of the units.
        seed: seed of the permutations.
        first: number of the first permutation, so that permutations can be drawn in batches.
        permutations: number of permutations.
    """
    drawn = np.empty((len(hashes), permutations), np.uint8)
    _flip(hashes, np.uint64(seed), np.uint64(first), drawn)
    return drawn


def replicate_sums(sums: Floats, drawn: NDArray[np.uint8]) -> Floats:
    """Compute the weighted sums of each replicate, the same whatever the order of summation.

    Each column is first scaled by a power of two and rounded to whole numbers whose weighted total
    stays below 2^53, so that adding them as floats is exact.

    Args:
        sums: sums of each resampling unit, of any sign, shape (units, columns).
        drawn: weights, shape (units, replicates).

    Returns:
        Weighted sums, shape (replicates, columns).
    """
    total = 8.0 * np.abs(sums).sum(axis=0)
    scale = np.exp2(np.ceil(np.log2(np.where(total > 0, total, 1.0))) - 52)
    summed: Floats = drawn.T.astype(np.float64) @ np.rint(sums / scale)
    return summed * scale


def interval(replicates: Floats) -> tuple[float, float]:
    """Return the ends of the central 95 % of the defined replicates; NaN, NaN if there are none."""
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:
        value = float(defined[0]) if len(defined) else float("nan")
        return value, value
    tail = (1 - CONFIDENCE) / 2
    low, high = (_place(share, len(defined)) for share in (tail, 1 - tail))
    defined.partition(sorted({0, low[0], low[0] + 1, high[0], high[0] + 1, len(defined) - 1}))
    return _between(defined, *low), _between(defined, *high)


def _place(share: float, n: int) -> tuple[int, float]:
    """Return the value below a share of the way from the first of n to the last, and the rest."""
    place = (n - 1) * share
    return int(place), place - int(place)


def _between(ordered: Floats, below: int, part: float) -> float:
    """Interpolate as ``np.quantile``, to the same bits, without its checks, which take longer.

    Args:
        ordered: values, in order at ``below`` and the place after it, shape (values,).
        below: the place of a value.
        part: part of the way from there to the next value, at least 0 and below 1.
    """
    first, second = float(ordered[below]), float(ordered[below + 1])
    difference = second - first
    return first + difference * part if part < 0.5 else second - difference * (1 - part)
