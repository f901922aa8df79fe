"""Judge a night once; later runs repeat the verdict unless its reasons have changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.nightly import gate, nights
from segscore.pipeline.nightly.choose import ChosenNights, choose_nights
from segscore.pipeline.nightly.failures import describe_failure
from segscore.pipeline.nightly.feed import missing_groups, probable_causes, warn_of_feed
from segscore.pipeline.nightly.group_gate import GroupVerdict, judge_groups
from segscore.pipeline.nightly.nights import Night, Nights, differences_of
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.settings import FAIL, MEDIAN_OF_7, NightSettings
from segscore.pipeline.nightly.trend_gate import judge_trends, nights_of_trend
from segscore.pipeline.nightly.unscored_systems import unscored_systems
from segscore.pipeline.nightly.verdict import (
    ACCEPTED,
    FAILED,
    INCOMPLETE,
    NOT_COMPARABLE,
    PARTIAL,
    PASSED,
    Check,
    Verdict,
)
from segscore.pipeline.tables.unusable_files import UnusableFile


def judge(
    night: Night, settings: NightSettings, earlier: Nights, unusable: tuple[UnusableFile, ...] = ()
) -> Verdict:
    """Judge a night; repeat its verdict if the rules and the nights to compare with are the same.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    systems = nights.systems_of(night)
    chosen = choose_nights(systems, settings, earlier)
    comparable, differences = _comparable(night, chosen, settings.rules)
    missing = tuple(system for system in chosen.expected if system not in systems)
    accepted = settings.accept or (night.verdict.accepted if night.verdict is not None else None)
    lines = nights_of_trend(night, earlier, settings.rules)
    reasons = _Reasons(
        _asked(settings),
        chosen.against,
        comparable.medians,
        missing,
        accepted,
        {other.date.isoformat(): other.fingerprint for other in lines[:-1]},
        unusable,
    )
    if night.verdict is not None and _is_current(night.verdict, reasons, earlier):
        return night.verdict
    changes = ReferenceChanges(earlier)
    checks, grouped = _check_rules(night, settings, earlier, comparable, lines, changes)
    single = {other.date.isoformat() for other in chosen.single.values()}
    differences = {day: listed for day, listed in differences.items() if day in single}
    judged = _Judged(chosen, reasons, checks, grouped, differences, changes)
    return _verdict(night, settings, earlier, judged)


class _Judged(NamedTuple):
    """What a verdict is made from: the nights compared with, and the results of all rules."""

    chosen: ChosenNights
    reasons: "_Reasons"
    checks: tuple[Check, ...]
    grouped: GroupVerdict
    differences: dict[str, list[str]]
    changes: ReferenceChanges


def _check_rules(
    night: Night,
    settings: NightSettings,
    earlier: Nights,
    comparable: ChosenNights,
    lines: Sequence[Night],
    changes: ReferenceChanges,
) -> tuple[tuple[Check, ...], GroupVerdict]:
    """Check all rules: about two nights, for trends, and by group."""
    rules = [rule for rule in settings.rules if not rule.nights]
    checks = (
        *gate.judge_rules(night, comparable, rules, settings.alpha, changes),
        *judge_trends(lines, settings.rules),
    )
    if not settings.gate_by:
        return checks, GroupVerdict()
    _require_attributes(night, settings.gate_by)
    several = _of_several(night, settings, earlier)
    return checks, judge_groups(night, several, rules, settings.gate_by, settings.alpha, changes)


def _verdict(night: Night, settings: NightSettings, earlier: Nights, judged: _Judged) -> Verdict:
    """Compose the verdict on a night."""
    chosen, reasons, checks, grouped, differences, changes = judged
    systems, missing = nights.systems_of(night), reasons.missing
    lacking = missing_groups(night, earlier) if settings.require_groups else ()
    unpaired, rejected = unscored_systems(night, missing)
    useless = {each.system for each in unpaired} | {each.system for each in rejected}
    unused = bool(reasons.unusable) or (bool(missing) and useless.issuperset(missing))
    outcome = _outcome(
        (*checks, *grouped.checks), (*missing, *lacking), differences, settings.not_comparable
    )
    if unused and not lacking and outcome in (PASSED, INCOMPLETE):
        outcome = PARTIAL
    if reasons.accepted is not None and outcome != PASSED:
        outcome = ACCEPTED
    of_feed = [*warn_of_feed(night, chosen.single, earlier, changes)]
    failing = {check.system for check in checks if check.fails}
    # A system whose file cannot be read is missing for that reason.
    concerned = failing if reasons.unusable else failing.union(missing)
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
            *_warn_of_decline(night, settings, earlier, judged),
        ),
        unpaired=unpaired,
        rejected=rejected,
        causes=tuple(probable_causes(of_feed, concerned)),
        group_checks=grouped.checks,
        common=grouped.common,
        missing_groups=lacking,
        reused_ids=len(changes.find(night, chosen.single.values()).reused),
    )


def _of_several(night: Night, settings: NightSettings, earlier: Nights) -> ChosenNights:
    """Return the comparable nights whose median the systems are compared with by group."""
    if settings.compared_date is None and not settings.nights_of_median:
        settings = replace(settings, baseline=MEDIAN_OF_7)
    chosen = choose_nights(nights.systems_of(night), settings, earlier)
    return _comparable(night, chosen, settings.rules)[0]


def _require_attributes(night: Night, names: Sequence[str]) -> None:
    """Refuse a night whose documents lack an attribute to group by."""
    for piece in night.table_files("scores"):
        for name in names:
            if name not in piece.columns:
                near = nearest(name, piece.columns)
                raise Refused(f"--gate-by {name}: the documents have no such attribute{near}")


class _Reasons(NamedTuple):
    """Everything but the night itself that a verdict depends on; the fields are the verdict's."""

    asked: dict[str, Any]
    against: dict[str, dict[str, str]]
    medians: dict[str, dict[str, str]]
    missing: tuple[str, ...]
    accepted: str | None
    trend: dict[str, str]
    unusable: tuple[UnusableFile, ...]


def _asked(settings: NightSettings) -> dict[str, Any]:
    return {
        "gate": [rule.text for rule in settings.rules],
        "alpha": settings.alpha,
        "against": settings.against,
        "baseline": settings.baseline,
        "not_comparable": settings.not_comparable,
        "gate_by": list(settings.gate_by),
        "require_groups": settings.require_groups,
    }


def _is_current(previous: Verdict, reasons: _Reasons, earlier: Nights) -> bool:
    """Check whether an earlier verdict has the reasons that it would have now.

    Nights that were compared with and have been removed since do not change a verdict.
    """
    before = _Reasons(*(getattr(previous, name) for name in _Reasons._fields))
    existing = {night.isoformat() for night in earlier.dates}
    dates = {compared["date"] for compared in before.against.values()}
    if dates.union(before.trend, *before.medians.values()) <= existing:
        return before == reasons
    kept = ("asked", "accepted", "unusable")
    return all(getattr(before, name) == getattr(reasons, name) for name in kept)


def _warn_of_decline(
    night: Night, settings: NightSettings, earlier: Nights, judged: _Judged
) -> Iterator[str]:
    """Warn of each check that passes and would fail against the median of the last good nights."""
    if settings.nights_of_median or any(check.fails for check in judged.checks):
        return
    comparable = _of_several(night, settings, earlier)
    if not comparable.several:
        return
    rules = [rule for rule in settings.rules if not rule.nights]
    for check in gate.judge_rules(night, comparable, rules, settings.alpha, judged.changes):
        if check.fails and check.nights > 1:
            yield (
                f"{describe_failure(replace(check, moved=()))}; no rule failed, because the gate "
                f"compares only with the last good night, {comparable.single[check.system].name}; "
                f"with --baseline {MEDIAN_OF_7} the night fails"
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
    by_date = {
        other.date.isoformat(): differences_of(
            other.signature, night.signature, measures, other.selection.names
        )
        for other in others
    }
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
