"""The interval of a coefficient for other coders like those of a corpus.

The interval by the jackknife over documents is for these coders.  They are a sample, too: its
variance is added to that between the coefficients without each coder (Gwet 2014, chapter 5).
"""

from collections.abc import Iterator
from math import nan, sqrt

import numpy as np

from segscore.pipeline.agreement.chance import ChanceCounts
from segscore.pipeline.agreement.coders import agreement_without
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.statistics.jackknife import quantile, within

_FEWEST = 3
"""With two coders, nothing is left without one of them."""


def agreement_rows(group: Group, drawn: ChanceCounts) -> Iterator[dict[str, object]]:
    """Yield the rows of `agreement` with the interval for other coders, and measured chance."""
    whole = group.strata is not None
    documents = None if whole else group.by_document.hashes
    chance, documents_drawn = drawn.similarities(documents, group.choices.n_t)
    without, coders = agreement_without(group), len(group.coders)
    for row in group.rows():
        key = str(row["coefficient"]), str(row["similarity"])
        values, estimate, reach = without[key].value, group.estimates[key], nan
        if coders >= _FEWEST and not np.isnan(values).any():
            variance = (coders - 1) / coders * float(((values - values.mean()) ** 2).sum())
            reach = quantile(coders - 1) * sqrt(estimate.error**2 + variance)
        low, high = within((estimate.value - reach, estimate.value + reach), estimate.bounds)
        yield row | {
            "coders_low": low,
            "coders_high": high,
            **_above(row, float(chance[key[1]][0]), documents_drawn),
        }


def _above(row: dict[str, object], chance: float, documents: int) -> dict[str, object]:
    """Return the columns about chance; undefined where a coefficient is not about similarity."""
    actual, known = row["actual"], row["coefficient"] in ("pi", "kappa")
    assert isinstance(actual, float)
    chance = chance if known else nan
    corrected = (actual - chance) / (1 - chance) if chance < 1 else nan
    return {"chance": chance, "corrected": corrected, "chance_documents": documents * known}
