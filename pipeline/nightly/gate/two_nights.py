"""Rules about two nights, such as `pk<=+0.02`: an average against the last good night's.

For a rule that lets an average M fall by d, the null hypothesis is that the true average fell by at
most d.  The test statistic is the excess of the observed change over the limit, in standard errors
(``statistics.changes``); its p-value is from Student's t.  Holm's method (1979, "A simple
sequentially rejective multiple test procedure") corrects for the number of checks of the night.

A slow decline passes a comparison with the last good night every night; rules about levels find it.
If all systems get worse in one group, the reason is probably not in the systems, but in the
recordings or the references of the group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate.chosen import ChosenNights
from segscore.pipeline.nightly.gate.common_cause import shared_in_words
from segscore.pipeline.nightly.gate.compared import NightAverages
from segscore.pipeline.nightly.gate.families import (
    ALPHA,
    ComparedFamily,
    GateFamily,
    compare_families,
)
from segscore.pipeline.nightly.gate.kind import RuleKind, RuleResults, Tonight, allowed, undefined
from segscore.pipeline.nightly.gate.moved_documents import documents_moved
from segscore.pipeline.nightly.gate.rule import GateRule, read_change
from segscore.pipeline.nightly.nights import Night, open_as_night, systems_of
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, FAILED, Check
from segscore.pipeline.statistics.formatted_numbers import format_p
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE
from segscore.pipeline.statistics.sums import GroupKey

_CAUSE = "; its recordings or references may have changed"


class TwoNightsKind(RuleKind):
    """An average may move by so much against one night, or the median of several."""

    name = "two nights"
    needs_history = False

    def read(self, text: str) -> GateRule | None:
        """Read a rule without a prefix."""
        return read_change(text, self.name)

    def check(self, tonight: Tonight, rules: Sequence[GateRule], *, by_group: bool) -> RuleResults:
        """Check the rules for all systems; by group, against the median of the last good nights."""
        others = tonight.several() if by_group else tonight.chosen
        if not others.single:
            return RuleResults()
        by = tonight.by if by_group else ()
        averages = NightAverages(
            tonight.night, others.nights(), rules, by, tonight.changes, tonight.spread
        )
        judge = _judge_groups if by_group else _judge_all
        return judge(averages, others, rules, ALPHA)

    def compared_with(self, check: Check) -> str:
        """Name the night, or the nights whose median is compared with."""
        if check.nights == 1:
            return check.against
        return f"the median of {check.nights} nights to {check.against}"

    def clause(self, checks: Sequence[Check]) -> str:
        """Say what an average is, and what it was in one night and in several."""
        first = checks[0]
        if (text := undefined(first, when_before(first))) is not None:
            return text
        assert first.value is not None
        assert first.before is not None
        digits = 3 if short(first.value) != short(first.before) else 4
        befores = [
            f"{short(check.before, digits)} {when_before(check)}"
            for check in checks
            if check.before is not None
        ]
        now = short(first.value, digits)
        return f"{now}, was {' and '.join(befores)} {allowed(first, format_p(first.p_adjusted))}"

    def remarks(self, checks: Sequence[Check]) -> Iterator[str]:
        """Say what is compared with, and what few documents or nights leave undecided."""
        if any(check.nights > 1 for check in checks):
            yield "of several nights, the median is compared with"
        if any(check.p is None and check.change is not None for check in checks):
            yield f"undecided with fewer than {FEWEST} documents"
        tested = (check.calibrated for check in checks if check.p is not None)
        few = [nights for nights in tested if nights is not None]
        if few and min(few) < FEWEST_OF_BASELINE:
            yield (
                f"{min(few)} of {FEWEST_OF_BASELINE} nights: before night "
                f"{FEWEST_OF_BASELINE + 1}, only a loss of half fails"
            )

    def metric(self, check: Check) -> str:
        """Tell the change from one night from that from a median."""
        return "change_from_median" if check.nights > 1 else "change"


def _judge_all(
    averages: NightAverages, others: ChosenNights, rules: Sequence[GateRule], alpha: float
) -> RuleResults:
    """Check rules about two nights for all systems, over all documents.

    Returns:
        The checks, by rule, then by system. If systems fail because all got worse, a check of
        their mean follows those of a rule.
    """
    single: dict[GroupKey, tuple[Night, ...]] = {
        (name,): (other,) for name, other in others.single.items()
    }
    checks: list[Check] = []
    common = []
    for found in compare_families(averages, [GateFamily(rule, single) for rule in rules], alpha):
        checks += [
            replace(
                check, moved=documents_moved(averages, single[check.system,][0], found.rule, check)
            )
            if check.fails
            else check
            for check in found.checks
        ]
        known = [check for check in found.checks if check.change is not None]
        worse = any(check.result in (FAILED, COMMON_CAUSE) for check in known)
        if averages.spread is not None and found.is_shared and worse and found.mean is not None:
            checks.append(found.mean)
            common.append(shared_in_words(found.mean, known, found.rule))
    return RuleResults(tuple(checks), tuple(common))


def _judge_groups(
    averages: NightAverages, others: ChosenNights, rules: Sequence[GateRule], alpha: float
) -> RuleResults:
    """Check rules about two nights for all systems in all groups of documents.

    A system is compared with the median of the last good nights, or the last good night if there
    are too few. The checks of the means of all systems come last.
    """
    families = []
    for rule in rules:
        keys = sorted((key for key in averages.keys(rule) if key[0] in others.single), key=str)
        for group in dict.fromkeys(key[1:] for key in keys):
            nights = {
                key: averages.known(rule, key, others.several.get(str(key[0]), ()))
                or (others.single[str(key[0])],)
                for key in keys
                if key[1:] == group
            }
            families.append(GateFamily(rule, nights))
    compared = compare_families(averages, families, alpha)
    texts = [rule.text for rule in rules]
    checks = sorted(
        (check for each in compared for check in each.checks),
        key=lambda check: (texts.index(check.rule), check.system, check.group or ""),
    )
    # The mean is a check of its own only where the systems agree.
    means = (
        each.mean
        for each in compared
        if each.mean is not None and (each.is_shared or not each.mean.fails)
    )
    return RuleResults((*checks, *means), tuple(_common(compared)))


def _excess(rule: GateRule, change: float | None) -> float:
    return 0.0 if change is None else rule.excess(change)


def _common(compared: Sequence[ComparedFamily]) -> Iterator[str]:
    """Say in which groups all systems got worse: each group, or all of them at once."""
    for rule in dict.fromkeys(each.rule for each in compared):
        shared = [
            (each.mean, each.checks)
            for each in compared
            if each.rule == rule and each.is_shared and each.mean
        ]
        groups = sum(each.rule == rule for each in compared)
        if len(shared) >= max(2, groups - 1) and groups > 2:
            mean, checks = max(shared, key=lambda each: _excess(rule, each[0].change))
            everywhere = f"all {groups}" if len(shared) == groups else f"{len(shared)} of {groups}"
            place = f" in {everywhere} groups, most in {mean.group}"
            yield shared_in_words(replace(mean, group=None), checks, rule, place)
        else:
            yield from (shared_in_words(*each, rule) + _CAUSE for each in shared)


def check_runs(run: str, other: str, rules: tuple[GateRule, ...], alpha: float) -> list[Check]:
    """Check all rules for the systems that two runs share.

    Raises:
        Refused: a folder has no finished scoring run, a run does not have a measure of the rules,
            or the runs share no system.
    """
    now, then = open_as_night(run), open_as_night(other)
    for night in (now, then):
        night.require([rule.measure for rule in rules])
        if night.by_level:
            raise Refused(
                f"--gate: {night.url} is by level, and the gate judges documents, not levels; omit "
                "--gate, or compare runs without --by-level"
            )
    other_systems = systems_of(then)
    shared = [system for system in systems_of(now) if system in other_systems]
    if not shared:
        raise Refused(f"{run}: shares no system with {other}, so there is nothing to compare")
    others = ChosenNights(dict.fromkeys(shared, then), {})
    averages = NightAverages(now, others.nights(), rules)
    return [*_judge_all(averages, others, rules, alpha).checks]
