"""Mark coders, and pairs of coders, that stand out from the others.

Values are compared with their median, in units of the median absolute deviation (MAD), because
outliers move neither; they move a mean and a standard deviation so much that two of them hide each
other.  The limit of 3.5 is that of Iglewicz & Hoaglin 1993, "How to detect and handle outliers".
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

BEYOND = 3.5
"""Values deviating by more than this are marked."""

FEWEST_CODERS = 5
_FEWEST_PAIRS = FEWEST_CODERS * (FEWEST_CODERS - 1) // 2

_SD_PER_MAD = 1.4826
"""Standard deviation of a normal distribution, divided by its median absolute deviation."""


@dataclass(frozen=True)
class Deviations:
    """How far shares lie from their median.

    Attributes:
        median: the median; NaN without any value.
        mad: the median absolute deviation; NaN without any value.
        deviation: each value less the median, divided by the spread that is to be expected of it,
            shape (values,); NaN where undefined.
    """

    median: float
    mad: float
    deviation: Floats

    def above(self) -> list[bool | None]:
        """Return whether each value is far above the median; None where undefined."""
        return _marks(self.deviation > BEYOND, self.deviation)

    def below(self) -> list[bool | None]:
        """Return whether each value is far below the median; None where undefined."""
        return _marks(self.deviation < -BEYOND, self.deviation)

    def apart(self) -> list[bool | None]:
        """Return whether each value is far from the median; None where undefined."""
        return _marks(np.abs(self.deviation) > BEYOND, self.deviation)


def _marks(marked: Flags, deviation: Floats) -> list[bool | None]:
    undefined = np.isnan(deviation).tolist()
    return [None if no else mark for no, mark in zip(undefined, marked.tolist(), strict=True)]


def deviations(
    shares: Floats,
    sizes: Floats | Ints,
    fewest: int = FEWEST_CODERS,
    among: Flags | None = None,
) -> Deviations:
    """Compare each share with the median.

    The spread to be expected of a share is that of the shares (1.4826 MAD) and its own sampling
    error (that of a share equal to the median), as the root of the sum of their squares.  The
    second keeps values that rest on little from standing out.

    Args:
        shares: values in [0, 1], NaN where undefined, shape (values,).
        sizes: number of observations of which each is a share, shape (values,).
        fewest: with fewer defined values, no deviation is defined.
        among: which values the median and the MAD are of, shape (values,); None for all.
    """
    known = ~np.isnan(shares)
    defined = shares[known if among is None else known & among]
    if not len(defined):
        return Deviations(np.nan, np.nan, np.full(len(shares), np.nan))
    median = float(np.median(defined))
    mad = float(np.median(np.abs(defined - median)))
    if len(defined) < fewest:
        return Deviations(median, mad, np.full(len(shares), np.nan))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((_SD_PER_MAD * mad) ** 2 + median * (1 - median) / sizes)
        deviation = np.where(spread > 0, (shares - median) / spread, np.nan)
    return Deviations(median, mad, np.where(np.isinf(spread), np.nan, deviation))


def deviations_of_pairs(shares: Floats, sizes: Floats | Ints, ordinary: Flags) -> Deviations:
    """Compare pairs of coders, of which there must be as many as few coders form.

    One coder who agrees with nobody is in so many pairs that their spread would hide two coders
    who agree too well.  So the median and the MAD are those of ordinary pairs, if there are enough.

    Args:
        shares: as for ``deviations``.
        sizes: likewise.
        ordinary: the pairs without a coder who agrees far less with the others, shape (values,).
    """
    enough = np.count_nonzero(ordinary & ~np.isnan(shares)) >= _FEWEST_PAIRS
    return deviations(shares, sizes, _FEWEST_PAIRS, ordinary if enough else None)
