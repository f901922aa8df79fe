"""Find the files of an input table, and check that they do not change during a run."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from segscore.pipeline.errors import Absent, Failed, Refused
from segscore.pipeline.storage.locations import JSON_LINES, PARQUET, is_glob
from segscore.pipeline.storage.object_stores import (
    Info,
    Place,
    explained,
    listing,
    resolve,
    version,
)

_DANGLING = "dangling"


@dataclass(frozen=True)
class InputFile:
    """A file of an input table.

    Attributes:
        url: URL of the file.
        size: bytes.
        version: changes with the content: an ETag, a generation or a modification time.
    """

    url: str
    size: int
    version: str


def find(url: str, *, any_kind: bool = False) -> list[InputFile]:
    """List the files of an input table, sorted by name.

    Args:
        url: a file, a directory (searched recursively) or a glob.  In a directory only Parquet and
            JSON Lines files count, and nothing whose name starts with `_` or `.`.
        any_kind: whether files of every kind count in a directory.

    Raises:
        Absent: the URL does not exist, or has no file that can be read as a table.
        Refused: permission is missing, the bucket does not exist, or a file is a link to nothing.
        Failed: no server answers.
    """
    place = resolve(url)
    try:
        with explained(place):
            files, missing = _search(place, any_kind)
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem
    if not files:
        raise Absent(f"{url}: {missing}")
    for name, info in sorted(files.items()):
        if info.get(_DANGLING):
            raise Refused(f"{name}: is a link to a file that does not exist; mend or remove it")
    return [
        InputFile(place.url_of(name), int(info["size"]), version(info))
        for name, info in sorted(files.items())
    ]


def _search(place: Place, any_kind: bool) -> tuple[dict[str, Info], str]:
    """Return the files that a URL refers to, and a message in case there are none."""
    if is_glob(place):
        matches = place.files.glob(place.path, detail=True)
        return _file_infos(place, matches), "no file matches this pattern"
    if place.local and not place.files.isdir(place.path):
        paths = [place.path] if place.files.exists(place.path) else []
        return {name: place.files.info(name) for name in paths}, "no such file or directory"
    infos = _file_infos(place, place.files.find(place.path) if place.local else listing(place))
    if not place.local and (not infos or place.path in infos):
        return infos, "no such file or directory"
    files = {name: i for name, i in infos.items() if _is_table_file(name, place.path, any_kind)}
    return files, "the directory contains no " + ("file" if any_kind else "Parquet or JSONL file")


def _file_infos(place: Place, listed: Iterable[str]) -> dict[str, Info]:
    """Return information about the files in a listing; on a disk, links are followed."""
    known = listed if isinstance(listed, dict) and not place.local else {}
    infos = {name: known.get(name) or _info(place, name) for name in listed}
    # Web consoles represent a folder by an empty object whose name ends with a slash.
    return {name: i for name, i in infos.items() if i["type"] == "file" and not name.endswith("/")}


def _info(place: Place, name: str) -> Info:
    """Return information about a file; that of a link to a missing one has a remark."""
    try:
        return place.files.info(name)
    except FileNotFoundError:
        if place.local and os.path.islink(name):
            return {"type": "file", "size": 0, _DANGLING: True}
        raise


def _is_table_file(name: str, directory: str, any_kind: bool) -> bool:
    inside = PurePosixPath(name).relative_to(directory.rstrip("/") or "/")
    hidden = any(part.startswith(("_", ".")) for part in inside.parts)
    return not hidden and (any_kind or name.endswith(PARQUET + JSON_LINES))


def require_version(url: str, expected: str) -> None:
    """Check that a file is still the one that ``find`` described.

    Raises:
        Failed: the file was replaced or removed since.
    """
    place = resolve(url)
    try:
        with explained(place):
            current = version(place.files.info(place.path))
    except FileNotFoundError as problem:
        raise Failed(f"{url}: was removed while the run was reading it") from problem
    if current != expected:
        raise Failed(f"{url}: was replaced while the run was reading it; run again with --fresh")
