"""The interface of a kind of rules; a new kind is a class in a file, listed in ``rules.KINDS``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from segscore.pipeline.nightly.formatting import short
from segscore.pipeline.nightly.gate.chosen import ChosenNights
from segscore.pipeline.nightly.gate.past import Past
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.spread import Spread
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, ON_TRIAL, PASSED, Check

WITHIN_NOISE = "within noise"
"""How a check is said to have ended that passed with a change beyond its limit."""


@dataclass(frozen=True)
class Tonight:
    """What rules are checked on.

    Attributes:
        night: the night.
        systems: its systems.
        past: the averages of the night and of those before it.
        spread: how averages differ between nights.
        changes: which nights have other references.
        chosen: the nights that the systems are compared with, one each, or several.
        several: chooses the nights whose median the systems are compared with by group.
        by: the attributes to group by.
    """

    night: Night
    systems: tuple[str, ...]
    past: Past
    spread: Spread
    changes: ReferenceChanges
    chosen: ChosenNights
    several: Callable[[], ChosenNights]
    by: tuple[str, ...]


@dataclass(frozen=True)
class RuleResults:
    """Checks, and sentences about what all systems share."""

    checks: tuple[Check, ...] = ()
    common: tuple[str, ...] = ()


class RuleKind:
    """A kind of rules.

    Attributes:
        name: its name in messages, such as `level`.
        needs_history: whether it compares with many nights, and not with chosen ones.
        has_level: whether its checks are of levels, which a page lists in a table of their own.
    """

    name = ""
    needs_history = True
    has_level = False

    def read(self, text: str) -> GateRule | None:
        """Read a rule without spaces; None if it is of another kind.

        Raises:
            Refused: the rule is of this kind and is malformed.
        """
        raise NotImplementedError

    def check(self, tonight: Tonight, rules: Sequence[GateRule], *, by_group: bool) -> RuleResults:
        """Check rules of this kind for all systems, over all documents or in each group."""
        return RuleResults()

    def result(self, rule: GateRule, check: Check) -> str:
        """Say how a check ended; `within noise` if it passed with a change beyond its limit."""
        if check.result == COMMON_CAUSE:
            return "with all systems"
        if check.result == ON_TRIAL:
            return "would fail, on trial"
        is_beyond = check.change is not None and rule.excess(check.change) > 0
        return WITHIN_NOISE if is_beyond and check.result == PASSED else check.result

    def compared_with(self, check: Check) -> str:
        """Name the night, or the nights, that tonight is compared with."""
        return f"{check.nights} nights from {check.against}"

    def clause(self, checks: Sequence[Check]) -> str:
        """Say what the checks of one rule for one system found, after the name of the measure."""
        raise NotImplementedError

    def got_worse(self, check: Check) -> bool:
        """Return whether a check that fails tells of something that got worse."""
        return True

    def warning(self, check: Check, what: str) -> str:
        """Say in a sentence what a check that only warns found; by default, of all systems.

        Args:
            check: the check.
            what: the average that it is about.
        """
        place = "" if check.group is None else f" in {check.group}"
        harder, changed = ("are", "have") if check.until is None else ("were", "had")
        return (
            f"all systems{place}: {what} {self.clause([check])}; the nights {harder} harder, or "
            f"the references {changed} changed: no system failed"
        )

    def is_early(self, check: Check) -> bool:
        """Return whether there are too few nights yet to show the check at all."""
        return False

    def remarks(self, checks: Sequence[Check]) -> Iterator[str]:
        """Say below a table what the values of these checks are, and what is not decided yet."""
        yield from ()

    def metric(self, check: Check) -> str:
        """Name the metric that says what changed."""
        return "change"


def average_of(check: Check) -> str:
    """Name the average that a check is about."""
    return check.measure if check.average == "micro" else f"{check.average} {check.measure}"


def allowed(check: Check, p: str) -> str:
    """Say which change a rule allows, and the p value of the change found."""
    return f"({abs(check.limit):g} allowed, p {p})"


def undefined(check: Check, when: str) -> str | None:
    """Say that an average is undefined; None if it is defined tonight."""
    if check.value is not None:
        return None
    before = "defined" if check.before is None else short(check.before)
    return f"is undefined, was {before} {when}"
