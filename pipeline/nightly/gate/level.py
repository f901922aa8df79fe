"""Rules about levels, such as `level:pk<=+0.02`: a moving average against a fixed baseline.

A level is the moving average of what a system does against the median of the others
(``statistics.night_levels``), so that a hard night, a weekend or a change of the references is no
fall of a system. What all systems share is judged likewise, and blames nobody; but a rule with the
prefix `common:` is about it, and fails for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate.kind import RuleKind, RuleResults, Tonight, allowed, undefined
from segscore.pipeline.nightly.gate.past import Past
from segscore.pipeline.nightly.gate.rule import GateRule, read_change
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    COMMON_CAUSE,
    FAILED,
    PASSED,
    WARNED,
    Check,
    check_of,
)
from segscore.pipeline.statistics.formatted_numbers import counted, format_p
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import (
    BASELINE_NIGHTS,
    FEWEST_OF_BASELINE,
    FEWEST_SYSTEMS,
    Falls,
    baseline_of,
    blamed,
    collapsed,
    falls,
    fell_itself,
    first_nights,
    night_before,
    onset,
    own_parts,
    p_at_limit,
    relative,
    shared_part,
)
from segscore.pipeline.statistics.sums import GroupKey

LEVEL, _COMMON = "level:", "common:"


class LevelKind(RuleKind):
    """The level of a system, against the others, may move by so much from its baseline."""

    name = "level"
    has_level = True

    def read(self, text: str) -> GateRule | None:
        """Read a rule with a prefix whose limit is a change."""
        for prefix in (LEVEL, _COMMON):
            if text.startswith(prefix):
                rule = read_change(text.removeprefix(prefix), self.name)
                return replace(rule, text=text, is_common=prefix == _COMMON)
        return None

    def check(self, tonight: Tonight, rules: Sequence[GateRule], *, by_group: bool) -> RuleResults:
        """Check the levels of the systems of tonight, and what all systems share."""
        checks = judge_level_rules(tonight.past, rules, tonight.systems, by_group=by_group)
        return RuleResults(tuple(checks))

    def clause(self, checks: Sequence[Check]) -> str:
        """Say how far a level is off, since when, and what it was."""
        check = checks[0]
        if (text := undefined(check, when_before(check))) is not None:
            return text
        assert check.value is not None
        assert check.before is not None
        assert check.change is not None
        verb = "lower" if check.change < 0 else "higher"
        others = (
            ""
            if check.system == ALL_SYSTEMS or check.is_raw
            else ", compared with the other systems"
        )
        if check.until is None:
            now = (
                f"is {verb} since {check.since}{others}: {short(check.value)} on average since then"
            )
        else:
            span = f"from {check.since} to {check.until}"
            now = (
                f"was {verb} {span}{others}, and has been as before since: {short(check.value)} "
                "on average on these nights"
            )
        baseline = f"{short(check.before)} in {counted(check.nights, 'night')} from {check.against}"
        return f"{now}, {baseline} {allowed(check, format_p(check.p_adjusted))}"

    def warning(self, check: Check, what: str) -> str:
        """Say that a level is lower for all systems, or that a system did not rise with others."""
        if check.system == ALL_SYSTEMS or check.value is None or check.before is None:
            return super().warning(check, what)
        place = "" if check.group is None else f" in {check.group}"
        is_over = check.until is not None
        when = f"from {check.since} to {check.until}" if is_over else f"since {check.since}"
        return (
            f"{check.system} {'was' if is_over else 'fell'} behind the other systems{place}, which "
            f"{'were' if is_over else 'got'} better: its {what} {'was' if is_over else 'is'} "
            f"{short(check.value)} on average {when}, {short(check.before)} in "
            f"{counted(check.nights, 'night')} from {check.against}"
        )

    def is_early(self, check: Check) -> bool:
        """Return whether the baseline is not known yet."""
        return check.change is None

    def remarks(self, checks: Sequence[Check]) -> Iterator[str]:
        """Say what a level is, and whether baselines are complete."""
        raw = any(check.is_raw for check in checks)
        yield "a level is a moving average" + (
            " of the averages themselves, for want of three systems"
            if raw
            else " of what a system does against the others"
        )
        if (least := min(check.nights for check in checks)) < BASELINE_NIGHTS:
            yield f"baselines need {BASELINE_NIGHTS} good nights ({least} so far)"

    def metric(self, check: Check) -> str:
        """Name the change of the level."""
        return "change_of_level"


def judge_level_rules(
    past: Past, rules: Sequence[GateRule], systems: Sequence[str], *, by_group: bool = False
) -> list[Check]:
    """Check rules about levels for the systems of tonight, and for what all systems share.

    Args:
        past: the night and those before it.
        rules: the rules, all of them about levels.
        systems: the systems of tonight.
        by_group: whether to check the groups instead of all documents; Holm's method covers the
            groups of each system.
    """
    asked = {(rule.measure, rule.average) for rule in rules if rule.is_common}
    checks: list[Check] = []
    for rule in rules:
        is_said = rule.is_common or (rule.measure, rule.average) not in asked
        by_system: dict[str, list[_Found]] = {}
        for group in past.groups(rule) if by_group else [()]:
            for found in _judge_group(past, rule, systems, group):
                is_of_all = found[0].system == ALL_SYSTEMS
                if is_said if is_of_all else not rule.is_common:
                    by_system.setdefault(found[0].system, []).append(found)
        checks += [check for listed in by_system.values() for check in _decide(listed)]
    return checks


_Found = tuple[Check, str]
"""A check without its result, and the result that it has if it is not by chance."""


def _judge_group(
    past: Past, rule: GateRule, systems: Sequence[str], group: GroupKey
) -> Iterator[_Found]:
    """Yield the checks of the systems of tonight in a group, and of what all share."""
    parts = _parts(past, rule, group)
    tonight = [name for name in systems if past.average(rule, name, group) is not None]
    for system in tonight:
        yield _check(past, rule, parts, system, group)
    if parts.common is not None and tonight:
        yield _check(past, rule, parts, ALL_SYSTEMS, group)


class _Parts(NamedTuple):
    """The parts of the averages of a rule, so that what is lower is worse.

    Attributes:
        systems: the systems, with a known level or not.
        values: their averages, shape (nights, systems).
        good: the nights that may be in their baselines, of the same shape.
        own: their own parts, of the same shape.
        common: what they share, shape (nights,); None if fewer than three have a known level.
        collapsed: the nights on which all systems lost most of their value, shape (nights,).
    """

    systems: Sequence[str]
    values: Floats
    good: Flags
    own: Floats
    common: Floats | None
    collapsed: Flags


def _parts(past: Past, rule: GateRule, group: GroupKey) -> _Parts:
    """Divide the averages of all systems into what they share and their own parts.

    A system whose level changed and was accepted is relative to the level of its time.
    """
    sign = 1.0 if rule.falls else -1.0
    systems = past.systems(rule, group)
    values = sign * past.values(rule, systems, group)
    good = past.good(systems) & ~np.isnan(values)
    deviations = np.full(values.shape, np.nan)
    for column, system in enumerate(systems):
        for start, end in past.spans(rule, system):
            level = slice(start, end), slice(column, column + 1)
            chosen = first_nights(good[level])
            if np.count_nonzero(chosen) >= FEWEST_OF_BASELINE:
                deviations[level] = relative(values[level], chosen)
    known = ~np.isnan(deviations[-1]) if len(deviations) else np.zeros(0, bool)
    if np.count_nonzero(known) < FEWEST_SYSTEMS:
        return _Parts(systems, values, good, values, None, np.zeros(len(values), bool))
    worst = rule.worst
    together = collapsed(values - worst, values - worst - deviations)
    own = own_parts(deviations, night_before(~past.good(systems)))
    own[together] = np.nan
    return _Parts(systems, values, good, own, shared_part(deviations), together)


def _series(past: Past, parts: _Parts, system: str) -> tuple[Floats, Floats, Flags]:
    """Return a part of a system or of all, the averages it is of, and which nights are good."""
    if system == ALL_SYSTEMS:
        assert parts.common is not None
        known = ~np.isnan(parts.values)
        total = np.where(known, parts.values, 0.0).sum(axis=1)
        mean = np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)
        return parts.common, mean, past.good([ALL_SYSTEMS])[:, 0]
    column = parts.systems.index(system)
    return parts.own[:, column], parts.values[:, column], parts.good[:, column]


def _check(past: Past, rule: GateRule, parts: _Parts, system: str, group: GroupKey) -> _Found:
    """Estimate how far a system, or what all share, is below the baseline."""
    first = past.first(rule, system)
    part, values, good = _series(past, parts, system)
    usable = good & ~np.isnan(part)
    usable[:first] = False
    chosen = first_nights(usable[:, None])[:, 0]
    known = int(np.count_nonzero(chosen))
    begin = past.dates[int(chosen.argmax())] if known else past.dates[-1]
    check = check_of(rule, system, begin.isoformat(), group, nights=known, calibrated=known)
    if parts.collapsed[-1] and system != ALL_SYSTEMS:
        return replace(check, result=COMMON_CAUSE), PASSED
    if known < FEWEST_OF_BASELINE or np.isnan(part[-1]):
        return check, PASSED
    baseline = baseline_of(part, chosen)
    found = falls(part[first:], baseline.mean)
    since = first + onset(part[first:], float(baseline.mean))
    limit = abs(rule.limit)
    # What is said of a level that is off is about the nights that were, if the last ones are not.
    is_off = found.beyond(limit)[-1] & (baseline.mean - part[since:] > limit / 2)
    last = since + int(np.flatnonzero(is_off)[-1]) if is_off.any() else len(part) - 1
    sign = 1.0 if rule.falls else -1.0
    check = replace(
        check,
        value=sign * float(np.nanmean(values[since : last + 1])),
        before=sign * float(np.nanmean(values[chosen])),
        change=-sign * float(found.moving[-1]),
        standard_error=float(baseline.deviation),
        p=float(baseline.p_of(found.moving[-1])),
        between=float(baseline.spread),
        is_raw=parts.common is None,
        since=past.dates[since].isoformat(),
        until=None if last == len(part) - 1 else past.dates[last].isoformat(),
    )
    means = float(baseline.mean), float(values[chosen].mean())
    itself = fell_itself(part[first:], values[first:], means, limit)
    average = falls(values[first:], values[chosen].mean())
    return check, _if_sure(past, rule, parts, system, found, average, itself=itself)


def _if_sure(
    past: Past,
    rule: GateRule,
    parts: _Parts,
    system: str,
    found: Falls,
    average: Falls,
    *,
    itself: bool,
) -> str:
    """Return the result of a fall that is not by chance: beyond the limit, and the system's own."""
    limit = abs(rule.limit)
    if not found.beyond(limit)[-1]:
        return PASSED
    if system == ALL_SYSTEMS:
        return FAILED if rule.is_common else WARNED
    if parts.common is None:
        return FAILED
    if not itself or float(average.moving[-1]) <= limit:
        return WARNED
    common = _moving_common(past, rule, parts.common)
    return FAILED if blamed(found, average, common, limit)[-1] else PASSED


def _moving_common(past: Past, rule: GateRule, common: Floats) -> Floats:
    """Return the moving average of what all systems share; 0 without a baseline."""
    first = past.first(rule, ALL_SYSTEMS)
    good = past.good([ALL_SYSTEMS])[first:] & ~np.isnan(common[first:, None])
    chosen = first_nights(good)[:, 0]
    if np.count_nonzero(chosen) < FEWEST_OF_BASELINE:
        return np.zeros(1)
    part = common[first:]
    return falls(part, baseline_of(part, chosen).mean).moving[-1:]


def _decide(found: Sequence[_Found]) -> Iterator[Check]:
    """Decide on the groups of a system: Holm's method covers them."""
    adjusted = holm([np.nan if check.p is None else check.p for check, _ in found])
    for (check, if_sure), p in zip(found, adjusted.tolist(), strict=True):
        if check.p is None:
            yield check
        else:
            yield replace(check, p_adjusted=p, result=if_sure if p <= p_at_limit() else PASSED)
