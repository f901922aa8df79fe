"""Rules about the line through the last nights, such as `trend:pk<=+0.02 per 30 nights`.

A slow decline passes every comparison of two nights.  The line through the last nights (Theil and
Sen's) is tested with Mann and Kendall's test, in the form that is not liberal
(``statistics.trends``).  With three or more systems, it is that of each against the median of the
others, so that a week that is hard for all neither looks like a decline nor hides one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.past import Past
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.verdict import EVERY, FAILED, PASSED, WARNED, Check, check_of
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import (
    FEWEST_SYSTEMS,
    own_parts,
    relative,
    shared_part,
)
from segscore.pipeline.statistics.shown_numbers import shown_attribute
from segscore.pipeline.statistics.sums import GroupKey
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND, theil_sen

TREND_ALPHA = 0.01
"""Probability that a rule fails for any system by chance alone, if no average has a trend."""


def judge_trends(
    past: Past, rules: Sequence[GateRule], systems: Sequence[str], *, by_group: bool = False
) -> list[Check]:
    """Check the rules for trends for all systems of a night, and what all systems share.

    A check fails if the line goes beyond the limit and its p, adjusted by Holm's method, is at most
    `TREND_ALPHA`; that of what all share only warns.  With too few nights it is undecided.

    Args:
        past: the night and those before it.
        rules: the rules, all of them for trends.
        systems: the systems of tonight.
        by_group: whether to check the groups instead of all documents; Holm's method covers the
            systems in all groups, and apart from them what they share in each.
    """
    checks: list[Check] = []
    for rule in rules:
        groups = past.groups(rule) if by_group else [()]
        found = [each for group in groups for each in _check_all(past, rule, systems, group)]
        own = [check for check in found if check.system != EVERY]
        shared = [check for check in found if check.system == EVERY]
        for family in (own, shared):
            adjusted = holm([np.nan if check.p is None else check.p for check in family])
            decided = zip(family, adjusted.tolist(), strict=True)
            checks += [_decide(rule, check, p) for check, p in decided]
    return checks


def nights_of_trends(past: Past, rules: Sequence[GateRule]) -> list[str]:
    """Return the dates of the nights before the last that the longest line goes through."""
    longest = max((rule.nights for rule in rules), default=0)
    return [day.isoformat() for day in past.dates[-longest:-1]] if longest else []


class _Line(NamedTuple):
    """A series, and what its level is added to: the mean of a system's own averages."""

    values: Floats
    level: float


def _check_all(
    past: Past, rule: GateRule, systems: Sequence[str], group: GroupKey
) -> Iterator[Check]:
    tonight = [name for name in systems if past.average(rule, name, group) is not None]
    values = past.values(rule, tonight, group)[-rule.nights :]
    first = max(0, len(past.nights) - rule.nights)
    for column, system in enumerate(tonight):
        values[: max(0, past.first(rule, system) - first), column] = np.nan
    known = ~np.isnan(values)
    enough = known.sum(axis=0) >= FEWEST_FOR_TREND
    levels = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    lines = {name: _Line(values[:, i], 0.0) for i, name in enumerate(tonight)}
    if np.count_nonzero(enough) >= FEWEST_SYSTEMS:
        deviations = np.where(enough, relative(values, known), np.nan)
        own = own_parts(deviations)
        lines |= {
            name: _Line(own[:, i], float(levels[i])) for i, name in enumerate(tonight) if enough[i]
        }
        lines[EVERY] = _Line(shared_part(deviations), float(levels[enough].mean()))
    for name, line in lines.items():
        yield _check(past, rule, (name, *group), line)


def _check(past: Past, rule: GateRule, key: GroupKey, line: _Line) -> Check:
    """Estimate the line of a system, in a group; ``value`` and ``before`` are its ends."""
    system, group = str(key[0]), key[1:]
    dates = past.dates[-rule.nights :]
    at = np.flatnonzero(~np.isnan(line.values))
    first = dates[at[0]] if len(at) else dates[-1]
    average = past.average(rule, system, group)
    value = None if average is None or np.isnan(average.value) else average.value
    place = ", ".join(map(shown_attribute, group)) or None
    check = check_of(
        rule, system, first.isoformat(), group=place, value=value, before=None, nights=len(at)
    )
    if len(at) < FEWEST_FOR_TREND:
        return check
    found = theil_sen(at, line.values[at])
    start, end = (
        line.level + found.intercept + found.slope * float(place) for place in (at[0], at[-1])
    )
    change = found.slope * rule.nights
    p = max(found.p, found.p_independent)
    return replace(check, value=end, before=start, change=change, p=p)


def _decide(rule: GateRule, check: Check, p_adjusted: float) -> Check:
    if check.p is None or check.change is None:
        return check
    is_worse = p_adjusted <= TREND_ALPHA and rule.excess(check.change) > 0
    worse = WARNED if check.system == EVERY else FAILED
    return replace(check, p_adjusted=p_adjusted, result=worse if is_worse else PASSED)
