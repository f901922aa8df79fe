"""The earlier nights that the systems of a night are compared with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from segscore.pipeline.nightly.nights import Night

FEWEST_NIGHTS = 3
"""The fewest nights of which a median is taken; that of two is a mean."""


@dataclass(frozen=True)
class ChosenNights:
    """The nights that the systems of a night are compared with.

    Attributes:
        single: system -> the one night that it is compared with.
        several: system -> the nights whose median it is also compared with, newest first; a system
            for which there are too few is left out.
        expected: systems that the night should have; empty if there is no earlier good night.
    """

    single: Mapping[str, Night]
    several: Mapping[str, tuple[Night, ...]]
    expected: tuple[str, ...]

    @property
    def against(self) -> dict[str, dict[str, str]]:
        """System -> date and run of the one night."""
        return {
            system: {"date": other.date.isoformat(), "run": other.fingerprint}
            for system, other in self.single.items()
        }

    def nights(self) -> Iterable[Night]:
        """Return all nights, each once."""
        listed = [*self.single.values(), *(x for others in self.several.values() for x in others)]
        return {other.url: other for other in listed}.values()

    def without(self, dates: Iterable[str]) -> "ChosenNights":
        """Leave out the nights of some dates, which are not comparable."""
        excluded = {*map(date.fromisoformat, dates)}
        several = {
            system: tuple(other for other in others if other.date not in excluded)
            for system, others in self.several.items()
        }
        return ChosenNights(
            {name: other for name, other in self.single.items() if other.date not in excluded},
            {name: others for name, others in several.items() if len(others) >= FEWEST_NIGHTS},
            self.expected,
        )
