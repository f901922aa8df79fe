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

    Attributes:
        smallest_difference: the difference that the test finds with its power.
        documents_for_difference: the units that the difference asked for needs.
    """

    smallest_difference: float = nan
    documents_for_difference: float = nan


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
    spread = difference.error * sqrt(units)
    if units < LEAST_DOCUMENTS or not spread > 0:
        return PairPower()
    test = replace(search.test, effective=(difference.freedom + 1) / units)

    needed = nan
    if search.difference is not None:
        effect = np.array([abs(search.difference) / spread])
        needed = float(documents_needed(effect, test)[0])
    return PairPower(spread * smallest_effect(units, test), needed)
