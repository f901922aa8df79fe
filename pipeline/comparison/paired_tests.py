"""The permutation test of two systems on the same documents.

A permutation swaps the two systems on each document with probability 1/2, as might have happened
if neither were better (Edgington & Onghena 2007, Randomization Tests).
"""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import Averages, formula, total, unit_counts
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.statistics import bootstrap

PERMUTED_AT_ONCE = 500
NEARLY = 1e-9
"""Relative tolerance within which a permuted difference counts as large as the observed one."""

_UNDEFINED = float("nan")


def permutation_tests(
    sample: Sample, averages: Averages, seed: int, permutations: int
) -> dict[tuple[str, str], Floats]:
    """Test whether the difference of each pair is larger than swapping the systems would produce.

    p = (c + 1) / (n + 1), where c of n permutations have a difference at least as large, of either
    sign (Phipson & Smyth 2010).  A permutation with an undefined average is counted in c.

    Returns:
        (measure, average) -> p-values, shape (pairs,); NaN where the difference is undefined, and
        without permutations.
    """
    units = sample.units
    counts = unit_counts(sample, units.index, len(units.hashes))
    values = _paired_values(sample, averages, units)
    columns = np.concatenate([*counts, *values], axis=1)
    totals = [total(sums) for sums in counts]
    at_least_as_large = {
        key: np.zeros(len(averages.pairs), np.int64) for key in averages.difference
    }
    for start in range(0, permutations, PERMUTED_AT_ONCE):
        number = min(PERMUTED_AT_ONCE, permutations - start)
        flipped = bootstrap.flips(units.hashes, seed, start, number)
        moved = bootstrap.replicate_sums(columns, flipped)
        split = counts.shape[0] * counts.shape[2]
        by_system = moved[:, :split].reshape(number, *counts.shape[::2])
        by_pair = moved[:, split:].reshape(number, *values.shape[::2])
        for p, pair in enumerate(averages.pairs):
            permuted = _macro(sample, averages, values[p].sum(axis=0), by_pair[:, p], p)
            permuted |= _micro(sample, totals, by_system, pair)
            for key, differences in permuted.items():
                least = abs(averages.difference[key][p]) * (1 - NEARLY)
                at_least_as_large[key][p] += np.count_nonzero(~(np.abs(differences) < least))
    return {
        key: np.where(
            np.isnan(averages.difference[key]) | (permutations == 0),
            _UNDEFINED,
            (at_least + 1) / (permutations + 1),
        )
        for key, at_least in at_least_as_large.items()
    }


def _paired_values(sample: Sample, averages: Averages, units: bootstrap.Units) -> Floats:
    """Sum each pair's differences over each resampling unit, shape (pairs, units, measures)."""
    sums = np.zeros((len(averages.pairs), len(units.hashes), len(sample.measures)))
    for m, measure in enumerate(sample.measures):
        values = sample.values[measure.name]
        for p, (a, b) in enumerate(averages.pairs):
            difference = np.nan_to_num(values[a] - values[b])
            sums[p, :, m] = np.bincount(units.index, difference, len(units.hashes))
    return sums


def _macro(
    sample: Sample, averages: Averages, observed: Floats, moved: Floats, pair: int
) -> dict[tuple[str, str], Floats]:
    """Return the differences of macro averages with the sign of the sums in ``moved`` flipped."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            (measure.name, "macro"): (observed[m] - 2 * moved[:, m])
            / averages.both[measure.name][pair]
            for m, measure in enumerate(sample.measures)
        }


def _micro(
    sample: Sample, totals: Sequence[Floats], moved: Floats, pair: tuple[int, int]
) -> dict[tuple[str, str], Floats]:
    """Return the differences of micro averages with the counts in ``moved`` swapped."""
    a, b = pair
    exchanged = moved[:, a] - moved[:, b]
    first = formula(sample, a, totals[a] - exchanged)
    second = formula(sample, b, totals[b] + exchanged)
    return {(name, "micro"): first[name] - second[name] for name in first}
