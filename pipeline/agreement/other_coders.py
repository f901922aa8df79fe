"""The interval of a coefficient for other coders like those of a corpus.

The interval by the jackknife over documents is for these coders.  They are a sample, too: its
variance is added to that between the coefficients without each coder (Gwet 2014, chapter 5).
"""

from collections.abc import Iterator
from math import nan, sqrt

import numpy as np

from segscore.pipeline.agreement.coders import agreement_without
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.statistics.jackknife import quantile, within

_FEWEST = 3
"""With two coders, nothing is left without one of them."""


def agreement_rows(group: Group) -> Iterator[dict[str, object]]:
    """Yield the rows of `agreement` with the interval for other coders."""
    without, coders = agreement_without(group), len(group.coders)
    for row in group.rows():
        key = str(row["coefficient"]), str(row["similarity"])
        values, estimate, reach = without[key].value, group.estimates[key], nan
        if coders >= _FEWEST and not np.isnan(values).any():
            variance = (coders - 1) / coders * float(((values - values.mean()) ** 2).sum())
            reach = quantile(coders - 1) * sqrt(estimate.error**2 + variance)
        low, high = within((estimate.value - reach, estimate.value + reach), estimate.bounds)
        yield row | {"coders_low": low, "coders_high": high}
