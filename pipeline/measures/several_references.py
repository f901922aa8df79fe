"""The mean and the best of the values that a hypothesis has against the references of a document.

They are columns of `panel_scores`, such as `mean_pk` and `best_pk`, for every chosen measure.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures import ALL, PAIRS, PANELS, Table
from segscore.pipeline.measures.measure import Better, Measure

MEAN, BEST = "mean_", "best_"

_OF_NO_COUNTS = "0 * references / 0"
"""A formula that is undefined for all counts: such a value does not follow from summed counts."""


def _over_references(prefix: str, measure: Measure, meaning: str) -> Measure:
    return replace(
        measure,
        name=prefix + measure.name,
        formula=_OF_NO_COUNTS,
        laws=frozenset(),
        agreed=None,
        description=f"{measure.name} of scores, {meaning} over the references",
    )


_MEANS = [_over_references(MEAN, each, "mean") for each in PAIRS.measures.values()]
_BESTS = [
    _over_references(BEST, each, "best value")
    for each in PAIRS.measures.values()
    if each.better != "neither"
]

OVER_REFERENCES = Table.of({"references": "references of the document"}, [*_MEANS, *_BESTS])
"""The columns as measures; only their macro averages are defined."""

COMPARED: Mapping[str, Measure] = {**ALL, **OVER_REFERENCES.measures}
"""Every measure that systems can be compared by, by its name."""

KINDS: Mapping[str, Table] = {
    "against each": PAIRS,
    "against all at once": PANELS,
    "over references": OVER_REFERENCES,
}
"""The kinds of measures that systems can be compared by; only the first are of `scores`."""


def computed_from(name: str) -> str:
    """Return the measure of `scores` that a column is the mean or best of; a measure itself."""
    return name if name in ALL else name.removeprefix(MEAN).removeprefix(BEST)


def best_over_references(values: Floats, document: Ints, better: Better) -> Floats:
    """Return the best value among the rows of each document where it is defined.

    Args:
        values: values of a measure, shape (rows,), NaN where undefined.
        document: the document of each row, 0..n-1, of which each has a row, shape (rows,).
        better: whether lower or higher values are better.

    Returns:
        Shape (n,); NaN if the measure is undefined in all rows of a document.
    """
    choose = np.fmax if better == "higher" else np.fmin
    best = np.full(int(document.max(initial=-1)) + 1, np.nan)
    choose.at(best, document, values)
    return best
