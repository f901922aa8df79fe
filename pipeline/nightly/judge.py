"""Judge a night once; later runs repeat the verdict unless its reasons have changed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.nightly import gate, nights
from segscore.pipeline.nightly.choose import ChosenNights, choose_nights
from segscore.pipeline.nightly.feed import probable_causes, warn_of_feed
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.settings import FAIL, MEDIAN_OF_7, NightSettings
from segscore.pipeline.nightly.unscored_systems import unscored_systems
from segscore.pipeline.nightly.verdict import (
    ACCEPTED,
    FAILED,
    INCOMPLETE,
    NOT_COMPARABLE,
    PASSED,
    Check,
    Verdict,
    describe_failure,
)
from segscore.pipeline.settings import signature
from segscore.pipeline.settings.measuring import settings_without_effect


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
    systems = nights.systems_of(night)
    chosen = choose_nights(systems, settings, earlier)
    comparable, differences = _comparable(night, chosen, settings.rules)
    missing = tuple(system for system in chosen.expected if system not in systems)
    accepted = settings.accept or (night.verdict.accepted if night.verdict is not None else None)
    reasons = _Reasons(_asked(settings), chosen.against, comparable.medians, missing, accepted)
    if night.verdict is not None and _is_current(night.verdict, reasons, earlier):
        return night.verdict
    checks = tuple(gate.judge_rules(night, comparable, settings.rules, settings.alpha))
    single = {other.date.isoformat() for other in chosen.single.values()}
    differences = {day: listed for day, listed in differences.items() if day in single}
    outcome = _outcome(checks, missing, differences, settings.not_comparable)
    if accepted is not None and outcome != PASSED:
        outcome = ACCEPTED
    of_feed = [*warn_of_feed(night, chosen.single, earlier)]
    unpaired, rejected = unscored_systems(night, missing)
    return Verdict(
        date=night.date.isoformat(),
        run=night.fingerprint,
        **reasons._asdict(),
        checks=checks,
        systems=systems,
        new=tuple(system for system in systems if system not in chosen.single),
        differences=differences,
        outcome=outcome,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        expected=systems if outcome in (PASSED, ACCEPTED) else chosen.expected or systems,
        warnings=(
            *(warning.text for warning in of_feed),
            *_warn_of_decline(night, settings, earlier, checks),
        ),
        unpaired=unpaired,
        rejected=rejected,
        causes=tuple(
            probable_causes(of_feed, {*missing, *(each.system for each in checks if each.fails)})
        ),
    )


class _Reasons(NamedTuple):
    """Everything but the night itself that a verdict depends on; the fields are the verdict's."""

    asked: dict[str, Any]
    against: dict[str, dict[str, str]]
    medians: dict[str, dict[str, str]]
    missing: tuple[str, ...]
    accepted: str | None


def _asked(settings: NightSettings) -> dict[str, Any]:
    return {
        "gate": [rule.text for rule in settings.rules],
        "alpha": settings.alpha,
        "against": settings.against,
        "baseline": settings.baseline,
        "not_comparable": settings.not_comparable,
    }


def _is_current(previous: Verdict, reasons: _Reasons, earlier: Nights) -> bool:
    """Check whether an earlier verdict has the reasons that it would have now.

    Nights that were compared with and have been removed since do not change a verdict.
    """
    before = _Reasons(*(getattr(previous, name) for name in _Reasons._fields))
    existing = {night.isoformat() for night in earlier.dates}
    dates = {compared["date"] for compared in before.against.values()}
    if dates.union(*before.medians.values()) <= existing:
        return before == reasons
    return (before.asked, before.accepted) == (reasons.asked, reasons.accepted)


def _warn_of_decline(
    night: Night, settings: NightSettings, earlier: Nights, checks: tuple[Check, ...]
) -> Iterator[str]:
    """Warn of each check that passes and would fail against the median of the last good nights."""
    if settings.nights_of_median or any(check.fails for check in checks):
        return
    with_median = replace(settings, baseline=MEDIAN_OF_7)
    chosen = choose_nights(nights.systems_of(night), with_median, earlier)
    comparable, _ = _comparable(night, chosen, settings.rules)
    if not comparable.several:
        return
    for check in gate.judge_rules(night, comparable, settings.rules, settings.alpha):
        if check.fails and check.nights > 1:
            yield (
                f"{describe_failure(replace(check, moved=()))}; no rule failed, because "
                "the gate compares only with the last good night "
                f"({comparable.single[check.system].name}); with --baseline {MEDIAN_OF_7} the "
                "night fails"
            )


def _comparable(
    night: Night, chosen: ChosenNights, rules: tuple[GateRule, ...]
) -> tuple[ChosenNights, dict[str, list[str]]]:
    """Leave out the nights that are not comparable; return the others, and the differences."""
    differences = _differences(night, chosen.nights(), rules) if rules else {}
    return chosen.without(differences), differences


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
