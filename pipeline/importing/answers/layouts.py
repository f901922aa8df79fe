"""Find the numbers that a text names: line by line, and column by column in tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.mentions import AnswerLine, NumberMention, read_line
from segscore.pipeline.importing.answers.roles import Role, role_of_name

CELL = "|"
"""What divides the cells of a table in Markdown."""
_FEWEST = 2
"""The fewest rows of a table."""


def lines_of_text(text: str) -> tuple[list[AnswerLine], bool]:
    """Find the numbers in the lines of a text; say whether they are rows of a table."""
    lines = [line for line in lines_of(text) if line.strip()]
    rows = _rows(lines)
    if rows is None:
        return [read_line(line) for line in lines], False
    return [*_table(rows)], True


def ends_in_row(text: str) -> bool:
    """Return whether a text ends inside a row of a table: it lacks its last bar, or cells."""
    lines = [line for line in lines_of(text) if line.strip()]
    rows = _rows(lines)
    if rows is None:
        return False
    lacks = len(rows[-1]) < len(rows[0])
    last = lines[-1].strip()
    if last.startswith(CELL):
        return lacks or not last.endswith(CELL)
    return lacks and rows[-1][-1].isdecimal()


def _rows(lines: Sequence[str]) -> list[list[str]] | None:
    """Return the cells of the rows of a table; None if the text has no table.

    All lines with a digit are rows, unless the rows begin with a bar.
    """
    barred = [line.strip() for line in lines if CELL in line]
    fenced = [line for line in barred if line.startswith(CELL)]
    with_digits = [line.strip() for line in lines if _has_digit(line)]
    if len(fenced) >= _FEWEST or (len(barred) >= _FEWEST and barred == with_digits):
        rows = fenced if len(fenced) >= _FEWEST else barred
        return [[cell.strip() for cell in line.strip(CELL).split(CELL)] for line in rows]
    for separator in ("\t", ",", ";"):
        at = next((i for i, line in enumerate(lines) if line.count(separator)), len(lines))
        cells = [[cell.strip() for cell in line.split(separator)] for line in lines[at:]]
        if len(cells) >= _FEWEST and _is_header(cells[0]):
            return cells
    return None


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _is_header(cells: Iterable[str]) -> bool:
    """Return whether cells are names of columns, at least one of which says what it has."""
    names = [*cells]
    named = any(role_of_name(name) is not Role.NONE for name in names)
    return named and not any(map(_has_digit, names))


def _table(rows: Sequence[Sequence[str]]) -> Iterator[AnswerLine]:
    """Yield the numbers of each row; the column is the label of a number."""
    header = [] if any(map(_has_digit, rows[0])) else rows[0]
    roles = [role_of_name(name) for name in header]
    for row in rows:
        mentions = [
            of_cell
            for column, cell in enumerate(row)
            for of_cell in _in_cell(cell, column, roles[column] if column < len(roles) else None)
        ]
        yield AnswerLine(tuple(mentions), bare=False)


def _in_cell(cell: str, column: int, role: Role | None) -> Iterator[NumberMention]:
    line = read_line(cell)
    if not line.bare:
        return
    for each in line.mentions:
        own = each.role if role in (None, Role.NONE) else role
        yield replace(each, role=own or each.role, label=f"column {column + 1}", leads=column == 0)
