"""Rank tests of systems on the same documents: whether they differ, and which pairs do."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics.multiple_tests import holm

DECIMALS = 12
"""Decimals that values are rounded to, so that floating-point errors do not break ties."""

LEAST = 3
"""Smallest number of systems for which these tests add anything to the tests of pairs."""

_UNDEFINED = float("nan")
_FEW = 13
"""Most differences with ties whose distribution `scipy.stats.wilcoxon` counts out."""


@dataclass(frozen=True)
class SignedRanks:
    """A comparison of two systems document by document, where both are defined.

    Attributes:
        p: p-value of Wilcoxon's signed-rank test, two-sided, without ties; NaN if all are ties.
        higher: number of documents on which the first system has the higher value.
        lower: number of documents on which it has the lower value.
        effect_d: mean difference divided by the standard deviation of the differences (Cohen's
            d_z); NaN if that is 0.
        effect_rank: matched-pairs rank-biserial correlation, in [-1, 1] (Kerby 2014); NaN if all
            are ties.
    """

    p: float
    higher: int
    lower: int
    effect_d: float
    effect_rank: float


def signed_ranks(first: Floats, second: Floats) -> SignedRanks:
    """Compare two systems document by document; values are NaN where undefined."""
    from scipy import stats

    difference = np.round(first - second, DECIMALS)
    difference = difference[~np.isnan(difference)]
    moved = difference[difference != 0]
    higher = int(np.count_nonzero(difference > 0))
    p = effect_rank = _UNDEFINED
    if len(moved):
        rank = stats.rankdata(np.abs(moved))
        few_with_ties = len(moved) <= _FEW and len(np.unique(rank)) < len(rank)
        p = _counted(moved, rank) if few_with_ties else float(stats.wilcoxon(moved).pvalue)
        effect_rank = float((np.sign(moved) * rank).sum() / rank.sum())
    spread = difference.std(ddof=1) if len(difference) > 1 else 0.0
    effect_d = float(difference.mean() / spread) if spread > 0 else _UNDEFINED
    return SignedRanks(p, higher, len(moved) - higher, effect_d, effect_rank)


def _counted(moved: Floats, rank: Floats) -> float:
    """Return the p-value over all signs that the differences could have had, as scipy does.

    Scipy ranks the differences again for each of the up to 8,192 ways, which takes seconds.

    Args:
        moved: differences that are not 0, shape (differences,).
        rank: the ranks of their sizes, which are multiples of 0.5 and therefore add up exactly.
    """
    ways = np.arange(2 ** len(rank))[:, None] >> np.arange(len(rank)) & 1
    sums, observed = ways @ rank, rank[moved > 0].sum()
    tail = min(np.count_nonzero(sums <= observed), np.count_nonzero(sums >= observed))
    return min(1.0, float(2 * tail / len(sums)))


@dataclass(frozen=True)
class Omnibus:
    """A test of whether any of several systems differs from the others.

    Attributes:
        test: ``friedman`` or ``kruskal``.
        statistic: chi-squared or H; NaN if undefined.
        p: p-value from the chi-squared distribution; NaN if undefined.
        effect: Kendall's W, or epsilon-squared; in [0, 1], NaN if undefined.
        documents: number of documents in the test.
        pairwise: p-value of each pair of systems, adjusted for all pairs, shape
            (systems, systems).
        mean_rank: mean rank of each system, 1 for the lowest value, shape (systems,).
    """

    test: str
    statistic: float
    p: float
    effect: float
    documents: int
    pairwise: Floats
    mean_rank: Floats


def _undefined(test: str, systems: int, documents: int) -> Omnibus:
    undefined = np.full((systems, systems), _UNDEFINED)
    return Omnibus(test, _UNDEFINED, _UNDEFINED, _UNDEFINED, documents, undefined, undefined[0])


def friedman(values: Floats) -> Omnibus:
    """Test the ranks of systems on each document (Friedman 1937), and pairs by Nemenyi's test.

    The test of pairs compares the difference of mean ranks with the studentized range.  Hollander &
    Wolfe 1999, p. 295, and Fournier 2013 call it Wilcoxon, Nemenyi, McDonald and Thompson's test.

    Args:
        values: shape (systems, documents), NaN where undefined; only documents on which all
            systems are defined are ranked.
    """
    from scipy import stats

    values = np.round(values[:, ~np.isnan(values).any(axis=0)], DECIMALS)
    systems, documents = values.shape
    if systems < LEAST or not documents:
        return _undefined("friedman", systems, documents)
    mean_rank = stats.rankdata(values, axis=0).mean(axis=1)
    gaps = np.abs(mean_rank[:, None] - mean_rank[None])
    error = np.sqrt(systems * (systems + 1) / (12 * documents))
    pairwise = stats.studentized_range.sf(gaps / error, systems, np.inf)
    statistic = p = _UNDEFINED
    if (values != values[0]).any():
        statistic, p = map(float, stats.friedmanchisquare(*values))
    effect = min(1.0, statistic / (documents * (systems - 1)))
    return Omnibus("friedman", statistic, p, effect, documents, pairwise, mean_rank)


def kruskal(values: Floats) -> Omnibus:
    """Test the ranks of all values together (Kruskal & Wallis 1952), and pairs by Dunn's z.

    Unlike ``friedman`` it ignores which value is from which document; it is provided because
    results have been published with it (Fournier 2013).  Pairs are tested as in Siegel & Castellan
    1988, pp. 213-214, with the variance corrected for ties (Dunn 1964) and with Holm's adjustment
    instead of Bonferroni's.

    Args:
        values: shape (systems, documents), NaN where undefined.
    """
    from scipy import stats

    samples = [np.round(row[~np.isnan(row)], DECIMALS) for row in values]
    systems, pooled = len(samples), np.concatenate(samples)
    sizes = np.array([len(sample) for sample in samples])
    if systems < LEAST or not sizes.all():
        return _undefined("kruskal", systems, int(sizes.max(initial=0)))
    rank = stats.rankdata(pooled)
    mean_rank = np.array([part.mean() for part in np.split(rank, np.cumsum(sizes)[:-1])])
    variance = rank.var(ddof=1)  # N(N + 1)/12 without ties
    statistic = p = effect = _UNDEFINED
    pairwise = np.ones((systems, systems))
    if variance > 0:
        statistic, p = map(float, stats.kruskal(*samples))
        effect = min(1.0, statistic / (len(pooled) - 1))
        error = np.sqrt(variance * (1 / sizes[:, None] + 1 / sizes[None]))
        z = np.abs(mean_rank[:, None] - mean_rank[None]) / error
        upper = np.triu_indices(systems, 1)
        pairwise[upper] = holm(2 * stats.norm.sf(z[upper]))
        pairwise.T[upper] = pairwise[upper]
    return Omnibus("kruskal", statistic, p, effect, int(sizes.max()), pairwise, mean_rank)


def rank_systems(values: Floats, *, higher: bool) -> Floats:
    """Rank systems, 1 for the best; ties share the better rank, NaN where undefined.

    Args:
        values: shape (systems,) or (replicates, systems), NaN where undefined.
        higher: whether a higher value is better.
    """
    good = np.round(values if higher else -values, DECIMALS)
    better = (good[..., None, :] > good[..., :, None]).sum(axis=-1)
    return np.where(np.isnan(good), _UNDEFINED, 1 + better)
