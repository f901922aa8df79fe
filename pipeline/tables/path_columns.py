"""Columns that the folders of a table name, such as `coder=gold/` or `date=2026-11-21/`.

Folders below the location of a table name columns of any kind (Hive partitions).  Folders that the
location itself names only give the document and the coder: other tools number and date folders for
their own ends, and an attribute appears in every table that a run writes.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.schemas.input_columns import INPUT_TYPES, ROLE

PathValue = str | int | None
PathValues = tuple[tuple[str, PathValue], ...]
"""Column -> its value in all rows of a file."""

_NAMES = ("document_id", "coder")
_TEXTS = (*_NAMES, ROLE)
"""Columns of the tables' own that a folder may name; folders named after others are ignored."""

TRIAL = "trial"
"""Column of hypotheses that numbers the answers of a system; a folder may name it."""

_NAMED = (*_TEXTS, TRIAL)

_NULL = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def path_columns(location: str, urls: Sequence[str]) -> list[PathValues]:
    """Return the columns that the folders of each file of a table name, given its location.

    An attribute is a whole number if all its values are written as one, otherwise a text.
    """
    given = [_named_by(folders) for folders in storage.file_folders(location, urls)]
    texts: dict[str, set[str]] = {}
    for columns in given:
        for name, text in columns.items():
            texts.setdefault(name, set()).update([] if text is None else [text])
    whole = {
        name
        for name, values in texts.items()
        if name not in _TEXTS and values and all(map(_WHOLE.fullmatch, values))
    }
    return [
        tuple(
            (name, int(text) if name in whole and text is not None else text)
            for name, text in columns.items()
            if name in whole or name != TRIAL
        )
        for columns in given
    ]


def _named_by(folders: storage.FileFolders) -> dict[str, str | None]:
    named = {name: text for name, text in map(_column, folders.named) if name in _NAMES}
    below = map(_column, folders.below)
    return named | {
        name: text for name, text in below if name in _NAMED or (name and name not in INPUT_TYPES)
    }


def _column(folder: str) -> tuple[str, str | None]:
    """Split the name of a folder into column and value; the column is empty if there is none."""
    name, separator, text = folder.partition("=")
    if not separator or not text:
        return "", None
    return unquote(name), None if text == _NULL else unquote(text)


def path_fields(values: PathValues) -> list[pa.Field]:
    """Return the names and types of columns that folders name."""
    return [
        pa.field(name, pa.string() if not isinstance(value, int) else _number_type(name))
        for name, value in values
    ]


def _number_type(name: str) -> pa.DataType:
    return INPUT_TYPES[name] if name == TRIAL else pa.int64()


def with_path_columns(table: pa.Table, values: PathValues, url: str) -> pa.Table:
    """Add the columns that a file's folders name; rows without a value of their own get theirs.

    Raises:
        Refused: the file has such a column with another value.
    """
    for (name, value), field in zip(values, path_fields(values), strict=True):
        if name not in table.column_names:
            repeated = pa.repeat(pa.scalar(value, field.type), table.num_rows)
            table = table.append_column(field, repeated)
        elif value is not None:
            index = table.column_names.index(name)
            filled = _filled(table.column(name), name, value, url)
            table = table.set_column(index, name, filled)
    return table


def _filled(column: pa.ChunkedArray, name: str, value: str | int, url: str) -> pa.ChunkedArray:
    """Return a column with the value of its folder where it is null."""
    stated = column.cast(pa.string())
    others = stated.filter(pc.fill_null(pc.not_equal(stated, str(value)), False))
    if len(others):
        if name == TRIAL:
            raise Refused(
                f"{url}: is trial {value} by its place, but its column {TRIAL} says {others[0]}; "
                "omit --trials, or rename the column or the folder"
            )
        raise Refused(
            f"{url}: the folder says {name}={value}, but the column {name} says {others[0]}; "
            "rename the folder or correct the column"
        )
    return pc.fill_null(column, pa.scalar(str(value)).cast(column.type))
