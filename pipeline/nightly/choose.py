"""Choose the earlier nights that a night is compared with, and which systems it should have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import ACCEPTED

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

    @property
    def medians(self) -> dict[str, dict[str, str]]:
        """System -> runs of the several nights by date."""
        return {
            system: {other.date.isoformat(): other.fingerprint for other in others}
            for system, others in self.several.items()
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


def choose_nights(
    systems: tuple[str, ...], settings: NightSettings, earlier: Nights
) -> ChosenNights:
    """Choose the nights that each system is compared with.

    The nights of a median are those since the last one that was accepted, and that one: what was
    accepted is not held against later nights.  A system that the last good night lacks is compared
    with the last good night that has it, so that a change during its absence is noticed.
    """
    candidates: Iterable[Night] = earlier.good(settings.night)
    most = settings.nights_of_median
    if settings.compared_date is not None:
        other = earlier.find(settings.compared_date)
        candidates, most = [other] if other is not None else [], 0
    chosen: dict[str, list[Night]] = {system: [] for system in systems}
    expected: tuple[str, ...] | None = None
    since_accepted = True
    for other in candidates:
        verdict = other.verdict
        other_systems = nights.systems_of(other) if verdict is None else verdict.systems
        if expected is None:
            expected = other_systems if verdict is None else verdict.expected
        wanted = max(1, most) if since_accepted else 1
        for system in chosen.keys() & {*other_systems}:
            if len(chosen[system]) < wanted:
                chosen[system].append(other)
        if verdict is not None and verdict.outcome == ACCEPTED:
            since_accepted, wanted = False, 1
        if all(len(others) >= wanted for others in chosen.values()):
            break
    return ChosenNights(
        {system: others[0] for system, others in chosen.items() if others},
        {name: tuple(others) for name, others in chosen.items() if len(others) >= FEWEST_NIGHTS},
        expected or (),
    )
