"""Judge a night once; later runs repeat the verdict unless its reasons have changed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

import pyarrow.compute as pc

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.densities import (
    changed_densities,
    count_densities,
    densities_in_words,
)
from segscore.pipeline.nightly.exclusions import exclusions_in_words
from segscore.pipeline.nightly.gate.chosen import ChosenNights, choose_nights, expected_systems
from segscore.pipeline.nightly.gate.kind import RuleResults, Tonight
from segscore.pipeline.nightly.gate.past import read_past
from segscore.pipeline.nightly.gate.rules import KINDS, kind_of
from segscore.pipeline.nightly.gate.spread import Spread
from segscore.pipeline.nightly.input_checks import (
    InputWarning,
    missing_groups,
    probable_causes,
    warn_of_feed,
)
from segscore.pipeline.nightly.nights import Night, Nights, differences_of
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.sentences import not_judged_in_words, warnings_in_words
from segscore.pipeline.nightly.settings import FAIL, NightSettings
from segscore.pipeline.nightly.standing import said_once
from segscore.pipeline.nightly.trials import needed, on_trial, trials_in_words
from segscore.pipeline.nightly.unscored_systems import scored_systems, unscored_systems
from segscore.pipeline.nightly.verdict import (
    ACCEPTED,
    ALL_SYSTEMS,
    FAILED,
    INCOMPLETE,
    NOT_COMPARABLE,
    ON_TRIAL,
    PARTIAL,
    PASSED,
    WARNED,
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
    judging = _Judging(night, settings, earlier)
    reasons = judging.reasons(unusable)
    known = None if settings.rejudge else night.verdict
    if known is not None and is_current(known, reasons, earlier):
        return known
    return judging.verdict(reasons)


class _Judging:
    """A night that is judged, and what is known of the nights before it."""

    def __init__(self, night: Night, settings: NightSettings, earlier: Nights) -> None:
        self.night, self.settings, self.earlier = night, settings, earlier
        self.systems = scored_systems(night)
        rules = settings.rules
        self.past = self.spread = None
        if rules:
            from_first = any(kind_of(rule).has_level for rule in rules)
            self.past = read_past(night, earlier, rules, settings.gate_by, from_first=from_first)
            self.spread = Spread(self.past, rules, settings.days)
        self.changes = ReferenceChanges(earlier)
        self.chosen = self.choose()
        self.expected = needed(expected_systems(night.date, earlier), settings)

    def choose(self, most: int = 1) -> ChosenNights:
        """Choose the nights that the systems are compared with, so many each."""
        may_compare = (lambda _: True) if self.spread is None else self.spread.comparable
        rules = [r.text for r in self.settings.rules if not kind_of(r).needs_history]
        before, earlier = self.night.date, self.earlier
        return choose_nights(self.systems, before, earlier, may_compare, rules, most)

    def differences(self, chosen: ChosenNights) -> dict[str, list[str]]:
        """Return what makes the averages of chosen nights incomparable with tonight's, by date."""
        measures = list(dict.fromkeys(rule.measure for rule in self.settings.rules))
        signature = self.night.signature
        by_date = {
            other.date.isoformat(): differences_of(
                other.signature, signature, measures, other.selection.names
            )
            for other in (chosen.nights() if measures else ())
        }
        return {date: differences for date, differences in by_date.items() if differences}

    def several(self) -> ChosenNights:
        """Return the comparable nights whose median the systems are compared with by group."""
        chosen = self.choose(_SEVERAL)
        return chosen.without(self.differences(chosen))

    def reasons(self, unusable: tuple[UnusableFile, ...]) -> VerdictInputs:
        """Return everything but the night itself that its verdict depends on."""
        _require_system(self.settings.system, (*self.systems, *self.expected, ALL_SYSTEMS))
        acceptances = acceptances_of(self.night, self.settings)
        return VerdictInputs(
            asked(self.settings),
            self.chosen.against,
            tuple(system for system in self.expected if system not in self.systems),
            next((each.reason for each in acceptances if each.is_whole), None),
            unusable,
            acceptances,
            "" if self.past is None else self.past.digest(self.settings.rules),
        )

    def check(self, differences: dict[str, list[str]]) -> tuple[RuleResults, RuleResults]:
        """Check all rules, over all documents and by group."""
        if self.past is None or self.spread is None:
            return RuleResults(), RuleResults()
        by = self.settings.gate_by
        tonight = Tonight(
            self.night,
            self.systems,
            self.past,
            self.spread,
            self.changes,
            self.chosen.without(differences),
            self.several,
            by,
        )
        _require_attributes(self.night, by)
        asked_for = [
            (kind, rules)
            for kind in KINDS
            if (rules := [rule for rule in self.settings.rules if kind_of(rule) is kind])
        ]

        def results(*, by_group: bool) -> RuleResults:
            found = [kind.check(tonight, rules, by_group=by_group) for kind, rules in asked_for]
            checks = chain.from_iterable(each.checks for each in found)
            common = chain.from_iterable(each.common for each in found)
            return RuleResults(on_trial(checks, self.settings), tuple(common))

        return results(by_group=False), results(by_group=True) if by else RuleResults()

    def verdict(self, reasons: VerdictInputs) -> Verdict:
        """Check all rules and compose the verdict."""
        night, settings, single = self.night, self.settings, self.chosen.single
        differences = self.differences(self.chosen)
        whole, grouped = self.check(differences)
        unpaired, rejected = unscored_systems(night, reasons.missing)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        verdict = Verdict(
            date=night.date.isoformat(),
            run=night.fingerprint,
            **reasons._asdict(),
            checks=whole.checks,
            systems=self.systems,
            new=tuple(system for system in self.systems if system not in single),
            differences=differences,
            outcome=PASSED,
            finished_at=now,
            first_published_at=nights.first_published(night) or now,
            expected=self.expected or needed(self.systems, settings),
            unpaired=unpaired,
            rejected=rejected,
            group_checks=grouped.checks,
            # What is shared in some groups is said of these groups.
            common=grouped.common or whole.common,
            densities=() if self.past is None else count_densities(night, settings.gate_by),
            missing_groups=missing_groups(night, self.earlier) if settings.require_groups else (),
            reused_ids=len(self.changes.find(night, single.values()).reused),
        )
        outcome = _outcome(verdict, settings.not_comparable)
        if outcome in (PASSED, ACCEPTED):
            verdict = replace(verdict, expected=needed(self.systems, settings))
        return self.with_warnings(replace(verdict, outcome=outcome))

    def with_warnings(self, verdict: Verdict) -> Verdict:
        """Add what looks wrong, and why all systems changed, if the references did."""
        dense, of_references = self.changed_densities(verdict.densities)
        checks = (*verdict.checks, *verdict.group_checks)
        failing = {check.system for check in checks if check.fails}
        worse = [check for check in checks if check.fails or check.result == ON_TRIAL]
        whole = {check.system for check in verdict.checks if check.fails}
        single = self.chosen.single
        of_feed = [
            *warn_of_feed(self.night, single, self.earlier, self.changes),
            *(warning for warning in dense if not warning.systems.isdisjoint(whole)),
            *warn_of_versions(self.night, worse, single, self.earlier),
        ]
        # What all systems share in general is not said again of each group.
        shared = {check.rule for check in verdict.checks if check.result == WARNED}
        grouped = [check for check in verdict.group_checks if check.rule not in shared]
        common, found = verdict.common, [*warnings_in_words((*verdict.checks, *grouped))]
        found += not_judged_in_words(checks)
        if of_references and common:
            common = tuple(f"{text}; {of_references}" for text in common)
        elif of_references:
            found.insert(0, of_references)
        warnings = [
            *exclusions_in_words(self.settings.exclusions, _excluded(self.night)),
            *(warning.text for warning in of_feed),
            *found,
            *trials_in_words(checks, verdict.systems, self.settings),
        ]
        before = next(self.earlier.newest_first(self.night.date), None)
        warned, standing = said_once(warnings, None if before is None else before.verdict)
        # A system whose file cannot be read is missing for that reason.
        concerned = failing if verdict.unusable else failing.union(verdict.missing)
        causes = tuple(probable_causes(of_feed, concerned))
        return replace(verdict, causes=causes, common=common, warnings=warned, standing=standing)

    def changed_densities(self, densities: Sequence[Density]) -> tuple[list[InputWarning], str]:
        """Say which systems have another density of boundaries, and whether the references do."""
        if self.past is None:
            return [], ""
        said = dict(densities_in_words(changed_densities(self.past, densities)))
        of_references = said.pop(None, "")
        named = [InputWarning(text, frozenset({str(who)})) for who, text in said.items()]
        return named, of_references


def _excluded(night: Night) -> list[str]:
    """Return the documents of which rows were rejected because the settings exclude them."""
    return [
        document
        for part in night.parts("rejects", ["document_id", "rule"])
        for document in part.filter(pc.equal(part["rule"], EXCLUDED))["document_id"].to_pylist()
    ]


def _outcome(verdict: Verdict, not_comparable: str) -> str:
    """Return the outcome of a night by what failed, is missing, and was accepted."""
    failed = verdict.failed
    left = [check for check in failed if verdict.accepts(check.system, check.rule) is None]
    missing = (*verdict.missing, *verdict.missing_groups)
    differs = bool(verdict.differences) and not_comparable == FAIL
    useless = {stale.system for stale in verdict.unpaired}
    useless |= {other.system for other in verdict.rejected if not other.is_twice}
    unused = bool(verdict.unusable or (verdict.missing and useless.issuperset(verdict.missing)))
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


def _require_system(name: str | None, known: Sequence[str]) -> None:
    """Refuse to accept what a system did that the night neither has nor lacks."""
    if name is not None and name not in known:
        raise Refused(f"--system {name}: the night has no such system{nearest(name, known)}")


def _require_attributes(night: Night, names: Sequence[str]) -> None:
    """Refuse a night whose documents lack an attribute to group by."""
    for piece in night.table_files("scores") if names else ():
        for name in names:
            if name not in piece.columns:
                near = nearest(name, piece.columns)
                raise Refused(f"--gate-by {name}: the documents have no such attribute{near}")
