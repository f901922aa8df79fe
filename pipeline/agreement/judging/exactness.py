"""How often the boundaries that two coders share are at exactly the same position.

Independent people who mean the same boundary are often a unit apart; copies are not.  So of two
coders who agree too well, only those whose shared boundaries are exact far more often than those of
other pairs may have copied; others may read the guidelines in a way of their own.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts
from segscore.pipeline.arrays.ragged import Flags, Floats

_FEWEST_OTHERS = 5
"""With fewer other pairs to compare with, no deviation is defined."""


@dataclass(frozen=True)
class Exactness:
    """Shares of exact ones among the boundaries that pairs of coders share.

    Attributes:
        share: exact / (exact + near), NaN without either, shape (pairs,).
        others: the same share, pooled over the other pairs, likewise.
        deviation: by how many standard errors the share exceeds that of the other pairs; NaN with
            fewer than five of them, likewise.
    """

    share: Floats
    others: Floats
    deviation: Floats


def exactness(pairs: CoderPairCounts, standard: Flags) -> Exactness:
    """Compare each pair of coders with the other pairs of the standard.

    The variance of the difference is that of both shares, as of independent boundaries, and that
    between the other pairs (DerSimonian & Laird 1986), so that where some pairs are more exact
    than others for reasons of their own, one more is nothing special.

    Args:
        pairs: the counts of each pair of coders.
        standard: coders by whom all are judged, shape (coders,).
    """
    exact = pairs.counts["matches"][0].astype(np.float64)
    paired = exact + pairs.counts["near_misses"][0]
    compared = standard[pairs.first] & standard[pairs.second] & (paired > 0)

    def of_others(values: Floats) -> Floats:
        counted = np.where(compared, values, 0.0)
        return np.asarray(counted.sum() - counted)

    with np.errstate(divide="ignore", invalid="ignore"):
        share = exact / paired
        number, all_exact = of_others(np.ones(len(paired))), of_others(exact)
        all_paired = of_others(paired)
        others = np.where(number >= _FEWEST_OTHERS, all_exact / all_paired, np.nan)
        # Half a boundary more of either kind, so that no variance is 0.
        smooth = (all_exact + 0.5) / (all_paired + 1)
        of_one = smooth * (1 - smooth)
        apart = of_others(exact**2 / paired) - all_exact**2 / all_paired
        scale = all_paired - of_others(paired**2) / all_paired
        between = np.maximum(0.0, (apart - (number - 1) * of_one) / scale)
        error = np.sqrt(of_one * (1 / paired + 1 / all_paired) + between)
        return Exactness(share, others, np.asarray((share - others) / error))
