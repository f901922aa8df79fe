"""Choose the earlier nights that a night is compared with, and which systems it should have."""

from collections.abc import Callable
from datetime import date

from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.chosen import FEWEST_NIGHTS, ChosenNights
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.rules import kind_of
from segscore.pipeline.nightly.settings import NightSettings


def choose_nights(
    systems: tuple[str, ...],
    settings: NightSettings,
    earlier: Nights,
    comparable: Callable[[date], bool] = lambda _: True,
    most: int = 1,
) -> ChosenNights:
    """Choose the nights that each system is compared with.

    A night can be good for some systems and not for others. The nights of a median are those since
    the last one on which what the system did was accepted, and that one: what was accepted is not
    held against later nights. A system that the last good night lacks is compared with the last
    good night that has it, so that a change during its absence is noticed.

    Args:
        systems: the systems of the night.
        settings: the settings of the night.
        earlier: the nights before it.
        comparable: whether a night of a date may be compared with; if none may, all may.
        most: number of nights that are chosen for a system, if there are as many.
    """
    days = [day for day in earlier.dates if day < settings.night]
    chosen_days = {day for day in days if comparable(day)} or {*days}
    before = earlier.newest_first(settings.night)
    candidates = (night for night in before if night.date in chosen_days)
    chosen: dict[str, list[Night]] = {system: [] for system in systems}
    wanted = dict.fromkeys(systems, most)
    rules = [rule.text for rule in settings.rules if not kind_of(rule).needs_history]
    for other in candidates:
        verdict = other.verdict
        other_systems = nights.systems_of(other) if verdict is None else verdict.systems
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
        _expected(settings, earlier),
    )


def _expected(settings: NightSettings, earlier: Nights) -> tuple[str, ...]:
    """Return the systems that a night should have, by the last good one."""
    night = next(earlier.good(settings.night), None)
    return () if night is None or night.verdict is None else night.verdict.expected
