"""Choose the measures of a run by name, by family, or all."""

from collections.abc import Collection, Iterable
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

DEFAULT = "default"
"""What selects the measures that a run has if its settings name none."""

_DEFAULT = (
    *("pk", "window_diff", "boundary_similarity", "segmentation_similarity"),
    *("b_precision", "b_recall", "b_f1", "precision", "recall", "f1"),
    "panel",
)
"""The default measures and families."""


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


def default_and_those_about(affected: Collection[str]) -> tuple[str, ...]:
    """Return the choice of the default measures, and of those that some settings are about.

    Args:
        affected: families, counts and names in formulas that the settings affect.
    """
    families = [name for name in FAMILIES if name in affected]
    about = [name for name in ALL if not _used_by(name).isdisjoint(affected)]
    return normal_form((DEFAULT, *families, *about))


def _used_by(name: str) -> set[str]:
    table = PANELS if name in PANELS.measures else PAIRS
    return table.used_by((name,))


def _family(name: str) -> set[str]:
    return {measure.name for measure in FAMILIES[name].MEASURES}


def measures_named(names: Iterable[str]) -> set[str]:
    """Return the measures that are named, or are in a family that is named.

    Raises:
        Refused: there is no such measure or family; the message names the nearest.
    """
    chosen: set[str] = set()
    for name in names:
        if name == EVERYTHING:
            chosen |= ALL.keys()
        elif name == DEFAULT:
            chosen |= measures_named(_DEFAULT)
        elif name in FAMILIES:
            chosen |= _family(name)
        elif name in ALL:
            chosen.add(name)
        else:
            near = nearest_measure(name, [*FAMILIES, DEFAULT, EVERYTHING, *ALL])
            raise Refused(
                f"--measures {name}: no such measure or family{near}; "
                "`segscore measures` lists them all"
            )
    return chosen


def normal_form(names: Iterable[str]) -> tuple[str, ...]:
    """Write a choice of measures in the one way that is the same for equal choices.

    Args:
        names: measures, families, ``default`` or ``all``; empty for the default.

    Returns:
        ``default`` if all of these are chosen, families, then the other measures, each in the order
        of the columns; ``all`` alone; or nothing for the default.

    Raises:
        Refused: there is no such measure or family.
    """
    chosen, default = measures_named(names), measures_named((DEFAULT,))
    if not chosen or chosen == default:
        return ()
    if chosen == ALL.keys():
        return (EVERYTHING,)
    known = default if default < chosen else set()
    families = [name for name in FAMILIES if _family(name) <= chosen and not _family(name) <= known]
    rest = chosen - known - measures_named(families)
    return *([DEFAULT] if known else []), *families, *(name for name in ALL if name in rest)


@cache
def select(names: tuple[str, ...]) -> Selection:
    """Return the counts and measures of a choice, as ``normal_form`` writes it."""
    chosen = measures_named(names or (DEFAULT,))
    families = [name for name in FAMILIES if _family(name) <= chosen]
    of_pairs, of_panels = (
        {count for name in families if name in kind for count in FAMILIES[name].COUNTS}
        for kind in (PAIR_FAMILIES, PANEL_FAMILIES)
    )
    return Selection(
        PAIRS.only(chosen & PAIRS.measures.keys(), of_pairs),
        PANELS.only(chosen & PANELS.measures.keys(), of_panels),
    )
