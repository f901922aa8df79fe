"""Compare audits, such as this month's with those of earlier months, and check rules about them.

A change of pi has an interval by the jackknife over the documents of both audits, so that it is as
narrow as it may be where they share documents, and that of independent values where they do not.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.coder_pairs import EDITS
from segscore.pipeline.agreement.coefficients import ACTUAL
from segscore.pipeline.agreement.judging.steps import MARKS
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import counted, shown_cell, shown_change
from segscore.pipeline.statistics.jackknife import Estimate, difference
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
    """Audits, the newest first.

    Attributes:
        runs: the audits.
    """

    runs: Sequence[FinishedRun]

    def value(self, name: str, *, change: bool, at: int = 0) -> AuditValue | None:
        """Return a number of an audit, or its change from the next one; None if it is undefined."""
        found = [_value(run, name) for run in self.runs[at : at + 1 + change]]
        if len(found) <= change or None in found:
            return None
        known = [each for each in found if each is not None]
        if not change:
            return known[0]
        apart = known[0].value - known[1].value
        if name == "named":
            return AuditValue(apart, None, None)
        changed = difference(self.estimates[at], self.estimates[at + 1])
        # Chance that is computed in another way (--expected) moves both ends.
        ends = (None if isnan(end) else end + apart - changed.value for end in changed.interval())
        return AuditValue(apart, *ends)

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The pi of each audit, and what it would be without each document."""
        return [_pi_by_unit(run) for run in self.runs]

    def tables(self) -> Iterator[ResultTable]:
        """Yield pi of each audit with the change, then the coders."""
        yield self._coefficients()
        yield self._coders()

    def _coefficients(self) -> ResultTable:
        numbers = range(len(self.runs))
        columns = [
            Column("audit", [run.url for run in self.runs], is_name=True),
            _column("pi", [self.value("pi", change=False, at=at) for at in numbers], shown_cell),
        ]
        shared = 0
        if len(self.runs) > 1:
            changes = [self.value("pi", change=True, at=at) for at in numbers]
            columns.append(_column("change", changes, shown_change))
            shared = _shared(*self.runs[:2])
        named = [sum(bool(_marks(row)) for row in _coders(run).values()) for run in self.runs]
        return ResultTable(
            [*columns, Column("named", named)],
            title=f"pi by {SHOWN}",
            caption=f"the first two share {counted(shared, 'document')}" * (shared > 0),
        )

    def _coders(self) -> ResultTable:
        audits: list[Mapping[str, CoderRow]] = [_coders(run) for run in self.runs]
        names = sorted(audits[0], key=lambda name: (_effect(audits[0][name]) or 0.0, name))
        names += sorted({name for audit in audits for name in audit} - {*names})
        heading = ["now", "before"]
        if len(audits) > len(heading):
            heading = [PurePath(run.url).name for run in self.runs]
        return ResultTable(
            [
                Column("coder", names, is_name=True),
                *(
                    Column(when, [_in_words(audit.get(name)) for name in names], is_name=True)
                    for when, audit in zip(heading, audits, strict=False)
                ),
            ],
            title="effect of each coder, lowest agreement now first, and what is named",
        )


def _column(name: str, values: Sequence[AuditValue | None], write: Callable[[Any], str]) -> Column:
    """Return a column of values with intervals."""
    known = [None if each is None else each.value for each in values]
    ends = [(None, None) if each is None else (each.low, each.high) for each in values]
    return Column(name, known, ends=ends, write=write)


def _shared(run: FinishedRun, other: FinishedRun) -> int:
    """Return how many documents are in both audits."""
    ids = [{*each.table("documents", ["document_id"])[0].to_pylist()} for each in (run, other)]
    return len(ids[0] & ids[1])


def _pi_by_unit(run: FinishedRun) -> Estimate:
    """Return pi of boundary similarity, and what it would be without each resampling unit."""
    by = run.settings.get("resample_by") or "document_id"
    names = dict.fromkeys(["document_id", by, "codings", "segments", "n_units"])
    documents, pairs = run.table("documents", [*names]), run.table("pairs", ["document_id", *EDITS])
    named = documents.column(by).cast(pa.string()).fill_null("").combine_chunks()
    units, of_document = np.unique(hash_names(named).hashes, return_inverse=True)
    ids = [table.column("document_id").cast(pa.string()) for table in (pairs, documents)]
    of_pair = of_document[pc.index_in(ids[0], value_set=ids[1].combine_chunks()).to_numpy()]
    sums = {name: np.bincount(of_pair, pairs.column(name).to_numpy(), len(units)) for name in EDITS}
    codings, size = (documents.column(name).to_numpy() for name in ("codings", "n_units"))
    marks = np.array([sum(each) for each in documents.column("segments").to_pylist()]) - codings
    for name, values in (("marks", marks), ("places", codings * (size - 1))):
        sums[name] = np.bincount(of_document, values, len(units))
    left = {name: np.append(each.sum() - each, each.sum()) for name, each in sums.items()}
    similar = evaluate([ACTUAL[SHOWN]], left, {"n_t": run.settings["n_t"]}, rows=False)[SHOWN]
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (left["marks"] / left["places"]) ** 2
        pi = (similar - chance) / (1 - chance)
    weight = np.sum([sums[name] for name in EDITS if name != "near_miss_span"], axis=0)
    return Estimate(float(pi[-1]), units, pi[:-1], weight, (None, 1), by != "document_id")


def _coders(run: FinishedRun) -> dict[str, CoderRow]:
    rows: list[CoderRow] = rows_over_all(run.table("coders"), run.settings["group_by"])
    return {row["coder"]: row for row in rows}


def _effect(row: CoderRow) -> float | None:
    return row.get("agreement_effect")


def _marks(row: CoderRow) -> str:
    return ", ".join(mark for mark in MARKS if row.get(mark))


def _in_words(row: CoderRow | None) -> str:
    """Return the effect of a coder with what is named; a dash of who is not in the audit."""
    return "–" if row is None else f"{shown_change(_effect(row))} {_marks(row)}".strip()


def _value(run: FinishedRun, name: str) -> AuditValue | None:
    if name == "named":
        named = sum(bool(_marks(row)) for row in _coders(run).values())
        return AuditValue(float(named), None, None)
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    for row in rows:
        if (row["coefficient"], row["similarity"]) == ("pi", SHOWN) and row["value"] is not None:
            return AuditValue(row["value"], row["ci_low"], row["ci_high"])
    return None
