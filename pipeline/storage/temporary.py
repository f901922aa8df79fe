"""Temporary names on a disk: write a file next to its final place, then rename it in one step."""

import errno
import os
import re
from contextlib import suppress
from functools import partial

from segscore.pipeline.storage.locations import join
from segscore.pipeline.storage.object_stores import Place
from segscore.pipeline.storage.written import note

_CHUNK = 2**20

TEMPORARY_NAME = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""Name of a file being written, or of a folder being removed, next to its final name."""

NO_LINK = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
"""Numbers of the errors of file systems that cannot make a hard link."""


def name_beside(path: str) -> str:
    """Return a temporary path next to a path on a disk that no other file has."""
    folder, name = os.path.split(path)
    return join(folder, f".{name}.{os.urandom(8).hex()}.tmp")


def path_beside(place: Place) -> str:
    """Return a temporary path next to a place on a disk, and create the folder."""
    os.makedirs(os.path.dirname(place.path), exist_ok=True)
    return name_beside(place.path)


def temporary_for(name: str) -> str | None:
    """Return the final name for a temporary name; None if the name is not temporary."""
    match = TEMPORARY_NAME.fullmatch(name)
    return match and match[1]


def take_place(temporary: str, place: Place, *, new: bool) -> None:
    """Move a temporary file to its final place; with ``new``, fail if a file exists there.

    Where there are no hard links, a new file is empty until its content replaces it.
    """
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
        note(place.url, iter(partial(file.read, _CHUNK), b""))
    if not new:
        os.replace(temporary, place.path)
        return
    try:
        os.link(temporary, place.path)
    except OSError as problem:
        if problem.errno not in NO_LINK:
            raise
        os.close(os.open(place.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            os.replace(temporary, place.path)
        except OSError:
            drop(place.path)
            raise


def drop(temporary: str) -> None:
    """Remove a temporary file, if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(temporary)
