"""Read a plain table of attributes of documents: CSV, or Parquet without lengths of documents."""

import csv

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.read import Rows, with_column

_ID, _LENGTH = "document_id", "n_units"
_MOST_BYTES = 2**28
"""The largest CSV file that is read; every task gets the table."""


def find_attributes(url: str) -> tuple[InputTable, pa.Table] | None:
    """Find a plain table of attributes; None if it is a table of documents with their lengths.

    Return the table as an input without slices, and its rows: document_id, and the attributes.

    Raises:
        Refused: the file cannot be read, has no document_id or nothing else, or names a document
            twice.
    """
    found = storage.find_counted(url)
    if len(found.files) != 1:
        return None
    (file,) = found.files
    lower = file.url.lower()
    if lower.endswith(".csv"):
        table = _read_csv(file.url)
    elif lower.endswith(".parquet"):
        opened = storage.open_parquet(file.url)
        if _LENGTH in opened.schema_arrow.names:
            return None
        table = opened.read()
    else:
        return None
    warnings: tuple[str, ...] = ()
    if _LENGTH in table.column_names:
        table = table.drop_columns([_LENGTH])
        warnings = (f"{file.url}: {_LENGTH} is not read; lengths are those of the codings",)
    table = _checked(file.url, table)
    attributes = pa.schema([field for field in table.schema if field.name != _ID])
    return InputTable("documents", (file,), (), attributes, url, warnings=warnings), table


def _read_csv(url: str) -> pa.Table:
    """Read a CSV file as texts; empty cells are null."""
    try:
        lines = storage.read_whole(url, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as problem:
        raise Refused(f"{url}: is not UTF-8; save it as UTF-8") from problem
    header = lines[0] if lines else ""
    separator = max(",;\t", key=header.count)
    rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    names = [name.strip() for name in rows[0]] if rows else []
    if len({*names}) < len(names):
        raise Refused(f"{url}:1: two columns have one name; rename one")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise Refused(f"{url}: row {number} has {len(row)} cells; the header has {len(names)}")
    return pa.table(
        {
            name: pa.array([row[place].strip() or None for row in rows[1:]], pa.string())
            for place, name in enumerate(names)
        }
    )


def _checked(url: str, table: pa.Table) -> pa.Table:
    """Return the table with ids as texts, each once."""
    if _ID not in table.column_names or len(table.column_names) < 2:
        raise Refused(
            f"{url}: has the columns {', '.join(table.column_names) or 'none'}; expected "
            f"{_ID} and attributes of documents"
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


def with_attributes(rows: Rows, attributes: pa.Table) -> Rows:
    """Return rows with the attributes of their documents, null where there are none."""
    place = pc.index_in(rows.table.column(_ID), value_set=attributes.column(_ID).combine_chunks())
    table = rows.table
    for name in attributes.column_names:
        if name != _ID:
            column = attributes.column(name).take(place.combine_chunks())
            if name in table.column_names:
                table = table.drop_columns([name])
            table = table.append_column(name, column.combine_chunks())
    return Rows(rows.name, table, rows.urls, rows.file, rows.row)
