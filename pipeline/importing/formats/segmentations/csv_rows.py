"""CSV or TSV: a header, then one segmentation per record; spaces or ';' separate list elements.

Lists, and integers in a column with nulls, are also accepted as pandas writes them: `[5, 9]` and
`11.0`.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from textwrap import shorten
from typing import TypeVar

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.rows import (
    Defaults,
    ParsedRow,
    RowPlace,
    integer_of,
    is_given,
    list_of,
    numbered,
    option_hint,
    optional_lists,
    printable,
    repeated,
    role_of,
    row_number,
)
from segscore.pipeline.tables.stated_table import stated_table
from segscore.schemas.input_columns import INPUT_TYPES, ROLE

T = TypeVar("T")
LONGEST_FIELD = 2**31 - 1
# int() raises its own error for more than 4300 digits.
_WHOLE = re.compile(r"([+-]?[0-9]{1,4000})(?:\.0*)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BETWEEN = re.compile(r"\s*;\s*|\s+")
IN_BRACKETS = re.compile(r"\s*[,;]\s*|\s+")
DELIMITERS = ("\t", ",", ";")
_LONGEST_HEADER = 400
"""Characters of a wrong header that a message shows."""

_FIELDS = {*INPUT_TYPES, ROLE}


def read(
    lines: Iterable[str],
    source: str,
    defaults: Defaults,
    bad_lines: list[tuple[int, str]] | None = None,
) -> Iterator[ParsedRow]:
    """Parse a CSV text into rows; the delimiter is the first of tab, comma and ';' in the header.

    An empty document_id, coder or role is taken from `defaults`; empty boundaries mean one segment;
    any other empty cell is absent. Columns with other names are attributes and remain text.
    Raises Refused for a missing, repeated or unnamed column, a record with another number of cells,
    a value of the wrong type, or unclosed quotes. A row's line is the one its record starts on.
    If `bad_lines` is given, it receives the number (from 0) and the message of every record that
    cannot be read, which is then left out; the header and the quotes must be right all the same.
    """
    csv.field_size_limit(LONGEST_FIELD)
    texts = (f"{text}\n" for _, text in numbered(lines))
    first = next(texts, "")
    delimiter = next((mark for mark in DELIMITERS if mark in first), ",")
    records = csv.reader(chain([first], texts), delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in records:
            place, line = RowPlace(source, line), records.line_num + 1
            if not header:
                header = _header(cells, defaults, place)
            elif cells:
                try:
                    row = _row(_record(header, cells, place), defaults, place)
                    if bad_lines is not None:
                        stated_table([row])  # refuses values that do not fit their column
                except Refused as refusal:
                    if bad_lines is None:
                        raise
                    bad_lines.append((place.line - 1, str(refusal)))
                else:
                    yield row
    except csv.Error as error:
        raise RowPlace(source, line).refusal(f"not CSV: {error}; check the quotes") from error


def _header(cells: list[str], defaults: Defaults, place: RowPlace) -> list[str]:
    """Check the column names and return them."""
    needed = [name for name in SEGMENTATIONS.required if getattr(defaults, name, None) is None]
    if missing := [name for name in needed if name not in cells]:
        lacks = "; ".join(f"no {name}{nearest(name, cells)}{option_hint(name)}" for name in missing)
        columns = shorten(", ".join(map(printable, cells)), _LONGEST_HEADER, placeholder=" ...")
        raise place.refusal(f"the header has {lacks}; its columns are {columns or 'empty'}")
    if "" in cells:
        raise place.refusal(f"column {cells.index('') + 1} has no name; name it or remove it")
    if len(set(cells)) < len(cells):
        raise place.refusal(f"the column {repeated(cells)} stands twice in the header; keep one")
    return cells


def _record(header: list[str], cells: list[str], place: RowPlace) -> dict[str, str]:
    """Return the cells that are not empty, by column."""
    if len(cells) != len(header):
        raise place.refusal(f"{len(cells)} cells; expected {len(header)}, as in the header")
    return {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}


def _row(record: dict[str, str], defaults: Defaults, place: RowPlace) -> ParsedRow:
    def many(name: str, check: Callable[[object, str, RowPlace], T]) -> tuple[T, ...] | None:
        cell = record.get(name)
        return None if cell is None else list_of(check, _elements(cell.strip()), name, place)

    return ParsedRow(
        document_id=is_given(record.get("document_id", defaults.document_id), "document_id", place),
        coder=is_given(record.get("coder", defaults.coder), "coder", place),
        role=role_of(record.get(ROLE, defaults.role), ROLE, place),
        n_units=_integer(is_given(record.get("n_units"), "n_units", place), "n_units", place),
        boundaries=many("boundaries", _integer) or (),
        **optional_lists(many, _integer, _number),
        collapsed_boundaries=_collapsed(record, place),
        attributes={name: cell for name, cell in record.items() if name not in _FIELDS},
        source=place.source,
        line=place.line,
    )


def _collapsed(record: dict[str, str], place: RowPlace) -> int | None:
    cell = record.get("collapsed_boundaries")
    return None if cell is None else _integer(cell, "collapsed_boundaries", place)


def _elements(cell: str) -> list[str]:
    if not (cell.startswith("[") and cell.endswith("]")):
        return _BETWEEN.split(cell)
    inside = cell[1:-1].strip()
    return IN_BRACKETS.split(inside) if inside else []


def _integer(value: object, name: str, place: RowPlace) -> int:
    """Parse an integer; int() would also accept 1_000 and the digits of other scripts."""
    digits = str(value).strip()
    found = _WHOLE.fullmatch(digits)
    return integer_of(int(found[1]) if found else value, name, place)


def _number(value: object, name: str, place: RowPlace) -> float:
    """Parse a decimal number; float() would also accept nan, inf and 1_0."""
    digits = str(value)
    return row_number(float(digits) if _DECIMAL.fullmatch(digits) else value, name, place)
