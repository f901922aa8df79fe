"""Arrays and tables of receipts: what they are as JSON, their content as buffers.

Only the types named here are read, and nothing is believed: shapes must fit the bytes that are
there, and Arrow checks offsets, texts and indices in full.  Arrow's own file format is not used, as
it may hold compressed buffers and types that take any memory to read.
"""

import re
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.runs.receipt_file import Buffer, Node

DTYPES = ("bool", "int8", "int32", "int64", "uint8", "uint64", "float64")
WHOLE = "whole numbers"
"""Arrays of Python's integers: as int64, or where one passes 63 bits as multiples of 2^62 and what
is left, one after the other."""

BITS = 62
DIMENSIONS = 3
LEAST_SIDE = 2**16
"""What a dimension may be, however few bytes there are: arrays without values have a shape, too."""

_TYPES = {
    str(kind): kind
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.date64()),
        *(pa.string(), pa.large_string(), pa.binary()),
    )
}
TIMESTAMP = re.compile(r"timestamp\[(s|ms|us|ns)(?:, tz=([\w+:/-]{1,64}))?\]")


def write_array(array: NDArray[Any], buffers: list[Buffer]) -> Node:
    """Add an array's content to the buffers, and tell the rest.

    Raises:
        TypeError: an array of another type.
        OverflowError: it holds an integer of 125 bits or more.
    """
    name, content = array.dtype.name, array
    if array.dtype == object:
        name, content = WHOLE, _in_planes(array)
    elif name not in DTYPES or not array.dtype.isnative:
        raise TypeError(f"a receipt holds no array of {array.dtype}")
    buffers.append(np.ascontiguousarray(content).reshape(-1))
    return [name, list(array.shape)]


def _in_planes(array: NDArray[Any]) -> Ints:
    """Python's integers as int64, in two planes where some need them."""
    if not set(map(type, array.reshape(-1).tolist())) <= {int}:
        raise TypeError("a receipt holds no array of objects but whole numbers")
    try:
        return array.astype(np.int64)
    except OverflowError:
        planes = np.bitwise_and(array, 2**BITS - 1), np.right_shift(array, BITS)
        return np.stack([plane.astype(np.int64) for plane in planes])


def read_array(node: Node, buffers: Iterator[pa.Buffer], names: tuple[str, ...]) -> NDArray[Any]:
    """Make an array of its own memory.

    Args:
        node: as ``write_array`` told it.
        buffers: from where its content is next.
        names: dtypes that are expected.

    Raises:
        ValueError: it is another, or its shape does not fit its content.
    """
    name, shape = node
    content = take(buffers)
    if name not in names or type(shape) is not list or len(shape) > DIMENSIONS:
        raise ValueError("an array of another type or shape than expected")
    if not all(type(n) is int and 0 <= n <= max(content.size, LEAST_SIDE) for n in shape):
        raise ValueError("an array of an impossible shape")
    dtype = np.dtype(np.int64 if name == WHOLE else name)
    size = prod(shape) * dtype.itemsize
    if content.size != size and not (name == WHOLE and content.size == 2 * size):
        raise ValueError(f"an array of {shape} has {content.size} bytes")
    if name == "bool" and (np.frombuffer(content, np.uint8) > 1).any():
        raise ValueError("an array of truth values holds others")
    flat = np.frombuffer(content, dtype)
    if name != WHOLE:
        return flat.reshape(shape).copy()
    low, high = flat[: prod(shape)].astype(object), flat[prod(shape) :]
    return (low | (high.astype(object) << BITS) if len(high) else low).reshape(shape)


def pack_table(table: pa.Table, buffers: list[Buffer]) -> Node:
    """Add a table's content to the buffers, and tell the rest; metadata are left out.

    Raises:
        TypeError: a column of another type.
    """
    columns = zip(table.column_names, table.columns, strict=True)
    return [[name, _write_column(column, buffers)] for name, column in columns]


def unpack_table(node: Node, buffers: Iterator[pa.Buffer]) -> pa.Table:
    """Make a table, each column one chunk.

    Raises:
        ValueError: columns of unknown types or unlike lengths, or whose content is not sound
            (`pa.ArrowInvalid` is one).
    """
    columns = [(name, _read_column(column, buffers)) for name, column in node]
    table = pa.Table.from_arrays([of for _, of in columns], names=[name for name, _ in columns])
    table.validate(full=True)
    return table


def take(buffers: Iterator[pa.Buffer]) -> pa.Buffer:
    """Take the next buffer.

    Raises:
        ValueError: there is none left.
    """
    buffer = next(buffers, None)
    if buffer is None:
        raise ValueError("there are fewer buffers than values need")
    return buffer


def _write_column(column: pa.ChunkedArray, buffers: list[Buffer]) -> Node:
    kind = column.type
    if pa.types.is_dictionary(kind):
        array = pa.concat_arrays(column.unify_dictionaries().chunks or [pa.array([], kind)])
        parts = [pa.chunked_array([of]) for of in (array.indices, array.dictionary)]
        return ["dictionary", kind.ordered, *(_write_column(part, buffers) for part in parts)]
    if _type(str(kind)) != kind:
        raise TypeError(f"a receipt holds no column of {kind}")
    # Put together with nothing, so that no slice brings along what it was cut from.
    array = pa.concat_arrays([*column.chunks, pa.array([], kind)])
    valid, *content = array.buffers()
    buffers.extend(
        ([] if valid is None else [valid]) + [b"" if of is None else of for of in content]
    )
    return [str(kind), len(array), valid is not None]


def _read_column(node: Node, buffers: Iterator[pa.Buffer]) -> pa.Array:
    name, *told = node
    if name == "dictionary":
        ordered, indices, dictionary = told
        if "dictionary" in (indices[0], dictionary[0]) or type(ordered) is not bool:
            raise ValueError("a dictionary of dictionaries")
        parts = [_read_column(of, buffers) for of in (indices, dictionary)]
        array = pa.DictionaryArray.from_arrays(*parts, ordered=ordered)  # checks the indices
    else:
        length, holds_nulls = told
        kind = _type(name)
        if type(length) is not int or type(holds_nulls) is not bool or kind is None:
            raise ValueError("a column of an unknown type")
        valid = take(buffers) if holds_nulls else None
        content = [take(buffers) for _ in range(2 if _is_text(kind) else 1)]
        array = pa.Array.from_buffers(kind, length, [valid, *content])
    array.validate(full=True)
    return array


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.binary())


def _type(name: str) -> pa.DataType | None:
    """The type of a column by its name; None if there is no such."""
    timestamp = TIMESTAMP.fullmatch(name)
    return pa.timestamp(*timestamp.groups()) if timestamp else _TYPES.get(name)
