"""Settings of a night, all checked before any work starts."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.aliases import Aliases, read_aliases
from segscore.pipeline.nightly.calendar import Calendar, CalendarOption, read_calendar
from segscore.pipeline.nightly.dates import PLACEHOLDER, folder_of, insert_date, read_date
from segscore.pipeline.nightly.exclusions import Exclusion, read_exclusions
from segscore.pipeline.nightly.formatting import TREND
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import FreshOption, Option, Panel
from segscore.pipeline.settings.ranges import check_group_by, one_of, within
from segscore.pipeline.settings.reading import read_names

if TYPE_CHECKING:
    from segscore.pipeline.nightly.gate.rule import GateRule

_IGNORED = {
    "alpha": "a rule about two nights fails by chance alone with probability 0.01",
    "against": "nights are compared with the last good one, and rules about levels with many",
    "baseline": "a rule about levels finds a slow decline",
}
FAIL, _PASS = "fail", "pass"
MAX_UNPAIRED = 0.05
"""Largest share of hypotheses without a reference: of a night, all of them are expected."""

_METRICS = ".prom"
"""Suffix of the files that node_exporter's textfile collector reads."""

_MOST_DAYS = 36_500


def require_keep(days: int | None) -> None:
    """Refuse a number of days outside the allowed range."""
    if days is not None:
        within("--keep", days, 1, _MOST_DAYS)


KeepOption = Annotated[
    int | None,
    Option(
        "Remove nights that are so many days older than the newest. The last good one is kept.",
        Panel.OUTPUT,
    ),
]


@dataclass(frozen=True)
class NightSettings:
    """Settings of `segscore nightly`; the help of each option says what it is.

    Attributes:
        date: None as long as it is not chosen, for several nights.
        documents: None for the table in ``scoring``, if any.
        resample_by: None for that in ``scoring``, if any.
        max_unpaired: None for the share in ``scoring``, if any.
        scoring: further settings of the scoring run, by name.
        TABLES: further tables of a settings file that the command reads.
    """

    TABLES: ClassVar[Mapping[str, type]] = {"score": ScoreSettings}

    date: Annotated[
        datetime.date | None,
        Option("Date of the night: 2026-01-31, today or yesterday.", Panel.INPUTS, read_date),
    ] = field(default=None, kw_only=True)
    references: Annotated[
        str,
        Option(
            "References; {date} is the night's date. It is a file, folder or glob.", Panel.INPUTS
        ),
    ]
    hypotheses: Annotated[str, Option("Segmentations to judge; {date} as there.", Panel.INPUTS)]
    runs: Annotated[
        str, Option("Folder of the nights. This night is written to date=DATE in it.", Panel.OUTPUT)
    ]
    documents: Annotated[
        str | None, Option("Table of unit lengths and attributes; {date} as there.", Panel.INPUTS)
    ] = None
    gate: Annotated[
        str | None,
        Option(
            "Rules, such as 'pk<=+0.02,level:boundary_similarity>=-0.01'. "
            "They are in quotes and separated by commas: "
            "'boundary_similarity>=-0.01' lets a micro average fall by 0.01, "
            "'pk<=+0.02' lets it rise by 0.02. 'macro:pk<=+0.02' is for the macro "
            "average, 'level:pk<=+0.02' for the level over many nights, "
            "'level:pk<=.4' for a limit of the average itself.",
            Panel.GATE,
        ),
    ] = None
    alpha: Annotated[
        float | None, Option("Ignored: the gate has a level of its own.", Panel.GATE, ignored=True)
    ] = None
    against: Annotated[
        str | None, Option("Ignored: see the rules about levels.", Panel.GATE, ignored=True)
    ] = None
    baseline: Annotated[
        str | None, Option("Ignored: see the rules about levels.", Panel.GATE, ignored=True)
    ] = None
    gate_by: Annotated[
        tuple[str, ...],
        Option("Attributes in each value of which the rules hold, too.", Panel.GATE, read_names),
    ] = ()
    require_groups: Annotated[
        bool,
        Option(
            "Call a night incomplete if it lacks a group of the last good nights.",
            Panel.GATE,
            flags="--require-groups",
            rare=True,
        ),
    ] = False
    trial: Annotated[
        tuple[str, ...],
        Option(
            "Systems for which no night fails. They are judged and shown, and need not be there.",
            Panel.GATE,
            read_names,
        ),
    ] = ()
    retired: Annotated[
        tuple[str, ...],
        Option("Systems that nights need not have any more.", Panel.GATE, read_names),
    ] = ()
    aliases: Annotated[
        Aliases,
        Option(
            "New names of systems and groups, each with the old one and the date of the first "
            "night that has it; in a settings file.",
            Panel.GATE,
            read_aliases,
            rare=True,
        ),
    ] = ()
    exclude: Annotated[
        tuple[Exclusion, ...],
        Option(
            "Documents that a night leaves out, each with its date and the reason; in a settings "
            "file.",
            Panel.INPUTS,
            read_exclusions,
            rare=True,
        ),
    ] = ()
    calendar: CalendarOption = ()
    not_comparable: Annotated[
        str,
        Option(
            "Result of a night whose settings differ from the earlier: fail or pass.",
            Panel.GATE,
            rare=True,
        ),
    ] = FAIL
    accept: Annotated[
        str | None,
        Option(
            "Reason for which this night is good whatever its gate says. "
            "It is recorded, and the night stays accepted until it is scored again.",
            Panel.GATE,
        ),
    ] = None
    system: Annotated[
        str | None, Option("System that --accept is about; default: all.", Panel.GATE)
    ] = None
    rule: Annotated[
        str | None, Option("Rule that --accept is about; default: all.", Panel.GATE)
    ] = None
    resample_by: Annotated[
        str | None,
        Option(
            "Attribute to resample by, such as show. "
            "Its documents are one unit of intervals and of the gate's standard "
            "errors; default: resample-by in \\[score].",
            Panel.GATE,
        ),
    ] = None
    max_unpaired: Annotated[
        float | None,
        Option(
            "Largest share of hypotheses without a reference; default: that in "
            f"\\[score], else {MAX_UNPAIRED}.",
            Panel.OUTPUT,
            rare=True,
        ),
    ] = None
    max_rejects: Annotated[
        float | None,
        Option(
            "Largest share of rejected rows; default: that in \\[score], else 1.",
            Panel.OUTPUT,
            rare=True,
        ),
    ] = None
    metrics: Annotated[str | None, Option("Metrics file for Prometheus, *.prom.", Panel.OUTPUT)] = (
        None
    )
    keep: KeepOption = None
    fresh: FreshOption = False
    rejudge: Annotated[
        bool,
        Option(
            "Judge the published night again, without scoring. "
            "Do so after an earlier night was restated.",
            Panel.GATE,
            flags="--rejudge",
        ),
    ] = False
    scoring: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        if PLACEHOLDER in self.runs:
            raise Refused(
                f"--runs {self.runs}: must not contain {PLACEHOLDER}; every night gets its own "
                "folder date=... in it"
            )
        one_of("--not-comparable", self.not_comparable, (FAIL, _PASS))
        self._require_acceptance()
        if self.metrics is not None and not self.metrics.endswith(_METRICS):
            raise Refused(
                f"--metrics {self.metrics}: must end in {_METRICS}, or node_exporter ignores it"
            )
        require_keep(self.keep)
        check_group_by(self.gate_by, "--gate-by")
        self.score, self.days  # noqa: B018  (they refuse invalid values)
        if self.score.by_level is not None:
            raise Refused(
                "by-level in [score] of --settings: nights are not judged by level; score the "
                "levels by a run of `segscore score`, or omit it"
            )
        for rule in self.rules:
            if rule.measure not in self.score.selection.names:  # of those that [score] names
                raise Refused(
                    f"--gate {rule.text}: nights are scored without {rule.measure}; add it to "
                    "measures in [score] of --settings"
                )

    def _require_acceptance(self) -> None:
        """Refuse an acceptance without a reason, or of a rule that the gate does not have."""
        if self.accept is not None and not self.accept.strip():
            raise Refused("--accept: is empty; give the reason why the night is good")
        if self.accept is None and (self.system or self.rule) is not None:
            raise Refused("--system, --rule: say what --accept applies to; give --accept REASON")
        if self.accepted_rule not in (None, *(rule.text for rule in self.rules)):
            raise Refused(f"--rule {self.rule}: is none of --gate")

    @property
    def night(self) -> datetime.date:
        """The date of the night; the first of all dates as long as none is chosen."""
        return self.date or datetime.date.min

    @cached_property
    def score(self) -> ScoreSettings:
        """Settings of the scoring run, whose output is the night's folder."""
        scoring = dict(self.scoring)
        if self.documents is not None:
            scoring["documents"] = insert_date("--documents", self.documents, self.night)
        if self.resample_by is not None:
            scoring["resample_by"] = self.resample_by
        if self.max_rejects is not None:
            scoring["max_rejects"] = self.max_rejects
        if not scoring.get("measures") and (rules := self.rules):
            from segscore.pipeline.measures.selection import DEFAULT

            scoring["measures"] = (DEFAULT, *(rule.measure for rule in rules))
        unpaired = scoring.pop("max_unpaired", None)
        if self.max_unpaired is not None:
            unpaired = self.max_unpaired
        overrides = {
            "references": insert_date("--references", self.references, self.night),
            "hypotheses": insert_date("--hypotheses", self.hypotheses, self.night),
            "output": folder_of(self.runs, self.night),
            # A system that lacks documents does not stop the others.
            "unpaired_by_default": MAX_UNPAIRED if unpaired is None else unpaired,
            "fresh": self.fresh,
            "excluded": tuple(sorted({one.document for one in self.exclusions})),
        }
        return ScoreSettings(**scoring | overrides)

    @property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """The documents that this night leaves out."""
        return tuple(one for one in self.exclude if one.date == self.night)

    @cached_property
    def days(self) -> Calendar:
        """The calendar of the nights."""
        return read_calendar(self.calendar)

    @property
    def inputs(self) -> dict[str, str | None]:
        """The tables that the night reads, by the option that names them."""
        return {
            "--references": self.score.references,
            "--hypotheses": self.score.hypotheses,
            "--documents": self.score.documents,
        }

    @property
    def fixed_input(self) -> str | None:
        """The location of hypotheses that are the same every night; None if it has a date."""
        return None if PLACEHOLDER in self.hypotheses else self.hypotheses

    @property
    def rules(self) -> tuple["GateRule", ...]:
        """The rules of the gate, without those of a kind that there was before."""
        from segscore.pipeline.nightly.gate.rules import parse_rule

        parts = [] if self.gate is None else self.gate.split(",")
        kept = [part for part in parts if not part.strip().startswith(TREND)]
        return parse_rule(",".join(kept)) if kept else ()

    @property
    def accepted_rule(self) -> str | None:
        """The rule to which an acceptance applies, as the gate writes it; None for all."""
        from segscore.pipeline.nightly.gate.rules import parse_rule

        return None if self.rule is None else parse_rule(self.rule)[0].text

    @property
    def ignored(self) -> list[str]:
        """Sentences about what is given and has no effect any more, and what replaces it."""
        notes = [
            f"--{name} is ignored: {instead} (docs/operations.md)"
            for name, instead in _IGNORED.items()
            if getattr(self, name) is not None
        ]
        if self.gate is not None and TREND in self.gate:
            notes.append(
                f"--gate: the rules that begin with {TREND} are ignored: a rule such as "
                "level:boundary_similarity>=-0.02 finds a slow decline (docs/operations.md)"
            )
        return notes
