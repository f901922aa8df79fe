"""The permutation test of two systems on the same documents, for papers that report it.

A permutation swaps the two systems on each document with probability 1/2, as might have happened
if neither were better (Edgington & Onghena 2007, Randomization Tests): the sign of the document's
share of the difference changes.  The share is its pseudo-value (``statistics.jackknife``), in a
macro average the difference of the document's values.
"""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics.jackknife import Estimate, by_unit

PERMUTED_AT_ONCE = 500
NEARLY = 1e-9
"""Relative tolerance within which a permuted difference counts as large as the observed one."""


def permutation_tests(differences: Sequence[Estimate], seed: int, permutations: int) -> Floats:
    """Test whether each difference is larger than swapping the systems would produce.

    p = (c + 1) / (n + 1), where c of n permutations have a difference at least as large, of either
    sign (Phipson & Smyth 2010).

    Returns:
        p values, shape (differences,); NaN where a difference is undefined, without one of the
        units too, and without permutations.
    """
    if not differences:
        return np.zeros(0)
    units, by_pair = by_unit(differences, lambda each: each.pseudo_values)
    shares = by_pair.T
    undefined = np.isnan(shares).any(axis=0) | np.isnan([each.value for each in differences])
    shares = _whole(np.where(undefined, 0.0, shares))
    observed = np.abs(shares.sum(axis=0))
    at_least_as_large = np.zeros(len(differences), np.int64)
    draw = np.random.default_rng(seed)
    for start in range(0, permutations, PERMUTED_AT_ONCE):
        number = min(PERMUTED_AT_ONCE, permutations - start)
        signs = 2.0 * draw.integers(0, 2, (number, len(units)), dtype=np.int8) - 1
        moved = np.abs(signs @ shares) >= observed * (1 - NEARLY)
        at_least_as_large += np.count_nonzero(moved, axis=0)
    p = (at_least_as_large + 1) / (permutations + 1)
    return np.where(undefined | (permutations == 0), np.nan, p)


def _whole(shares: Floats) -> Floats:
    """Round the shares of each column to multiples of one number that add up exactly.

    Their sums are below 2^53 times that number, so that they do not depend on the order of adding.
    """
    total = 8.0 * np.abs(shares).sum(axis=0)
    scale = np.exp2(np.ceil(np.log2(np.where(total > 0, total, 1.0))) - 52)
    rounded: Floats = np.rint(shares / scale)
    return rounded
