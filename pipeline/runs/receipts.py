"""Write and read receipts: what tasks returned, so that a resumed run need not repeat them.

A receipt is data (``receipt_values``) in a file that is checked before it is unpacked
(``receipt_file``).  A receipt forged by someone who can write to the run's folder can make the run
fail with a one-line message, and nothing worse.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TypeVar

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Unreadable
from segscore.pipeline.runs import receipt_file
from segscore.pipeline.runs.receipt_file import Buffer
from segscore.pipeline.runs.receipt_values import codec
from segscore.pipeline.storage import Written

_LOG = logging.getLogger("segscore")
_NOTHING: Mapping[str, Written] = MappingProxyType({})
_AT_ONCE = 8
_FOLDER = "receipts"
SUMS = "sums"
"""The stage under which the sums of each part are saved, for ``adding``."""

ENDING = ".receipt"
_MAX_ERROR_LENGTH = 200
"""Maximum length of an error in a message, as it may quote the content of a receipt."""

ReceiptClass = TypeVar("ReceiptClass")


def keep(
    folder: str, stage: str, part: str, receipt: object, written: Mapping[str, Written] = _NOTHING
) -> None:
    """Write the receipt of a part; call this after the part has written everything else.

    The receipt vouches for the files of the folder that the part has written, by their URLs.

    Raises:
        Unreadable: the receipt is too large, because of what the input contains.
        Failed: the receipt cannot be written.
    """
    url, buffers = _url(folder, stage, part), list[Buffer]()
    value = codec(type(receipt)).write(receipt, buffers)
    files = {each.removeprefix(f"{folder}/"): found for each, found in written.items()}
    try:
        content = receipt_file.pack(value, buffers, files)
    except ValueError as problem:
        raise Unreadable(
            f"{part}: {problem}; shorten the ids and names in its input, or name fewer attributes "
            "in --group-by if there are any"
        ) from problem
    storage.write_bytes(url, content)


def finished_parts(folder: str, stage: str) -> set[str]:
    """Return the names of the parts of a stage that have a receipt."""
    names = storage.names(storage.join(folder, _FOLDER, stage))
    return {name.removesuffix(ENDING) for name in names if name.endswith(ENDING)}


def remove(folder: str, stage: str) -> None:
    """Remove the receipts of a stage, whose files are not needed any more.

    Raises:
        Refused, Failed: permission is missing, or no server answers.
    """
    storage.remove(storage.join(folder, _FOLDER, stage))


def remove_damaged(folder: str) -> set[str]:
    """Remove receipts that are damaged, or whose files are, so that their parts are done again.

    Those of sums are checked when they are loaded.  Return the names of the files of all other
    parts.

    Raises:
        Refused, Failed: permission is missing, or no server answers.
    """
    stages = [name for name in storage.names(storage.join(folder, _FOLDER)) if name != SUMS]
    parts = [(stage, part) for stage in stages for part in sorted(finished_parts(folder, stage))]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        kept = pool.map(lambda part: _files_unless_damaged(folder, *part), parts)
        return {name for names in kept for name in names}


def _files_unless_damaged(folder: str, stage: str, part: str) -> list[str]:
    """Return the files of a part; if one or the receipt is damaged, remove it, and return none."""
    url = _url(folder, stage, part)
    try:
        files = receipt_file.files_in(storage.read_bytes(url))
        stated = {storage.join(folder, name): Written(*found) for name, found in files.items()}
    except (ValueError, OSError, RecursionError, TypeError):
        files, damaged = {}, [url]
    else:
        damaged = [each for each in stated if not storage.is_as_written(each, stated[each])]
    if not damaged:
        return [*files]
    storage.remove(url)
    _LOG.warning("%s: is not as it was written, and is made again", damaged[0])
    return []


def load(folder: str, stage: str, part: str, receipt_class: type[ReceiptClass]) -> ReceiptClass:
    """Read the receipt of a part, which is of an expected dataclass.

    Raises:
        Failed: the file is not a receipt of this class, or cannot be read.
    """
    url = _url(folder, stage, part)
    try:
        if storage.file_size(url) > receipt_file.MOST + receipt_file.RECEIPT_HEAD.size:
            raise ValueError("larger than any receipt")
        value, views = receipt_file.unpack(storage.read_bytes(url))
        buffers = iter(views)
        receipt = codec(receipt_class).read(value, buffers)
        if next(buffers, None) is not None:
            raise ValueError("it has more buffers than its values need")
        if getattr(receipt, "part", part) != part:
            raise ValueError("it is the receipt of another part")
    except Failed:
        raise
    except Exception as problem:
        reason = " ".join(str(problem).split())[:_MAX_ERROR_LENGTH] or type(problem).__name__
        raise Failed(f"{url}: not a valid receipt ({reason}); run again with --fresh") from problem
    return receipt


def _url(folder: str, stage: str, part: str) -> str:
    return storage.join(folder, _FOLDER, stage, part + ENDING)
