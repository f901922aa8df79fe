"""Power of the paired t test: what differences a number of documents can show.

Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, 2.  An effect is a difference
divided by the standard deviation of the documents' differences.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints

LEAST_DOCUMENTS = 10
"""Number of documents below which the spread of their differences is not estimated."""

RANGE = 0.8
"""Share of samples in which the range of a spread contains the true one."""

_MOST_DOCUMENTS = 2**52
"""Largest number of documents that is told."""

_CERTAIN = 1e5
"""Noncentrality above which a test always finds the difference; scipy loses digits beyond."""


@dataclass(frozen=True)
class PairedTest:
    """A two-sided paired t test.

    Attributes:
        alpha: probability that it finds a difference that is not there, in (0, 1).
        power: probability with which it is to find a difference that is there, in (alpha, 1).
        effective: effective number of documents, of each document (``Estimate.effective``).
    """

    alpha: float = 0.05
    power: float = 0.8
    effective: float = 1.0

    def finds(self, effect: Floats, documents: Ints) -> Floats:
        """Return the probability of finding an effect, from the non-central t distribution.

        Args:
            effect: effects, at least 0, shape (n,).
            documents: number of documents of each, at least 2, shape (n,).
        """
        from scipy import special

        freedom = np.maximum(1.0, documents * self.effective - 1)
        limit = special.stdtrit(freedom, 1 - self.alpha / 2)
        shift = np.minimum(effect * np.sqrt(documents), _CERTAIN)
        # scipy gives up on tails that are too small to matter.
        below, wrong = (
            np.nan_to_num(special.nctdtr(freedom, shift, end)) for end in (limit, -limit)
        )
        return np.where(shift >= _CERTAIN, 1.0, 1 - below + wrong)


def spread_range(freedom: float) -> Floats:
    """Return the ends of the range of a standard deviation, relative to its estimate, shape (2,).

    Args:
        freedom: degrees of freedom of the estimate.
    """
    from scipy.special import chdtri  # of the upper tail

    tail = (1 - RANGE) / 2
    return np.sqrt(freedom / np.array([chdtri(freedom, tail), chdtri(freedom, 1 - tail)]))


@lru_cache(maxsize=1024)
def smallest_effect(documents: int, test: PairedTest) -> float:
    """Return the effect that a test finds with its power on a number of documents.

    Args:
        documents: number of documents, at least 2.
        test: the test.
    """
    from scipy.optimize import brentq

    number = np.array([documents])

    def lack(effect: float) -> float:
        return float(test.finds(np.array([effect]), number)[0]) - test.power

    return float(brentq(lack, 0.0, _CERTAIN / np.sqrt(documents), xtol=1e-12, rtol=1e-12))


def documents_needed(effect: Floats, test: PairedTest) -> Ints:
    """Return the least number of documents on which a test finds each effect with its power.

    Args:
        effect: effects above 0, shape (n,).
        test: the test.

    Returns:
        Numbers of documents, at least 2 and at most 2^52, shape (n,).
    """
    low = np.ones(len(effect), np.int64)  # too few
    high = np.full(len(effect), 2, np.int64)
    while True:
        found = test.finds(effect, high) >= test.power
        if (found | (high >= _MOST_DOCUMENTS)).all():
            break
        low = np.where(found, low, high)
        high = np.where(found, high, np.minimum(2 * high, _MOST_DOCUMENTS))
    while (high - low > 1).any():
        middle = np.maximum((low + high) // 2, 2)
        found = test.finds(effect, middle) >= test.power
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    return high
