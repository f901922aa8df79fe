"""Nights of before with the names that systems and groups have now."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.nightly.aliases import SYSTEM, Alias, Aliases
from segscore.pipeline.nightly.verdict import Check, Verdict


def rename_rows(table: pa.Table, aliases: Aliases) -> pa.Table:
    """Return rows of a night with the new names."""
    for alias in aliases:
        name = "hypothesis" if alias.what == SYSTEM else alias.what
        if name not in table.column_names or not pa.types.is_string(table.schema.field(name).type):
            continue
        column = table.column(name)
        is_old = pc.fill_null(pc.equal(column, alias.was), False)
        renamed = pc.if_else(is_old, alias.name, column)
        table = table.set_column(table.column_names.index(name), name, renamed)
    return table


def rename_history(table: pa.Table, aliases: Aliases, seen_from: date) -> pa.Table:
    """Return rows of the history with the names that their nights have on a later one."""
    valid = [alias for alias in aliases if alias.since <= seen_from]
    for alias in valid:
        before = pc.fill_null(pc.less(table.column("date"), alias.since), False)
        old = rename_rows(table.filter(before), (alias,))
        table = pa.concat_tables([old, table.filter(pc.invert(before))])
    return table


def rename_verdict(verdict: Verdict, aliases: Aliases) -> Verdict:
    """Return a verdict on a night with the new names."""
    for alias in aliases:
        verdict = _with_group(verdict, alias) if alias.what != SYSTEM else _with(verdict, alias)
    return verdict


def _with(verdict: Verdict, alias: Alias) -> Verdict:
    """Give a system its new name."""

    def new(name: str | None) -> Any:
        return alias.name if name == alias.was else name

    def each(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(new, names))

    def checks(listed: Sequence[Check]) -> tuple[Check, ...]:
        return tuple(replace(check, system=new(check.system)) for check in listed)

    return replace(
        verdict,
        against={new(system): night for system, night in verdict.against.items()},
        checks=checks(verdict.checks),
        group_checks=checks(verdict.group_checks),
        systems=each(verdict.systems),
        missing=each(verdict.missing),
        new=each(verdict.new),
        expected=each(verdict.expected),
        unpaired=tuple(replace(one, system=new(one.system)) for one in verdict.unpaired),
        rejected=tuple(replace(one, system=new(one.system)) for one in verdict.rejected),
        acceptances=tuple(replace(one, system=new(one.system)) for one in verdict.acceptances),
        densities=tuple(replace(one, system=new(one.system)) for one in verdict.densities),
    )


def _with_group(verdict: Verdict, alias: Alias) -> Verdict:
    """Give a group its new name, alone or among those of several attributes."""

    def new(group: str | None) -> str | None:
        if group is None:
            return None
        values = [alias.name if value == alias.was else value for value in group.split(", ")]
        return ", ".join(values)

    return replace(
        verdict,
        group_checks=tuple(replace(one, group=new(one.group)) for one in verdict.group_checks),
        missing_groups=tuple(str(new(group)) for group in verdict.missing_groups),
        densities=tuple(replace(one, group=new(one.group)) for one in verdict.densities),
    )
