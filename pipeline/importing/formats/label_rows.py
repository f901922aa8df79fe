"""Tables with a row for each unit: their rows, gathered to a record of labels for each document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from segscore.pipeline.importing.formats.format import CSV_ENDINGS
from segscore.pipeline.importing.formats.label_records import (
    CODER_FIELDS,
    DOCUMENT_FIELDS,
    FieldPath,
    LabelRecord,
)
from segscore.pipeline.importing.formats.table_rows import TableRows, read_table_rows
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.storage.compression import without_compression
from segscore.schemas.input_columns import ROLE

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_OF_UNITS = ("id",)
"""Usual names of documents that name the unit where each row is one."""


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table with a row for each unit.

    Attributes:
        document: path of the document's name; None for a column with a usual name.
        coder: path of the coder's name; None for a column with a usual name.
        numbers: whether the labels are numbers.
        read: paths of the labels and of what belongs to them.
        one_document: whether an option names the one document of the file.
    """

    document: FieldPath | None
    coder: FieldPath | None
    numbers: bool
    read: Sequence[FieldPath]
    one_document: bool


def is_csv(file: OpenedFile) -> bool:
    """Return whether a file is CSV or TSV, by its name."""
    return without_compression(file.name).lower().endswith(CSV_ENDINGS)


def row_records(file: OpenedFile, columns: LabelColumns, skip_lines: int) -> Iterator[LabelRecord]:
    """Yield a record for each document and coder, with a list for each other column.

    The order of the units of a document is that of its rows. Rows of several documents may
    alternate. Columns that nothing names are noted.

    Raises:
        Refused: the table is malformed, no column names documents and no option does, or a row
            names no document or coder.
    """
    table = read_table_rows(file, skip_lines)
    usual = [name for name in DOCUMENT_FIELDS if name not in _OF_UNITS]
    document = _column(columns.document, usual, table)
    if document is None and not columns.one_document:
        raise table.place.refusal(
            "no column says which document a row belongs to; name it with --document-field, or "
            "the only document of the file with --document-id"
        )
    coder = _column(columns.coder, CODER_FIELDS, table)
    named = [name for name in (document, coder, ROLE) if name is not None]
    keys = [name for name in named if name in table.header]
    lists = [name for name in table.header if name not in keys]
    read = [path.steps[0] for path in columns.read]
    for name in lists:
        if name not in read:
            file.notes.add("columns_not_taken", name)
    rows: dict[tuple[object, ...], list[tuple[int, Mapping[str, object]]]] = {}
    for line, cells in table.cells:
        for name in keys:
            if name not in cells:
                raise file.place(line).refusal(f"{name} is empty; every row needs it")
        rows.setdefault(tuple(cells[name] for name in keys), []).append((line, cells))
    numbers = read[:1] if columns.numbers else []
    for key, group in rows.items():
        values = {
            name: [_value(cells.get(name), number=name in numbers) for _, cells in group]
            for name in lists
        }
        fields = dict(zip(keys, key, strict=True)) | values
        yield LabelRecord(fields, "", file.place(group[0][0]))


def _column(path: FieldPath | None, usual: Sequence[str], table: TableRows) -> str | None:
    """Return the column at a path, or the first with a usual name; None if there is none."""
    if path is not None:
        return path.steps[0]
    return next((name for name in usual if name in table.header), None)


def _value(cell: object, *, number: bool) -> object:
    """Return a cell, as a number if it is to be one and is one."""
    if number and isinstance(cell, str) and _NUMBER.fullmatch(cell):
        return Decimal(cell)
    return cell
