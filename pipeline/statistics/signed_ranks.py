"""Signed ranks of two systems on the same documents, and the sizes of their differences."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

DECIMALS = 12
"""Decimals that values are rounded to, so that floating-point errors do not break ties."""

_UNDEFINED = float("nan")


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
        p = float(stats.wilcoxon(moved).pvalue)
        rank = stats.rankdata(np.abs(moved))
        effect_rank = float((np.sign(moved) * rank).sum() / rank.sum())
    spread = difference.std(ddof=1) if len(difference) > 1 else 0.0
    effect_d = float(difference.mean() / spread) if spread > 0 else _UNDEFINED
    return SignedRanks(p, higher, len(moved) - higher, effect_d, effect_rank)
