"""Temporary names on a disk: a file is written beside its place, then takes it in one step."""

import os
import re
import secrets
from contextlib import suppress

from segscore.pipeline.storage.locations import join
from segscore.pipeline.storage.object_stores import Place

TEMPORARY = ".tmp"


TEMPORARY_NAME = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""A file that is being written, or a folder that is being removed, beside where it belongs."""


def path_beside(at: Place) -> str:
    """Name a file of a disk to write to, beside the place it is to take."""
    folder, name = os.path.split(at.path)
    os.makedirs(folder, exist_ok=True)
    return join(folder, f".{name}.{secrets.token_hex(8)}{TEMPORARY}")


def temporary_for(name: str) -> str | None:
    """Tell which file a temporary one was to become, by its name; None if it is no such file."""
    found = TEMPORARY_NAME.fullmatch(name)
    return found and found[1]


def take_place(temporary: str, at: Place, *, new: bool) -> None:
    """Give a temporary file its name; with ``new``, fail if a file has it already."""
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
    if new:
        os.link(temporary, at.path)
    else:
        os.replace(temporary, at.path)


def drop(temporary: str) -> None:
    """Remove a temporary file, if it is still there."""
    with suppress(FileNotFoundError):
        os.unlink(temporary)
