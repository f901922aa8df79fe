"""What a verdict depends on beside the night itself, and whether an earlier one still holds."""

from datetime import date
from typing import Any, NamedTuple

from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.past import Past
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.trend_gate import nights_of_trends
from segscore.pipeline.nightly.verdict import Acceptance, Verdict
from segscore.pipeline.tables.unusable_files import UnusableFile


class Reasons(NamedTuple):
    """Everything but the night itself that a verdict depends on; the fields are the verdict's."""

    asked: dict[str, Any]
    against: dict[str, dict[str, str]]
    medians: dict[str, dict[str, str]]
    missing: tuple[str, ...]
    accepted: str | None
    trend: dict[str, str]
    unusable: tuple[UnusableFile, ...]
    acceptances: tuple[Acceptance, ...]
    past: str


def asked(settings: NightSettings) -> dict[str, Any]:
    """Return the settings of the gate, as a verdict records them."""
    given = {
        "trial": [*settings.trial],
        "retired": [*settings.retired],
        "calendar": [*settings.calendar],
    }
    return {
        **{name: values for name, values in given.items() if values},
        "gate": [rule.text for rule in settings.rules],
        "alpha": settings.alpha,
        "against": settings.against,
        "baseline": settings.baseline,
        "not_comparable": settings.not_comparable,
        "gate_by": list(settings.gate_by),
        "require_groups": settings.require_groups,
    }


def is_current(previous: Verdict, reasons: Reasons, earlier: Nights) -> bool:
    """Check whether an earlier verdict has the reasons that it would have now.

    Nights that were compared with and have been removed since do not change a verdict.
    """
    before = Reasons(*(getattr(previous, name) for name in Reasons._fields))
    existing = {night.isoformat() for night in earlier.dates}
    dates = {compared["date"] for compared in before.against.values()}
    if dates.union(before.trend, *before.medians.values()) <= existing:
        return before == reasons
    kept = ("asked", "acceptances", "unusable")
    return all(getattr(before, name) == getattr(reasons, name) for name in kept)


def acceptances_of(night: Night, settings: NightSettings) -> tuple[Acceptance, ...]:
    """Return what was accepted of a night before, and what is accepted now."""
    before = () if night.verdict is None else night.verdict.acceptances
    if settings.accept is None:
        return before
    now = Acceptance(settings.accept, settings.system, settings.accepted_rule)
    about = now.system, now.rule
    return (*(each for each in before if (each.system, each.rule) != about), now)


def runs_of_trends(past: Past | None, settings: NightSettings, earlier: Nights) -> dict[str, str]:
    """Return the runs, by date, of the nights that the lines of rules for trends go through."""
    dates = [] if past is None else nights_of_trends(past, settings.rules)
    found = (earlier.find(date.fromisoformat(day)) for day in dates)
    return {other.date.isoformat(): other.fingerprint for other in found if other is not None}
