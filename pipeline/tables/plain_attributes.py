"""Read a plain table of attributes of documents, which has no lengths of documents.

It is a CSV or TSV file, or a Parquet or JSON Lines file without n_units.
"""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.csv_rows import csv_rows
from segscore.pipeline.tables.column_types import convert_columns
from segscore.pipeline.tables.columns import DOCUMENTS
from segscore.pipeline.tables.find import InputTable, find_table, keys_of_first, read_json_lines
from segscore.pipeline.tables.json_blocks import BLOCK, whole_lines
from segscore.pipeline.tables.read import Rows, with_column
from segscore.schemas.input_columns import INPUT_TYPES

_ID, _LENGTH = "document_id", "n_units"
_MOST_BYTES = 2**28
"""The largest file that is read, in memory; every task gets the table."""


def find_documents(url: str, memory: int | None = None) -> InputTable:
    """Find a table of documents: with their lengths, or a plain table of attributes.

    A worker has ``memory`` bytes; None is the default.

    Raises:
        Absent, Refused: as ``attributes_table`` and ``find_table``, or the file cannot be read.
    """
    plain = _find_attributes(url)
    return find_table(DOCUMENTS.name, url, DOCUMENTS, memory) if plain is None else plain


def _find_attributes(url: str) -> InputTable | None:
    """Find a plain table of attributes; None if it is a table of documents with their lengths."""
    found = storage.find_counted(url)
    if len(found.files) != 1:
        return None
    (file,) = found.files
    lower = file.url.lower()
    if lower.endswith((".csv", ".tsv")):
        table = _read_csv(file.url)
    elif storage.is_json_lines(lower):
        return _of_json_lines(url, file)
    elif lower.endswith(".parquet"):
        if _LENGTH in storage.column_names(file.url):
            return None
        table = storage.read_row_groups(file.url, None, list, _MOST_BYTES)
    else:
        return None
    return attributes_table(url, table, (file,))


def _of_json_lines(url: str, file: InputFile) -> InputTable | None:
    """Return the plain table of a JSON Lines file; None if its rows have lengths or boundaries."""
    first = next(whole_lines(storage.text_chunks(file.url, BLOCK, _MOST_BYTES)), b"")
    keys = keys_of_first(first)
    if not keys or {_LENGTH, "coder", "boundaries"} & {*keys}:
        return None
    clauses: set[str] = set()
    table, _ = read_json_lines(DOCUMENTS.name, file.url, _MOST_BYTES, clauses)
    if _LENGTH in without_absent(table).column_names:
        return None
    warnings = (f"{DOCUMENTS.name}: {'; '.join(sorted(clauses))}",) if clauses else ()
    return attributes_table(url, without_absent(table), (file,), warnings)


def attributes_table(
    url: str, table: pa.Table, files: tuple[InputFile, ...] = (), warnings: tuple[str, ...] = ()
) -> InputTable:
    """Return a plain table of attributes as an input without slices.

    Columns of input tables, such as n_units, are not read.

    Raises:
        Absent: it has no rows.
        Refused: it has no document_id or nothing else, or names a document twice.
        Failed: a file was replaced while it was read.
    """
    for file in files:
        storage.require_version(file.url, file.version)
    if not len(table):
        raise Absent(f"{url}: the table has no rows")
    unread = [name for name in table.column_names if name in INPUT_TYPES and name != _ID]
    if unread:
        table = table.drop_columns(unread)
        lengths = "; lengths are those of the segmentations" * (_LENGTH in unread)
        verb = "is" if len(unread) == 1 else "are"
        warnings += (f"{url}: {', '.join(unread)} {verb} not read{lengths}",)
    table = convert_columns(_checked(url, table), url)
    attributes = pa.schema([field for field in table.schema if field.name != _ID])
    return InputTable(
        DOCUMENTS.name, files, (), attributes, url, warnings=warnings, plain=table.combine_chunks()
    )


def plain_rows(tables: Iterable[InputTable]) -> pa.Table | None:
    """Return the rows of the plain table of attributes among input tables; None without one."""
    return next((table.plain for table in tables if table.plain is not None), None)


def without_plain(tables: Iterable[InputTable]) -> dict[str, InputTable]:
    """Return the tables whose rows are brought together, by name: all but a plain one."""
    return {table.name: table for table in tables if table.plain is None}


def require_lists(tables: Iterable[InputTable], *, words: bool, weights: bool = False) -> None:
    """Refuse to measure in words or to weigh units with a plain table of attributes.

    Raises:
        Refused: the message names the option, and the column that the table lacks.
    """
    asked = {"--units words": ("lengths", words), "--unit-weights": ("weights", weights)}
    for table in (table for table in tables if table.plain is not None):
        for option, (lists, is_set) in asked.items():
            if is_set:
                raise Refused(
                    f"{option}: {table.location} has no {lists} of units; give a documents table "
                    f"with n_units and unit_{lists}"
                )


def without_absent(table: pa.Table) -> pa.Table:
    """Return a table of documents without the columns of input tables that have no value.

    It keeps document_id.
    """
    absent = [
        name
        for name in table.column_names
        if name in INPUT_TYPES and name != _ID and table.column(name).null_count == len(table)
    ]
    return table.drop_columns(absent)


def _read_csv(url: str) -> pa.Table:
    """Read a CSV file as texts; empty cells are null."""
    try:
        text = storage.read_whole(url, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Refused(f"{url}: is not UTF-8; save it as UTF-8") from problem
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    rows = [row for row in csv_rows(url, text, separator) if row]
    names = [name.strip() for name in rows[0]] if rows else []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise Refused(f"{url}: row {number} has {len(row)} cells; the header has {len(names)}")
    columns = [
        pa.array([row[place].strip() or None for row in rows[1:]], pa.string())
        for place in range(len(names))
    ]
    return pa.table(columns, names=names)


def _checked(url: str, table: pa.Table) -> pa.Table:
    """Return the table with ids as texts, each once."""
    if len({*table.column_names}) < len(table.column_names):
        raise Refused(f"{url}: two columns have one name; rename one")
    if _ID not in table.column_names or len(table.column_names) < 2:
        raise Refused(
            f"{url}: has the columns {', '.join(table.column_names) or 'none'}; expected "
            f"{_ID} and attributes of documents, or their {_LENGTH}"
        )
    ids = table.column(_ID).cast(pa.string())
    counts = pc.value_counts(ids)
    for entry in counts.to_pylist():
        if entry["values"] is None or entry["counts"] > 1:
            what = (
                "a row has no document_id"
                if entry["values"] is None
                else (f"{entry['values']} is there {entry['counts']} times; a document has one row")
            )
            raise Refused(f"{url}: {what}")
    return with_column(table, _ID, ids).combine_chunks()


def with_attributes(rows: Rows, attributes: pa.Table | None) -> Rows:
    """Return rows with the attributes of their documents, null where there are none.

    These replace attributes of the same name.
    """
    if attributes is None:
        return rows
    place = pc.index_in(rows.table.column(_ID), value_set=attributes.column(_ID).combine_chunks())
    table = rows.table
    for name in attributes.column_names:
        if name != _ID:
            column = attributes.column(name).take(place.combine_chunks())
            if name in table.column_names:
                table = table.drop_columns([name])
            table = table.append_column(name, column.combine_chunks())
    return Rows(rows.name, table, rows.urls, rows.file, rows.row)
