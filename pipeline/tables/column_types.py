"""Convert the columns of a file to the types of the input tables, where their meaning allows it."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Unreadable
from segscore.pipeline.tables.columns import Contract
from segscore.schemas.input_columns import INPUT_TYPES


def canonical_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema to read a file's columns with: the same meaning, the contract's types.

    Any type of number becomes the contract's, any list type a list, any type of text (even a
    dictionary of texts) or integer a string.  Other types are not changed, so that the schema
    check reports them.
    """
    fields = []
    for field in schema:
        if pa.types.is_dictionary(field.type):
            field = field.with_type(field.type.value_type)
        target = INPUT_TYPES.get(field.name, _plain_type(field.type))
        if _converts_to(field.type, target):
            field = field.with_type(target)
        fields.append(field.with_nullable(True).remove_metadata())
    return pa.schema(fields)


def _plain_type(attribute: pa.DataType) -> pa.DataType:
    kinds = pa.types
    if _is_view(attribute):
        return pa.list_(attribute.value_type)
    is_text = kinds.is_large_string(attribute) or kinds.is_string_view(attribute)
    return pa.string() if is_text else attribute


def _converts_to(actual: pa.DataType, target: pa.DataType) -> bool:
    kinds = pa.types
    if kinds.is_list(target):
        if not _is_list(actual):
            return False
        empty = kinds.is_null(actual.value_type)
        return empty or _converts_to(actual.value_type, target.value_type)
    if kinds.is_integer(target) or kinds.is_floating(target):
        return bool(kinds.is_integer(actual) or kinds.is_floating(actual))
    is_text = kinds.is_large_string(actual) or kinds.is_string_view(actual)
    return bool(actual == target or is_text or kinds.is_integer(actual))


def _is_list(kind: pa.DataType) -> bool:
    kinds = pa.types
    return bool(_is_view(kind) or kinds.is_list(kind) or kinds.is_large_list(kind))


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def convert_columns(table: pa.Table, url: str, first_row: int = 0) -> pa.Table:
    """Convert the columns of a file to the types of ``canonical_schema``.

    The number of the first row and the URL are for messages.

    Raises:
        Unreadable: a value does not fit its column's type.
    """
    columns = []
    for field in (schema := canonical_schema(table.schema)):
        column = _without_views(table.column(field.name))
        try:
            columns.append(column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as problem:
            raise _misfit(column, field, url, first_row) or Unreadable(
                f"{url}: column {field.name}: {problem}"
            ) from problem
    return pa.Table.from_arrays(columns, schema=schema)


def _misfit(
    column: pa.ChunkedArray, field: pa.Field, url: str, first_row: int
) -> Unreadable | None:
    """Return the error that names the first number that a column's type cannot hold, if any."""
    target, values, row = field.type, column.combine_chunks(), None
    if pa.types.is_list(target):
        target, row = target.value_type, pc.list_parent_indices(values)
        values = pc.list_flatten(values)
    if not pa.types.is_integer(target):
        return None
    try:
        restored = values.cast(target, safe=False).cast(values.type, safe=False)
    except pa.ArrowException:
        return None
    index = pc.index(pc.fill_null(pc.not_equal(restored, values), False), True).as_py()
    if index < 0:
        return None
    number = first_row + (index if row is None else row[index].as_py())
    return Unreadable(
        f"{url} row {number}: {field.name} has the value {values[index]}; expected whole numbers "
        f"of type {target}"
    )


def _without_views(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of list views as one of lists; Arrow's own cast gives wrong offsets."""
    if not _is_view(column.type):
        return column
    values = column.combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64())
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths)])
    lists = pa.LargeListArray.from_arrays(offsets, pc.list_flatten(values), mask=values.is_null())
    return pa.chunked_array([lists])


def describe_conversions(model: Contract, schema: pa.Schema) -> Iterator[str]:
    """Describe the columns of a file whose numbers are read as another kind of value."""
    for field in schema:
        target = INPUT_TYPES.get(field.name)
        if field.name not in model.names or target is None:
            continue
        source = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(target) and pa.types.is_integer(source):
            yield f"{field.name} is {source}, read as text"
        elif pa.types.is_integer(_element(target)) and pa.types.is_floating(_element(source)):
            yield f"{field.name} is {source}, read as whole numbers"


def _element(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if _is_list(kind) else kind
