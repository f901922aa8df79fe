"""Rules about the line through the last nights, such as `trend:pk<=+0.02 per 30 nights`.

A slow decline passes every comparison of two nights.  The line through the last nights (Theil and
Sen's) is tested with Mann and Kendall's test, in the form that is not liberal
(``statistics.trends``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from segscore.pipeline.nightly.nights import Night, Nights, differences_of, system_rows
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.verdict import ACCEPTED, FAILED, PASSED, Check
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND, theil_sen

TREND_ALPHA = 0.01
"""Probability that a rule fails for any system by chance alone, if no average has a trend."""


def nights_of_trend(night: Night, earlier: Nights, rules: Sequence[GateRule]) -> list[Night]:
    """Return the nights that the longest line of the rules goes through, oldest first.

    They are tonight and the comparable nights before it, whatever their outcomes, back to the last
    one that was accepted: what was accepted is not held against later nights.
    """
    longest = max((rule.nights for rule in rules), default=0)
    if not longest:
        return []
    measures = [rule.measure for rule in rules if rule.nights]
    return [night, *islice(_before(night, earlier, measures), longest - 1)][::-1]


def _before(night: Night, earlier: Nights, measures: Sequence[str]) -> Iterator[Night]:
    for other in earlier.newest_first(night.date):
        available = other.selection.names
        if not differences_of(other.signature, night.signature, measures, available):
            yield other
        if other.verdict is not None and other.verdict.outcome == ACCEPTED:
            return


def judge_trends(nights: Sequence[Night], rules: Sequence[GateRule]) -> list[Check]:
    """Check the rules for trends for all systems of the last of some nights.

    A check fails if the line goes beyond the limit and its p, adjusted by Holm's method for the
    systems, is at most `TREND_ALPHA`.  With too few nights it is undecided.
    """
    known = [_averages_of(night) for night in nights]
    checks: list[Check] = []
    for rule in (rule for rule in rules if rule.nights):
        window, averages = nights[-rule.nights :], known[-rule.nights :]
        found = [
            _check(rule, system, window, averages)
            for system, measure, average in averages[-1]
            if (measure, average) == (rule.measure, rule.average)
        ]
        adjusted = holm([np.nan if check.p is None else check.p for check in found])
        checks += [
            check if check.p is None else _decide(rule, check, float(p))
            for check, p in zip(found, adjusted, strict=True)
        ]
    return checks


def _averages_of(night: Night) -> dict[tuple[str, str, str], float | None]:
    return {
        (row["hypothesis"], row["measure"], row["average"]): row["value"]
        for row in system_rows(night)
    }


def _check(
    rule: GateRule,
    system: str,
    window: Sequence[Night],
    averages: Sequence[dict[tuple[str, str, str], float | None]],
) -> Check:
    """Estimate the line of a system; ``value`` and ``before`` are its ends."""
    key = system, rule.measure, rule.average
    values = np.array([np.nan if each.get(key) is None else each[key] for each in averages], float)
    at = np.flatnonzero(~np.isnan(values))
    first = window[at[0]].name if len(at) else window[-1].name
    check = Check(
        rule.text, system, rule.measure, rule.average, rule.limit, first, averages[-1][key], None,
        documents=0, documents_before=0, shared=0, nights=len(at),
    )  # fmt: skip
    if len(at) < FEWEST_FOR_TREND:
        return check
    line = theil_sen(at, values[at])
    start, end = (line.intercept + line.slope * float(place) for place in (at[0], at[-1]))
    change = line.slope * rule.nights
    p = max(line.p, line.p_independent)
    return replace(check, value=end, before=start, change=change, p=p)


def _decide(rule: GateRule, check: Check, p_adjusted: float) -> Check:
    assert check.change is not None
    fails = p_adjusted <= TREND_ALPHA and rule.excess(check.change) > 0
    return replace(check, p_adjusted=p_adjusted, result=FAILED if fails else PASSED)
