"""Rules about the line through the last nights, which nights had before version 0.3.

They are not checked any more; their checks in the verdicts of such nights can be read and told.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from segscore.pipeline.nightly.formatting import TREND, short, when_before
from segscore.pipeline.nightly.kinds.kind import RuleKind, allowed, undefined
from segscore.pipeline.nightly.rule import GateRule, read_change
from segscore.pipeline.nightly.verdict import Check
from segscore.pipeline.statistics.formatted_numbers import format_p

_NIGHTS = re.compile(r"per[0-9]+nights?$")


class TrendKind(RuleKind):
    """The line through the last nights might move by so much over a number of nights."""

    name = "trend"

    def read(self, text: str) -> GateRule | None:
        """Read a rule with its prefix."""
        if not text.startswith(TREND):
            return None
        rule = read_change(_NIGHTS.sub("", text.removeprefix(TREND)), self.name)
        return replace(rule, text=text)

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
            f"{check.against} to {short(check.value)} {allowed(check, format_p(check.p_adjusted))}"
        )
