"""Arrays and tables in receipts: type and shape as JSON, content as buffers.

Only the types listed here are read, and everything is checked: shapes must match the size of the
content, and Arrow validates offsets, texts and indices in full.  Arrow's own file format is not
used because it allows compressed buffers, which pyarrow cannot refuse before it unpacks them: a
file of 33 KB can so take 1 GiB of memory.
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
NARROWER = ("int16", "int32")
"""Types in which an array of int64 is stored if all of its integers fit, which is soon done."""

WHOLE = "whole numbers"
"""Name for arrays of Python integers: stored as int64 or, if one does not fit, as two int64 arrays,
the remainders modulo 2^62 followed by the quotients."""

BITS = 62
DIMENSIONS = 3
LEAST_SIDE = 2**16
"""Size up to which any dimension is accepted, as empty arrays may have large dimensions, too."""

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
    """Append an array's content to the buffers, and return its type and shape.

    If an array of int64 is stored in a narrower type, the name of that type follows.

    Raises:
        TypeError: the array has an unsupported type.
        OverflowError: the array has an integer of 125 bits or more.
    """
    name, content = array.dtype.name, array
    if array.dtype == object:
        name, content = WHOLE, _in_planes(array)
    elif name not in DTYPES or not array.dtype.isnative:
        raise TypeError(f"a receipt cannot contain an array of {array.dtype}")
    stored = _narrowest(array) if name == "int64" else name
    if stored != name:
        content = array.astype(stored)
    buffers.append(np.ascontiguousarray(content).reshape(-1))
    return [name, list(array.shape)] if stored == name else [name, list(array.shape), stored]


def _narrowest(array: Ints) -> str:
    """Return the narrowest type that holds all integers of an array."""
    least, most = array.min(initial=0), array.max(initial=0)
    limits = {name: np.iinfo(name) for name in NARROWER}
    fitting = (n for n, limit in limits.items() if limit.min <= least and most <= limit.max)
    return next(fitting, "int64")


def _in_planes(array: NDArray[Any]) -> Ints:
    """Convert Python integers to int64, in two planes (see ``WHOLE``) if some do not fit."""
    if not set(map(type, array.reshape(-1).tolist())) <= {int}:
        raise TypeError("a receipt cannot contain an array of objects other than whole numbers")
    try:
        return array.astype(np.int64)
    except OverflowError:
        planes = np.bitwise_and(array, 2**BITS - 1), np.right_shift(array, BITS)
        return np.stack([plane.astype(np.int64) for plane in planes])


def read_array(node: Node, buffers: Iterator[pa.Buffer], names: tuple[str, ...]) -> NDArray[Any]:
    """Read an array into memory of its own.

    The first of the remaining buffers has its content, and ``node`` is what ``write_array``
    returned. Only types with these names are accepted.

    Raises:
        ValueError: the array has another type, or its shape does not match its content.
    """
    name, shape, *narrower = node
    content = next_buffer(buffers)
    if name not in names or type(shape) is not list or len(shape) > DIMENSIONS:
        raise ValueError("an array of an unexpected type or shape")
    if narrower and (name != "int64" or narrower not in [[other] for other in NARROWER]):
        raise ValueError("an array stored in an unexpected type")
    if not all(type(n) is int and 0 <= n <= max(content.size, LEAST_SIDE) for n in shape):
        raise ValueError("an array of an impossible shape")
    dtype = np.dtype(np.int64 if name == WHOLE else [name, *narrower][-1])
    size = prod(shape) * dtype.itemsize
    if content.size != size and not (name == WHOLE and content.size == 2 * size):
        raise ValueError(f"an array of {shape} has {content.size} bytes")
    if name == "bool" and (np.frombuffer(content, np.uint8) > 1).any():
        raise ValueError("an array of booleans has other values")
    flat = np.frombuffer(content, dtype)
    if name != WHOLE:
        return flat.reshape(shape).astype(name)
    low, high = flat[: prod(shape)].astype(object), flat[prod(shape) :]
    return (low | (high.astype(object) << BITS) if len(high) else low).reshape(shape)


def pack_table(table: pa.Table, buffers: list[Buffer]) -> Node:
    """Append a table's content to the buffers, and return the rest as JSON, without metadata.

    Raises:
        TypeError: a column has an unsupported type.
    """
    columns = zip(table.column_names, table.columns, strict=True)
    return [[name, _write_column(column, buffers)] for name, column in columns]


def unpack_table(node: Node, buffers: Iterator[pa.Buffer]) -> pa.Table:
    """Read a table, with each column in one chunk.

    Raises:
        ValueError: columns have unknown types, different lengths, or invalid content (as a
            `pa.ArrowInvalid`).
    """
    columns = [(name, _read_column(column, buffers)) for name, column in node]
    table = pa.Table.from_arrays(
        [array for _, array in columns], names=[name for name, _ in columns]
    )
    table.validate(full=True)
    return table


def next_buffer(buffers: Iterator[pa.Buffer]) -> pa.Buffer:
    """Take the next buffer.

    Raises:
        ValueError: no buffer is left.
    """
    buffer = next(buffers, None)
    if buffer is None:
        raise ValueError("it has fewer buffers than its values need")
    return buffer


def _write_column(column: pa.ChunkedArray, buffers: list[Buffer]) -> Node:
    type_ = column.type
    if pa.types.is_dictionary(type_):
        array = pa.concat_arrays(column.unify_dictionaries().chunks or [pa.array([], type_)])
        parts = [pa.chunked_array([half]) for half in (array.indices, array.dictionary)]
        return ["dictionary", type_.ordered, *(_write_column(part, buffers) for part in parts)]
    if _type(str(type_)) != type_:
        raise TypeError(f"a receipt cannot contain a column of {type_}")
    # Concatenating copies a slice, so that the rest of its parent is not written.
    array = pa.concat_arrays([*column.chunks, pa.array([], type_)])
    valid, *content = array.buffers()
    buffers.extend(
        ([] if valid is None else [valid])
        + [b"" if buffer is None else buffer for buffer in content]
    )
    return [str(type_), len(array), valid is not None]


def _read_column(node: Node, buffers: Iterator[pa.Buffer]) -> pa.Array:
    name, *details = node
    if name == "dictionary":
        ordered, indices, dictionary = details
        if "dictionary" in (indices[0], dictionary[0]) or type(ordered) is not bool:
            raise ValueError("a dictionary of dictionaries")
        parts = [_read_column(array_node, buffers) for array_node in (indices, dictionary)]
        array = pa.DictionaryArray.from_arrays(*parts, ordered=ordered)  # checks the indices
    else:
        length, has_nulls = details
        type_ = _type(name)
        if type(length) is not int or type(has_nulls) is not bool or type_ is None:
            raise ValueError("a column of an unknown type")
        valid = next_buffer(buffers) if has_nulls else None
        content = [next_buffer(buffers) for _ in range(2 if _is_text(type_) else 1)]
        array = pa.Array.from_buffers(type_, length, [valid, *content])
    array.validate(full=True)
    return array


def _is_text(type_: pa.DataType) -> bool:
    return type_ in (pa.string(), pa.large_string(), pa.binary())


def _type(name: str) -> pa.DataType | None:
    """Return the column type with a name; None if there is no such type."""
    timestamp = TIMESTAMP.fullmatch(name)
    return pa.timestamp(*timestamp.groups()) if timestamp else _TYPES.get(name)
