"""Build tables from rows: references, hypotheses and documents.

Rows of any file first become one table, as stated: the columns of segmentations, the role, the
lists by unit and the attributes, in this order.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.tables.attributes import (
    as_typed,
    common_type,
    infer_types,
    json_text,
    type_of,
)
from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS
from segscore.pipeline.tables.rows import ParsedRow, shown
from segscore.schemas.input_columns import BY_UNIT, INPUT_TYPES, ROLE

STATED = (*SEGMENTATIONS.required, ROLE, *SEGMENTATIONS.optional, *BY_UNIT)
"""The columns of a table of rows as stated, before its attributes."""
STATED_TYPES = {**INPUT_TYPES, ROLE: pa.string()}
"""Types of all columns of rows as stated but attributes."""


def parsed_table(rows: Sequence[ParsedRow]) -> pa.Table:
    """Build the table of rows as stated; what a lenient reader left as None is null.

    Its metadata lists the attributes of several types (see ``mixed_attributes``).

    Raises Refused for a value that does not fit its column's type, or an attribute with a reserved
    name.
    """
    types = infer_types(rows)
    mixed = {
        name: _first_values(rows, name)
        for name, kind in types.items()
        if kind == pa.string() and {type(row.attributes.get(name, "")) for row in rows} != {str}
    }
    rows = as_typed(rows, types)
    given = [
        name
        for name in STATED
        if name in _ALWAYS or any(getattr(r, name) is not None for r in rows)
    ]
    columns = {
        name: _column(rows, name, [getattr(row, name) for row in rows], STATED_TYPES[name])
        for name in given
    }
    for name, kind in types.items():
        columns[name] = _column(rows, name, [row.attributes.get(name) for row in rows], kind)
    table = pa.table(columns)
    return table.replace_schema_metadata({_MIXED: json.dumps(mixed)}) if mixed else table


_ALWAYS = {*SEGMENTATIONS.required, ROLE}
_MIXED = "segscore.mixed"
"""Key of the metadata that lists attributes of several types."""

FirstValues = dict[str, tuple[str, int, str]]
"""Type of an attribute -> file, line and value of the first value that has it."""


def _first_values(rows: Sequence[ParsedRow], name: str) -> FirstValues:
    found: FirstValues = {}
    for row in rows:
        if name in row.attributes:
            value = row.attributes[name]
            found.setdefault(str(type_of(value)), (row.source, row.line, shown(value)))
    return found


def mixed_attributes(stated: pa.Table) -> dict[str, FirstValues]:
    """Return the attributes that had several types when ``parsed_table`` built a table."""
    return dict(json.loads((stated.schema.metadata or {}).get(_MIXED.encode(), b"{}")))


def attribute_names(stated: pa.Table) -> list[str]:
    """List the attributes of a table of rows as stated."""
    return [name for name in stated.column_names if name not in STATED_TYPES]


def rows_of_role(stated: pa.Table, role: str) -> Ints:
    """Return the numbers of the rows that have a role."""
    return np.flatnonzero(pc.equal(stated.column(ROLE), role).to_numpy())


def count_segments(boundaries: pa.ChunkedArray) -> int:
    """Return the number of segments in lists of boundaries, each in ascending order.

    A boundary that is listed once for each of its types divides a document once.
    """
    lists = boundaries.combine_chunks()
    positions, rows = pc.list_flatten(lists).to_numpy(), pc.list_parent_indices(lists).to_numpy()
    repeated = (positions[1:] == positions[:-1]) & (rows[1:] == rows[:-1])
    return len(lists) + len(positions) - int(np.count_nonzero(repeated))


def segmentations_of(stated: pa.Table, left_out: Iterable[str] = ()) -> pa.Table:
    """Return the columns of segmentations and the attributes, but for those that no row has.

    Lists by unit are not among them.
    """
    names = (*SEGMENTATIONS.optional, *attribute_names(stated))
    present = {*stated.column_names} - {*left_out, *BY_UNIT}
    given = [name for name in names if name in present and _is_given(stated, name)]
    return stated.select([*SEGMENTATIONS.required, *given])


def documents_of(stated: pa.Table) -> pa.Table:
    """Return the columns of documents and the attributes, row by row."""
    optional = [name for name in DOCUMENTS.optional if name in stated.column_names]
    return stated.select([*DOCUMENTS.required, *optional, *attribute_names(stated)])


def segmentation_table(rows: Iterable[ParsedRow]) -> pa.Table:
    """Build one table from the rows of a file, whatever their roles; every attribute is a column.

    What a lenient reader left as None is null, even a missing document_id. Lists with one element
    per unit are dropped. Otherwise, raises Refused as parsed_table does.
    """
    return segmentations_of(parsed_table(list(rows)))


def _is_given(table: pa.Table, name: str) -> bool:
    return bool(table.column(name).null_count < table.num_rows)


def _column(
    rows: Sequence[ParsedRow], name: str, values: Sequence[object], kind: pa.DataType
) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (ValueError, OverflowError):
        for row, value in zip(rows, values, strict=True):
            _check_fit(row, name, value, kind)
        raise


def _check_fit(row: ParsedRow, name: str, value: object, kind: pa.DataType) -> None:
    """Raise Refused if a value does not fit its column's type; in a list, name the element."""
    if isinstance(value, tuple):
        for index, element in enumerate(value):
            _check_fit(row, f"{name}[{index}]", element, kind.value_type)
        return
    try:
        pa.array([value], kind)
    except (ValueError, OverflowError) as error:
        raise row.place.wrong(name, value, f"a value that fits {kind}") from error


def join_stated(parts: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables of rows as stated; an attribute with values of several types is text."""
    types = join_types([table.schema for table in parts])
    empty = pa.schema(types.items()).empty_table()
    return pa.concat_tables([empty, *(with_columns(table, types) for table in parts)])


def join_types(schemas: Iterable[pa.Schema]) -> dict[str, pa.DataType]:
    """Return the columns of all tables together, in their order, and the type of each."""
    found: dict[str, pa.DataType] = {name: STATED_TYPES[name] for name in STATED if name in _ALWAYS}
    for schema in schemas:
        for field in schema:
            known = found.get(field.name, field.type)
            found[field.name] = common_type(known, field.type)
    attributes = sorted(found.keys() - {*STATED})
    return {name: found[name] for name in (*STATED, *attributes) if name in found}


def with_columns(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return a table with these columns: null where it has none, attributes as text if they must.

    A number, a truth value or a list as text has the spelling of JSON.
    """
    present = {*table.column_names}
    return pa.table(
        {
            name: _as_type(table.column(name), kind)
            if name in present
            else pa.nulls(table.num_rows, kind)
            for name, kind in types.items()
        },
        schema=pa.schema(types.items()),
    )


def _as_type(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    written = pa.types.is_floating(column.type) or pa.types.is_list(column.type)
    if written and kind == pa.string():
        texts = [None if value is None else json_text(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, kind)])
    return column.cast(kind)
