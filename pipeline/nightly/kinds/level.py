"""Rules about levels, such as `level:pk<=+0.02`: a moving average against a fixed baseline.

A rule with the prefix `common:` is about the level that all systems share, and fails for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.nightly.formatting import nights, short, when_before
from segscore.pipeline.nightly.kinds.kind import RuleKind, allowed, undefined
from segscore.pipeline.nightly.kinds.results import RuleResults
from segscore.pipeline.nightly.kinds.tonight import Tonight
from segscore.pipeline.nightly.level_gate import judge_level_rules
from segscore.pipeline.nightly.rule import GateRule, read_change
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, Check
from segscore.pipeline.statistics.formatted_numbers import format_p
from segscore.pipeline.statistics.night_levels import BASELINE_NIGHTS

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

    def check(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the levels of the systems of tonight, and what all systems share."""
        return RuleResults(tuple(judge_level_rules(tonight.past, rules, tonight.systems)))

    def check_groups(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the levels in each group."""
        checks = judge_level_rules(tonight.past, rules, tonight.systems, by_group=True)
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
        return (
            f"{now}, {short(check.before)} in {nights(check.nights)} from {check.against} "
            f"{allowed(check, format_p(check.p_adjusted))}"
        )

    def warning(self, check: Check, what: str) -> str:
        """Say that a level is lower for all systems, or that a system did not rise with others."""
        if check.system == ALL_SYSTEMS or check.value is None or check.before is None:
            return super().warning(check, what)
        place = "" if check.group is None else f" in {check.group}"
        return (
            f"{check.system} fell behind the other systems{place}, which got better: its {what} is "
            f"{short(check.value)} on average since {check.since}, {short(check.before)} in "
            f"{nights(check.nights)} from {check.against}"
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

    def metric(self, check: Check) -> tuple[str, str]:
        """Name the change of the level."""
        return (
            "change_of_level",
            "Level minus that of the baseline, against the other systems.",
        )
