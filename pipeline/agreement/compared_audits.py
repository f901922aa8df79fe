"""Compare two audits, such as this month's with last month's, and check rules about them.

The documents of two months differ, so that their coefficients are independent: the interval of the
difference is as wide as the root of the sum of both squared widths.  Where they share documents it
is wider than need be.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from segscore.pipeline.agreement.judging.steps import MARKS
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import shown_change
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import CoderRow, CoefficientRow

_RULE = re.compile(r"\s*(pi|named)\s*(>=|<=)\s*([+-]?)(\d*\.?\d+)\s*")


@dataclass(frozen=True)
class AuditValue:
    """A number of an audit, or its change: with the ends of its interval, None if unknown."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class AuditRule:
    """A rule of a gate about audits.

    Attributes:
        text: as it was written.
        name: `pi` of boundary similarity, or `named`, the number of coders who stand out.
        at_least: whether the value must be at least the bound; else at most.
        of_change: whether it is about the change from the second audit.
        bound: the bound.
    """

    text: str
    name: str
    at_least: bool
    of_change: bool
    bound: float

    def breaks(self, audits: "ComparedAudits") -> str:
        """Say how audits break the rule; empty if they do not, or if it is not sure."""
        found = audits.value(self.name, change=self.of_change)
        if found is None:
            return f"{self.text}: {self.name} is undefined"
        sure = found.high if self.at_least else found.low
        surest = found.value if sure is None else sure
        if (surest < self.bound) if self.at_least else (surest > self.bound):
            form = ("+g" if self.of_change else "g") if self.name == "named" else "+.4f"
            shown = f"{found.value:{form if self.of_change else form.lstrip('+')}}"
            return f"{self.text}: {self.name} {'changed by' if self.of_change else 'is'} {shown}"
        return ""


def audit_rules(text: str, audits: int) -> list[AuditRule]:
    """Read rules such as ``pi>=-0.05,named<=0``; signed bounds are about the change.

    Raises:
        Refused: a text is not a rule, or is about a change without a second audit.
    """
    rules = []
    for part in text.split(","):
        found = _RULE.fullmatch(part)
        if found is None:
            raise Refused(
                f"--gate {part}: write pi>=0.4, pi>=-0.05 (at most so much lower than in the "
                "second audit) or named<=0"
            )
        name, side, sign, number = found.groups()
        if sign and audits < 2:
            raise Refused(f"--gate {part}: is about a change; name the earlier audit, too")
        bound = float(number) * (-1 if sign == "-" else 1)
        rules.append(AuditRule(part.strip(), name, side == ">=", bool(sign), bound))
    return rules


@dataclass(frozen=True)
class ComparedAudits:
    """An audit, and one to compare it with.

    Attributes:
        runs: the audit, and the earlier one if there is one.
    """

    runs: Sequence[FinishedRun]

    def value(self, name: str, *, change: bool) -> AuditValue | None:
        """Return a number of the first audit, or its change; None if it is undefined."""
        found = [_value(run, name) for run in self.runs[: 1 + change]]
        if None in found:
            return None
        known = [each for each in found if each is not None]
        if not change:
            return known[0]
        now, before = known
        apart = now.value - before.value
        if None in (now.low, now.high, before.low, before.high):
            return AuditValue(apart, None, None)
        half = hypot(_half(now), _half(before))
        return AuditValue(apart, apart - half, apart + half)

    def tables(self) -> Iterator[ResultTable]:
        """Yield pi of each audit with the change, then the coders."""
        yield self._coefficients()
        yield self._coders()

    def _coefficients(self) -> ResultTable:
        names, values = [run.url for run in self.runs], [_value(run, "pi") for run in self.runs]
        if len(self.runs) > 1:
            names.append("change")
            values.append(self.value("pi", change=True))
        return ResultTable(
            [
                Column("audit", names, is_name=True),
                Column(
                    f"pi by {SHOWN}",
                    [None if each is None else each.value for each in values],
                    ends=[(None, None) if e is None else (e.low, e.high) for e in values],
                ),
            ],
            title="agreement",
            caption="the interval of the change is for different documents, as of two months"
            * (len(self.runs) > 1),
        )

    def _coders(self) -> ResultTable:
        audits: list[Mapping[str, CoderRow]] = [_coders(run) for run in self.runs]
        names = sorted(audits[0], key=lambda name: (_effect(audits[0][name]) or 0.0, name))
        names += sorted({*audits[-1]} - {*names})
        columns = [Column("coder", names, is_name=True)]
        for audit, when in zip(audits, ("now", "before"), strict=False):
            rows = [audit.get(name) for name in names]
            effects = [None if row is None else _effect(row) for row in rows]
            marks = [_marks(row) for row in rows]
            columns.append(Column(f"effect {when}", effects, write=shown_change))
            columns.append(Column(f"named {when}", marks, is_name=True))
        return ResultTable(columns, title="coders, lowest agreement now first")


def _half(value: AuditValue) -> float:
    assert value.low is not None
    assert value.high is not None
    return (value.high - value.low) / 2


def _coders(run: FinishedRun) -> dict[str, CoderRow]:
    rows: list[CoderRow] = rows_over_all(run.table("coders"), run.settings["group_by"])
    return {row["coder"]: row for row in rows}


def _effect(row: CoderRow) -> float | None:
    return row.get("agreement_effect")


def _marks(row: CoderRow | None) -> str:
    """Return the marks of a coder; a dash of who is not in the audit."""
    if row is None:
        return "–"
    return ", ".join(mark for mark in MARKS if row.get(mark))


def _value(run: FinishedRun, name: str) -> AuditValue | None:
    if name == "named":
        return AuditValue(
            float(sum(bool(_marks(row)) for row in _coders(run).values())), None, None
        )
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    for row in rows:
        if (row["coefficient"], row["similarity"]) == ("pi", SHOWN) and row["value"] is not None:
            return AuditValue(row["value"], row["ci_low"], row["ci_high"])
    return None
