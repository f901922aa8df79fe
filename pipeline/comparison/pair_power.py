"""What a comparison could have shown: the smallest difference, and the documents that it needs."""

from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np

from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.power import (
    LEAST_DOCUMENTS,
    PairedTest,
    documents_needed,
    smallest_effect,
    spread_range,
)


@dataclass(frozen=True)
class DifferenceSearch:
    """A difference that a comparison is to find: see ``CompareSettings``.

    Attributes:
        test: level and power of the test.
        difference: a difference to find, of either sign; None for none.
    """

    test: PairedTest
    difference: float | None = None


@dataclass(frozen=True)
class PairPower:
    """What the resampling units of a pair can show, NaN where unknown.

    The spread of the documents' differences is itself an estimate, so each is a range that contains
    the true one in 80 of 100 comparisons (Browne 1995, Statistics in Medicine 14:1933).

    Attributes:
        smallest_difference_low: the difference that the test finds with its power, at the least.
        smallest_difference_high: the same, at the most.
        documents_for_difference_low: the units that the difference asked for needs, at the least.
        documents_for_difference_high: the same, at the most.
    """

    smallest_difference_low: float = nan
    smallest_difference_high: float = nan
    documents_for_difference_low: float = nan
    documents_for_difference_high: float = nan


def pair_power(difference: Estimate, search: DifferenceSearch) -> PairPower:
    """Compute what the units of a pair can show.

    Unknown with fewer than ``LEAST_DOCUMENTS`` units, and where all differ alike. What the observed
    difference would need is never said, because a difference that is not significant is mostly
    noise (Hoenig & Heisey 2001; Gelman & Carlin 2014).

    Args:
        difference: the difference of two averages.
        search: the test, at the level that the number of pairs leaves for each, and the difference
            to find.
    """
    units = difference.number
    if units < LEAST_DOCUMENTS or not difference.error > 0:
        return PairPower()
    test = replace(search.test, effective=(difference.freedom + 1) / units)
    spread = difference.error * sqrt(units) * spread_range(difference.freedom)
    needed = np.full(2, nan)
    if search.difference is not None:
        needed = documents_needed(abs(search.difference) / spread, test).astype(np.float64)
    return PairPower(*(spread * smallest_effect(units, test)).tolist(), *needed.tolist())
