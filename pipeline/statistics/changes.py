"""How an average changed from one sample of documents to another, such as from night to night."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics.jackknife import Estimate, by_unit

_SAMPLES = 4096
"""Number of samples from which the error of a median is estimated, to within 2 %."""


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


def change_of(now: Estimate, before: Sequence[Estimate], *, apart: bool) -> Change | None:
    """Compare an average with an earlier one, or with the median of several.

    Degrees of freedom are those of Welch and Satterthwaite if the averages share no document, else
    the smaller of the two.

    Args:
        now: the average now.
        before: the averages before, at least one.
        apart: whether no document is in two of the averages.

    Returns:
        The change, or None if the noise of an average cannot be estimated.
    """
    averages = [now, *before]
    if any(np.isnan(average.error) for average in averages):
        return None
    covariance = _covariance(averages, apart=apart)
    values = np.array([average.value for average in averages])
    median = float(np.median(values[1:]))
    old = _variance_of_median(values[1:], covariance[1:, 1:])
    if apart or len(before) == 1:
        both = 0.0 if apart else float(covariance[0, 1])
        variance = float(covariance[0, 0]) + old - 2 * both
    else:
        drawn = _samples(values, covariance)
        variance = float((drawn[:, 0] - np.median(drawn[:, 1:], axis=1)).var())
    freedoms = [average.freedom for average in before]
    earlier = sum(freedoms) if apart else min(freedoms)
    freedom = min(now.freedom, earlier)
    if apart and variance > 0:
        parts = float(covariance[0, 0]) ** 2 / now.freedom + old**2 / earlier
        freedom = (float(covariance[0, 0]) + old) ** 2 / parts
    return Change(now.value - median, float(np.sqrt(max(variance, 0.0))), freedom)


def _covariance(averages: Sequence[Estimate], *, apart: bool) -> Floats:
    """Return the covariance of averages, of which documents in several are paired."""
    if apart:
        return np.diag([average.error**2 for average in averages])
    _, deviations = by_unit(averages, lambda average: average.deviations)
    return np.asarray(deviations @ deviations.T)


def _variance_of_median(values: Floats, covariance: Floats) -> float:
    """Return the variance of the median of normal averages; with one, its own."""
    if len(values) == 1:
        return float(covariance[0, 0])
    return float(np.median(_samples(values, covariance), axis=1).var())


def _samples(values: Floats, covariance: Floats) -> Floats:
    """Draw normal averages with a covariance, shape (samples, averages), always the same."""
    sizes, axes = np.linalg.eigh(covariance)
    normal = np.random.Generator(np.random.PCG64(0)).standard_normal((_SAMPLES, len(values)))
    return np.asarray(values + normal * np.sqrt(np.maximum(sizes, 0.0)) @ axes.T)
