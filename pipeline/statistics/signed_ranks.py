"""Signed ranks of two systems on the same documents, and the sizes of their differences."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

DECIMALS = 12
"""Decimals that values are rounded to, so that floating-point errors do not break ties."""

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
    """Compare two systems document by document.

    Args:
        first: values of one system, NaN where undefined, shape (documents,).
        second: values of the other system on the same documents.
    """
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
