"""Attributes, the further fields of a file: their names and types."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from segscore.pipeline.tables.formats.rows import Attribute, ParsedRow, shown
from segscore.schemas.input_columns import INPUT_TYPES, ROLE

OWN_COLUMNS = {*INPUT_TYPES, ROLE, "reference", "hypothesis", "window"}
"""Names that no attribute may have: input columns, and some output columns."""

_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def infer_types(rows: Iterable[ParsedRow]) -> dict[str, pa.DataType]:
    """Return the column type of each attribute, sorted by name; string if values differ in type.

    Raises Refused, with the first row that has it, for a name that is empty, is not valid Unicode,
    or is reserved (OWN_COLUMNS).
    """
    found: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.attributes.items():
            if name not in found:
                _check_name(name, row)
            found.setdefault(name, set()).add(type(value))
    return {
        name: _TYPES[next(iter(kinds))] if len(kinds) == 1 else pa.string()
        for name, kinds in sorted(found.items())
    }


def as_typed(rows: Iterable[ParsedRow], types: Mapping[str, pa.DataType]) -> list[ParsedRow]:
    """Return the rows with attributes converted to the type of their column."""
    return [
        replace(row, attributes={name: _cell(x, types[name]) for name, x in row.attributes.items()})
        for row in rows
    ]


def _check_name(name: str, row: ParsedRow) -> None:
    encodable = name == name.encode("utf-8", "replace").decode("utf-8")
    if not name or not encodable:
        raise row.place.refusal(f"an attribute is named {shown(name)}; rename it in valid text")
    if name in OWN_COLUMNS:
        raise row.place.refusal(f"{name} cannot be an attribute, it is a column of ours; rename it")


def _cell(value: Attribute, kind: pa.DataType) -> Attribute:
    """Convert a value for its column; a string column has JSON's spelling (true, not True)."""
    return value if isinstance(value, str) or kind != pa.string() else json.dumps(value)
