"""Judge a night once; later runs repeat the verdict unless its reasons have changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import NamedTuple

import pyarrow.compute as pc

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.choose import choose_nights
from segscore.pipeline.nightly.chosen import ChosenNights
from segscore.pipeline.nightly.densities import (
    changed_densities,
    count_densities,
    densities_in_words,
)
from segscore.pipeline.nightly.exclusions import exclusions_in_words
from segscore.pipeline.nightly.failures import not_judged_in_words, warnings_in_words
from segscore.pipeline.nightly.input_checks import (
    InputWarning,
    missing_groups,
    probable_causes,
    warn_of_feed,
)
from segscore.pipeline.nightly.kinds.kind import RuleKind
from segscore.pipeline.nightly.kinds.results import RuleResults
from segscore.pipeline.nightly.kinds.tonight import Tonight
from segscore.pipeline.nightly.nights import Night, Nights, differences_of
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.past import Past, read_past
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.rules import KINDS, kind_of
from segscore.pipeline.nightly.settings import FAIL, NightSettings
from segscore.pipeline.nightly.spread import Spread
from segscore.pipeline.nightly.standing import said_once
from segscore.pipeline.nightly.trials import needed, on_trial, trials_in_words
from segscore.pipeline.nightly.unscored_systems import scored_systems, unscored_systems
from segscore.pipeline.nightly.verdict import (
    ACCEPTED,
    FAILED,
    INCOMPLETE,
    NOT_COMPARABLE,
    ON_TRIAL,
    PARTIAL,
    PASSED,
    WARNED,
    Check,
    Density,
    Verdict,
)
from segscore.pipeline.nightly.verdict_inputs import (
    VerdictInputs,
    acceptances_of,
    asked,
    is_current,
)
from segscore.pipeline.nightly.versions import warn_of_versions
from segscore.pipeline.scoring.excluded import EXCLUDED
from segscore.pipeline.tables.unusable_files import UnusableFile

_SEVERAL = 7
"""Number of nights with whose median a group is compared."""


def judge(
    night: Night, settings: NightSettings, earlier: Nights, unusable: tuple[UnusableFile, ...] = ()
) -> Verdict:
    """Judge a night; repeat its verdict if the rules and the nights to compare with are the same.

    It is judged anew in any case if the settings say so (``rejudge``).

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    systems = scored_systems(night)
    past = _read_past(night, settings, earlier)
    spread = None if past is None else Spread(past, settings.rules, settings.days)
    may_compare = (lambda _: True) if spread is None else spread.comparable
    chosen = choose_nights(systems, settings, earlier, may_compare)
    comparable, differences = _comparable(night, chosen, settings.rules)
    chosen = replace(chosen, expected=needed(chosen.expected, settings))
    missing = tuple(system for system in chosen.expected if system not in systems)
    acceptances = acceptances_of(night, settings)
    reasons = VerdictInputs(
        asked(settings),
        chosen.against,
        missing,
        next((each.reason for each in acceptances if each.is_whole), None),
        unusable,
        acceptances,
        "" if past is None else past.digest(settings.rules),
    )
    known = None if settings.rejudge else night.verdict
    if known is not None and is_current(known, reasons, earlier):
        return known
    changes = ReferenceChanges(earlier)
    context = _Context(night, settings, earlier, past, spread, changes, systems)
    tonight = _tonight(context, comparable)
    checks, grouped, common = _check_rules(settings, tonight)
    single = {other.date.isoformat() for other in chosen.single.values()}
    differences = {day: listed for day, listed in differences.items() if day in single}
    checks, grouped = on_trial(checks, settings), on_trial(grouped, settings)
    judged = _Judged(chosen, reasons, checks, grouped, common, differences)
    return _verdict(context, judged)


class _Context(NamedTuple):
    """A night that is judged, and what is known of the nights before it."""

    night: Night
    settings: NightSettings
    earlier: Nights
    past: Past | None
    spread: Spread | None
    changes: ReferenceChanges
    systems: tuple[str, ...]


class _Judged(NamedTuple):
    """What a verdict is made from: the nights compared with, and the results of all rules."""

    chosen: ChosenNights
    reasons: VerdictInputs
    checks: tuple[Check, ...]
    grouped: tuple[Check, ...]
    common: tuple[str, ...]
    differences: dict[str, list[str]]


def _read_past(night: Night, settings: NightSettings, earlier: Nights) -> Past | None:
    """Read the averages of earlier nights that the rules need; None without rules."""
    if not (rules := settings.rules):
        return None
    from_first = any(kind_of(rule).has_level for rule in rules)
    return read_past(night, earlier, rules, settings.gate_by, from_first=from_first)


def _tonight(context: _Context, comparable: ChosenNights) -> Tonight | None:
    """Return what rules are checked on; None without rules."""
    night, settings, _, past, spread, changes, systems = context
    if past is None or spread is None:
        return None
    return Tonight(
        night,
        systems,
        past,
        spread,
        changes,
        comparable,
        cache(partial(_of_several, context)),
        settings.gate_by,
    )


def _by_kind(settings: NightSettings) -> Iterator[tuple[RuleKind, list[GateRule]]]:
    """Yield each kind of rules that was asked for, and its rules."""
    for kind in KINDS:
        if rules := [rule for rule in settings.rules if kind_of(rule) is kind]:
            yield kind, rules


def _check_rules(
    settings: NightSettings, tonight: Tonight | None
) -> tuple[tuple[Check, ...], tuple[Check, ...], tuple[str, ...]]:
    """Check all rules, over all documents and by group; and say what all systems share."""
    if tonight is None:
        return (), (), ()
    whole = [kind.check(tonight, rules) for kind, rules in _by_kind(settings)]
    grouped: list[RuleResults] = []
    if tonight.by:
        _require_attributes(tonight.night, tonight.by)
        grouped = [kind.check_groups(tonight, rules) for kind, rules in _by_kind(settings)]
    checks, checks_by_group = (
        tuple(check for results in listed for check in results.checks)
        for listed in (whole, grouped)
    )
    common, common_by_group = (
        tuple(text for results in listed for text in results.common) for listed in (whole, grouped)
    )
    # What is shared in some groups is said of these groups.
    return checks, checks_by_group, common_by_group or common


class _Said(NamedTuple):
    """What is said of a night beside its checks."""

    of_feed: list[InputWarning]
    warned: list[str]
    common: tuple[str, ...]
    densities: tuple[Density, ...]


def _say(context: _Context, judged: _Judged) -> _Said:
    """Say what looks wrong, and what all systems share; and why, if the references changed."""
    night, settings, earlier, past, _, changes, _ = context
    of_feed = [*warn_of_feed(night, judged.chosen.single, earlier, changes)]
    if past is None:
        return _Said(of_feed, [], (), ())
    densities = count_densities(night, settings.gate_by)
    dense = dict(densities_in_words(changed_densities(past, densities)))
    of_references = dense.pop(None, None)
    of_feed += [
        InputWarning(text, frozenset({str(system)}))
        for system, text in dense.items()
        if system in {check.system for check in judged.checks if check.fails}
    ]
    worse = [
        check
        for check in (*judged.checks, *judged.grouped)
        if check.fails or check.result == ON_TRIAL
    ]
    of_feed += warn_of_versions(night, worse, judged.chosen.single, earlier)
    # What all systems share in general is not said again of each group.
    shared = {check.rule for check in judged.checks if check.result == WARNED}
    grouped = [check for check in judged.grouped if check.rule not in shared]
    warned, common = [*warnings_in_words((*judged.checks, *grouped))], judged.common
    warned += not_judged_in_words((*judged.checks, *judged.grouped))
    if of_references is not None and common:
        common = tuple(f"{text}; {of_references}" for text in common)
    elif of_references is not None:
        warned.insert(0, of_references)
    return _Said(of_feed, warned, common, densities)


def _verdict(context: _Context, judged: _Judged) -> Verdict:
    """Compose the verdict on a night."""
    night, settings, earlier, _, _, changes, systems = context
    chosen, reasons = judged.chosen, judged.reasons
    missing = reasons.missing
    now = datetime.now(UTC).isoformat(timespec="seconds")
    unpaired, rejected = unscored_systems(night, missing)
    useless = {stale.system for stale in unpaired}
    useless |= {other.system for other in rejected if not other.is_twice}
    said = _say(context, judged)
    failing = {check.system for check in (*judged.checks, *judged.grouped) if check.fails}
    # A system whose file cannot be read is missing for that reason.
    concerned = failing if reasons.unusable else failing.union(missing)
    verdict = Verdict(
        date=night.date.isoformat(),
        run=night.fingerprint,
        **reasons._asdict(),
        checks=judged.checks,
        systems=systems,
        new=tuple(system for system in systems if system not in chosen.single),
        differences=judged.differences,
        outcome=PASSED,
        finished_at=now,
        first_published_at=nights.first_published(night) or now,
        expected=chosen.expected or needed(systems, settings),
        unpaired=unpaired,
        rejected=rejected,
        causes=tuple(probable_causes(said.of_feed, concerned)),
        group_checks=judged.grouped,
        densities=said.densities,
        common=said.common,
        missing_groups=missing_groups(night, earlier) if settings.require_groups else (),
        reused_ids=len(changes.find(night, chosen.single.values()).reused),
    )
    unused = bool(reasons.unusable) or (bool(missing) and useless.issuperset(missing))
    return _with_outcome(context, judged, verdict, said, unused=unused)


def _with_outcome(
    context: _Context, judged: _Judged, verdict: Verdict, said: _Said, *, unused: bool
) -> Verdict:
    """Add the outcome of a night, and what depends on it."""
    outcome = _outcome(verdict, context.settings.not_comparable, unused=unused)
    warnings = [
        *exclusions_in_words(context.settings.exclusions, _excluded(context.night)),
        *(warning.text for warning in said.of_feed),
        *said.warned,
        *trials_in_words((*judged.checks, *judged.grouped), verdict.systems, context.settings),
    ]
    before = next(context.earlier.newest_first(context.night.date), None)
    warned, standing = said_once(warnings, None if before is None else before.verdict)
    passes = outcome in (PASSED, ACCEPTED)
    return replace(
        verdict,
        outcome=outcome,
        expected=needed(verdict.systems, context.settings) if passes else verdict.expected,
        warnings=warned,
        standing=standing,
    )


def _excluded(night: Night) -> list[str]:
    """Return the documents of which rows were rejected because the settings exclude them."""
    return [
        document
        for part in night.parts("rejects", ["document_id", "rule"])
        for document in part.filter(pc.equal(part["rule"], EXCLUDED))["document_id"].to_pylist()
    ]


def _outcome(verdict: Verdict, not_comparable: str, *, unused: bool) -> str:
    """Return the outcome of a night by what failed, is missing, and was accepted."""
    failed = verdict.failed
    left = [check for check in failed if verdict.accepts(check.system, check.rule) is None]
    missing = (*verdict.missing, *verdict.missing_groups)
    differs = bool(verdict.differences) and not_comparable == FAIL
    if verdict.accepted is not None and (failed or differs or missing or unused):
        return ACCEPTED
    if left:
        return FAILED
    if differs:
        return NOT_COMPARABLE
    if unused and not verdict.missing_groups:
        return PARTIAL
    if missing:
        return INCOMPLETE
    return ACCEPTED if failed else PASSED


def _of_several(context: _Context) -> ChosenNights:
    """Return the comparable nights whose median the systems are compared with by group."""
    night, settings, earlier, _, spread, _, systems = context
    may_compare = (lambda _: True) if spread is None else spread.comparable
    chosen = choose_nights(systems, settings, earlier, may_compare, _SEVERAL)
    return _comparable(night, chosen, settings.rules)[0]


def _require_attributes(night: Night, names: Sequence[str]) -> None:
    """Refuse a night whose documents lack an attribute to group by."""
    for piece in night.table_files("scores"):
        for name in names:
            if name not in piece.columns:
                near = nearest(name, piece.columns)
                raise Refused(f"--gate-by {name}: the documents have no such attribute{near}")


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
