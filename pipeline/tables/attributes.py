"""Attributes, the further fields of a file: their names and types."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce

import pyarrow as pa

from segscore.pipeline.tables.rows import Attribute, ParsedRow, shown
from segscore.schemas.input_columns import INPUT_TYPES, ROLE

OWN_COLUMNS = {*INPUT_TYPES, ROLE, "reference", "hypothesis", "window"}
"""Names that no attribute may have: input columns, and some output columns."""

_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def infer_types(rows: Iterable[ParsedRow]) -> dict[str, pa.DataType]:
    """Return the column type of each attribute, sorted by name; see ``common_type``.

    Raises Refused, with the first row that has it, for a name that is empty, is not valid Unicode,
    or is reserved (OWN_COLUMNS).
    """
    found: dict[str, set[pa.DataType]] = {}
    for row in rows:
        for name, value in row.attributes.items():
            if name not in found:
                _check_name(name, row)
            found.setdefault(name, set()).add(type_of(value))
    return {name: reduce(common_type, kinds) for name, kinds in sorted(found.items())}


def type_of(value: Attribute) -> pa.DataType:
    """Return the column type of one value; that of a list without a value is a list of nulls."""
    if not isinstance(value, tuple):
        return _TYPES[type(value)]
    kinds = {type(element) for element in value if element is not None}
    return pa.list_(_TYPES[kinds.pop()] if kinds else pa.null())


def common_type(first: pa.DataType, second: pa.DataType) -> pa.DataType:
    """Return the type of a column with values of two types: string, if they differ.

    Lists of nulls are of the type of any other list.  The order in which the types of many values
    are joined does not matter.
    """
    if first == second:
        return first
    if pa.types.is_list(first) and pa.types.is_list(second):
        for one, other in ((first, second), (second, first)):
            if pa.types.is_null(one.value_type):
                return other
    return pa.string()


def json_text(value: Attribute) -> str:
    """Return a value as a column of texts has it: in the spelling of JSON (true, not True)."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
    return value if kind != pa.string() else json_text(value)
