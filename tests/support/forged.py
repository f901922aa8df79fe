"""Receipts forged to crash a run, or to use all memory.

`python -m tests.support.forged FOLDER` reads each of them and prints the error messages, then how
much its memory peak grew, in bytes.
"""

import hashlib
import io
import pickle
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.timing import peak_memory
from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipt_file, receipts
from segscore.pipeline.runs.receipt_values import codec
from segscore.pipeline.runs.record import RowCounts, require_row_counts

ROWS = {"hypotheses": {"in": 3, "scored": 1, "rejected": 0, "unpaired": 2}}
LARGE = 8 * 2**30


@dataclass(frozen=True)
class Counted:
    """A receipt with counts and arrays."""

    part: str
    rows: RowCounts
    pairs: int = 0
    paired: Bits = field(default_factory=lambda: np.zeros(0, np.uint8))
    seen: dict[str, tuple[Bits, Bits]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse counts that do not add up, as the receipts of runs do."""
        require_row_counts(self.rows)


GENUINE = Counted("part-0", ROWS, 1, np.arange(4, dtype=np.uint8))


def zeros(size: int) -> bytes:
    """Make a zstd frame that unpacks to so many zeros: 4 bytes for each 128 KiB."""
    inner, last = (struct.pack("<I", 2**17 << 3 | 1 << 1 | end)[:3] + b"\0" for end in (0, 1))
    return b"\x28\xb5\x2f\xfd\x00\x38" + inner * (size // 2**17 - 1) + last


def sealed(packed: bytes, size: int, text: int = 10) -> bytes:
    """Make a file whose header is valid, whatever it claims."""
    sizes = struct.pack("<QQ", size, text)
    checksum = hashlib.sha256(sizes + packed).digest()
    return receipt_file.RECEIPT_HEAD.pack(receipt_file.MAGIC, checksum, size, text) + packed


def genuine(value: object = GENUINE) -> tuple[Any, list[Any]]:
    """Return the content of a receipt: JSON and buffers."""
    buffers: list[Any] = []
    return codec(type(value)).write(value, buffers), buffers


def _with(**changed: object) -> bytes:
    node, buffers = genuine()
    return receipt_file.pack(node | changed, buffers)


def _text(text: bytes) -> bytes:
    return sealed(text, len(text), len(text))


def _array_of_objects() -> bytes:
    """What numpy's own format would read as pointers."""
    file = io.BytesIO()
    np.save(file, np.array([object()]), allow_pickle=True)
    return file.getvalue()


@dataclass(frozen=True)
class Tabled:
    """A receipt with tables, like that of an audit."""

    table: pa.Table


def _column(*claims: object, buffers: Sequence[bytes]) -> bytes:
    return receipt_file.pack({"table": [["a", [*claims]]]}, buffers)


def _texts(*offsets: int) -> bytes:
    content = np.array(offsets, np.int32).tobytes()
    return _column("string", len(offsets) - 1, False, buffers=[content, b"some text"])


def _indices(*indices: int) -> bytes:
    columns = ["int32", len(indices), False], ["int64", 1, False]
    content = np.array(indices, np.int32).tobytes()
    return _column("dictionary", False, *columns, buffers=[content, bytes(8)])


class Malice:
    """Ends the process when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        import os

        return os._exit, (99,)


FORGERIES: dict[str, Callable[[], bytes]] = {
    "a pickle": lambda: pickle.dumps(Malice()),
    "a pickle, sealed": lambda: sealed(pickle.dumps(Malice()), len(pickle.dumps(Malice()))),
    "numpy's format": _array_of_objects,
    "an unknown dtype": lambda: _with(paired=["object", [4]]),
    "a dtype with pointers": lambda: _with(paired=["|O", [4]]),
    "a structured dtype": lambda: _with(paired=[[["a", "|O"]], [4]]),
    "another dtype": lambda: _with(paired=["int64", [4]]),
    "2^40 values": lambda: _with(paired=["uint8", [2**40]]),
    "2^40 rows of nothing": lambda: _with(paired=["uint8", [2**40, 0]]),
    "2^64 values by overflow": lambda: _with(paired=["uint8", [2**32, 2**32, 4]]),
    "fewer than none": lambda: _with(paired=["uint8", [-2, -2]]),
    "32 dimensions": lambda: _with(paired=["uint8", [4] + [1] * 31]),
    "true of it": lambda: _with(paired=["uint8", True]),
    "a bomb": lambda: sealed(zeros(LARGE), LARGE),
    "a bomb with a small fuse": lambda: sealed(zeros(LARGE), 2**20),
    "a claim of 2^64": lambda: sealed(b"", 2**64 - 1),
    "a text of 2^64": lambda: sealed(b"", 0, 2**64 - 1),
    "deep lists": lambda: _text(b'{"buffers": [], "value": ' + b"[" * 10**6),
    "deep dicts": lambda: _text(b'{"buffers": [], "value": ' + b'{"a":' * 10**6),
    "deep rows": lambda: _with(rows=[["a", [["b", [[[]]]]]]]),
    "a long number": lambda: _text(b'{"buffers": [], "value": ' + b"9" * 10**6 + b"}"),
    "a list": lambda: _text(b"[]"),
    "no JSON": lambda: _text(b"\xff\xfe"),
    "a class of ours": lambda: _with(part={"class": "Counted"}),
    "another field": lambda: _with(more=1),
    "a number for a name": lambda: _with(part=1),
    "a share of rows": lambda: _with(pairs=1.0),
    "truth for a number": lambda: _with(pairs=True),
    "one of a pair": lambda: _with(seen=[["a", [["uint8", [4]]]]]),
    "the same name twice": lambda: _with(rows=[["a", []], ["a", []]]),
    "too few buffers": lambda: _with(seen=[["a", [["uint8", [0]], ["uint8", [0]]]]]),
    "too many buffers": lambda: receipt_file.pack(genuine()[0], [*genuine()[1], b"more"]),
    "bytes behind it": lambda: receipt_file.pack(*genuine()) + b"more",
    "sizes that overlap": lambda: _text(b'{"buffers": [64, -64], "value": 1}'.ljust(64)),
    "a size of 2^63": lambda: _text(b'{"buffers": [9223372036854775807], "value": 1}'.ljust(64)),
}


TABLES: dict[str, Callable[[], bytes]] = {
    "2^40 values": lambda: _column("int64", 2**40, False, buffers=[bytes(64)]),
    "2^60 values": lambda: _column("int64", 2**60, False, buffers=[bytes(64)]),
    "2^64 values": lambda: _column("int64", 2**64, False, buffers=[bytes(64)]),
    "2^40 bits": lambda: _column("bool", 2**40, False, buffers=[bytes(64)]),
    "fewer than none": lambda: _column("int64", -1, False, buffers=[bytes(64)]),
    "2^40 nulls": lambda: _column("null", 2**40, False, buffers=[]),
    "few bits of nulls": lambda: _column("int64", 64, True, buffers=[b"\xff", bytes(512)]),
    "values that are not there": lambda: _column("int64", 8, True, buffers=[b"\xff"]),
    "offsets beyond the text": lambda: _texts(0, 2**31 - 1),
    "offsets before the text": lambda: _texts(-(2**20), 3),
    "offsets that fall": lambda: _texts(0, 9, 3, 5),
    "no offsets": lambda: _column("string", 3, False, buffers=[b"", b""]),
    "text that is none": lambda: _column(
        "string", 1, False, buffers=[np.array([0, 2], np.int32).tobytes(), b"\xff\xfe"]
    ),
    "indices beyond": lambda: _indices(0, 1),
    "indices before": lambda: _indices(-1),
    "a dictionary of dictionaries": lambda: _column(
        "dictionary", False, ["int32", 0, False], ["dictionary", False, [], []], buffers=[b""]
    ),
    "a list": lambda: _column("list<item: int64>", 1, False, buffers=[bytes(8)]),
    "a union": lambda: _column("dense_union<0: int64=0>", 1, False, buffers=[bytes(8)]),
    "a zone that is none": lambda: _column(
        "timestamp[us, tz=../../etc/passwd]", 1, False, buffers=[bytes(8)]
    ),
    "a name that is none": lambda: receipt_file.pack({"table": [[1, ["int64", 0, False]]]}, [b""]),
    "columns of unlike lengths": lambda: receipt_file.pack(
        {"table": [["a", ["int8", 1, False]], ["b", ["int8", 2, False]]]}, [b"1", b"12"]
    ),
}


def main(folder: str) -> None:
    """Read all of them."""
    codec(Counted)
    before = peak_memory()
    all_of = [(forgery, Counted) for forgery in FORGERIES.items()] + [
        (forgery, Tabled) for forgery in TABLES.items()
    ]
    for (name, forge), kind in all_of:
        storage.write_bytes(storage.join(folder, "receipts", "stage", "part.receipt"), forge())
        try:
            receipts.load(folder, "stage", "part", kind)
        except Failed as problem:
            print(f"{name}: Failed: {problem}")
        else:
            print(f"{name}: was taken")
    print(int((peak_memory() - before) * 2**20))


if __name__ == "__main__":
    main(sys.argv[1])
