"""The verdict of the gate on a night, stored beside its run as `night.json`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from segscore.pipeline.errors import NotYet, Refused
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.statistics.formatted_numbers import shown_attribute
from segscore.pipeline.statistics.sums import GroupKey
from segscore.pipeline.storage.json_records import Shape, read_record
from segscore.pipeline.tables.contradictions import UNIQUE_CODER
from segscore.pipeline.tables.unusable_files import UnusableFile
from segscore.schemas.records import NIGHT_RECORD

FILE = "night.json"

PASSED = "passed"
FAILED = "failed"
INCOMPLETE = "incomplete"
PARTIAL = "partial"
NOT_COMPARABLE = "not_comparable"
ACCEPTED = "accepted"
OUTCOMES = (PASSED, FAILED, INCOMPLETE, PARTIAL, NOT_COMPARABLE, ACCEPTED)
"""Outcomes of a night that was published and judged."""

OTHER_NIGHT = "probably delivered the file of another night"
"""What a system did if none of its documents has a reference."""

ALL_SYSTEMS = "(all systems)"
"""Name of all systems together, in a check of what they share."""

UNDEFINED = "undefined"
UNDECIDED = "undecided"
WARNED = "warned"
COMMON_CAUSE = "with_all"
ON_TRIAL = "on_trial"


@dataclass(frozen=True)
class Moved:
    """A document that got worse: its value tonight and before, or else the average before."""

    document_id: str
    value: float
    before: float
    shared: bool


@dataclass(frozen=True)
class UnpairedSystem:
    """A system that was not scored because its documents, one of them named, lack references."""

    system: str
    rows: int
    document_id: str
    scored_document_id: str


@dataclass(frozen=True)
class RejectedSystem:
    """A system that was not scored because its rows were rejected, most of them by one rule.

    If none of them was rejected, all references of its documents were.
    """

    system: str
    rows: int
    rejected: int
    rule: str

    @property
    def is_twice(self) -> bool:
        """Whether it delivered two versions of its documents, which no further input mends."""
        return self.rejected > 0 and self.rule == UNIQUE_CODER


@dataclass(frozen=True)
class Check:
    """The result of one rule for one system.

    Attributes:
        rule: the rule as given.
        system: coder of the hypotheses.
        measure, average: the average that the rule is about.
        limit: the change that the rule allows.
        against: date of the night that tonight is compared with; of several, the newest.
        value, before: the average tonight and in that night, or the median of the averages in
            those nights; None where undefined.
        documents, documents_before: number of documents on which the average is defined, and the
            number in that night or all of those nights.
        shared: number of documents scored in both nights.
        change: value - before, in the unit of the measure.
        standard_error: standard error of the change, by the jackknife.
        p: probability of a change this far beyond the limit if the true change is at the limit.
        p_adjusted: p corrected for all checks of the night (Holm).
        result: `passed`; `failed`: worse beyond limit and noise; `undefined`: no longer defined,
            which fails; `undecided`: cannot be decided, which passes; `warned`: a level that all
            systems share, or an interval around a floor, which passes; `with_all`: worse, but as
            all systems, for which no system fails; `on_trial`: would fail, but the system is on
            trial.
        moved: the documents that worsened most, if the check failed.
        nights: number of nights that tonight is compared with, by their median, or of a baseline.
        group: values of the group-by columns, in words; None over all documents.
        between: standard deviation between nights that the standard error allows for; None if it
            is not known yet.
        calibrated: number of nights from which that, or the level, is known; None if it is not
            about nights.
        ends: ends of the 95 % interval of an average that is compared with a floor.
        since: date of the night on which a level that is too far off probably changed.
        until: date of the last night on which it was off, if it is not tonight.
        is_raw: whether a level is that of the average itself, for want of three systems.
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
    nights: int = 1
    group: str | None = None
    between: float | None = None
    calibrated: int | None = None
    ends: tuple[float | None, ...] = ()
    since: str | None = None
    until: str | None = None
    is_raw: bool = False

    @property
    def fails(self) -> bool:
        """Whether the check makes the night fail."""
        return self.result in (FAILED, UNDEFINED)


@dataclass(frozen=True)
class Acceptance:
    """The reason for which what a system did by a rule is accepted; None stands for all."""

    reason: str
    system: str | None = None
    rule: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the whole night is accepted."""
        return self.system is None and self.rule is None

    @property
    def in_words(self) -> str:
        """The reason, followed by the system and the rule that it is about, if it is not whole."""
        about = ", ".join(each for each in (self.system, self.rule) if each is not None)
        return f"{self.reason} ({about})" if about else self.reason

    def covers(self, system: str, rule: str) -> bool:
        """Check whether it is about a system and a rule."""
        return self.system in (None, system) and self.rule in (None, rule)


@dataclass(frozen=True)
class Density:
    """How many boundaries there are on a night.

    Attributes:
        system: the system; None for the references.
        group: values of the attributes of ``gate-by``, in words; None over all documents.
        boundaries, units: number of boundaries and of units of text.
    """

    system: str | None
    group: str | None
    boundaries: int
    units: int

    @property
    def per_unit(self) -> float:
        """Boundaries by unit; NaN without units."""
        return self.boundaries / self.units if self.units else float("nan")


@dataclass(frozen=True)
class Standing:
    """A warning that is not said again, because the night before had it, and its first night."""

    text: str
    since: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on a published night.

    Attributes:
        date: date of the night.
        run: fingerprint of the run that was judged.
        asked: settings of the gate, such as its rules.
        against: system -> date and run of the night it was compared with.
        checks: results of every rule for every system that both nights scored.
        systems: systems scored tonight, without reference points.
        missing: systems that were expected but not scored tonight.
        new: systems that no earlier good night scored.
        differences: date of another night -> differences between the signatures.
        outcome: one of ``OUTCOMES``.
        finished_at: when the night was judged, UTC.
        expected: systems that later nights must have: those of tonight or, if some of those
            expected tonight are missing and the night was not accepted, those expected tonight.
        warnings: signs that the input of the night is not what it should be, and what all share.
        accepted: the reason for which the whole night was accepted; None if it was not.
        unpaired: those of the missing systems that delivered documents without a reference.
        rejected: those of the missing systems of which rows were rejected.
        causes: those of the warnings that say why systems probably failed or are missing.
        group_checks: results of every rule for every system in every group, and for the mean of all
            systems in it, against the median of the last good nights or the last good one.
        common: what got worse in a group for all systems, in sentences.
        missing_groups: groups of the last good nights that tonight lacks, if they are required.
        unusable: files of hypotheses that could not be read and were left out.
        reused_ids: number of ids that the nights compared with use for other documents.
        acceptances: what was accepted, of the whole night, a system or a rule.
        past: digest of the earlier nights' averages that the verdict depends on.
        densities: boundaries of the references and of the systems, over all documents and by group.
        first_published_at: when the night was judged for the first time, UTC.
        standing: warnings that the night before had, too, and since when.
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
    expected: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    accepted: str | None = None
    unpaired: tuple[UnpairedSystem, ...] = ()
    rejected: tuple[RejectedSystem, ...] = ()
    causes: tuple[str, ...] = ()
    group_checks: tuple[Check, ...] = ()
    common: tuple[str, ...] = ()
    missing_groups: tuple[str, ...] = ()
    unusable: tuple[UnusableFile, ...] = ()
    reused_ids: int = 0
    acceptances: tuple[Acceptance, ...] = ()
    past: str = ""
    densities: tuple[Density, ...] = ()
    first_published_at: str = ""
    standing: tuple[Standing, ...] = ()

    @property
    def good(self) -> bool:
        """Whether later nights of all systems are compared with this one."""
        return self.outcome in (PASSED, INCOMPLETE, PARTIAL, ACCEPTED)

    @property
    def failed(self) -> list[Check]:
        """The checks that fail, over all documents and in groups."""
        return [check for check in (*self.checks, *self.group_checks) if check.fails]

    def good_for(self, system: str) -> bool:
        """Whether later nights of a system are compared with this one."""
        if any(system == other.system for other in self.rejected):
            return False
        if any(
            check.result == ON_TRIAL
            and check.system == system
            and self.accepts(system, check.rule) is None
            for check in (*self.checks, *self.group_checks)
        ):
            return False
        if self.outcome == FAILED:
            return all(
                check.system not in (system, ALL_SYSTEMS) or self.accepts(check.system, check.rule)
                for check in self.failed
            )
        return self.good

    @property
    def reason(self) -> str:
        """The reasons for which the night, or what failed on it, was accepted; empty without any.

        A reason that is about a system or a rule alone is followed by these.
        """
        if self.accepted is not None:
            return self.accepted
        return "; ".join(dict.fromkeys(each.in_words for each in self.acceptances))

    def accepts(self, system: str, rule: str) -> str | None:
        """Return why what a system did by a rule is accepted; None if it is not."""
        found = (each.reason for each in self.acceptances if each.covers(system, rule))
        return next(found, None)

    def restarts(self, system: str, rule: str) -> bool:
        """Whether a system is judged by a rule against this night and later ones alone.

        It is where that was accepted: for a system that was named, or else for what it did by any
        rule, or by the rule that was named; and for what all systems did by the rule.
        """
        of_all = any(each.system == ALL_SYSTEMS and each.rule == rule for each in self.failed)
        checks = [each for each in (*self.checks, *self.group_checks) if each.system == system]
        reported = of_all or any(
            check.rule == rule
            and check.result in (FAILED, UNDEFINED, WARNED, COMMON_CAUSE, ON_TRIAL)
            for check in checks
        )
        failed = any(check.fails for check in checks)
        return any(
            each.system is not None or reported or (failed and each.rule is None)
            for each in self.acceptances
            if each.covers(system, rule)
        )

    @property
    def exit_code(self) -> int:
        """Exit code of the command."""
        if self.outcome == PARTIAL:
            return NotYet.exit_code
        return 0 if self.outcome in (PASSED, ACCEPTED) else 1

    def text(self) -> str:
        """Return the contents of night.json."""
        good = [system for system in self.systems if self.good_for(system)]
        contents = {**asdict(self), "good": self.good, "exit_code": self.exit_code}
        contents["good_systems"] = good
        return json.dumps(contents, indent=2, ensure_ascii=False) + "\n"


_CHECKS = "checks[]"
_SHAPE = Shape(
    (name, key.kind)
    for key in NIGHT_RECORD
    if key.name != f"group_{_CHECKS}.*"
    for name in (key.name, *([f"group_{key.name}"] if key.name.startswith(_CHECKS) else []))
)


class UnreadableVerdict(Refused):
    """night.json is not what segscore writes, so that there is no verdict."""


def read_verdict(url: str, text: str) -> Verdict:
    """Read night.json.

    Raises:
        UnreadableVerdict: the file is not one that segscore wrote.
    """
    try:
        contents = {**read_record(url, text, _SHAPE)}
        del contents["good"], contents["exit_code"]
        for name in ("good_systems", "medians", "trend"):  # not in every version
            contents.pop(name, None)
        if contents.get("accepted") is not None:
            contents.setdefault("acceptances", [{"reason": contents["accepted"]}])
        contents.setdefault("expected", contents["systems"])  # an earlier version wrote none
        read: Verdict = _read_as(Verdict, contents)
        return read
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise UnreadableVerdict(f"{url}: damaged, not a verdict of segscore nightly") from problem


def _read_as(kind: Any, contents: Mapping[str, Any]) -> Any:
    """Return an object of a dataclass from what ``asdict`` made of it and JSON kept of that."""
    read = _readers(kind)
    return kind(**{name: read[name](value) for name, value in contents.items()})


@cache
def _readers(kind: Any) -> Mapping[str, Callable[[Any], Any]]:
    """Return what makes of a value the tuple, and the dataclasses, that the type of a field names.

    Thousands of verdicts are read for the level of a system.
    """
    return {name: _reader(of) for name, of in get_type_hints(kind).items()}


def _reader(kind: Any) -> Callable[[Any], Any]:
    if get_origin(kind) is not tuple:
        return lambda value: value
    each_kind = get_args(kind)[0]
    if not is_dataclass(each_kind):
        return tuple
    return lambda value: tuple(_read_as(each_kind, each) for each in value)


def check_of(
    rule: GateRule, system: str, against: str, group: GroupKey = (), **averages: Any
) -> Check:
    """Start the check of a rule for a system, over all documents or in a group."""
    zeros = dict.fromkeys(("documents", "documents_before", "shared"), 0)
    found = {"value": None, "before": None, **zeros, **averages}
    place = ", ".join(map(shown_attribute, group)) or None
    about = rule.text, system, rule.measure, rule.average, rule.limit, against
    return Check(*about, group=place, **found)
