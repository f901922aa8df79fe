"""Records with lists of labels, from JSON and Parquet files, and from gathered rows of tables.

A table with a row for each unit gives a record of labels for each document and coder.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.field_paths import FieldPath
from segscore.pipeline.importing.formats.format import CSV_ENDINGS, JSON_LINES_ENDINGS
from segscore.pipeline.importing.formats.interval_columns import plain_name
from segscore.pipeline.importing.formats.table_rows import TableRows, read_table_rows
from segscore.pipeline.importing.formats.values import array_of, brief, named_id, object_of
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import Attribute, RowPlace
from segscore.schemas.input_columns import ROLE

_MASK = re.compile("[01]+")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")

DOCUMENT_FIELDS = (
    *("document_id", "doc_id", "dial_id", "dialogue_id", "meeting_id", "video_id"),
    *("document", "doc", "docid", "id"),
)
CODER_FIELDS = ("coder", "annotator")
"""Fields that say whose labels of which document they are, unless options name others."""
OF_UNITS = ("id",)
"""Usual names of documents that name the unit where each row is one."""


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """The labels of one document; its name is empty if it is a whole line or row."""

    fields: Mapping[str, object]
    name: str
    place: RowPlace
    dialogue: bool = False


def named_field(
    record: LabelRecord, path: FieldPath | None, usual: Iterable[str]
) -> tuple[str | None, str | None]:
    """Return the name of a document or coder and its field, at a path or in a usual field.

    Raises Refused if there is no name at the path.
    """
    if path is not None:
        value = path.value(record.fields, record.name, record.place)
        name = named_id(value, path.text, record.place)
        if name is None:
            raise record.place.wrong(path.text, value, f"a name, because of {path}")
        return name, path.steps[0]
    for field in usual:
        value = record.fields.get(field)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return named_id(value, field, record.place), field
    return None, None


def attributes_of(record: LabelRecord, used: Container[str | None]) -> dict[str, Attribute]:
    """Return the fields with one value that are not used otherwise; null and NaN are absent.

    Dates and decimal numbers of Parquet files become text.
    """
    attributes: dict[str, Attribute] = {}
    for name, value in record.fields.items():
        given = value is not None and value == value  # NaN differs from itself
        if name not in used and given and not isinstance(value, list | dict | bytes):
            attributes[name] = value if isinstance(value, str | int | float) else str(value)
    return attributes


DIALOGUES = "dial_data"
"""The field in which SuperDialseg and TIAGE have their dialogues, by data set."""
_BATCH = 1000


def label_records(file: OpenedFile, path: FieldPath | None) -> Iterator[LabelRecord]:
    """Yield the records of a file; `path` leads to lists of them.

    Raises Refused for text that is not JSON, or a record that is not an object.
    """
    for place, value in _values(file):
        if path is not None:
            lists = [(path.text, path.value(value, "", place))]
        elif isinstance(value, dict) and isinstance(value.get(DIALOGUES), dict):
            lists = [(f"{DIALOGUES}.{brief(key)}", x) for key, x in value[DIALOGUES].items()]
        elif isinstance(value, list):
            lists = [("", value)]
        else:
            yield LabelRecord(object_of(value, "the record", place), "", place)
            continue
        for name, items in lists:
            for index, item in enumerate(array_of(items, name, place)):
                label = f"{name}[{index}]"
                fields = object_of(item, label, place)
                yield LabelRecord(fields, label, place, name.startswith(f"{DIALOGUES}."))


def _values(file: OpenedFile) -> Iterator[tuple[RowPlace, object]]:
    """Yield the lines, the rows counted from 0, or the whole file."""
    if file.is_parquet:
        yield from _rows(file)
        return
    lines = list(file.lines_with_text())
    if not lines or not _has_lines(file, lines):
        yield file.place(1), strict_json.loads(file.text(), file.place(1))
        return
    for place, line in lines:
        yield place, strict_json.loads(line, place)


def _rows(file: OpenedFile) -> Iterator[tuple[RowPlace, object]]:
    """Yield the rows of a Parquet file; refuse dates that Python does not have."""
    count = 0
    for batch in file.table().to_batches(max_chunksize=_BATCH):
        try:
            rows = batch.to_pylist()
        except (ValueError, OverflowError, pa.ArrowException) as error:
            raise file.place(count).refusal(
                f"a value in this row, or in one of the {len(batch) - 1:,} below it, cannot be "
                f"read: {error}"
            ) from error
        for row in rows:
            yield file.place(count), row
            count += 1


def _has_lines(file: OpenedFile, lines: list[tuple[RowPlace, str]]) -> bool:
    """Return whether a file is JSON Lines, by its name, or because a line is a whole object."""
    if {*JSON_LINES_ENDINGS} & {*PurePosixPath(file.name.lower()).suffixes}:
        return True
    try:
        first = strict_json.loads(lines[0][1], file.place(1))
    except Refused:
        return False
    return isinstance(first, dict) and len(lines) > 1


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table with a row for each unit, or for each document.

    Attributes:
        document: path of the document's name; None for a column with a usual name.
        coder: path of the coder's name; None for a column with a usual name.
        flags: whether the labels are flags.
        numbers: whether the labels are numbers.
        read: paths of the labels and of what belongs to them.
        one_document: whether an option names the one document of the file.
    """

    document: FieldPath | None
    coder: FieldPath | None
    flags: bool
    numbers: bool
    read: Sequence[FieldPath]
    one_document: bool


def is_csv(file: OpenedFile) -> bool:
    """Return whether a file is CSV or TSV, by its name."""
    return without_compression(file.name).lower().endswith(CSV_ENDINGS)


def row_records(file: OpenedFile, columns: LabelColumns, skip_lines: int) -> Iterator[LabelRecord]:
    """Yield a record for each document and coder, with a list for each other column.

    The order of the units of a document is that of its rows. Rows of several documents may
    alternate. Columns that nothing names are noted. Where cells have the flags of all units of a
    document, such as 0010, each row is a record.

    Raises:
        Refused: the table is malformed, no column names documents and no option does, or a row
            names no document or coder.
    """
    table = read_table_rows(file, skip_lines)
    usual = [name for name in DOCUMENT_FIELDS if name not in OF_UNITS]
    document = _column(columns.document, usual, table)
    if document is None and not columns.one_document:
        raise no_document(table)
    coder = _column(columns.coder, CODER_FIELDS, table)
    named = [(document, columns.document), (coder, columns.coder), (ROLE, None)]
    keys = {
        name: name if path is not None else plain_name(name)
        for name, path in named
        if name is not None and name in table.header
    }
    for line, cells in table.cells:
        for name in keys:
            if name not in cells:
                raise file.place(line).refusal(f"{name} is empty; every row needs it")
    if columns.flags and _are_masks(table, columns.read[0].steps[0] or ""):
        for line, cells in table.cells:
            fields = {keys.get(name, name): cell for name, cell in cells.items()}
            yield LabelRecord(fields, "", file.place(line))
        return
    yield from _gathered(file, columns, table, keys)


def no_document(table: TableRows) -> Refused:
    """Return the refusal of rows of units that no column says the document of."""
    return table.place.refusal(
        "no column says which document a row belongs to; name it with --document-field, or "
        "the only document of the file with --document-id"
    )


def _gathered(
    file: OpenedFile, columns: LabelColumns, table: TableRows, keys: Mapping[str, str]
) -> Iterator[LabelRecord]:
    """Yield a record for all rows with the same keys, which have other names in records."""
    lists = [name for name in table.header if name not in keys]
    read = [path.steps[0] for path in columns.read]
    for name in lists:
        if name not in read:
            file.notes.add("columns_not_taken", name)
    rows: dict[tuple[object, ...], list[tuple[int, Mapping[str, object]]]] = {}
    for line, cells in table.cells:
        rows.setdefault(tuple(cells[name] for name in keys), []).append((line, cells))
    numbers = read[:1] if columns.numbers else []
    for key, group in rows.items():
        values = {
            name: [_value(cells.get(name), number=name in numbers) for _, cells in group]
            for name in lists
        }
        fields = dict(zip(keys.values(), key, strict=True)) | values
        yield LabelRecord(fields, "", file.place(group[0][0]))


def _are_masks(table: TableRows, column: str) -> bool:
    """Return whether cells have the flags of all units of a document, such as 0010."""
    cells = [str(record.get(column)) for _, record in table.cells]
    return all(map(_MASK.fullmatch, cells)) and any(len(cell) > 1 for cell in cells)


def _column(path: FieldPath | None, usual: Sequence[str], table: TableRows) -> str | None:
    """Return the column at a path, or the first with a usual name; None if there is none."""
    if path is not None:
        return path.steps[0]
    plain = {plain_name(name): name for name in reversed(table.header)}
    return next((plain[name] for name in usual if name in plain), None)


def _value(cell: object, *, number: bool) -> object:
    """Return a cell, as a number if it is to be one and is one."""
    if number and isinstance(cell, str) and _NUMBER.fullmatch(cell):
        return Decimal(cell)
    return cell
