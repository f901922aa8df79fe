"""Rows of a table with a header: CSV and TSV, JSON Lines and Parquet, with values as they stand."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline.importing.formats.values import exact_values
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, repeated

_LONGEST_CELL = 2**31 - 1
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_INDEX = "__index_level_0__"


@dataclass(frozen=True)
class TableRows:
    """A table: its header, and each row as its line and the values that are not empty."""

    header: Sequence[str]
    place: RowPlace
    cells: Sequence[tuple[int, Mapping[str, object]]]


def read_table_rows(file: OpenedFile, skip_lines: int = 0) -> TableRows:
    """Read a table of any of these formats; lines to skip precede the header of CSV.

    Raises:
        Refused: it is malformed; the message gives file and line.
    """
    if file.is_parquet:
        return _parquet(file)
    lines = list(file.lines())
    first = next((line for line in lines if line.strip()), "")
    is_json = first.lstrip().startswith(("{", "["))
    return _json_lines(file, lines) if is_json else _csv(file, lines, skip_lines)


def split_header(lines: Sequence[str], skip_lines: int) -> list[str]:
    """Return the names in the header of a CSV text; nothing if it cannot be read."""
    text = lines[skip_lines] if len(lines) > skip_lines else ""
    try:
        return next(csv.reader([text], delimiter=_delimiter(text)), [])
    except csv.Error:
        return []


def _delimiter(header: str) -> str:
    """Return what separates cells: a tab, else the more frequent of comma and ';'."""
    if "\t" in header:
        return "\t"
    return "," if header.count(",") > header.count(";") else ";"


def _csv(file: OpenedFile, lines: Sequence[str], skip_lines: int) -> TableRows:
    csv.field_size_limit(_LONGEST_CELL)
    texts = lines[skip_lines:]
    delimiter = _delimiter(texts[0] if texts else "")
    reader = csv.reader((f"{text}\n" for text in texts), delimiter=delimiter, strict=True)
    header: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    line = skip_lines + 1
    try:
        for cells in reader:
            place, line = file.place(line), skip_lines + reader.line_num + 1
            if not header:
                header = cells
            elif any(cell.strip() for cell in cells) or len(cells) > 1:
                if len(cells) != len(header):
                    hint = "" if rows else "; --skip-lines leaves out lines before the header"
                    raise place.refusal(
                        f"{len(cells)} cells; expected {len(header)}, as in the header{hint}"
                    )
                rows.append((place.line, cells))
    except csv.Error as error:
        raise file.place(line).refusal(f"not CSV: {error}; check the quotes") from error
    place = file.place(skip_lines + 1)
    named = _without_index(header, [cells[0] for _, cells in rows if cells], place)
    records = [(at, dict(zip(header, cells, strict=True))) for at, cells in rows]
    filled = [
        (at, {n: _number(cell, delimiter) for n in named if (cell := record[n].strip())})
        for at, record in records
    ]
    return TableRows(named, place, filled)


def _without_index(header: Sequence[str], first: Sequence[str], place: RowPlace) -> list[str]:
    """Return the names of the columns, without the nameless index 0, 1, 2 of pandas."""
    names = [name.strip() for name in header]
    if names[:1] == [""] and list(first) == [str(number) for number in range(len(first))]:
        names = names[1:]
    if "" in names:
        raise place.refusal("a column has no name; name it or remove it")
    if len({*names}) < len(names):
        raise place.refusal(f"the column {repeated(names)} occurs twice in the header; remove one")
    return names


def _number(cell: str, delimiter: str) -> str:
    """Return a cell with a decimal point for a decimal comma, where commas do not separate."""
    decimal = delimiter != "," and _DECIMAL_COMMA.fullmatch(cell)
    return cell.replace(",", ".") if decimal else cell


def _json_lines(file: OpenedFile, lines: Sequence[str]) -> TableRows:
    rows = []
    header: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            record = strict_json.loads(line, file.place(number), decimals=True)
            if not isinstance(record, dict):
                raise file.place(number).wrong("the line", record, "one JSON object")
            filled = {name: x for name, x in record.items() if x not in (None, "")}
            header |= dict.fromkeys(filled)
            rows.append((number, filled))
    return TableRows(list(header), file.place(1), rows)


def _parquet(file: OpenedFile) -> TableRows:
    table = file.table()
    values = {name: list(exact_values(table.column(name))) for name in table.column_names}
    if values.get(_INDEX) == list(range(table.num_rows)):
        del values[_INDEX]
    rows = [
        (row, {name: column[row] for name, column in values.items() if column[row] is not None})
        for row in range(table.num_rows)
    ]
    return TableRows(list(values), file.place(0), rows)
