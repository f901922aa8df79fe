"""Temporary names on a disk: write a file next to its final place, then rename it in one step."""

import os
import re
import secrets
from contextlib import suppress

from segscore.pipeline.storage.locations import join
from segscore.pipeline.storage.object_stores import Place

TEMPORARY = ".tmp"


TEMPORARY_NAME = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""Name of a file being written, or of a folder being removed, next to its final name."""


def path_beside(at: Place) -> str:
    """Return a temporary path next to a place on a disk, and create the folder."""
    folder, name = os.path.split(at.path)
    os.makedirs(folder, exist_ok=True)
    return join(folder, f".{name}.{secrets.token_hex(8)}{TEMPORARY}")


def temporary_for(name: str) -> str | None:
    """Return the final name for a temporary name; None if the name is not temporary."""
    found = TEMPORARY_NAME.fullmatch(name)
    return found and found[1]


def take_place(temporary: str, at: Place, *, new: bool) -> None:
    """Move a temporary file to its final place; with ``new``, fail if a file exists there."""
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
    if new:
        os.link(temporary, at.path)
    else:
        os.replace(temporary, at.path)


def drop(temporary: str) -> None:
    """Remove a temporary file, if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(temporary)
