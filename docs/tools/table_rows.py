"""The rows of docs/tables.md: columns of a table that say the same share one."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from segscore.api.output_tables import OutputTable
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.measures.several_references import OVER_REFERENCES
from segscore.schemas.columns import arrow_type

LEFT_OPEN = "…"
"""In a meaning, what the name of each column of its row says."""

_WORDS = {"low": "lower", "high": "upper", "q1": "lower quartile", "q3": "upper quartile"}
"""Part of a name -> the words that say it in a meaning, if these are others."""


class TableRow(NamedTuple):
    """A row of the page: columns of one type, one range and one meaning.

    Attributes:
        names: the columns, in the order of the table.
        kind: their type, with `?` if they may be null, and their range; in Markdown.
        meaning: their meaning; `LEFT_OPEN` stands for what differs between them.
    """

    names: tuple[str, ...]
    kind: str
    meaning: str


def table_rows(
    table: OutputTable, given: Container[str], before: Sequence[OutputTable]
) -> Iterator[TableRow]:
    """Yield the rows of a table; columns in ``given`` are never null, as a rule of theirs says.

    Columns one after the other that differ only by what their names say are one row, and so are
    columns one after the other that one of the tables ``before`` has.
    """
    waiting: list[TableRow] = []
    for row in _single_rows(table, given, before):
        if waiting and not _alike(waiting[-1], row):
            yield _merged(waiting)
            waiting = []
        waiting.append(row)
    if waiting:
        yield _merged(waiting)


def optional_measures(table: OutputTable) -> list[str]:
    """Return the columns of a table that are there if a measure of pairs is chosen."""
    columns = table.schema.columns
    if table.name == "scores":
        return [name for name in columns if name in PAIRS.counts or name in PAIRS.measures]
    if table.name == "panel_scores":
        return [name for name in columns if name in OVER_REFERENCES.measures]
    return []


def _single_rows(
    table: OutputTable, given: Container[str], before: Sequence[OutputTable]
) -> Iterator[TableRow]:
    """Yield a row for each column; that of a column of an earlier table is a link to it."""
    earlier = {row: each.name for each in reversed(before) for row in _own_rows(each, ())}
    for row in _own_rows(table, given):
        name = earlier.get(row)
        yield TableRow(row.names, "", f"as in [{name}](#{name})") if name else row


def _own_rows(table: OutputTable, given: Container[str]) -> Iterator[TableRow]:
    """Yield a row for each column, but for those that depend on the chosen measures."""
    left_out = {*optional_measures(table)}
    for name, column in table.schema.columns.items():
        if name not in left_out:
            yield TableRow((name,), _kind(column, nullable=name not in given), column.description)


def _alike(one: TableRow, other: TableRow) -> bool:
    """Whether two columns can share a row."""
    return one.kind == other.kind and _open(one) == _open(other)


def _merged(rows: list[TableRow]) -> TableRow:
    """Return the one row of columns that say the same."""
    names = tuple(name for row in rows for name in row.names)
    return TableRow(names, rows[0].kind, rows[0].meaning if len(rows) == 1 else _open(rows[0]))


def _open(row: TableRow) -> str:
    """Return a meaning in which what the name of the column says is left open."""
    parts = row.names[0].split("_")
    runs = (
        "_".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    )
    meaning = row.meaning
    for part in sorted(runs, key=len, reverse=True):
        pattern = "|".join(re.escape(text) for text in {part, _WORDS.get(part, part)})
        meaning = re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", LEFT_OPEN, meaning)
    return meaning


def _kind(column: Any, *, nullable: bool) -> str:
    """Return the type and the range of a column."""
    mark = "?" if nullable and column.nullable else ""
    optional = "" if column.required else ", optional"
    limits = _range(column)
    return f"`{_type_name(arrow_type(column))}{mark}`{' ' if limits else ''}{limits}{optional}"


def _type_name(kind: Any) -> str:
    names = {"double": "float64", "date32[day]": "date32"}
    if hasattr(kind, "value_type"):
        return f"list<{_type_name(kind.value_type)}>"
    return names.get(str(kind), str(kind))


def _range(column: Any) -> str:
    """Return the range of a column's values, from its built-in checks."""
    limits: dict[str, Any] = {}
    for check in column.checks:
        limits |= check.statistics or {}
    if "allowed_values" in limits:
        return ", ".join(f"`{value}`" for value in limits["allowed_values"])
    least, largest = (_limit(limits.get(name)) for name in ("min_value", "max_value"))
    if least and largest:
        return f"{least}..{largest}"
    return f"≥ {least}" if least else f"≤ {largest}" if largest else ""


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def in_code(names: Iterable[str]) -> str:
    """Return names of columns in Markdown."""
    return ", ".join(f"`{name}`" for name in names)
