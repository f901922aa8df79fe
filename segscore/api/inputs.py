"""Read tables from any of the forms in which Python users have them."""

from collections.abc import Iterable, Mapping
from itertools import chain
from numbers import Integral
from operator import itemgetter
from os import PathLike, fspath
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.api.segmentation import Segmentation, are_times
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.tables.attributes import OWN_COLUMNS
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import row_defaults, select_named
from segscore.pipeline.tables.in_memory import source_in_memory
from segscore.pipeline.tables.jsonl import parse_record
from segscore.pipeline.tables.parsed_table import parsed_table
from segscore.pipeline.tables.plain_attributes import without_absent
from segscore.pipeline.tables.read import other_role_error
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.sources import TableSource, find_source
from segscore.pipeline.tables.units import MILLISECOND, with_unit
from segscore.schemas.input_columns import BY_SEGMENT, INPUT_TYPES, TABLE_ROLES

Given = Any
"""A table as a user gives it: see `segscore.evaluate`."""

_CODERS = {"references": "reference", "hypotheses": "hypothesis", "codings": "coder"}
"""Input table -> name of the coder of segmentations without one."""

_NUMPY = (np.ndarray, np.integer)

_PLAIN_TYPES = {str: pa.string(), int: pa.int64()}
"""Types of attributes that need no conversion, and their Arrow types."""

_EXPECTED = (
    "must be a Segmentation, which also says how many units the document has: "
    "segscore.Segmentation([2, 5], n_units=11)"
)


def location_of(given: Given) -> str | None:
    """Return the path or URL of a table, or None if it is in memory.

    Raises:
        Refused: the path is empty.
    """
    if isinstance(given, str | PathLike) and not fspath(given):
        raise Refused("the location of a table is an empty text; give a path, a URL or a table")
    return fspath(given) if isinstance(given, str | PathLike) else None


def source_of(name: str, given: Given) -> TableSource:
    """Return an input table from a path, a URL, or a table in memory.

    Args:
        name: name of the table: references, hypotheses, codings or documents.
        given: see `segscore.evaluate`.

    Raises:
        Refused: the table does not exist, has no rows, or a column is missing or of a wrong type.
    """
    location = location_of(given)
    if location is not None:
        return find_source(name, location)
    return source_in_memory(name, *arrow_table(name, given))


class GivenTables:
    """The tables that a user gives, by name; `documents` is left out if it is None."""

    def __init__(self, **given: Given) -> None:
        """Keep the tables; they are read when ``sources`` is asked for."""
        self._given = {
            name: table for name, table in given.items() if table is not None or name != "documents"
        }

    @property
    def locations(self) -> dict[str, Any]:
        """Where each table is; `<name>` for one in memory."""
        return {name: location_of(table) or f"<{name}>" for name, table in self._given.items()}

    @property
    def sources(self) -> dict[str, TableSource]:
        """The tables to read; ``source_of`` says what is refused."""
        return {name: source_of(name, table) for name, table in self._given.items()}


def arrow_table(name: str, given: Given) -> tuple[pa.Table, Ints | None]:
    """Return a table in memory as Arrow, and the number of each row if rows were left out.

    Raises:
        Refused: it is none of the forms that `segscore.evaluate` lists, or a value has a wrong
            type.
    """
    if hasattr(given, "with_format") and hasattr(given, "features"):  # of Hugging Face
        given = given.with_format("arrow")[:]
    if hasattr(given, "collect_schema") and hasattr(given, "collect"):  # a lazy frame of polars
        given = given.collect()
    if hasattr(given, "__arrow_c_stream__"):
        try:
            # pyarrow 18 crashes when it passes views of text to itself.
            table = _without_views(given if isinstance(given, pa.Table) else pa.table(given))
        except pa.ArrowException as problem:
            raise Refused(
                f"{name}: {type(given).__name__} cannot be read as a table: "
                f"{' '.join(str(problem).split())}; a table has columns, each of one type"
            ) from None
        index = [column for column in table.column_names if column.startswith("__index_level_")]
        return _with_coder(name, _with_lists(name, table.drop_columns(index))), None
    if isinstance(given, Mapping):
        return _segmentations(name, given), None
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return _rows(name, list(given))
    if hasattr(given, "collect"):  # a lazy frame of polars
        raise Refused(f"{name}: is {type(given).__name__}; give what its collect() returns")
    raise Refused(
        f"{name}: is {type(given).__name__}; must be a mapping of document ids to "
        "segscore.Segmentation, rows as dicts, a table (Arrow, pandas, polars, DuckDB), or a path "
        "or URL"
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Return a table whose texts are no views, which not every release of Arrow can write."""
    fields = [
        field.with_type(pa.large_string()) if pa.types.is_string_view(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields, table.schema.metadata))


def _with_lists(name: str, table: pa.Table) -> pa.Table:
    """Return a table whose lists are lists, where they are texts, as pandas reads them from CSV.

    Raises:
        Refused: a text is not a list of numbers.
    """
    from segscore.pipeline.importing.formats.segmentations import elements

    for number, field in enumerate(table.schema):
        kind = INPUT_TYPES.get(field.name)
        is_text = pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        if kind is not None and pa.types.is_list(kind) and field.name != BY_SEGMENT and is_text:
            texts = table.column(number).to_pylist()
            empty: list[str] | None = [] if field.name == "boundaries" else None  # as in CSV
            parts = [empty if each is None else elements(each) for each in texts]
            try:
                lists = pa.array(parts, pa.list_(pa.string())).cast(kind)
            except pa.ArrowInvalid as problem:
                raise Refused(f"{name}: {field.name} is a text, not a list: {problem}") from None
            table = table.set_column(number, field.name, lists)
    return table


def _with_coder(name: str, table: pa.Table) -> pa.Table:
    """Return a table of segmentations with a coder: if it names none, they are one system's."""
    if name not in _CODERS or "coder" in table.column_names:
        return table
    if "boundaries" not in table.column_names:
        return table
    return table.append_column("coder", pa.array([_CODERS[name]] * len(table), pa.string()))


def _segmentations(name: str, given: Mapping[str, Any]) -> pa.Table:
    """Return the table of {document: segmentation} or {coder: {document: segmentation}}."""
    by_coder = given
    if "document_id" in given and not isinstance(given["document_id"], Mapping | Segmentation):
        raise Refused(
            f"{name}: is a dict of columns; give a dict for each row, or make it a table, as "
            "pandas.DataFrame(...) or pyarrow.table(...)"
        )
    if name == "documents":
        raise Refused("documents: is a mapping; must be rows as dicts, a table, or a path or URL")
    if all(isinstance(each, Segmentation) for each in given.values()):
        by_coder = {_CODERS[name]: given}
    keys: list[tuple[Any, str]] = []
    segmentations: list[Any] = []
    for coder, codings in by_coder.items():
        _require_codings(name, coder, codings)
        keys += [(document, coder) for document in codings]
        segmentations += codings.values()
    columns = {
        "document_id": [str(document) for document, _ in keys],
        "coder": [coder for _, coder in keys],
        "n_units": [each.n_units for each in segmentations],
        "boundaries": [each.boundaries for each in segmentations],
    }
    if any(each.collapsed for each in segmentations):
        columns["collapsed_boundaries"] = [each.collapsed for each in segmentations]
    if any(each.types is not None for each in segmentations):
        columns["boundary_types"] = [each.types for each in segmentations]
    if any(each.labels is not None for each in segmentations):
        columns["segment_labels"] = [each.labels for each in segmentations]
    table = pa.table({key: pa.array(each, INPUT_TYPES[key]) for key, each in columns.items()})
    return with_unit(table, MILLISECOND) if are_times(segmentations) else table


def _require_codings(name: str, coder: Any, codings: Any) -> None:
    """Refuse what is not the {document: segmentation} of a coder."""
    if isinstance(codings, Segmentation):
        raise Refused(f"{name}: {coder} is a Segmentation, others are not; all must be one")
    if not isinstance(codings, Mapping):
        raise Refused(f"{name}: {coder} is {type(codings).__name__}; {_EXPECTED}")
    if not isinstance(coder, str):
        raise Refused(f"{name}: {coder!r} must be the name of a coder, a text")
    for document, each in codings.items():
        if not isinstance(document, str | Integral):
            raise Refused(f"{name}: {document!r} must be the id of a document, a text")
        if not isinstance(each, Segmentation):
            raise Refused(f"{name}: {document} is {type(each).__name__}; {_EXPECTED}")


def _rows(name: str, rows: list[Any]) -> tuple[pa.Table, Ints | None]:
    """Return the table of rows as dicts, with the checks and the messages of JSON Lines."""
    if not rows:
        raise Absent(f"{name}: the table has no rows")
    if name in _CODERS and all(isinstance(row, dict) and "coder" not in row for row in rows):
        rows = [{**row, "coder": _CODERS[name]} for row in rows]
    table = _plain_table(rows) if name != "documents" else None
    if table is not None:
        return table, None
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | PathLike):
            raise Refused(f"{name}: row {number} is {shown(row)}; give one path, folder or glob")
        if not isinstance(row, Mapping) or not all(isinstance(key, str) for key in row):
            raise Refused(
                f"{name}: row {number} is {shown(row)}; must be a dict with names of columns as "
                "keys, such as document_id"
            )
    defaults = row_defaults(name)
    parsed = [
        parse_record(
            _json_values(row), RowPlace(name, number), defaults, lenient=True, adapted=set()
        )
        for number, row in enumerate(rows, start=1)
    ]
    lines = np.arange(1, len(parsed) + 1)
    table, chosen = select_named(name, parsed_table(parsed), name, lines)
    if name == "documents":
        table = without_absent(table)
    if name in TABLE_ROLES and not len(chosen):
        raise other_role_error(name, name, len(rows))
    return table, chosen


def _plain_table(rows: list[Any]) -> pa.Table | None:
    """Return the table of rows that all have the same keys and values of the right types.

    This is the fast path: checks and conversions run over whole columns. All other rows give None,
    and are then parsed one by one.
    """
    columns = _columns(rows)
    if columns is None or not {*SEGMENTATIONS.required} <= columns.keys():
        return None
    for name in SEGMENTATIONS.required:
        columns[name] = [
            value.tolist() if isinstance(value, _NUMPY) else value for value in columns[name]
        ]
    kinds = {name: {*map(type, values)} for name, values in columns.items()}
    attributes = sorted(columns.keys() - {*SEGMENTATIONS.required})
    if OWN_COLUMNS & {*attributes} or "" in attributes:
        return None
    if any(len(kinds[name]) > 1 or not kinds[name] <= {*_PLAIN_TYPES} for name in attributes):
        return None
    if kinds["document_id"] | kinds["coder"] != {str} or kinds["n_units"] != {int}:
        return None
    if not kinds["boundaries"] <= {list, tuple} or "" in {
        *columns["document_id"],
        *columns["coder"],
    }:
        return None
    if not {*map(type, chain.from_iterable(columns["boundaries"]))} <= {int}:
        return None
    types = {name: _PLAIN_TYPES[next(iter(kinds[name]))] for name in attributes}
    types |= {name: INPUT_TYPES[name] for name in SEGMENTATIONS.required}
    try:
        return pa.table({name: pa.array(columns[name], kind) for name, kind in types.items()})
    except (ValueError, OverflowError):
        return None


def _columns(rows: list[Any]) -> dict[str, list[Any]] | None:
    """Return the values of rows by key; None if they are not dicts with the same keys."""
    if {*map(type, rows)} != {dict} or len({*map(len, rows)}) > 1:
        return None
    if not all(isinstance(key, str) for key in rows[0]):
        return None
    try:
        return {name: [*map(itemgetter(name), rows)] for name in rows[0]}
    except KeyError:
        return None


def _json_values(row: Any) -> Any:
    """Return a row with lists in place of tuples and of numpy's arrays."""
    if not isinstance(row, Mapping):
        return row
    return {name: _json_value(value) for name, value in row.items()}


def _json_value(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_json_value(each) for each in value] if isinstance(value, list | tuple) else value
