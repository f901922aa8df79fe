"""Where things are: how URLs of a disk or an object store are joined, compared and matched."""

import os
import re
from dataclasses import dataclass

import fsspec
from fsspec.utils import glob_translate

from segscore.pipeline.storage.clouds import AZURE
from segscore.pipeline.storage.object_stores import (
    Place,
    explained,
    place,
)

PARQUET = (".parquet", ".pq")


JSON_LINES = (".jsonl", ".ndjson")


_MARKS = "*?["
"""What makes a URL a glob."""


def join(url: str, *names: str) -> str:
    """Name something inside a folder."""
    return "/".join([url.rstrip("/") if url.strip("/") else "", *names])


def absolute(url: str) -> str:
    """Name a place so that processes with other working folders find it; a store's URL is as given.

    Raises:
        Refused: as ``stores.place``.
    """
    at = place(url)
    return str(at.path) if at.local else url


def is_local(url: str) -> bool:
    """Whether a URL is of a disk; nothing is asked, and no package of a store is needed."""
    return fsspec.core.split_protocol(url)[0] in (None, "file", "local")


def canonical(url: str) -> str:
    """Name the place a URL points to, always in the same way, so that two places can be compared.

    On a disk that is the absolute path without links and `..`, also of a file or folder that does
    not exist yet.  In a store it is the bucket and the key, where `..` is a name like any other,
    whichever of a store's protocols the URL has.

    Raises:
        Refused: as ``place``.
    """
    at = place(url)
    return spelled(at, at.path)


def spelled(at: Place, path: str) -> str:
    """Name a path of a place as ``canonical`` names it."""
    if at.local:
        return "file:" + os.path.realpath(path)
    if at.cloud is None:
        return f"{type(at.files).__name__}:/{path.strip('/')}"
    # An Azure container is known by its account too, which a URL may name or leave to settings.
    account = f"{at.files.service_client.account_name}/" if at.cloud is AZURE else ""
    return f"{at.cloud.package}:/{account}{path.rstrip('/')}"


@dataclass(frozen=True)
class Pattern:
    """What an input's glob matches.

    Attributes:
        folder: canonical name of the folder that the first wildcard is in.
        names: matches names below the folder.
    """

    folder: str
    names: re.Pattern[str]

    def matches(self, name: str) -> bool:
        """Whether a file of this canonical name would be part of the input."""
        inside = self.folder.rstrip("/") + "/"
        return name.startswith(inside) and bool(self.names.match(name.removeprefix(inside)))


def pattern(url: str) -> Pattern | None:
    """Take apart the URL of an input; None if ``find`` does not read it as a glob.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no server answers.
    """
    at = place(url)
    with explained(at):
        if not is_glob(at):
            return None
    parts = at.path.split("/")
    first = next(i for i, part in enumerate(parts) if any(mark in part for mark in _MARKS))
    names = re.compile(glob_translate("/".join(parts[first:])))
    return Pattern(spelled(at, "/".join(parts[:first]) or "/"), names)


def is_glob(at: Place) -> bool:
    """Tell whether a place is a pattern, and not a file whose name looks like one."""
    return any(mark in at.path for mark in _MARKS) and not at.files.exists(at.path)


def is_json_lines(url: str) -> bool:
    """Whether a file is read as JSON Lines rather than as Parquet."""
    return url.endswith(JSON_LINES)
