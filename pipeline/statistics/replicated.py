"""Averages with bootstrap replicates: how one changed, and the median and the mean of several.

The standard error of a change is that of the difference between the replicates of both averages
(``bootstrap``; Chamandy et al. 2012, "Estimating uncertainty for massive data streams", 3). Weights
are a function of the document, so documents that both averages share are paired, and all others are
independent, without further code.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

FEWEST = 2
"""Smallest number of documents from which the noise of an average can be estimated."""


@dataclass(frozen=True)
class Replicated:
    """An average and its bootstrap replicates.

    Attributes:
        value: the average, NaN where undefined.
        documents: number of documents on which it is defined.
        replicates: averages of resampled documents, shape (replicates,), NaN where undefined; about
            their mean, they are widened by the root of n / (n - 1) for n documents, because a
            bootstrap's variance is too small by that factor.
        freedom: degrees of freedom of the variance of the replicates.
    """

    value: float
    documents: int
    replicates: Floats
    freedom: float


UNKNOWN = Replicated(float("nan"), 0, np.empty(0), -1)
"""The average of a system or group that a run lacks."""


@dataclass(frozen=True)
class Change:
    """How an average moved from one run to another.

    Attributes:
        change: the average now less that before, in the unit of the measure.
        standard_error: standard error of the change.
        freedom: degrees of freedom of the standard error.
    """

    change: float
    standard_error: float
    freedom: float

    def p_beyond(self, excess: float) -> float:
        """Return the chance of a change so far beyond a limit if the true change is at the limit.

        >>> Change(0.2, 0.1, 10).p_beyond(0.0)
        0.5

        Args:
            excess: by how much the change is beyond the limit, negative if it is within.
        """
        from scipy.special import stdtr

        if self.standard_error == 0:
            return 0.0 if excess > 0 else 1.0
        return float(stdtr(self.freedom, -excess / self.standard_error))


def change_of(now: Replicated, before: Replicated, shared: int) -> Change | None:
    """Compare two averages, with the noise of their replicates.

    Degrees of freedom are those of Welch and Satterthwaite if the averages share no document, else
    the smaller of the two.

    Args:
        now: the average now.
        before: the average before, with replicates from the same seed.
        shared: number of documents that both averages are about.

    Returns:
        The change, or None if the noise cannot be estimated because there are too few documents or
        most replicates are undefined.
    """
    freedoms = np.array([now.freedom, before.freedom], np.float64)
    both = np.stack([now.replicates, before.replicates])
    defined = both[:, ~np.isnan(both).any(axis=0)]
    if freedoms.min() < FEWEST - 1 or defined.shape[1] < both.shape[1] / 2:
        return None
    covariance = np.cov(defined)
    variances = np.diag(covariance)
    variance = max(float(variances.sum() - 2 * covariance[0, 1]), 0.0)
    freedom = float(freedoms.min())
    if not shared and variances.any():
        freedom = float(variances.sum() ** 2 / (variances**2 / freedoms).sum())
    return Change(now.value - before.value, float(np.sqrt(variance)), freedom)


def median_of_all(averages: Sequence[Replicated], *, apart: bool) -> Replicated:
    """Return the median of several averages, with its replicates."""
    freedoms = [average.freedom for average in averages]
    return Replicated(
        float(np.median([average.value for average in averages])),
        sum(average.documents for average in averages),
        np.median(np.stack([average.replicates for average in averages]), axis=0),
        sum(freedoms) if apart else min(freedoms),
    )


def mean_of_all(averages: Sequence[Replicated]) -> Replicated:
    """Return the mean of several averages of one run; unknown if the noise of one is unknown."""
    if not averages or any(average.freedom < FEWEST - 1 for average in averages):
        return UNKNOWN
    return Replicated(
        float(np.mean([average.value for average in averages])),
        max(average.documents for average in averages),
        np.mean(np.stack([average.replicates for average in averages]), axis=0),
        min(average.freedom for average in averages),
    )


def widened(replicated: Floats, freedom: int) -> Floats:
    """Return replicates with the variance of an unbiased estimate; see ``Replicated``."""
    if freedom < 1 or np.isnan(replicated).all():
        return replicated
    mean = np.nanmean(replicated)
    return np.asarray(mean + (replicated - mean) * np.sqrt((freedom + 1) / freedom))
