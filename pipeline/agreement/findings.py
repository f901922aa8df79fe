"""Say in sentences what an audit shows: how well coders agree, and who stands out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import pyarrow as pa

from segscore.pipeline.agreement.chance import DRAWS, MOST_DOCUMENTS
from segscore.pipeline.agreement.example import example_of
from segscore.pipeline.agreement.habits import Habits, habits_of
from segscore.pipeline.agreement.judging.drift import day_of
from segscore.pipeline.agreement.judging.limits import CHANGE_P, FEWEST_DOCUMENTS, FEWEST_JUDGED
from segscore.pipeline.agreement.judging.step import MOST, AuditRows, Part
from segscore.pipeline.agreement.judging.steps import MARKS, STEPS
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.agreement.type_rows import type_sentences, types_over_all
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun, rows_by_group, rows_over_all
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    format_p,
    number_in_words,
    short_number,
    shown_as,
    shown_attribute,
    shown_change,
    shown_changes,
    shown_number,
)
from segscore.schemas.rows import (
    CoderRow,
    CoefficientRow,
    PeerRow,
    column_of,
    group_of,
)

_HALF_WIDTH = 0.05
_EXACTLY = 0.005
"""Half the width of an interval below which it is shown with three decimals."""

_MUCH_WIDER = 2
"""If the interval for other coders is so many times as wide, more coders are what helps."""

_TOO_WIDE = 1.0
"""Width from which an interval for other coders says nothing."""

_OF_CODERS = (Part.READINGS, Part.AGREEMENT, Part.PAIRS, Part.CODERS)
_TWO = 2
_FEWEST_RANKED, _LEAST_SHRUNK = 20, 0.05
"""Coders whose effects are ranked where nobody is judged, and from where on they are listed."""
_LEAST_CHANCE = 0.0005
_IN_ORDER = ("guideline", "guidelines", "version", "round", "phase")
"""Attributes whose values are compared in their order, whatever they are."""


def stands_out(row: Mapping[str, object]) -> bool:
    """Return whether a coder is marked by one of ``MARKS``."""
    return any(column_of(row, mark) for mark in MARKS)


def describe_audit(agreement: Sequence[CoefficientRow], audit: AuditRows) -> list[str]:
    """Return sentences that say how to read an audit."""
    marked = [sentence for part in _OF_CODERS for sentence in _said(audit, part)]
    judged = [row for row in audit.coders if row.get("low_agreement") is not None]
    if not marked and not judged:
        return [
            *_agreement(agreement),
            f"Outlier analysis needs at least {FEWEST_JUDGED} coders who each share "
            f"{FEWEST_DOCUMENTS} documents with others.",
            *_crowd(audit.coders),
        ]
    where = [
        sentence
        for coder, habits in audit.habits.items()
        for sentence in habits.sentences(coder, audit.unit)
    ]
    return [*_agreement(agreement), *marked, *where, *_not_judged(audit.coders)]


def _crowd(coders: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield who agrees least, if coders differ at all; nobody is named for it."""
    known = [row for row in coders if row.get("shrunk_effect") is not None]
    lowest = sorted(known, key=lambda row: (row["shrunk_effect"], row["coder"]))[:MOST]
    lowest = [row for row in lowest if row["shrunk_effect"] <= -_LEAST_SHRUNK]
    if len(known) < _FEWEST_RANKED or not lowest:
        return
    named = ", ".join(f"{row['coder']} {row['shrunk_effect']:+.2f}" for row in lowest)
    yield (
        f"Look first at what these marked, of {len(known):,} coders (effects, shrunk towards the "
        f"mean for the few documents of each): {named}."
    )


def _said(audit: AuditRows, part: Part) -> list[str]:
    """Return the sentences of the steps of one part."""
    return [sentence for step in STEPS if step.part is part for sentence in step.say(audit)]


def audit_findings(
    tables: Mapping[str, pa.Table],
    by: Sequence[str],
    unit: str | None,
    habits: Mapping[str, Habits] | None = None,
    example: str = "",
) -> list[str]:
    """Return all sentences about an audit: ``describe_audit`` and the groups.

    Args:
        tables: the tables `agreement`, `coders` and `peers`.
        by: the group-by columns.
        unit: unit of the codings; None if it is not known.
        habits: where coders who stand out differ, by name.
        example: who has the boundary by which two ways of reading differ, in words.
    """
    agreement: list[CoefficientRow] = rows_over_all(tables["agreement"], by)
    coders: list[CoderRow] = rows_over_all(tables["coders"], by)
    peers: list[PeerRow] = rows_over_all(tables["peers"], by)
    groups = rows_by_group(tables["coders"], by)
    audit = AuditRows(
        coders,
        peers,
        groups,
        by,
        {group_of(row, by) for row in groups},
        unit,
        habits=habits or {},
        example=example,
    )
    return [
        *describe_audit(agreement, audit),
        *_said(audit, Part.GROUPS),
        *_changes(rows_by_group(tables["agreement"], by), by),
    ]


def _changes(rows: Sequence[CoefficientRow], by: Sequence[str]) -> Iterator[str]:
    """Yield a sentence about each group and the one before, unless the groups are dates."""
    rows = [row for row in rows if (row["coefficient"], row["similarity"]) == ("pi", SHOWN)]
    if len(by) != 1 or all(day_of(group_of(row, by)[0]) is not None for row in rows):
        return
    if not (by[0].lower() in _IN_ORDER or all(_numbered(group_of(row, by)[0]) for row in rows)):
        return
    ordered = sorted(rows, key=lambda row: group_of(row, by))
    if len(ordered) > MOST + 1:
        return
    for before, after in pairwise(ordered):
        change, p = after.get("change"), after.get("change_p")
        if change is None or p is None:
            continue
        sure = p < CHANGE_P
        verb = ("is higher" if change > 0 else "is lower") if sure else "may be the same"
        than = "than" if sure else "as"
        groups = [shown_attribute(*group_of(row, by)) for row in (after, before)]
        yield (
            f"Agreement {verb} with {by[0]} {groups[0]} {than} with {groups[1]}: pi by {SHOWN} is "
            f"{shown_number(after['value'])} with {groups[0]} and {shown_number(before['value'])} "
            f"with {groups[1]}, difference {shown_change(change)} "
            f"({shown_changes(after['change_low'], after['change_high'])}, "
            f"p {format_p(p)})."
        )
        yield from _among_the_same(after, groups[0])


def _numbered(value: object) -> bool:
    """Return whether a value is a number or has one, as versions do; languages have no order."""
    return any(letter.isdigit() for letter in str(value))


def _among_the_same(row: CoefficientRow, group: str) -> Iterator[str]:
    """Yield a sentence about the coders of both groups, if some joined or left."""
    joined, left = int(row.get("joined_coders") or 0), int(row.get("left_coders") or 0)
    same, change = int(row.get("same_coders") or 0), row.get("same_coders_change")
    if not joined + left:
        return
    who = f"With {group}, {counted(joined, 'coder')} joined and {left} left"
    if same < _TWO or change is None:
        yield f"{who}: no two coders coded under both, so that the change may be theirs."
        return
    interval = shown_changes(row.get("same_coders_low"), row.get("same_coders_high"))
    yield (
        f"{who}; the similarity of the {same} who coded under both changed by "
        f"{shown_change(change)} ({interval})."
    )


def _not_judged(coders: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence about coders of whom too little is known."""
    left_out = [row["coder"] for row in coders if row.get("low_agreement", False) is None]
    if left_out:
        more = len(left_out) - MOST
        names = named_list([*left_out[:MOST], *[f"{more} others"] * (more > 0)])
        are = "are" if len(left_out) > 1 else "is"
        yield (
            f"{len(left_out)} of {len(coders)} coders {are} not judged, for want of "
            f"{FEWEST_DOCUMENTS} documents shared with others: {names}."
        )


def _agreement(rows: Sequence[CoefficientRow]) -> Iterator[str]:
    """Yield a sentence about pi, by boundary similarity if the audit has it."""
    known = [row for row in rows if row["coefficient"] == "pi" and row["value"] is not None]
    if not known:
        yield "Agreement above chance is undefined."
        return
    row = next((row for row in known if row["similarity"] == SHOWN), known[0])
    shown = number_in_words(row["value"], row["ci_low"], row["ci_high"])
    yield (
        f"pi by {row['similarity']} is {shown}: two coders agree by "
        f"{short_number(row['actual'])}{_chance(row)}."
    )
    if row["ci_low"] is not None and row["ci_high"] is not None:
        yield from _precision(row, (row["ci_high"] - row["ci_low"]) / 2)


def habits_of_run(run: FinishedRun, coders: Sequence[str]) -> dict[str, Habits]:
    """Return where some coders of a finished audit differ."""
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    chances = [row.get("chance") for row in rows if row["similarity"] == SHOWN]
    return habits_of(run, coders, next((chance for chance in chances if chance), 0.0))


def _chance(row: CoefficientRow) -> str:
    """Say what chance gives, and how much of what is left coders agree by."""
    chance, corrected = row.get("chance"), row.get("corrected")
    if chance is None or corrected is None:
        return ""
    drawn, documents = int(row.get("chance_documents") or 0), row["documents"]
    of = f" of {drawn:,} documents" * (drawn == MOST_DOCUMENTS and documents > drawn)
    by = "next to nothing" if chance < _LEAST_CHANCE else short_number(chance)
    return (
        f"; as many boundaries at random places would by {by} ({DRAWS} draws{of}): "
        f"{shown_as(corrected, '.2f')} of what is left"
    )


def _precision(row: CoefficientRow, half: float) -> Iterator[str]:
    """Say how well pi is known for these coders, and for others like them.

    The width of an interval is proportional to one over the root of the number of documents.

    Args:
        row: pi.
        half: half the width of its interval for these coders.
    """
    if half <= 0:
        return
    documents, coders = row["documents"], row["coders"]
    low, high = row.get("coders_low"), row.get("coders_high")
    form = ".2f" if half >= _EXACTLY else ".3f"
    known = f"For these {coders} coders, pi is precise to ±{half:{form}}"
    more = ceil(documents * (half / _HALF_WIDTH) ** 2) - documents
    needed = (
        f"±{_HALF_WIDTH} needs about {more:,} more documents with two coders than the "
        f"{documents:,} there are"
    )
    if low is None or high is None:
        others = "two coders are too few to predict the agreement of others" * (coders == _TWO)
    else:
        others = (
            f"with other coders of this kind, expect {shown_as(low, form)} to "
            f"{shown_as(min(high, 1.0), form)}"
            if high - low < _TOO_WIDE
            else "these are too few to predict the agreement of other coders"
        )
        if (high - low) / 2 >= _MUCH_WIDER * half:
            others += ": more coders help, more documents do not"
            more = 0
    yield "; ".join(part for part in (known, others, needed * (more > 0)) if part) + "."


def findings_of(run: FinishedRun) -> list[str]:
    """Return all sentences about a finished audit."""
    tables = {name: run.table(name) for name in ("agreement", "coders", "peers")}
    by, candidate = run.settings["group_by"], run.settings.get("candidate")
    coders: list[CoderRow] = rows_over_all(tables["coders"], by)
    peers: list[PeerRow] = rows_over_all(tables["peers"], by)
    named = [row["coder"] for row in coders if stands_out(row)]
    audit = AuditRows(
        coders, peers, candidate=candidate, margin=run.settings.get("margin", 0.0), unit=run.unit
    )
    return [
        *audit_findings(tables, by, run.unit, habits_of_run(run, named), example_of(run, coders)),
        *type_sentences(types_over_all(run)),
        *_said(audit, Part.LAST),
    ]
