"""Temporary names on a disk: write a file next to its final place, then rename it in one step."""

import os
import re
from contextlib import suppress

from segscore.pipeline.storage.locations import join
from segscore.pipeline.storage.object_stores import Place

TEMPORARY_NAME = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""Name of a file being written, or of a folder being removed, next to its final name."""


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
    """Move a temporary file to its final place; with ``new``, fail if a file exists there."""
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
    if new:
        os.link(temporary, place.path)
    else:
        os.replace(temporary, place.path)


def drop(temporary: str) -> None:
    """Remove a temporary file, if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(temporary)
