"""Cut the files of an import into parts: several small files, or a range of a large one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from segscore.pipeline.importing.import_blocks import Reading, is_plain_json_lines
from segscore.pipeline.storage import InputFile

_FILES = 256
"""Largest number of files of a part."""


@dataclass(frozen=True)
class ImportPart:
    """The input of one task.

    Attributes:
        name: its number among all parts.
        urls: its files.
        versions: their versions when they were found.
        start: first byte of a range of the only file; lines that begin in the range are read.
        end: the byte after the range; None if the files are read whole.
    """

    name: str
    urls: tuple[str, ...]
    versions: tuple[str, ...]
    start: int = 0
    end: int | None = None


def cut_files(files: Sequence[InputFile], reading: Reading, size: int) -> list[ImportPart]:
    """Cut files into parts of about a size in bytes, in their order.

    Only files of JSON Lines that are segmentations are cut inside.
    """
    parts: list[ImportPart] = []
    waiting: list[InputFile] = []
    for file in files:
        cut = file.size > size and is_plain_json_lines(file.url, reading)
        full = sum(one.size for one in waiting) + file.size > size or len(waiting) == _FILES
        if waiting and (cut or full):
            parts.append(_whole(waiting))
            waiting = []
        if cut:
            starts = range(0, file.size, size)
            parts += [
                replace(_whole([file]), start=s, end=min(s + size, file.size)) for s in starts
            ]
        else:
            waiting.append(file)
    if waiting:
        parts.append(_whole(waiting))
    return [replace(part, name=f"{number:06}") for number, part in enumerate(parts)]


def _whole(files: Sequence[InputFile]) -> ImportPart:
    return ImportPart("", tuple(file.url for file in files), tuple(file.version for file in files))
