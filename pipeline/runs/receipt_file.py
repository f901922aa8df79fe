"""File format of receipts: a fixed head with a checksum, then a block of JSON text and buffers.

    head    magic, SHA-256 of all that follows it, size of the unpacked block, size of the text
    block   the text, then the buffers, each padded to a multiple of 64 bytes; zstd or uncompressed

Sizes are in bytes.  The text is `{"buffers": [size of each buffer], "value": ...}`; if the part has
written files, it also has `"files": {name: [size, digest]}`.  Nothing is unpacked before the head,
the checksum and the claimed sizes have been checked, and never more than the claimed size.
"""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pyarrow as pa

Node = Any
"""A JSON value: None, bool, int, float, str, or lists and dicts of these."""

Buffer = Any
"""Contiguous memory: bytes, an Arrow buffer, or an array."""

MAGIC = b"segscore-receipt"
RECEIPT_HEAD = struct.Struct("<16s32sQQ")
_NO_FILES: Mapping[str, Sequence[Node]] = MappingProxyType({})
ALIGNED = 64
"""Buffers start at multiples of this number of bytes, as Arrow requires."""

MOST = 4 * 2**30
"""Largest size of a receipt in bytes, packed or unpacked: the memory that a worker should have."""

MOST_TEXT = 16 * 2**20
"""Largest size of the text in bytes; as Python lists it takes up to twenty times the memory."""

FREE, DENSEST = 16 * 2**20, 25
"""A block may exceed ``FREE`` bytes only if it is at most ``DENSEST`` times as large as its packed
form, so that a forged receipt must be a large file to use much memory. Arrays take up to four times
the memory of their buffers."""


def pack(
    value: Node, buffers: Sequence[Buffer], files: Mapping[str, Sequence[Node]] = _NO_FILES
) -> bytes:
    """Return the content of a receipt's file.

    The files are those that the receipt vouches for, with size and digest, by their names.

    Raises:
        ValueError: the content is larger than ``unpack`` accepts.
    """
    views = [memoryview(buffer).cast("B") for buffer in buffers]
    document = {"buffers": [len(view) for view in views], "value": value}
    text = json.dumps({**document, "files": dict(files)} if files else document).encode()
    block = b"".join(
        piece
        for view in (memoryview(text), *views)
        for piece in (view, bytes(-len(view) % ALIGNED))
    )
    if len(text) > MOST_TEXT or len(block) > MOST:
        raise ValueError(
            f"{len(text)} bytes of text, {len(block)} in total: too large for a receipt"
        )
    packed = pa.Codec("zstd").compress(block, asbytes=True)
    if len(block) > most_unpacked(len(packed)):
        packed = block
    sizes = struct.pack("<QQ", len(block), len(text))
    return RECEIPT_HEAD.pack(MAGIC, _checksum(sizes, packed), len(block), len(text)) + packed


def unpack(content: bytes) -> tuple[Node, list[pa.Buffer]]:
    """Unpack a receipt's file: the JSON value, and the buffers as views of one block.

    Raises:
        ValueError, OSError, RecursionError: the content is not in the format of ``pack``.
    """
    document, block, text_size = _open(content)
    return document["value"], _buffers(block, text_size, document["buffers"])


def files_in(content: bytes) -> dict[str, Node]:
    """Return the files that a receipt vouches for; the errors are those of ``unpack``."""
    files = _open(content)[0].get("files", {})
    if not isinstance(files, dict):
        raise ValueError("its files are not an object")
    return files


def _open(content: bytes) -> tuple[dict[str, Node], pa.Buffer, int]:
    """Check and unpack a receipt's file; return its document, the block and the text's size."""
    magic, checksum, size, text_size = RECEIPT_HEAD.unpack_from(
        content.ljust(RECEIPT_HEAD.size, b"\0")
    )
    packed = memoryview(content)[RECEIPT_HEAD.size :]
    if magic != MAGIC:
        raise ValueError("it does not start as a receipt does")
    if checksum != _checksum(content[RECEIPT_HEAD.size - 16 : RECEIPT_HEAD.size], packed):
        raise ValueError("its checksum is wrong")
    if size > most_unpacked(len(packed)) or text_size > min(size, MOST_TEXT):
        raise ValueError(f"it claims {size} bytes, {text_size} of them text, in {len(packed)}")
    block = pa.py_buffer(packed)
    if size != len(packed):
        block = pa.Codec("zstd").decompress(packed, size)  # exactly so many bytes, or it fails
    document = json.loads(str(memoryview(block)[:text_size], "utf-8"))
    if not isinstance(document, dict) or document.keys() - {"files"} != {"buffers", "value"}:
        raise ValueError("its text has unexpected keys")
    return document, block, text_size


def most_unpacked(packed: int) -> int:
    """Return the largest size in bytes that a block of ``packed`` packed bytes may have."""
    return min(MOST, max(FREE, DENSEST * packed))


def _buffers(block: pa.Buffer, start: int, sizes: Node) -> list[pa.Buffer]:
    """Slice a block into its buffers, which fill it from the end of the text."""
    if not isinstance(sizes, list) or not all(type(n) is int and n >= 0 for n in sizes):
        raise ValueError("sizes of buffers must be whole numbers")
    starts = [_aligned(start)]
    for size in sizes:
        starts.append(_aligned(starts[-1] + size))
    if starts[-1] != block.size:
        raise ValueError(f"its buffers end at byte {starts[-1]} of {block.size}")
    return [block.slice(offset, size) for offset, size in zip(starts, sizes, strict=False)]


def _aligned(offset: int) -> int:
    return offset + -offset % ALIGNED


def _checksum(sizes: bytes, packed: bytes | memoryview) -> bytes:
    checksum = hashlib.sha256(sizes)
    checksum.update(packed)
    return checksum.digest()
