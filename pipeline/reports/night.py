"""The verdict on a night: its systems at a glance, and the section on its gate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from math import isnan

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.gate.families import ALPHA
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.gate_tables import (
    boundaries_table,
    early_levels,
    gate_table,
    groups_of_gate,
    levels_of_gate,
    moved_table,
    night_table,
    restated_table,
)
from segscore.pipeline.nightly.kept_verdicts import ReplacedVerdict
from segscore.pipeline.nightly.restatements import Restatement
from segscore.pipeline.nightly.trend.series import read_series
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.nightly.verdict import ACCEPTED, ALL_SYSTEMS, Check, Verdict
from segscore.pipeline.reports import cell_charts
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.results.names import explain_command
from segscore.pipeline.statistics.formatted_numbers import short_number

NIGHTS = 14
"""Number of nights whose values are drawn."""


def night_at_a_glance(night: Verdict, runs: str) -> Figure | None:
    """Show each system: the rule that says most about it, and its last nights on one scale.

    Args:
        night: the verdict.
        runs: folder of the nights.
    """
    if not (checks := [*_deciding(night)]):
        return None
    table, note = night_table(checks), ""
    values = _last_nights(night, checks[0], runs)
    known = [value for each in values.values() for value in each if not isnan(value)]
    if known:
        low, high = min(known), max(known)
        lines = [cell_charts.line(values.get(each.system, ()), low, high) for each in checks]
        heading = f"last {max(map(len, values.values()))} nights"
        drawn = replace(table.columns[1], heading=heading, values=lines)
        table = replace(table, columns=[*table.columns, drawn])
        note = f" The lines share one scale, {short_number(low)} to {short_number(high)}."
    table, note = replace(table, caption=""), f"{table.caption}.{note}"
    return shown_figure(table, folded=False, wide=True, note=note, at_a_glance=True)


def _deciding(night: Verdict) -> Iterator[Check]:
    """Yield a check of each system, those that fail first: the first failing one, or the first."""
    of: dict[str, Check] = {}
    for check in (*night.failed, *night.checks):
        if check.system != ALL_SYSTEMS:
            of.setdefault(check.system, check)
    yield from of.values()


def _last_nights(night: Verdict, check: Check, runs: str) -> Mapping[str, Sequence[float]]:
    """Return the averages of each system on the last nights; empty if there are too few."""
    try:
        settings = TrendSettings(
            runs,
            check.measure,
            until=date.fromisoformat(night.date),
            nights=NIGHTS,
            average=check.average,
        )
        series = read_series(settings).series
    except Refused:
        return {}
    return {each.system: each.values.tolist() for each in series if each.system is not None}


def to_look_closer(night: Verdict, run: str) -> str:
    """Return the command that shows the document that worsened most; empty if none did."""
    moved = ((check.system, each.document_id) for check in night.failed for each in check.moved)
    system, document = next(moved, ("", ""))
    return explain_command(run, document, system) if document else ""


def gate_section(
    night: Verdict,
    restated: Sequence[Restatement] = (),
    replaced: Sequence[ReplacedVerdict] = (),
) -> Section:
    """Make the section with the result of each rule of the gate; rows that failed are marked.

    Args:
        night: the verdict.
        restated: how this night, and others that the verdict rests on, were scored again.
        replaced: the earlier verdicts on the night.
    """
    sentences = [f"{night.date}: {night.outcome}."]
    if night.outcome == ACCEPTED:
        sentences.append(f"The reason to accept it: {night.reason}.")
    if early := early_levels(night.checks):
        sentences.append(f"{early[0].upper()}{early[1:]}.")
    sentences += [f"Warning: {warning}." for warning in night.warnings]
    sentences += [f"{each.sentence}." for each in replaced]
    return Section("gate", "Gate", " ".join(sentences), [*_figures(night, restated)])


def _figures(night: Verdict, restated: Sequence[Restatement]) -> Iterator[Figure]:
    """Yield the tables of a night that have rows."""
    gate = gate_table(night.checks, night.asked.get("alpha", ALPHA), night.reused_ids)
    open_tables = [*([] if gate is None else [gate]), moved_table(night.checks)]
    yield from (
        shown_figure(each.short, folded=False, wide=True) for each in open_tables if each.rows
    )
    levels = levels_of_gate((*night.checks, *night.group_checks))
    others = [check for check in night.group_checks if not kind_of_check(check).has_level]
    groups = groups_of_gate(others)
    for table in (levels, groups):
        if table.rows:
            yield shown_figure(table.short, folded=not table.failed, wide=True)
    if night.densities:
        yield shown_figure(boundaries_table(night.densities).short, wide=True)
    if (table := restated_table(restated)).rows:
        yield shown_figure(table.short, folded=False, wide=True)
