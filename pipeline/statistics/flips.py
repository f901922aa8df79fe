"""Random signs for permutation tests, and sums with them that do not depend on their order."""

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, mix
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats

_FLIPS = np.uint64(0x9FB21C651E98DF25)


@kernel
def _flip(hashes: Hashes, seed: np.uint64, first: np.uint64, flipped: NDArray[np.uint8]) -> None:
    key = mix(mix(seed + GOLDEN_RATIO) ^ _FLIPS)
    for row in range(flipped.shape[0]):
        bits = np.uint64(0)
        for column in range(flipped.shape[1]):
            number = first + np.uint64(column)
            bit = number & np.uint64(63)
            if column == 0 or bit == 0:
                word = (number >> np.uint64(6)) + np.uint64(1)
                bits = mix((hashes[row] ^ key) + GOLDEN_RATIO * word)
            flipped[row, column] = (bits >> bit) & np.uint64(1)


def flips(hashes: Hashes, seed: int, first: int, permutations: int) -> NDArray[np.uint8]:
    """Draw whether to exchange two systems, shape (resampling units, permutations), 0 or 1.

    A draw is a function of (seed, unit, permutation) alone.

    Args:
        hashes: hashes of the units.
        seed: seed of the permutations.
        first: number of the first permutation, so that permutations can be drawn in batches.
        permutations: number of permutations.
    """
    drawn = np.empty((len(hashes), permutations), np.uint8)
    _flip(hashes, np.uint64(seed), np.uint64(first), drawn)
    return drawn


def flipped_sums(sums: Floats, drawn: NDArray[np.uint8]) -> Floats:
    """Add up what each permutation exchanges, the same whatever the order of summation.

    Each column is first scaled by a power of two and rounded to whole numbers whose total stays
    below 2^53, so that adding them as floats is exact.

    Args:
        sums: sums of each resampling unit, of any sign, shape (units, columns).
        drawn: whether a permutation exchanges a unit, 0 or 1, shape (units, permutations).

    Returns:
        The sums, shape (permutations, columns).
    """
    total = 8.0 * np.abs(sums).sum(axis=0)
    scale = np.exp2(np.ceil(np.log2(np.where(total > 0, total, 1.0))) - 52)
    summed: Floats = drawn.T.astype(np.float64) @ np.rint(sums / scale)
    return summed * scale
