"""The section on the verdict of a night's gate."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.nightly.gate.families import ALPHA
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.gate_tables import (
    boundaries_table,
    early_levels,
    gate_table,
    groups_of_gate,
    levels_of_gate,
    moved_table,
    restated_table,
)
from segscore.pipeline.nightly.kept_verdicts import ReplacedVerdict
from segscore.pipeline.nightly.restatements import Restatement
from segscore.pipeline.nightly.verdict import ACCEPTED, Verdict
from segscore.pipeline.reports.page import Figure, Section, shown_figure


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
    yield from (shown_figure(each, folded=False, wide=True) for each in open_tables if each.rows)
    levels = levels_of_gate((*night.checks, *night.group_checks))
    others = [check for check in night.group_checks if not kind_of_check(check).has_level]
    groups = groups_of_gate(others)
    for table in (levels, groups):
        if table.rows:
            yield shown_figure(table, folded=not table.failed, wide=True)
    if night.densities:
        yield shown_figure(boundaries_table(night.densities), wide=True)
    if (table := restated_table(restated)).rows:
        yield shown_figure(table, folded=False, wide=True)
