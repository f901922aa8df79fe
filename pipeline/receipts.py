"""What tasks tell of their parts, kept beside the parts: who resumes a run need not redo them."""

import io
import pickle
from typing import Any

import pyarrow as pa

from pipeline import storage
from pipeline.errors import Failed

FOLDER = "receipts"
ENDING = ".receipt"
AGAIN = "-again"
OURS = frozenset(
    {
        ("pipeline.scoring", "Receipt"),
        ("pipeline.scoring", "Added"),
        ("pipeline.sums", "Sums"),
        ("pipeline.buckets", "Surveyed"),
        ("pipeline.sweep_run", "SweptPart"),
        ("pipeline.sweeping", "Steps"),
        ("pipeline.agreeing", "Audited"),
        ("pipeline.agreement.tallies", "Tallies"),
    }
)
PLAIN = frozenset(
    {
        ("builtins", "bytearray"),  # what Arrow tells a buffer by that could be written to
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "timezone"),
        ("datetime", "timedelta"),
        ("zoneinfo", "ZoneInfo._unpickle"),
        ("numpy", "dtype"),
        ("numpy", "ndarray"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
    }
)
ARROW = frozenset(
    {
        "_restore_array",
        "_reconstruct_table",
        "type_for_alias",
        "py_buffer",
        "chunked_array",
        "schema",
        "field",
        "list_",
        "timestamp",
        "KeyValueMetadata",
    }
)


class _Reader(pickle.Unpickler):
    """Makes what a receipt holds, and nothing else whatever the file says."""

    def find_class(self, module: str, name: str) -> Any:
        known = (module, name) in OURS | PLAIN
        if known or (module == "pyarrow.lib" and name in ARROW):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a receipt")


def keep(folder: str, stage: str, part: str, receipt: object) -> None:
    """Write the receipt of a part, after all else that the part writes."""
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(pickle.dumps(receipt, pickle.HIGHEST_PROTOCOL))
    storage.write_bytes(_url(folder, stage, part), memoryview(packed.getvalue()))


def kept(folder: str, stage: str) -> set[str]:
    """Names of the parts that a stage has done."""
    found = storage.names(storage.join(folder, FOLDER, stage))
    return {name.removesuffix(ENDING) for name in found if name.endswith(ENDING)}


def again(name: str) -> str:
    """Name a part, or a stage, that is done a second time, knowing more.

    The part's files have other names too: what a task of the first time writes late, as one may
    whose client was killed, cannot take the place of the second's.
    """
    stem, dot, ending = name.partition(".")
    return stem + AGAIN + dot + ending


def superseded(folder: str, stage: str) -> set[str]:
    """Names of the parts whose files do not count, as they were done again."""
    return {name.replace(AGAIN, "") for name in kept(folder, again(stage))}


def load(folder: str, stage: str, part: str) -> Any:
    """Read the receipt of a part.

    Raises:
        Failed: it is not one.
    """
    url = _url(folder, stage, part)
    content = storage.read_bytes(url)
    try:
        unpacked = pa.CompressedInputStream(pa.BufferReader(content), "zstd").read()
        return _Reader(io.BytesIO(unpacked)).load()
    except Exception as problem:
        raise Failed(
            f"{url}: not a receipt of segscore ({problem}); run again with --fresh"
        ) from problem


def _url(folder: str, stage: str, part: str) -> str:
    return storage.join(folder, FOLDER, stage, part + ENDING)
