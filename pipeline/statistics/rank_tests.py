"""Rank tests of systems on the same documents: whether they differ, and which pairs do."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

DECIMALS = 12
"""Decimals that values are rounded to, so that floating-point errors do not break ties."""

LEAST = 3
"""Smallest number of systems for which these tests add anything to the tests of pairs."""

_UNDEFINED = float("nan")
_FEW = 13
"""Most differences with ties whose distribution `scipy.stats.wilcoxon` counts out."""


def wilcoxon(first: Floats, second: Floats) -> float:
    """Return the two-sided p value of Wilcoxon's signed-rank test, without ties.

    Args:
        first: values of a system on some documents, NaN where undefined, shape (documents,).
        second: those of another system.

    Returns:
        The p value; NaN if all documents where both are defined are ties.
    """
    from scipy import stats

    difference = np.round(first - second, DECIMALS)
    moved = difference[~np.isnan(difference) & (difference != 0)]
    if not len(moved):
        return _UNDEFINED
    rank = stats.rankdata(np.abs(moved))
    if len(moved) <= _FEW and len(np.unique(rank)) < len(rank):
        return _counted(moved, rank)
    return float(stats.wilcoxon(moved).pvalue)


def count_signs(first: Floats, second: Floats) -> tuple[int, int]:
    """Return on how many documents the first of two systems is higher, and on how many lower."""
    difference = np.round(first - second, DECIMALS)
    return int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))


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
class Friedman:
    """Friedman's test of whether any of several systems differs from the others.

    Attributes:
        statistic: chi-squared; NaN if undefined.
        p: p-value from the chi-squared distribution; NaN if undefined.
        effect: Kendall's W, in [0, 1]; NaN if undefined.
        documents: number of documents in the test.
        pairwise: p-value of each pair of systems, adjusted for all pairs, shape
            (systems, systems).
        mean_rank: mean rank of each system, 1 for the lowest value, shape (systems,).
    """

    statistic: float
    p: float
    effect: float
    documents: int
    pairwise: Floats
    mean_rank: Floats


def friedman(values: Floats) -> Friedman:
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
        undefined = np.full((systems, systems), _UNDEFINED)
        nothing = _UNDEFINED, _UNDEFINED, _UNDEFINED
        return Friedman(*nothing, documents, undefined, undefined[0])
    mean_rank = stats.rankdata(values, axis=0).mean(axis=1)
    gaps = np.abs(mean_rank[:, None] - mean_rank[None])
    error = np.sqrt(systems * (systems + 1) / (12 * documents))
    pairwise = stats.studentized_range.sf(gaps / error, systems, np.inf)
    statistic = p = _UNDEFINED
    if (values != values[0]).any():
        statistic, p = map(float, stats.friedmanchisquare(*values))
    effect = min(1.0, statistic / (documents * (systems - 1)))
    return Friedman(statistic, p, effect, documents, pairwise, mean_rank)


def rank_systems(values: Floats, *, higher: bool) -> Floats:
    """Rank systems, 1 for the best; ties share the better rank, NaN where undefined.

    Args:
        values: shape (systems,) or (replicates, systems), NaN where undefined.
        higher: whether a higher value is better.
    """
    good = np.round(values if higher else -values, DECIMALS)
    better = (good[..., None, :] > good[..., :, None]).sum(axis=-1)
    return np.where(np.isnan(good), _UNDEFINED, 1 + better)


def kendall_tau(one: Floats, other: Floats) -> float:
    """Return Kendall's tau-b of two lists of values (Kendall 1945), without undefined ones.

    That is (C - D) / sqrt((P - T1) (P - T2)): C and D are the pairs in the same and in the opposite
    order, P all pairs, and T1 and T2 those that are equal in one of the lists.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333

    Returns:
        A number in [-1, 1]; NaN with fewer than two values, or if all of one list are equal.
    """
    known = ~(np.isnan(one) | np.isnan(other))
    x, y = (np.sign(np.subtract.outer(side[known], side[known])) for side in (one, other))
    size = sqrt(float((x * x).sum()) * float((y * y).sum()))
    return float((x * y).sum()) / size if size else _UNDEFINED
