"""The measures by name."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, PAIRS
from segscore.pipeline.measures import Table as MeasureTable
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.measures.published import nearest_measure


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
    """Refuse a name that is not a known measure; the message names a similar one."""
    if not isinstance(name, str):
        raise Refused(f"{name!r}: must be the name of a measure, such as 'pk'")
    if name not in known and name in PAIRS.measures:
        raise Refused(f"{name}: was not computed; name it in measures")
    if name not in known and name in ALL:
        raise Refused(f"{name}: needs all references of a document; use segscore.evaluate")
    if name not in known:
        near = nearest_measure(name, known)
        raise Refused(f"{name}: no such measure{near}; segscore.measures() lists them all")
