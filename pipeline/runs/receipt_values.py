"""Convert the values of receipts to and from plain data: JSON without class names, and buffers.

The expected types are given as type annotations: dataclasses of numbers, texts, lists, tuples,
dicts, arrays and tables. A value that does not have exactly the expected type is refused, both on
writing and on reading, so that writer and reader cannot diverge. The annotation `object` means the
value of a group-by column: None, bool, int, float, str, bytes, date or datetime.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, timezone
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.runs.receipt_arrays import (
    DTYPES,
    WHOLE,
    next_buffer,
    pack_table,
    read_array,
    unpack_table,
    write_array,
)
from segscore.pipeline.runs.receipt_file import Buffer, Node


@dataclass(frozen=True)
class Codec:
    """A writer and a reader for the values of one type.

    Attributes:
        write: ``write(value, buffers)`` appends to the buffers and returns the JSON.
        read: ``read(node, buffers)`` returns the value for the JSON, and consumes its buffers.
    """

    write: Callable[[Any, list[Buffer]], Node]
    read: Callable[[Node, Iterator[pa.Buffer]], Any]


def codec(type_: Any) -> Codec:
    """Return the codec of a type, given as an annotation.

    Raises:
        TypeError: receipts do not support the type.
    """
    origin, inner = get_origin(type_), get_args(type_)
    if type_ in (bool, int, float, str):
        return _plain(type_)
    if type_ is object:
        return Codec(_write_scalar, _read_scalar)
    if type_ is pa.Table:
        return Codec(pack_table, unpack_table)
    if is_dataclass(type_):
        return _dataclass(cast(type, type_))
    if origin in (Union, UnionType) and len(inner) == 2 and inner[1] is NoneType:
        return _optional(codec(inner[0]))
    if origin in (NDArray, np.ndarray):  # from Python 3.12 on, NDArray is an origin of its own
        return _array(*(inner if origin is NDArray else get_args(inner[1])))
    if origin is tuple and inner[-1] is not Ellipsis:
        return _fixed([codec(annotation) for annotation in inner])
    if origin in (list, tuple):
        return _sequence(origin, codec(inner[0]))
    if origin is dict:
        return _dict(_fixed([codec(annotation) for annotation in inner]))
    raise TypeError(f"a receipt cannot contain a {type_}")


def _require(type_: type, value: Any) -> Any:
    """Return a value if it has exactly the type; numpy scalars are converted to Python's.

    Raises:
        TypeError: the value has another type.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) is not type_:
        raise TypeError(f"expected {type_.__name__}, got {type(value).__name__}")
    return plain


def _plain(type_: type) -> Codec:
    return Codec(lambda value, _: _require(type_, value), lambda node, _: _require(type_, node))


def _optional(inner: Codec) -> Codec:
    return Codec(
        lambda value, buffers: None if value is None else inner.write(value, buffers),
        lambda node, buffers: None if node is None else inner.read(node, buffers),
    )


def _array(scalar: Any) -> Codec:
    names = (*DTYPES, WHOLE) if scalar is Any else (np.dtype(scalar).name,)

    def write(value: Any, buffers: list[Buffer]) -> Node:
        node = write_array(_require(np.ndarray, value), buffers)
        if node[0] not in names:
            raise TypeError(f"expected an array of {names[0]}, got one of {value.dtype}")
        return node

    return Codec(write, lambda node, buffers: read_array(node, buffers, names))


def _fixed(parts: list[Codec]) -> Codec:
    """Return the codec of a tuple of fixed length, from the codecs of its items."""

    def write(value: Any, buffers: list[Buffer]) -> Node:
        pairs = zip(parts, _require(tuple, value), strict=True)
        return [part.write(item, buffers) for part, item in pairs]

    def read(node: Node, buffers: Iterator[pa.Buffer]) -> Any:
        pairs = zip(parts, _require(list, node), strict=True)
        return tuple(part.read(item, buffers) for part, item in pairs)

    return Codec(write, read)


def _sequence(type_: type, item_codec: Codec) -> Codec:
    """Return the codec of a list, or of a tuple of any length."""
    return Codec(
        lambda value, buffers: [item_codec.write(item, buffers) for item in _require(type_, value)],
        lambda node, buffers: type_(
            item_codec.read(item, buffers) for item in _require(list, node)
        ),
    )


def _dict(pair_codec: Codec) -> Codec:
    """Return the codec of a dict, which is stored as a list of pairs because keys may be tuples."""

    def write(value: Any, buffers: list[Buffer]) -> Node:
        return [pair_codec.write(pair, buffers) for pair in _require(dict, value).items()]

    def read(node: Node, buffers: Iterator[pa.Buffer]) -> Any:
        value = dict(pair_codec.read(pair, buffers) for pair in _require(list, node))
        if len(value) < len(node):
            raise ValueError("a key occurs twice")
        return value

    return Codec(write, read)


@cache
def _dataclass(type_: Any) -> Codec:
    hints = get_type_hints(type_)
    parts = {field.name: codec(hints[field.name]) for field in fields(type_)}

    def write(value: Any, buffers: list[Buffer]) -> Node:
        _require(type_, value)
        return {name: part.write(getattr(value, name), buffers) for name, part in parts.items()}

    def read(node: Node, buffers: Iterator[pa.Buffer]) -> Any:
        if _require(dict, node).keys() != parts.keys():
            raise ValueError(f"{type_.__name__} has unexpected fields")
        return type_(**{name: part.read(node[name], buffers) for name, part in parts.items()})

    return Codec(write, read)


SCALARS = (NoneType, bool, int, float, str)


def _write_scalar(value: Any, buffers: list[Buffer]) -> Node:
    """Write a value as JSON if JSON has its type, and otherwise as `{"type": ...}`."""
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) in SCALARS:
        return value
    if type(value) is bytes:
        buffers.append(value)
        return {"bytes": None}
    if type(value) is date:
        return {"date": value.isoformat()}
    if type(value) is datetime:
        zone = value.tzinfo
        if isinstance(zone, ZoneInfo) and zone.key:
            return {
                "datetime": value.replace(tzinfo=None).isoformat(),
                "zone": [zone.key, value.fold],
            }
        if zone is None or isinstance(zone, timezone):
            return {"datetime": value.isoformat(), "zone": [None, value.fold]}
    raise TypeError(f"a receipt cannot contain a {type(value).__name__}")


def _read_scalar(node: Node, buffers: Iterator[pa.Buffer]) -> Any:
    if type(node) in SCALARS:
        return node
    match node:
        case {"bytes": None}:
            return next_buffer(buffers).to_pybytes()
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case {"datetime": str(text), "zone": [key, int(fold)]}:
            value = datetime.fromisoformat(text).replace(fold=fold)
            return value if key is None else value.replace(tzinfo=ZoneInfo(_require(str, key)))
    raise ValueError("a value of an unknown type")
