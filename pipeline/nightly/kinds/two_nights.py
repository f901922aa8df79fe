"""Rules about two nights, such as `pk<=+0.02`: an average against the last good night's."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.nightly.compared import NightAverages
from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate import ALPHA, judge_rules
from segscore.pipeline.nightly.group_gate import judge_groups
from segscore.pipeline.nightly.kinds.kind import RuleKind, allowed, undefined
from segscore.pipeline.nightly.kinds.results import RuleResults
from segscore.pipeline.nightly.kinds.tonight import Tonight
from segscore.pipeline.nightly.rule import GateRule, read_change
from segscore.pipeline.nightly.verdict import Check
from segscore.pipeline.statistics.formatted_numbers import format_p
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE


class TwoNightsKind(RuleKind):
    """An average may move by so much against one night, or the median of several."""

    name = "two nights"
    needs_history = False

    def read(self, text: str) -> GateRule | None:
        """Read a rule without a prefix."""
        return read_change(text, self.name)

    def check(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the rules for all systems."""
        return judge_rules(
            tonight.night, tonight.chosen, rules, ALPHA, tonight.changes, tonight.spread
        )

    def check_groups(self, tonight: Tonight, rules: Sequence[GateRule]) -> RuleResults:
        """Check the rules in each group, against the median of the last good nights."""
        several = tonight.several()
        if not several.single:
            return RuleResults()
        averages = NightAverages(
            tonight.night, several.nights(), rules, tonight.by, tonight.changes, tonight.spread
        )
        return judge_groups(averages, several, rules, ALPHA)

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

    def metric(self, check: Check) -> tuple[str, str]:
        """Tell the change from one night from that from a median."""
        if check.nights > 1:
            return "change_from_median", "Average minus the median of several nights."
        return super().metric(check)
