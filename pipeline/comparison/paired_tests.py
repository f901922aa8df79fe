"""Two systems on the same documents: permutation test, signed ranks, effect sizes.

A permutation lets the two systems change places on each document with chance 1/2, as they might
have if neither were better (Edgington & Onghena 2007, Randomization Tests).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.averages import Averages, formula, total, unit_counts
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.statistics import bootstrap

PERMUTED_AT_ONCE = 500
NEARLY = 1e-9
"""Relative: a permuted difference this close to the observed one is as large."""

DECIMALS = 12
"""Differences that are equal but for rounding are ties."""

_UNDEFINED = float("nan")


@dataclass(frozen=True)
class SignedRanks:
    """What the documents say one by one of a pair, of those on which both are defined.

    Attributes:
        p: of Wilcoxon's signed-rank test, two-sided, ties left out; NaN if all are ties.
        higher: documents on which the first has the higher value.
        lower: documents on which it has the lower one.
        effect_d: mean difference over its standard deviation (Cohen's d_z); NaN if that is 0.
        effect_rank: matched-pairs rank-biserial correlation, in [-1, 1] (Kerby 2014); NaN if all
            are ties.
    """

    p: float
    higher: int
    lower: int
    effect_d: float
    effect_rank: float


def permutation_tests(
    sample: Sample, averages: Averages, seed: int, permutations: int
) -> dict[tuple[str, str], Floats]:
    """Test, for each pair, whether its difference is more than exchanged places would make.

    p = (c + 1) / (n + 1), c of n permutations with a difference at least as large, of either sign
    (Phipson & Smyth 2010).  A permutation that makes the average undefined counts as such.

    Args:
        sample: of the systems.
        averages: of the sample.
        seed: of the permutations.
        permutations: how many; 0 for none.

    Returns:
        By (measure, average), shape (pairs,); NaN where the difference is undefined.
    """
    drawn = sample.units
    counts = unit_counts(sample, drawn.of, len(drawn.hashes))
    values = _paired_values(sample, averages, drawn)
    columns = np.concatenate([*counts, *values], axis=1)
    totals = [total(each) for each in counts]
    found = {key: np.zeros(len(averages.pairs), np.int64) for key in averages.difference}
    for start in range(0, permutations, PERMUTED_AT_ONCE):
        number = min(PERMUTED_AT_ONCE, permutations - start)
        flipped = bootstrap.flips(drawn.hashes, seed, start, number)
        moved = bootstrap.replicate_sums(columns, flipped)
        split = counts.shape[0] * counts.shape[2]
        by_system = moved[:, :split].reshape(number, *counts.shape[::2])
        by_pair = moved[:, split:].reshape(number, *values.shape[::2])
        for p, pair in enumerate(averages.pairs):
            permuted = _macro(sample, averages, values[p].sum(axis=0), by_pair[:, p], p)
            permuted |= _micro(sample, totals, by_system, pair)
            for key, differences in permuted.items():
                least = abs(averages.difference[key][p]) * (1 - NEARLY)
                found[key][p] += np.count_nonzero(~(np.abs(differences) < least))
    return {
        key: np.where(
            np.isnan(averages.difference[key]) | (permutations == 0),
            _UNDEFINED,
            (at_least + 1) / (permutations + 1),
        )
        for key, at_least in found.items()
    }


def _paired_values(sample: Sample, averages: Averages, drawn: bootstrap.Units) -> Floats:
    """Of each pair, the measures' differences summed a unit, shape (pairs, units, measures)."""
    sums = np.zeros((len(averages.pairs), len(drawn.hashes), len(sample.measures)))
    for m, measure in enumerate(sample.measures):
        values = sample.values[measure.name]
        for p, (a, b) in enumerate(averages.pairs):
            difference = np.nan_to_num(values[a] - values[b])
            sums[p, :, m] = np.bincount(drawn.of, difference, len(drawn.hashes))
    return sums


def _macro(
    sample: Sample, averages: Averages, observed: Floats, moved: Floats, pair: int
) -> dict[tuple[str, str], Floats]:
    """Differences of means when what ``moved`` holds has changed sign."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            (measure.name, "macro"): (observed[m] - 2 * moved[:, m])
            / averages.both[measure.name][pair]
            for m, measure in enumerate(sample.measures)
        }


def _micro(
    sample: Sample, totals: Sequence[Floats], moved: Floats, pair: tuple[int, int]
) -> dict[tuple[str, str], Floats]:
    """Differences of formulas when the counts of ``moved`` have changed places."""
    a, b = pair
    exchanged = moved[:, a] - moved[:, b]
    first = formula(sample, a, totals[a] - exchanged)
    second = formula(sample, b, totals[b] + exchanged)
    return {(name, "micro"): first[name] - second[name] for name in first}


def signed_ranks(first: Floats, second: Floats) -> SignedRanks:
    """Compare two systems document by document.

    Args:
        first: a value a document, NaN where undefined, shape (documents,).
        second: of the same documents.
    """
    from scipy import stats

    difference = np.round(first - second, DECIMALS)
    difference = difference[~np.isnan(difference)]
    moved = difference[difference != 0]
    higher = int(np.count_nonzero(difference > 0))
    p = effect_rank = _UNDEFINED
    if len(moved):
        p = float(stats.wilcoxon(moved).pvalue)
        rank = stats.rankdata(np.abs(moved))
        effect_rank = float((np.sign(moved) * rank).sum() / rank.sum())
    spread = difference.std(ddof=1) if len(difference) > 1 else 0.0
    effect_d = float(difference.mean() / spread) if spread > 0 else _UNDEFINED
    return SignedRanks(p, higher, len(moved) - higher, effect_d, effect_rank)
