"""Choose the measures of a run by name, by family, or all."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import (
    ALL,
    FAMILIES,
    PAIR_FAMILIES,
    PAIRS,
    PANEL_FAMILIES,
    PANELS,
    Table,
)
from segscore.pipeline.measures.published import nearest_measure

EVERYTHING = "all"
"""What selects every measure."""

_DEFAULT = ("window", "edit", "content", "tolerance", "panel")
"""The families that a run has if its settings name no measure."""


@dataclass(frozen=True)
class Selection:
    """The measures of a run.

    Attributes:
        pairs: counts and measures of `scores`.
        panels: counts and measures of `panel_scores`.
    """

    pairs: Table
    panels: Table

    @property
    def names(self) -> tuple[str, ...]:
        """The measures by name, those of `scores` first."""
        return *self.pairs.measures, *self.panels.measures

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families whose counts are needed."""
        counted = {name: self.panels if name in PANEL_FAMILIES else self.pairs for name in FAMILIES}
        return tuple(
            name
            for name, table in counted.items()
            if not table.counts.keys().isdisjoint(FAMILIES[name].COUNTS)
        )

    @property
    def used_by_formulas(self) -> frozenset[str]:
        """The names of counts, parameters and measures in the formulas."""
        formulas = (*self.pairs.formulas.values(), *self.panels.formulas.values())
        return frozenset(name for measure in formulas for name in measure.code.co_names)


def default_and(*families: str) -> tuple[str, ...]:
    """Return the choice of the default measures and of further families."""
    return normal_form((*_DEFAULT, *families))


def _family(name: str) -> set[str]:
    return {measure.name for measure in FAMILIES[name].MEASURES}


def _measures(names: Iterable[str]) -> set[str]:
    """Return the measures that are named, or are in a family that is named.

    Raises:
        Refused: there is no such measure or family; the message names the nearest.
    """
    chosen: set[str] = set()
    for name in names:
        if name == EVERYTHING:
            chosen |= ALL.keys()
        elif name in FAMILIES:
            chosen |= _family(name)
        elif name in ALL:
            chosen.add(name)
        else:
            near = nearest_measure(name, [*FAMILIES, EVERYTHING, *ALL])
            raise Refused(
                f"--measures {name}: no such measure or family{near}; "
                "`segscore measures` lists them all"
            )
    return chosen


def normal_form(names: Iterable[str]) -> tuple[str, ...]:
    """Write a choice of measures in the one way that is the same for equal choices.

    Args:
        names: measures, families, or ``all``; empty for the default.

    Returns:
        Families, then the other measures, each in the order of the columns; ``all`` alone; or
        nothing for the default.

    Raises:
        Refused: there is no such measure or family.
    """
    chosen = _measures(names)
    if not chosen or chosen == _measures(_DEFAULT):
        return ()
    if chosen == ALL.keys():
        return (EVERYTHING,)
    families = [name for name in FAMILIES if _family(name) <= chosen]
    rest = chosen - _measures(families)
    return *families, *(name for name in ALL if name in rest)


@cache
def select(names: tuple[str, ...]) -> Selection:
    """Return the counts and measures of a choice, as ``normal_form`` writes it."""
    chosen = _measures(names or _DEFAULT)
    families = [name for name in FAMILIES if _family(name) <= chosen]
    of_pairs, of_panels = (
        {count for name in families if name in kind for count in FAMILIES[name].COUNTS}
        for kind in (PAIR_FAMILIES, PANEL_FAMILIES)
    )
    return Selection(
        PAIRS.only(chosen & PAIRS.measures.keys(), of_pairs),
        PANELS.only(chosen & PANELS.measures.keys(), of_panels),
    )
