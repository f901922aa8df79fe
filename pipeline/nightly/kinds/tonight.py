"""A night that is judged, and what is known of the nights before it."""

from collections.abc import Callable
from dataclasses import dataclass

from segscore.pipeline.nightly.chosen import ChosenNights
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.past import Past
from segscore.pipeline.nightly.spread import Spread


@dataclass(frozen=True)
class Tonight:
    """What rules are checked on.

    Attributes:
        night: the night.
        systems: its systems.
        past: the averages of the night and of those before it.
        spread: how averages differ between nights.
        changes: which nights have other references.
        chosen: the nights that the systems are compared with, one each, or several.
        several: chooses the nights whose median the systems are compared with by group.
        by: the attributes to group by.
    """

    night: Night
    systems: tuple[str, ...]
    past: Past
    spread: Spread
    changes: ReferenceChanges
    chosen: ChosenNights
    several: Callable[[], ChosenNights]
    by: tuple[str, ...]
