"""Inputs of a verdict besides the night itself; tell whether an earlier verdict still holds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from segscore.pipeline.nightly.formatting import TREND
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import Acceptance, Verdict
from segscore.pipeline.runs.fingerprint import setting_in_words
from segscore.pipeline.tables.unusable_files import UnusableFile

REPLACED = ("alpha", "against", "baseline")
"""Settings that verdicts of earlier versions record."""


class VerdictInputs(NamedTuple):
    """Everything but the night itself that a verdict depends on; the fields are the verdict's."""

    asked: dict[str, Any]
    against: dict[str, dict[str, str]]
    missing: tuple[str, ...]
    accepted: str | None
    unusable: tuple[UnusableFile, ...]
    acceptances: tuple[Acceptance, ...]
    past: str


def asked(settings: NightSettings) -> dict[str, Any]:
    """Return the settings of the gate, as a verdict records them."""
    given = {
        "trial": [*settings.trial],
        "retired": [*settings.retired],
        "calendar": [*settings.calendar],
        "exclude": [exclusion.record for exclusion in settings.exclusions],
        "aliases": [alias.record for alias in settings.aliases if alias.since <= settings.night],
    }
    return {
        **{name: values for name, values in given.items() if values},
        "gate": [rule.text for rule in settings.rules],
        "not_comparable": settings.not_comparable,
        "gate_by": list(settings.gate_by),
        "require_groups": settings.require_groups,
    }


def changed_settings(before: Verdict, now: Verdict) -> list[str]:
    """Say which settings of the gate are other ones than before."""
    return [
        f"{name.replace('_', '-')} was {setting_in_words(value)}, "
        f"is {setting_in_words(now.asked.get(name))}"
        for name, value in before.asked.items()
        if name not in REPLACED and now.asked.get(name) != value
    ]


def is_current(previous: Verdict, reasons: VerdictInputs, earlier: Nights) -> bool:
    """Check whether an earlier verdict has the reasons that it would have now.

    Nights that were compared with and have been removed since do not change a verdict, nor does
    what an earlier version asked for besides.
    """
    before = VerdictInputs(*(getattr(previous, name) for name in VerdictInputs._fields))
    before = before._replace(asked=_still_asked(before.asked))
    existing = {night.isoformat() for night in earlier.dates}
    dates = {compared["date"] for compared in before.against.values()}
    if dates <= existing:
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


def _still_asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the settings and rules that there were before."""
    kept = {name: value for name, value in asked.items() if name not in REPLACED}
    return {**kept, "gate": [rule for rule in asked["gate"] if not rule.startswith(TREND)]}
