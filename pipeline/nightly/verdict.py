"""What the gate said of a night, kept beside its run: `night.json`."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.rules import GateRule

FILE = "night.json"

PASSED = "passed"
FAILED = "failed"
INCOMPLETE = "incomplete"
NOT_COMPARABLE = "not_comparable"
OUTCOMES = (PASSED, FAILED, INCOMPLETE, NOT_COMPARABLE)
"""Of a night that was published and judged."""

UNDEFINED = "undefined"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Moved:
    """A document that got worse.

    Attributes:
        document_id: which.
        value: of the measure tonight, mean over references.
        before: the same of the other night; where that did not score the document, its average.
        shared: whether both nights scored it.
    """

    document_id: str
    value: float
    before: float
    shared: bool


@dataclass(frozen=True)
class Check:
    """One rule, held against one system.

    Attributes:
        rule: as it was given.
        system: coder of the hypotheses.
        measure, average: what the rule is about.
        limit: the change it allows.
        against: date of the night compared with.
        value, before: the average tonight and then; None where undefined.
        documents, documents_before: on which it is defined.
        shared: documents scored in both nights.
        change: value - before, in the unit of the measure.
        standard_error: of the change, from the bootstrap.
        p: chance of a change so far beyond the limit, were the true change at the limit.
        p_adjusted: the same, corrected for all checks of the night (Holm).
        result: `passed`; `failed`: worse beyond limit and noise; `undefined`: was defined and is
            not any more, which fails; `undecided`: cannot be told, which passes.
        moved: the documents that got worst, of a check that failed.
    """

    rule: str
    system: str
    measure: str
    average: str
    limit: float
    against: str
    value: float | None
    before: float | None
    documents: int
    documents_before: int
    shared: int
    change: float | None = None
    standard_error: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    result: str = UNDECIDED
    moved: tuple[Moved, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the night is no good because of it."""
        return self.result in (FAILED, UNDEFINED)


@dataclass(frozen=True)
class Verdict:
    """What became of a night that was published.

    Attributes:
        date: of the night.
        run: fingerprint of the run that was judged.
        asked: by which rules, alpha and the like.
        against: system -> date and run of the night it was compared with.
        checks: every rule with every system that both nights have.
        systems: scored tonight, reference points aside.
        missing: systems of the night compared with that are not there tonight.
        new: systems that no good night before has.
        differences: in what signatures differ, by the date of the other night.
        outcome: one of ``OUTCOMES``.
        finished_at: when it was judged, UTC.
    """

    date: str
    run: str
    asked: dict[str, Any]
    against: dict[str, dict[str, str]]
    checks: tuple[Check, ...]
    systems: tuple[str, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    differences: dict[str, list[str]]
    outcome: str
    finished_at: str

    @property
    def good(self) -> bool:
        """Whether later nights are compared with this one."""
        return self.outcome in (PASSED, INCOMPLETE)

    @property
    def exit_code(self) -> int:
        """Of the command."""
        return 0 if self.outcome == PASSED else 1

    def text(self) -> str:
        """What night.json holds."""
        told = {**asdict(self), "good": self.good, "exit_code": self.exit_code}
        return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def read_verdict(url: str, text: str) -> Verdict:
    """Read night.json.

    Raises:
        Refused: it is not what segscore writes.
    """
    try:
        told = json.loads(text)
        del told["good"], told["exit_code"]
        checks = tuple(
            Check(**{**check, "moved": tuple(Moved(**moved) for moved in check["moved"])})
            for check in told.pop("checks")
        )
        told |= {name: tuple(told[name]) for name in ("systems", "missing", "new")}
        return Verdict(checks=checks, **told)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Refused(f"{url}: not what a night of segscore writes") from problem


def check_of(rule: GateRule, system: str, against: str, **told: Any) -> Check:
    """Begin the check of a rule with a system."""
    return Check(rule.text, system, rule.measure, rule.average, rule.limit, against, **told)
