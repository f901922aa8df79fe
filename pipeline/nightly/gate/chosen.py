"""The earlier nights that the systems of a night are compared with, and how they are chosen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from segscore.pipeline.nightly.nights import Night, Nights, systems_of

FEWEST_NIGHTS = 3
"""The fewest nights of which a median is taken; that of two is a mean."""


@dataclass(frozen=True)
class ChosenNights:
    """The nights that the systems of a night are compared with.

    Attributes:
        single: system -> the one night that it is compared with.
        several: system -> the nights whose median it is also compared with, newest first; a system
            for which there are too few is left out.
    """

    single: Mapping[str, Night]
    several: Mapping[str, tuple[Night, ...]]

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
        )


def choose_nights(
    systems: tuple[str, ...],
    before: date,
    earlier: Nights,
    comparable: Callable[[date], bool],
    rules: Sequence[str],
    most: int = 1,
) -> ChosenNights:
    """Choose the nights that each system is compared with.

    A night can be good for some systems and not for others. The nights of a median are those since
    the last one on which what the system did was accepted, and that one: what was accepted is not
    held against later nights. A system that the last good night lacks is compared with the last
    good night that has it, so that a change during its absence is noticed.

    Args:
        systems: the systems of the night.
        before: the date of the night.
        earlier: the nights before it.
        comparable: whether a night of a date may be compared with; if none may, all may.
        rules: the rules, as text, by which what was accepted begins a new median.
        most: number of nights that are chosen for a system, if there are as many.
    """
    days = [day for day in earlier.dates if day < before]
    chosen_days = {day for day in days if comparable(day)} or {*days}
    candidates = (night for night in earlier.newest_first(before) if night.date in chosen_days)
    chosen: dict[str, list[Night]] = {system: [] for system in systems}
    wanted = dict.fromkeys(systems, most)
    for other in candidates:
        verdict = other.verdict
        other_systems = systems_of(other) if verdict is None else verdict.systems
        for system in chosen.keys() & {*other_systems}:
            is_good = verdict is not None and verdict.good_for(system)
            if is_good and len(chosen[system]) < wanted[system]:
                chosen[system].append(other)
            if verdict is not None and any(verdict.restarts(system, rule) for rule in rules):
                wanted[system] = 1
        if all(len(others) >= wanted[system] for system, others in chosen.items()):
            break
    return ChosenNights(
        {system: others[0] for system, others in chosen.items() if others},
        {name: tuple(others) for name, others in chosen.items() if len(others) >= FEWEST_NIGHTS},
    )


def expected_systems(before: date, earlier: Nights) -> tuple[str, ...]:
    """Return the systems that a night should have, by the last good one; none without one."""
    night = next(earlier.good(before), None)
    return () if night is None or night.verdict is None else night.verdict.expected
