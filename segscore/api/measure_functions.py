"""A function for each measure of pairs."""

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from segscore.api.score import by_keywords, score
from segscore.pipeline.measures import PAIRS

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.segmentation import Segmentation, WholeNumbers
    from segscore.api.typed import MetricKeywords


class MeasureFunction(Protocol):
    """The function of one measure, such as `segscore.pk`."""

    @property
    def __name__(self) -> str:
        """Name of the measure."""

    def __call__(
        self,
        *,
        reference: "Segmentation | WholeNumbers",
        hypothesis: "Segmentation | WholeNumbers",
        n_units: int | None = None,
        **settings: "Unpack[MetricKeywords]",
    ) -> float | None:
        """Return the value of one pair; None if it is undefined.

        The arguments and the errors are those of `segscore.score`.
        """


@cache
def measure_function(name: str) -> MeasureFunction:
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
