"""Keep what tasks return beside the parts they wrote, so that a resumed run need not redo them.

A receipt is data (``receipt_values``) in a file that is checked before it is unpacked
(``receipt_file``).  Whoever can write to a run's folder can have a run end with one line by it, and
nothing worse.
"""

from typing import TypeVar

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipt_file
from segscore.pipeline.runs.receipt_file import Buffer
from segscore.pipeline.runs.receipt_values import codec

_FOLDER = "receipts"
ENDING = ".receipt"
AGAIN = "-again"
_LONGEST = 200
"""Characters of a problem that are shown: a receipt's content may be part of it."""

Kept = TypeVar("Kept")


def keep(folder: str, stage: str, part: str, receipt: object) -> None:
    """Write the receipt of a part, after all else that the part writes.

    Raises:
        Failed: it is too large, or cannot be written.
    """
    url, buffers = _url(folder, stage, part), list[Buffer]()
    value = codec(type(receipt)).write(receipt, buffers)
    try:
        content = receipt_file.pack(value, buffers)
    except ValueError as problem:
        raise Failed(f"{url}: {problem}; group the run by fewer attributes") from problem
    storage.write_bytes(url, content)


def kept(folder: str, stage: str) -> set[str]:
    """Names of the parts that a stage has done."""
    found = storage.names(storage.join(folder, _FOLDER, stage))
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


def load(folder: str, stage: str, part: str, kind: type[Kept]) -> Kept:
    """Read the receipt of a part.

    Args:
        folder: of the unfinished run.
        stage: of the run.
        part: name of the part.
        kind: what the receipt is expected to be, a dataclass.

    Raises:
        Failed: it is not one, or cannot be read.
    """
    url = _url(folder, stage, part)
    try:
        if storage.file_size(url) > receipt_file.MOST + receipt_file.RECEIPT_HEAD.size:
            raise ValueError("larger than any receipt")
        value, found = receipt_file.unpack(storage.read_bytes(url))
        buffers = iter(found)
        receipt = codec(kind).read(value, buffers)
        if next(buffers, None) is not None:
            raise ValueError("there are more buffers than values need")
    except Failed:
        raise
    except Exception as problem:
        why = " ".join(str(problem).split())[:_LONGEST] or type(problem).__name__
        raise Failed(
            f"{url}: not a receipt of segscore ({why}); run again with --fresh"
        ) from problem
    return receipt


def _url(folder: str, stage: str, part: str) -> str:
    return storage.join(folder, _FOLDER, stage, part + ENDING)
