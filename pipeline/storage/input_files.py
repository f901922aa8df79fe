"""Find the files of an input table, and check that they do not change during a run."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from segscore.pipeline.errors import Absent, Failed, Refused
from segscore.pipeline.storage.locations import JSON_LINES, PARQUET, is_glob
from segscore.pipeline.storage.object_stores import Info, Place, explained, listing, place, version


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
        Refused: permission is missing, or the bucket does not exist.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            found, missing = _search(at, any_kind)
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem
    if not found:
        raise Absent(f"{url}: {missing}")
    return [
        InputFile(at.url_of(name), int(info["size"]), version(info))
        for name, info in sorted(found.items())
    ]


def _search(at: Place, any_kind: bool) -> tuple[dict[str, Info], str]:
    """Return the files that a URL stands for, and a message in case there are none."""
    if is_glob(at):
        return _told(at, at.files.glob(at.path, detail=True)), "no file matches this pattern"
    if at.local and not at.files.isdir(at.path):
        there = [at.path] if at.files.exists(at.path) else []
        return {name: at.files.info(name) for name in there}, "no such file or directory"
    held = _told(at, at.files.find(at.path) if at.local else listing(at))
    if not at.local and (not held or at.path in held):
        return held, "no such file or directory"
    found = {name: info for name, info in held.items() if _counts(name, at.path, any_kind)}
    return found, "the directory contains no " + ("file" if any_kind else "Parquet or JSONL file")


def _told(at: Place, listed: Iterable[str]) -> dict[str, Info]:
    """Return information about the files in a listing; on a disk, links are followed."""
    infos = listed if isinstance(listed, dict) and not at.local else {}
    told = {name: infos.get(name) or at.files.info(name) for name in listed}
    # Web consoles represent a folder by an empty object whose name ends with a slash.
    return {name: i for name, i in told.items() if i["type"] == "file" and not name.endswith("/")}


def _counts(name: str, directory: str, any_kind: bool) -> bool:
    inside = PurePosixPath(name).relative_to(directory.rstrip("/") or "/")
    hidden = any(part.startswith(("_", ".")) for part in inside.parts)
    return not hidden and (any_kind or name.endswith(PARQUET + JSON_LINES))


def require_version(url: str, known: str) -> None:
    """Check that a file is still the one that ``find`` described.

    Raises:
        Failed: the file was replaced or removed since.
    """
    at = place(url)
    try:
        with explained(at):
            now = version(at.files.info(at.path))
    except FileNotFoundError as problem:
        raise Failed(f"{url}: was removed while the run was reading it") from problem
    if now != known:
        raise Failed(f"{url}: was replaced while the run was reading it; run again with --fresh")
