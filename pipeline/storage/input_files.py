"""Find the files of an input table, and check that they do not change during a run."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from segscore.pipeline.errors import Absent, Failed, Refused, StartOver
from segscore.pipeline.storage.files import chunks
from segscore.pipeline.storage.listed_files import digest_in
from segscore.pipeline.storage.locations import is_glob, is_local, is_table_file, split_locations
from segscore.pipeline.storage.object_stores import (
    Info,
    Place,
    explained,
    listing,
    resolve,
    version,
)

_DANGLING = "dangling"

MOST_DIGESTED = 2**30
"""The most bytes of files, together, of which digests are taken."""

_CHUNK = 2**20
"""Bytes of a file that are read at once to take its digest."""


@dataclass(frozen=True)
class InputFile:
    """A file of an input table.

    Its version changes with the content: an ETag, a generation or a modification time; of a table
    that a run keeps, the digest in its name.
    """

    url: str
    size: int
    version: str


@dataclass(frozen=True)
class Found:
    """The files that a URL refers to, and the URLs of files of a directory that are not read.

    Both are sorted.
    """

    files: list[InputFile]
    others: list[str]


def find(url: str, *, any_kind: bool = False) -> list[InputFile]:
    """List the files of an input table, sorted by name; see ``find_counted``."""
    return find_counted(url, any_kind=any_kind).files


def find_counted(url: str, *, any_kind: bool = False) -> Found:
    """Find the files of an input table.

    Args:
        url: a file, a directory (searched recursively), a glob, or a list of these.  In a directory
            only Parquet and JSON Lines files count, and nothing whose name starts with `_` or `.`.
        any_kind: whether files of every kind count in a directory.

    Raises:
        Absent: the URL does not exist, or has no file that can be read as a table.
        Refused: permission is missing, the bucket does not exist, a file is a link to nothing, or,
            unless files may be of any kind, a file is a pipe or a device.
        Failed: no server answers.
    """
    several = [_find_in(location, any_kind=any_kind) for location in split_locations(url)]
    if len(several) == 1:
        return several[0]
    files = {file.url: file for found in several for file in found.files}
    others = {other for found in several for other in found.others}
    return Found([files[name] for name in sorted(files)], sorted(others))


def _find_in(url: str, *, any_kind: bool) -> Found:
    """Find the files of a single location."""
    place = resolve(url)
    try:
        with explained(place):
            infos, missing = _search(place)
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem
    others: list[str] = []
    if missing is None:  # a directory
        infos = {name: info for name, info in infos.items() if not _is_hidden(name, place.path)}
        others = sorted(name for name in infos if not any_kind and not is_table_file(name))
        missing = "the directory contains no " + ("file" if any_kind else "Parquet or JSONL file")
        if others:
            missing += f", but {_number(others)}; `segscore import` converts other formats"
    files = {name: info for name, info in infos.items() if name not in {*others}}
    if not files:
        raise Absent(f"{url}: {missing}")
    for name, info in sorted(files.items()):
        if info["type"] != "file" and not any_kind:
            raise Refused(f"{name}: is a pipe or a device, and tables are read more than once")
        if info.get(_DANGLING):
            raise Refused(f"{name}: is a link to a file that does not exist; mend or remove it")
    return Found(
        [
            InputFile(place.url_of(name), int(info["size"]), _version(name, info))
            for name, info in sorted(files.items())
        ],
        [place.url_of(name) for name in others],
    )


def _version(name: str, info: Info) -> str:
    """Return the version of a file; of a file that a run keeps, the digest in its name."""
    return digest_in(name) or version(info)


def describe_left_out(name: str, found: Found) -> list[str]:
    """Warn of the files of an input table's directory that are not read, if there are any."""
    if not found.others:
        return []
    number = _number(found.others)
    return [f"{name}: left out {number}; input tables are Parquet and JSON Lines files"]


def _number(names: Sequence[str]) -> str:
    """Return the number of files, with the first name."""
    first = names[0].rpartition("/")[2]
    return f"{len(names)} other file{'s' * (len(names) > 1)} ({first}{', …' * (len(names) > 1)})"


def _search(place: Place) -> tuple[dict[str, Info], str | None]:
    """Return the files that a URL refers to, and a message in case there are none.

    There is no message for a directory, of which all files are returned.
    """
    if is_glob(place):
        matches = place.files.glob(place.path, detail=True)
        folders = any(info["type"] == "directory" for info in matches.values())
        missing = "no file matches this pattern" + ", but folders do; add /* to it" * folders
        return _file_infos(place, matches), missing
    if place.local and not place.files.isdir(place.path):
        paths = [place.path] if place.files.exists(place.path) else []
        return {name: place.files.info(name) for name in paths}, "no such file or directory"
    infos = _file_infos(place, place.files.find(place.path) if place.local else listing(place))
    if not place.local and (not infos or place.path in infos):
        return infos, "no such file or directory"
    return infos, None


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


def _is_hidden(name: str, directory: str) -> bool:
    inside = PurePosixPath(name).relative_to(directory.rstrip("/") or "/")
    return any(part.startswith(("_", ".")) for part in inside.parts)


def digests_of(files: Sequence[InputFile], known: Mapping[InputFile, str]) -> dict[InputFile, str]:
    """Return the SHA-256 of the files on a disk, in hexadecimal digits.

    Those of files in stores, which have versions of their content, and of more than
    ``MOST_DIGESTED`` bytes together are not taken.

    Args:
        files: the files, as they were found.
        known: digests that were taken before, and are not again.

    Raises:
        Refused: a file does not exist any more, or cannot be read.
    """
    on_disk = {file for file in files if is_local(file.url) and digest_in(file.url) is None}
    if sum(file.size for file in on_disk) > MOST_DIGESTED:
        return {}
    missing = [*(on_disk - known.keys())]
    with ThreadPoolExecutor() as pool:
        taken = dict(zip(missing, pool.map(digest_of, [one.url for one in missing]), strict=True))
    return {file: known.get(file) or taken[file] for file in on_disk}


def digest_of(url: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits.

    Raises:
        Refused: it does not exist, or cannot be read.
    """
    digest = sha256()
    for chunk in chunks(url, _CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def require_version(url: str, expected: str) -> None:
    """Fail if a file was replaced or removed since ``find`` described it."""
    place = resolve(url)
    try:
        with explained(place):
            current = _version(place.path, place.files.info(place.path))
    except FileNotFoundError as problem:
        raise Failed(f"{url}: was removed while the run was reading it") from problem
    if current != expected:
        raise StartOver(f"{url}: was replaced while the run was reading it; run again with --fresh")
