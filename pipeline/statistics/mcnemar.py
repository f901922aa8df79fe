"""The exact test of McNemar (1947), with clusters of decisions that are not independent.

Where two systems are equally good, exchanging them in one resampling unit is as likely as not. The
test is therefore that of the signs of the units' differences, all 2^n of them counted exactly. With
one decision that differs in each unit it is McNemar's exact test, the binomial one.
"""

from collections.abc import Sequence

import numpy as np

_EXACT = 2**22
"""Largest product of units and differences for which sums of signs are counted; above, the normal
limit of the same distribution is as good."""


def clustered_mcnemar(differences: Sequence[int]) -> float | None:
    """Return the two-sided p value of differences of equally good systems; None without any.

    >>> clustered_mcnemar([1] * 8 + [-1])  # McNemar: 2 (1 + 9) / 2^9
    0.0390625
    >>> clustered_mcnemar([8, -1])
    1.0

    Args:
        differences: of each unit, the decisions that one system alone got right less those that the
            other alone did.
    """
    sizes = [abs(each) for each in differences if each]
    if not sizes:
        return None
    observed, total = abs(sum(differences)), sum(sizes)
    if len(sizes) * total > _EXACT:
        return _normal(observed, sizes)
    # Probabilities of the sums of the units that have the first sign, 0..total.
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    reached = 0
    for size in sizes:
        reached += size
        chances[size : reached + 1] = (
            chances[size : reached + 1] + chances[: reached - size + 1].copy()
        ) / 2
        chances[:size] /= 2
    sums = np.abs(2 * np.arange(total + 1) - total)
    return min(1.0, float(chances[sums >= observed].sum()))


def _normal(observed: int, sizes: Sequence[int]) -> float:
    from scipy.special import ndtr

    spread = float(np.sqrt(sum(size * size for size in sizes)))
    return float(2 * ndtr(-max(0, observed - 1) / spread))
