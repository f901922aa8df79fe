"""Rules about averages themselves, such as `level:pk<=.4`: a floor, or an upper limit."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate.kind import RuleKind, RuleResults, Tonight, undefined
from segscore.pipeline.nightly.gate.level import LEVEL
from segscore.pipeline.nightly.gate.past import Past, PastAverage
from segscore.pipeline.nightly.gate.rule import FORM, GateRule, require_direction
from segscore.pipeline.nightly.verdict import (
    COMMON_CAUSE,
    FAILED,
    ON_TRIAL,
    PASSED,
    UNDECIDED,
    UNDEFINED,
    WARNED,
    Check,
    check_of,
)
from segscore.pipeline.statistics.formatted_numbers import or_none
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE, LIMIT, moving_mean
from segscore.pipeline.statistics.sums import GroupKey

_USUAL = 1.96
"""Standard errors from an average to the ends of its 95 % interval."""


def judge_floors(
    past: Past, rules: Sequence[GateRule], systems: Sequence[str], *, by_group: bool = False
) -> Iterator[Check]:
    """Check averages themselves.

    From the fifteenth night on it is the moving average that counts, which fails where it is beyond
    the limit by more than chance, and warns where it is beyond at all: the averages of a system
    that is just at its floor would be below it every other night. Before, a check fails if the
    interval of tonight's average is beyond the limit, and warns if it includes it.
    """
    for rule in rules:
        for group in past.groups(rule) if by_group else [()]:
            for system in systems:
                average = past.average(rule, system, group)
                if average is not None:
                    yield _check(past, rule, system, group, average)


def _check(past: Past, rule: GateRule, system: str, group: GroupKey, average: PastAverage) -> Check:
    values = past.values(rule, [system], group)[past.first(rule, system) :, 0]
    nights = int(np.count_nonzero(~np.isnan(values)))
    value, ends, result = average.value, (average.low, average.high), UNDECIDED
    if np.isnan(value):
        result = UNDEFINED
    elif nights > FEWEST_OF_BASELINE:
        value, error = moving_mean(values)
        ends = value - _USUAL * error, value + _USUAL * error
        surely = value + (LIMIT if rule.falls else -LIMIT) * error
        result = WARNED if rule.excess(value) > 0 else PASSED
        result = FAILED if rule.excess(surely) > 0 else result
    elif not np.isnan(ends).any():
        near, far = ends[::-1] if rule.falls else ends
        result = WARNED if rule.excess(far) > 0 else PASSED
        result = FAILED if rule.excess(near) > 0 else result
    return check_of(
        rule,
        system,
        past.dates[-1].isoformat(),
        group,
        value=or_none(value),
        before=rule.limit,
        result=result,
        ends=tuple(map(or_none, ends)),
        nights=nights if nights > FEWEST_OF_BASELINE else 1,
    )


class FloorKind(RuleKind):
    """The average of a system may not be below a floor, or above an upper limit."""

    name = "floor"

    def read(self, text: str) -> GateRule | None:
        """Read a rule with the prefix `level:` whose limit is above 0 and has no sign."""
        match = FORM.fullmatch(text.removeprefix(LEVEL)) if text.startswith(LEVEL) else None
        if match is None or match[4][0] in "+-" or not 0 < float(match[4]) < math.inf:
            return None
        average, limit = match[1] or "micro", float(match[4])
        rule = GateRule(match[0], average, match[2], match[3] == ">=", limit, self.name)
        require_direction(rule)
        return replace(rule, text=text)

    def check(self, tonight: Tonight, rules: Sequence[GateRule], *, by_group: bool) -> RuleResults:
        """Fail where the interval of an average is beyond the limit; warn where it includes it."""
        checks = judge_floors(tonight.past, rules, tonight.systems, by_group=by_group)
        return RuleResults(tuple(checks))

    def result(self, rule: GateRule, check: Check) -> str:
        """Say how a check ended; no change is compared with noise."""
        if check.result in (COMMON_CAUSE, ON_TRIAL):
            return super().result(rule, check)
        return check.result

    def compared_with(self, check: Check) -> str:
        """Name the limit."""
        return "the limit"

    def clause(self, checks: Sequence[Check]) -> str:
        """Say where an average is, and its interval, against a floor or an upper limit."""
        check = checks[0]
        if check.value is None:
            return undefined(check, when_before(check)) or ""
        low, high = (short(end) for end in check.ends if end is not None)
        side = "below the floor" if ">=" in check.rule else "above the limit"
        certain = "is" if check.result == FAILED else "may be"
        over = " on average over the last nights" if check.nights > 1 else ""
        return (
            f"{short(check.value)}{over} ({low} to {high}) {certain} {side} of {short(check.limit)}"
        )

    def got_worse(self, check: Check) -> bool:
        """Return False: an average can be below a floor since the first night."""
        return check.value is None

    def warning(self, check: Check, what: str) -> str:
        """Say that an interval includes the limit."""
        place = "" if check.group is None else f" in {check.group}"
        return f"{check.system}{place}: {what} {self.clause([check])}"
