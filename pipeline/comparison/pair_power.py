"""What a comparison could have shown: the smallest difference, and the documents that it needs."""

from dataclasses import dataclass, replace
from math import isnan, nan, sqrt

import numpy as np

from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.power import (
    LEAST_DOCUMENTS,
    PairedTest,
    documents_needed,
    smallest_effect,
)


@dataclass(frozen=True)
class DifferenceSearch:
    """A difference that a comparison is to find: see ``CompareSettings``.

    Attributes:
        test: level and power of the test.
        difference: a difference to find, of either sign; None for the observed one alone.
    """

    test: PairedTest
    difference: float | None = None


@dataclass(frozen=True)
class PairPower:
    """What the resampling units of a pair can show, NaN where unknown.

    Attributes:
        smallest_difference: the difference that the test finds with its power.
        documents_needed: the units that the observed difference needs, if it is not 0 by the test.
        documents_needed_low: the same for the end of its interval that is further from 0.
        documents_needed_high: the same for the end that is nearer to 0.
        documents_for_difference: the units that the difference asked for needs.
    """

    smallest_difference: float = nan
    documents_needed: float = nan
    documents_needed_low: float = nan
    documents_needed_high: float = nan
    documents_for_difference: float = nan


def pair_power(
    difference: Estimate, interval: tuple[float, float], search: DifferenceSearch
) -> PairPower:
    """Compute what the units of a pair can show.

    Unknown with fewer than ``LEAST_DOCUMENTS`` units, and where all differ alike. What the observed
    difference needs is unknown where its interval contains 0, because such a difference is mostly
    noise (Hoenig & Heisey 2001; Gelman & Carlin 2014).

    Args:
        difference: the difference of two averages.
        interval: its interval, at the level of the test.
        search: the test, at the level that the number of pairs leaves for each, and the difference
            to find.
    """
    units = difference.number
    spread = difference.error * sqrt(units)
    if units < LEAST_DOCUMENTS or not spread > 0:
        return PairPower()
    test = replace(search.test, effective=(difference.freedom + 1) / units)

    def needed(size: float | None) -> float:
        return float(documents_needed(np.array([abs(size) / spread]), test)[0]) if size else nan

    low, high = sorted(interval, key=abs)
    sure = not isnan(low) and low * high > 0
    return PairPower(
        smallest_difference=spread * smallest_effect(units, test),
        documents_needed=needed(difference.value if sure else None),
        documents_needed_low=needed(high if sure else None),
        documents_needed_high=needed(low if sure else None),
        documents_for_difference=needed(search.difference),
    )
