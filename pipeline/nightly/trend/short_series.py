"""Describe nights too few for a trend: their averages, and those of as many nights before."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.formatting import nights, short
from segscore.pipeline.nightly.trend.series import NightlySeries, read_series
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND


def averages_in_words(nightly: NightlySeries, settings: TrendSettings) -> Iterator[str]:
    """Yield the averages of the systems over some nights, the best first, and what they are not."""
    now = _means(nightly)
    before = _nights_before(nightly, settings)
    then = {} if before is None else _means(before)
    sign = 1 if ALL[settings.measure].better == "lower" else -1
    named = [
        f"{system} {short(now[system])}"
        + (f" (was {short(then[system])})" if system in then else "")
        for system in sorted(now, key=lambda system: (sign * now[system], system))
    ]
    compared = (
        "" if before is None else f", in brackets those of the {nights(len(before.dates))} before"
    )
    yield f"averages over {nights(len(nightly.dates))}{compared}: {', '.join(named)}"
    yield (
        f"fewer than {FEWEST_FOR_TREND} nights show no trend; averages of so few also differ by "
        "chance, and as nights differ"
    )


def _nights_before(nightly: NightlySeries, settings: TrendSettings) -> NightlySeries | None:
    """Return as many comparable nights before some nights; None if there are not as many."""
    wanted = len(nightly.dates)
    until = nightly.dates[0] - timedelta(days=1)
    try:
        found = read_series(replace(settings, since=None, until=until, nights=wanted))
    except Refused:
        return None
    is_whole = len(found.dates) == wanted and found.signature == nightly.signature
    return found if is_whole else None


def _means(nightly: NightlySeries) -> dict[str, float]:
    """Return the mean over nights of each system, over all documents."""
    return {
        each.system: float(np.nanmean(each.values))
        for each in nightly.series
        if each.system is not None
        and all(value is None for value in each.group)
        and not np.isnan(each.values).all()
    }
