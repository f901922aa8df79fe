"""Changes of an average from one sample of documents to another, such as from night to night."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics.jackknife import Estimate, by_unit

_SAMPLES = 4096
"""Number of samples from which the error of a median is estimated, to within 2 %."""


@dataclass(frozen=True)
class BetweenNights:
    """How much the averages of a system vary between nights (DerSimonian & Laird 1986).

    Attributes:
        variance: variance of the averages of the nights.
        sampling: mean of the variances that the jackknife expects of them.
        freedom: degrees of freedom of the variance.
    """

    variance: Floats | float
    sampling: Floats | float
    freedom: Floats | float

    @property
    def beyond_sampling(self) -> Floats:
        """The variance that the documents of a night share."""
        return np.maximum(0.0, np.subtract(self.variance, self.sampling))

    def freedom_of(self, sampling: Floats | float, freedom: Floats | float, times: float) -> Floats:
        """Return the degrees of freedom of a change's variance (Satterthwaite 1946).

        Args:
            sampling: the variance from documents.
            freedom: its degrees of freedom.
            times: how often the variance between nights is part of the variance of the change.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = sampling + times * self.beyond_sampling
            estimated = np.square(times * self.variance) / self.freedom
            both = np.square(whole) / (np.square(sampling) / freedom + estimated)
        return np.asarray(np.where(self.beyond_sampling > 0, both, freedom))


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


def change_of(
    now: Estimate,
    before: Sequence[Estimate],
    *,
    apart: bool,
    between: BetweenNights | None = None,
) -> Change | None:
    """Compare an average with an earlier one, or with the median of several.

    Degrees of freedom are those of Welch and Satterthwaite if the averages share no document, else
    the smaller of the two.

    Args:
        now: the average now.
        before: the averages before, at least one.
        apart: whether no document is in two of the averages.
        between: how much the averages of nights vary; None if that is not known.

    Returns:
        The change, or None if the noise of an average cannot be estimated.
    """
    averages = [now, *before]
    if any(np.isnan(average.error) for average in averages):
        return None
    covariance = _covariance(averages, apart=apart)
    values = np.array([average.value for average in averages])
    variance, old = _variances(values, covariance, apart=apart)
    freedoms = [average.freedom for average in before]
    earlier = sum(freedoms) if apart else min(freedoms)
    freedom = min(now.freedom, earlier)
    if apart and variance > 0:
        parts = float(covariance[0, 0]) ** 2 / now.freedom + old**2 / earlier
        freedom = (float(covariance[0, 0]) + old) ** 2 / parts
    if between is not None:
        more = float(between.beyond_sampling)
        times = 1 + _variance_of_median(values[1:] * 0, np.eye(len(before)))
        freedom = float(between.freedom_of(variance, freedom, times))
        variance += times * more
    median = float(np.median(values[1:]))
    return Change(now.value - median, float(np.sqrt(max(variance, 0.0))), freedom)


def _variances(values: Floats, covariance: Floats, *, apart: bool) -> tuple[float, float]:
    """Return the variance of the first value less the median of the others, and of that median."""
    old = _variance_of_median(values[1:], covariance[1:, 1:])
    if apart or len(values) == 2:
        both = 0.0 if apart else float(covariance[0, 1])
        return float(covariance[0, 0]) + old - 2 * both, old
    drawn = _samples(values, covariance)
    return float((drawn[:, 0] - np.median(drawn[:, 1:], axis=1)).var()), old


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
