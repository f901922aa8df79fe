"""A function for each measure of pairs."""

from functools import cache
from typing import TYPE_CHECKING, Any

from segscore.api.score import by_keywords, score
from segscore.pipeline.measures import PAIRS

if TYPE_CHECKING:
    from segscore.api.segmentation import Segmentation, WholeNumbers
    from segscore.api.typed import MeasureFunction


@cache
def measure_function(name: str) -> "MeasureFunction":
    """Return the function of a measure of pairs."""
    measure = PAIRS.measures[name]

    def function(
        *,
        reference: "Segmentation | WholeNumbers",
        hypothesis: "Segmentation | WholeNumbers",
        n_units: int | None = None,
        **settings: Any,
    ) -> float | None:
        chosen = {**settings, "measures": (name,)}
        return score(reference=reference, hypothesis=hypothesis, n_units=n_units, **chosen)[name]

    function.__name__ = function.__qualname__ = name
    function.__module__ = "segscore"
    function.__doc__ = (
        f"Return {measure.description}; None if it is undefined.\n\n"
        f"Formula: {measure.formula}. Source: {measure.source}.\n\n"
        "The arguments and the errors are those of `segscore.score`."
    )
    return by_keywords(function)
