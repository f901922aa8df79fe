"""Cut files into the parts that tasks read: several small files, or a range of a large one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TypeVar, get_type_hints

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused

_FILES = 256
"""Largest number of files of a part."""


@dataclass(frozen=True)
class FilePart:
    """The input of one task.

    Attributes:
        name: its number among all parts.
        urls: its files.
        versions: their versions when they were found.
        start: first byte of a range of the only file; lines that begin in the range are read.
        end: the byte after the range; None if the files are read whole.
        documents: the name of the document of each file, in files that need not name any.
    """

    name: str
    urls: tuple[str, ...]
    versions: tuple[str, ...]
    start: int = 0
    end: int | None = None
    documents: tuple[str, ...] = ()

    def require_versions(self) -> None:
        """Fail if a file was replaced since it was found."""
        for url, version in zip(self.urls, self.versions, strict=True):
            storage.require_version(url, version)

    def first_line(self) -> int:
        """Count the number that the first line of a range has in its file."""
        if not self.start:
            return 1
        # The line that has the byte before the range ends before the first line of the range.
        return 2 + storage.count_newlines(self.urls[0], self.start - 1)


@dataclass(frozen=True)
class PartReceipt:
    """What a task of an import returns; `refusal` says why its input is refused, None if not."""

    refusal: str | None = None


_Job = TypeVar("_Job")
_Part = TypeVar("_Part")
_Receipt = TypeVar("_Receipt", bound=PartReceipt)


def refusable(task: Callable[[_Job, _Part], _Receipt]) -> Callable[[_Job, _Part], _Receipt]:
    """Let a task return a receipt with the refusal that it raises, so that others go on."""
    receipt_class = get_type_hints(task)["return"]

    @wraps(task)
    def perform(job: _Job, part: _Part) -> _Receipt:
        try:
            return task(job, part)
        except Refused as refusal:
            found: _Receipt = receipt_class(str(refusal))
            return found

    return perform


def accepted(receipts: Mapping[str, _Receipt]) -> Mapping[str, _Receipt]:
    """Return receipts; or refuse the import if a part is refused, with the message of the first."""
    for receipt in receipts.values():
        if receipt.refusal is not None:
            raise Refused(receipt.refusal)
    return receipts


def cut_files(
    files: Sequence[storage.InputFile], size: int, is_divisible: Callable[[str], bool]
) -> list[FilePart]:
    """Cut files into parts of about a size in bytes, in their order.

    Only a large file whose URL is divisible is cut into ranges.
    """
    parts: list[FilePart] = []
    waiting: list[storage.InputFile] = []
    for file in files:
        cut = file.size > size and is_divisible(file.url)
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


def _whole(files: Sequence[storage.InputFile]) -> FilePart:
    return FilePart("", tuple(file.url for file in files), tuple(file.version for file in files))


def count_lines(content: bytes) -> int:
    """Count the lines of a range, the last of which may have no end."""
    return content.count(b"\n") + (bool(content) and not content.endswith(b"\n"))


def lines_before(parts: Sequence[FilePart], lines: Mapping[str, int]) -> dict[str, int]:
    """Return part -> number of lines of its file that precede it.

    Args:
        parts: all parts, in their order.
        lines: part -> its number of lines; 0 unless it is a range.
    """
    found = {}
    before = 0
    for part in parts:
        before = before if part.start else 0
        found[part.name] = before
        before += lines[part.name]
    return found
