"""Check rules about levels, such as `level:pk<=+0.02`.

A level is the moving average of what a system does against the median of the others
(``statistics.night_levels``), so that a hard night, a weekend or a change of the references is no
fall of a system. What all systems share is judged likewise, and blames nobody.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.nightly.past import Past
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.verdict import (
    ALL_SYSTEMS,
    COMMON_CAUSE,
    FAILED,
    PASSED,
    WARNED,
    Check,
    check_of,
)
from segscore.pipeline.statistics.formatted_numbers import shown_attribute
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import (
    FEWEST_OF_BASELINE,
    FEWEST_SYSTEMS,
    Falls,
    baseline_of,
    blamed,
    collapsed,
    falls,
    first_nights,
    night_before,
    onset,
    own_parts,
    p_at_limit,
    relative,
    shared_part,
)
from segscore.pipeline.statistics.sums import GroupKey


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
        groups = past.groups(rule) if by_group else [()]
        found = [each for group in groups for each in _judge_group(past, rule, systems, group)]
        by_system: dict[str, list[_Found]] = {}
        for each in found:
            is_of_all = each.check.system == ALL_SYSTEMS
            if is_of_all == rule.is_common:
                by_system.setdefault(each.check.system, []).append(each)
            elif is_of_all and (rule.measure, rule.average) not in asked:
                by_system.setdefault(ALL_SYSTEMS, []).append(each)
        checks += [check for listed in by_system.values() for check in _decide(rule, listed)]
    return checks


class _Found(NamedTuple):
    """A check without its result.

    Attributes:
        check: the check.
        is_beyond: whether the fall is beyond the limit, chance or not.
        is_blamed: whether it is the system's own, and not the rise of others.
    """

    check: Check
    is_beyond: bool
    is_blamed: bool = True


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


class _Series(NamedTuple):
    """A part of a system or of all, with the averages it is of, and which nights are good."""

    part: Floats
    values: Floats
    good: Flags


def _series(past: Past, parts: _Parts, system: str) -> _Series:
    if system == ALL_SYSTEMS:
        assert parts.common is not None
        known = ~np.isnan(parts.values)
        total = np.where(known, parts.values, 0.0).sum(axis=1)
        mean = np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)
        return _Series(parts.common, mean, past.good([ALL_SYSTEMS])[:, 0])
    column = parts.systems.index(system)
    return _Series(parts.own[:, column], parts.values[:, column], parts.good[:, column])


def _check(past: Past, rule: GateRule, parts: _Parts, system: str, group: GroupKey) -> _Found:
    """Estimate how far a system, or what all share, is below the baseline."""
    first = past.first(rule, system)
    part, values, good = _series(past, parts, system)
    usable = good & ~np.isnan(part)
    usable[:first] = False
    chosen = first_nights(usable[:, None])[:, 0]
    nights = int(np.count_nonzero(chosen))
    begin = past.dates[int(chosen.argmax())] if nights else past.dates[-1]
    check = check_of(
        rule,
        system,
        begin.isoformat(),
        group=", ".join(map(shown_attribute, group)) or None,
        value=None,
        before=None,
        nights=nights,
        calibrated=nights,
    )
    if parts.collapsed[-1] and system != ALL_SYSTEMS:
        return _Found(replace(check, result=COMMON_CAUSE), is_beyond=False)
    if nights < FEWEST_OF_BASELINE or np.isnan(part[-1]):
        return _Found(check, is_beyond=False)
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
    return _found(past, rule, parts, check, found, falls(values[first:], values[chosen].mean()))


def _found(
    past: Past, rule: GateRule, parts: _Parts, check: Check, found: Falls, average: Falls
) -> _Found:
    """Say whether a fall is beyond the limit, and the system's own."""
    limit = abs(rule.limit)
    is_beyond = bool(found.beyond(limit)[-1])
    if check.system == ALL_SYSTEMS or parts.common is None:
        return _Found(check, is_beyond)
    is_own = bool(blamed(found, average, _moving_common(past, rule, parts.common), limit)[-1])
    rose_not = float(average.moving[-1]) <= limit
    return _Found(check, is_beyond and (is_own or rose_not), is_own)


def _moving_common(past: Past, rule: GateRule, common: Floats) -> Floats:
    """Return the moving average of what all systems share; 0 without a baseline."""
    first = past.first(rule, ALL_SYSTEMS)
    good = past.good([ALL_SYSTEMS])[first:] & ~np.isnan(common[first:, None])
    chosen = first_nights(good)[:, 0]
    if np.count_nonzero(chosen) < FEWEST_OF_BASELINE:
        return np.zeros(1)
    part = common[first:]
    return falls(part, baseline_of(part, chosen).mean).moving[-1:]


def _decide(rule: GateRule, found: Sequence[_Found]) -> list[Check]:
    """Decide on the groups of a system: Holm's method covers them."""
    adjusted = holm([np.nan if each.check.p is None else each.check.p for each in found])
    decided = []
    for (check, is_beyond, is_blamed), p in zip(found, adjusted.tolist(), strict=True):
        if check.p is not None:
            only_warns = (check.system == ALL_SYSTEMS and not rule.is_common) or not is_blamed
            worse = WARNED if only_warns else FAILED
            fails = is_beyond and p <= p_at_limit()
            check = replace(check, p_adjusted=p, result=worse if fails else PASSED)
        decided.append(check)
    return decided
