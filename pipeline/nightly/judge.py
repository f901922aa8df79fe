"""Choose the nights to compare a night with, and judge it once; later runs repeat the verdict."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.nightly import gate, nights
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.settings import FAIL, NightSettings
from segscore.pipeline.nightly.verdict import (
    FAILED,
    INCOMPLETE,
    NOT_COMPARABLE,
    PASSED,
    Check,
    Verdict,
)
from segscore.pipeline.runs import signature
from segscore.pipeline.scoring.measuring import settings_without_effect


def judge(night: Night, settings: NightSettings, earlier: Nights) -> Verdict:
    """Judge a night; repeat its verdict if the rules and the nights to compare with are the same.

    Args:
        night: the published night.
        settings: the rules, and what to compare with.
        earlier: the nights to choose from.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    asked = {
        "gate": [rule.text for rule in settings.rules],
        "alpha": settings.alpha,
        "against": settings.against,
        "not_comparable": settings.not_comparable,
    }
    systems = nights.systems_of(night)
    others, missing = _others(systems, settings, earlier)
    against = {
        system: {"date": other.date.isoformat(), "run": other.fingerprint}
        for system, other in others.items()
    }
    previous = night.verdict
    if previous is not None and previous.asked == asked and _is_current(previous, against, earlier):
        return previous
    differences = _differences(night, others.values(), settings.rules) if settings.rules else {}
    comparable = {
        system: other
        for system, other in others.items()
        if other.date.isoformat() not in differences
    }
    checks = tuple(gate.judge_rules(night, comparable, settings.rules, settings.alpha))
    return Verdict(
        date=night.date.isoformat(),
        run=night.fingerprint,
        asked=asked,
        against=against,
        checks=checks,
        systems=systems,
        missing=missing,
        new=tuple(system for system in systems if system not in others),
        differences=differences,
        outcome=_outcome(checks, missing, differences, settings.not_comparable),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _is_current(previous: Verdict, against: Mapping[str, Any], earlier: Nights) -> bool:
    """Check whether an earlier verdict compared the nights that would be chosen now.

    It also counts if one of those nights has been removed since.
    """
    existing = {night.isoformat() for night in earlier.dates}
    removed = {compared["date"] for compared in previous.against.values()} - existing
    return previous.against == against or bool(removed)


def _others(
    systems: tuple[str, ...], settings: NightSettings, earlier: Nights
) -> tuple[dict[str, Night], tuple[str, ...]]:
    """Choose the night that each system is compared with, and find the missing systems.

    A system that the last good night lacks is compared with the last good night that has it, so
    that a change during its absence is noticed.
    """
    candidates: Iterable[Night] = earlier.good(settings.date)
    if settings.compared_date is not None:
        candidates = [
            night for night in [earlier.find(settings.compared_date)] if night is not None
        ]
    chosen: dict[str, Night] = {}
    missing: tuple[str, ...] | None = None
    for other in candidates:
        other_systems = nights.systems_of(other) if other.verdict is None else other.verdict.systems
        if missing is None:
            missing = tuple(system for system in other_systems if system not in systems)
        chosen |= {
            system: other for system in other_systems if system in systems and system not in chosen
        }
        if len(chosen) == len(systems):
            break
    return {system: chosen[system] for system in systems if system in chosen}, missing or ()


def _differences(
    night: Night, others: Iterable[Night], rules: tuple[GateRule, ...]
) -> dict[str, list[str]]:
    """Return what makes averages of other nights incomparable with those of a night, by date."""
    measures = list(dict.fromkeys(rule.measure for rule in rules))
    without_effect = settings_without_effect(select(normal_form(measures)))
    by_date = {}
    for other in others:
        both = other.signature, night.signature
        ignored = signature.may_differ(both, without_effect)
        missing = [name for name in measures if name not in other.selection.names]
        differences = [f"it has no {name}" for name in missing]
        # Without a measure, its signature does not have the settings of the measure either.
        differences = differences or signature.signature_differences(*both, ignored)
        by_date[other.date.isoformat()] = differences
    return {date: differences for date, differences in by_date.items() if differences}


def _outcome(
    checks: tuple[Check, ...],
    missing: tuple[str, ...],
    differences: Mapping[str, Any],
    not_comparable: str,
) -> str:
    if any(check.fails for check in checks):
        return FAILED
    if differences and not_comparable == FAIL:
        return NOT_COMPARABLE
    return INCOMPLETE if missing else PASSED
