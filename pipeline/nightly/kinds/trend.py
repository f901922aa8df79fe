"""Rules about the line through the last nights, such as `trend:pk<=+0.02 per 30 nights`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.kinds.kind import RuleKind, allowed, undefined
from segscore.pipeline.nightly.kinds.results import RuleResults
from segscore.pipeline.nightly.kinds.tonight import Tonight
from segscore.pipeline.nightly.rule import GateRule, read_change
from segscore.pipeline.nightly.trend_gate import judge_trends
from segscore.pipeline.nightly.verdict import Check
from segscore.pipeline.nightly.words import short, when_before
from segscore.pipeline.statistics.shown_numbers import shown_p
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND

_TREND = "trend:"
_NIGHTS = re.compile(r"(.*?)per([0-9]{1,3})nights?")
_FEWEST_NIGHTS = 10


class TrendKind(RuleKind):
    """The line through the last nights may move by so much over a number of nights."""

    name = "trend"

    def read(self, text: str) -> GateRule | None:
        """Read a rule with its prefix and its number of nights."""
        if not text.startswith(_TREND):
            return None
        match = _NIGHTS.fullmatch(text.removeprefix(_TREND))
        if match is None or int(match[2]) < _FEWEST_NIGHTS:
            raise Refused(
                f"--gate {text}: must say over how many nights, at least {_FEWEST_NIGHTS}, such as "
                f"{_TREND}boundary_similarity>=-0.02 per 30 nights"
            )
        rule, number = read_change(match[1], self.name), int(match[2])
        return replace(rule, text=f"{_TREND}{rule.text} per {number} nights", nights=number)

    def check(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the lines of the systems of tonight, and of what all systems share."""
        return RuleResults(tuple(judge_trends(tonight.past, rules, tonight.systems)))

    def check_groups(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the lines in each group."""
        checks = judge_trends(tonight.past, rules, tonight.systems, by_group=True)
        return RuleResults(tuple(checks))

    def clause(self, checks: Sequence[Check]) -> str:
        """Say how far the line moved, and what it was at its ends."""
        check = checks[0]
        if (text := undefined(check, when_before(check))) is not None:
            return text
        assert check.value is not None
        assert check.before is not None
        assert check.change is not None
        verb, over = "fell" if check.change < 0 else "rose", check.rule.partition(" per ")[2]
        return (
            f"{verb} by {short(abs(check.change))} per {over}, from {short(check.before)} on "
            f"{check.against} to {short(check.value)} {allowed(check, shown_p(check.p_adjusted))}"
        )

    def remarks(self, checks: Sequence[Check]) -> Iterator[str]:
        """Say what a trend is, and how many nights there are of those that it needs."""
        if any(check.before is not None for check in checks):
            yield "a trend is that of the line through the last nights"
        if lines := {check.nights for check in checks if check.before is None}:
            there = "is 1" if max(lines) == 1 else f"are {max(lines)}"
            yield f"a trend needs {FEWEST_FOR_TREND} nights, and there {there}"

    def metric(self, check: Check) -> tuple[str, str]:
        """Name the change of the line."""
        return "change_of_trend", "Change over the nights of the rule, by the line."
