"""Power of a comparison: the smallest difference it could detect, and the documents that needs."""

from dataclasses import replace
from math import nan, sqrt

from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.power import (
    LEAST_DOCUMENTS,
    PairedTest,
    documents_needed,
    smallest_effect,
    spread_range,
)

COLUMNS = (
    "smallest_difference_low", "smallest_difference_high",
    "documents_for_difference_low", "documents_for_difference_high",
)  # fmt: skip

UNKNOWN = dict.fromkeys(COLUMNS, nan)
"""The columns of a pair of which nothing is known."""


def pair_power(
    difference: Estimate, test: PairedTest, wanted: float | None = None
) -> dict[str, float]:
    """Return what the units of a pair can show, by the names of ``COLUMNS``; NaN where unknown.

    These are the difference that the test finds with its power, and the number of units that it
    needs to find one. The spread of the units is an estimate, so each is a range of 80 % (Browne
    1995, Statistics in Medicine 14:1933).

    Unknown with fewer than ``LEAST_DOCUMENTS`` units, and where all differ alike. What the observed
    difference would need is never said, because a difference that is not significant is mostly
    noise (Hoenig & Heisey 2001; Gelman & Carlin 2014).

    Args:
        difference: the difference of two averages.
        test: the test, at the level that the number of pairs leaves for each.
        wanted: the difference to find, of either sign; None for none.
    """
    units = difference.number
    if units < LEAST_DOCUMENTS or not difference.error > 0:
        return UNKNOWN
    test = replace(test, effective=(difference.freedom + 1) / units)
    spread = difference.error * sqrt(units) * spread_range(difference.freedom)
    needed = [nan, nan] if wanted is None else documents_needed(abs(wanted) / spread, test).tolist()
    ends = [*(spread * smallest_effect(units, test)).tolist(), *needed]
    return dict(zip(COLUMNS, ends, strict=True))
