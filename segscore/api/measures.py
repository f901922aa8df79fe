"""The measures by name, and a function for each."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS
from segscore.pipeline.measures import Table as MeasureTable
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.measures.published import nearest_measure

if TYPE_CHECKING:
    from segscore.api.segmentation import Segmentation, WholeNumbers


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
        **settings: Any,
    ) -> float | None:
        """Return the value of one pair; None if it is undefined.

        The arguments and the errors are those of `segscore.score`.
        """


def measures() -> Mapping[str, Measure]:
    """Return every measure by name, with its formula, source, direction and range.

    >>> import segscore
    >>> segscore.measures()["pk"].formula
    '(pk_misses + pk_false_alarms) / windows'
    >>> segscore.measures()["boundary_similarity"].better
    'higher'
    """
    return dict(ALL)


@cache
def table_of_measures(names: tuple[str, ...]) -> MeasureTable:
    """Return the measures of pairs with these names, and the counts that their formulas use."""
    return PAIRS.only(names)


def require_measure(name: Any, known: Collection[str]) -> None:
    """Refuse a name that is not a measure.

    Raises:
        Refused: there is no such measure; the message names a similar one.
    """
    if not isinstance(name, str):
        raise Refused(f"{name!r}: must be the name of a measure, such as 'pk'")
    if name not in known:
        near = nearest_measure(name, known)
        raise Refused(f"{name}: no such measure{near}; segscore.measures() lists them all")


@cache
def measure_function(name: str) -> MeasureFunction:
    """Return the function of a measure of pairs."""
    from segscore.api.score import by_keywords, score

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
