"""Find the inputs of a finished run again, wherever they are now, and check that they are the same.

An input has not changed if its size and its digest are those that the run recorded or, if the run
took no digest of it, its size and the time of its last change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from os.path import basename, commonpath, dirname, isabs, normpath
from pathlib import PurePosixPath
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.fingerprint import DIGEST
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.listed_files import digest_in, kept_name
from segscore.pipeline.tables.find import InputTable

_CHUNK = 8 * 2**20
"""Bytes of a file that are read at once to check them."""

_Files = Sequence[Mapping[str, Any]]


def find_recorded(run: FinishedRun, table: str, location: str) -> str:
    """Return where an input table of a run is now.

    It is searched in the folder that the user named, or else where the run found it and, as the run
    may have been moved with its inputs, in the folders that contain the run.

    Args:
        run: the run.
        table: the name of the table.
        location: where the run was told to find it.

    Raises:
        Refused: it is in a place that is not trusted, or it is not there any more.
    """
    files = run.recorded_inputs.get(table, ())
    recorded = recorded_location(location, files)
    if run.inputs_in is None:
        run.trusted.require(run.url, [recorded])
        if not storage.is_local(recorded):
            return recorded
        folders, places = _folders_of(run.url), [recorded]
    else:
        folders, places = [run.inputs_in], []
    places += [place for folder in folders for place in _places_in(folder, recorded)]
    there = []
    for place in places:
        if found := _found(place):
            there.append(place)
            if _first_changed(table, place, found, files) is None:
                return place
    if there:
        return there[0]  # what has changed is refused by name when it is read
    if run.inputs_in is not None:
        raise Refused(
            f"--inputs {run.inputs_in}: contains nothing with the name of {recorded}, which the "
            "run read"
        )
    try:
        storage.find(recorded)
    except Refused as problem:
        raise Refused(
            f"{problem}; if the inputs of the run were moved, name their folder with --inputs"
        ) from problem
    return recorded


def _found(location: str) -> list[InputFile]:
    """Return the files of a location; none if they cannot be found."""
    try:
        return storage.find(location)
    except Refused:
        return []


def _folders_of(run: str) -> list[str]:
    """Return the folders that contain a run, the nearest first; none of a run in a store."""
    if not storage.is_local(run):
        return []
    return [str(folder) for folder in PurePosixPath(storage.absolute(run)).parents]


def _places_in(folder: str, location: str) -> Iterator[str]:
    """Yield where a location may be in a folder, by the ends of its path, the longest first."""
    several = [
        [part for part in PurePosixPath(one).parts if part != "/"]
        for one in storage.split_locations(location)
    ]
    for start in range(max(map(len, several))):
        places = [storage.join(folder, *parts[min(start, len(parts) - 1) :]) for parts in several]
        yield storage.joined_locations(places)


def recorded_location(location: str, files: Sequence[Mapping[str, Any]]) -> str:
    """Return where a run found an input table, whatever the current folder is.

    Args:
        location: a file, a directory, a glob or a URL, perhaps relative to the folder in which the
            run was started.
        files: the table's files as the run's record lists them, with their full paths.
    """
    if len(several := storage.split_locations(location)) > 1:
        urls = sorted(file["url"] for file in files)
        known = all("://" in one or isabs(one) for one in several)
        listed = storage.joined_locations(urls)
        return location if known or storage.split_locations(listed) != (*urls,) else listed
    if "://" in location or isabs(location) or not files:
        return location
    paths = [PurePosixPath(file["url"]).parts for file in files]
    parts = [part for part in PurePosixPath(normpath(location)).parts if part != ".."]
    if not parts:  # the current folder, or one above it
        return commonpath([dirname(file["url"]) for file in files])
    is_pattern = [any(sign in part for sign in "*?[") for part in parts]
    fixed = is_pattern.index(True) if any(is_pattern) else len(parts)
    if fixed == 0 and "**" in parts:
        return location
    compared = parts[: fixed or None]
    for start in range(len(paths[0]) - len(compared), -1, -1):
        base, end = paths[0][:start], start + len(compared)
        if all(path[:start] == base and _match(path[start:end], compared) for path in paths):
            return str(PurePosixPath(*base, *parts))
    return location


def _match(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(names) == len(patterns) and all(
        name == pattern or fnmatchcase(name, pattern)
        for name, pattern in zip(names, patterns, strict=True)
    )


def _is_unchanged(table: str, file: InputFile, recorded: Mapping[str, Any]) -> bool:
    """Return whether a file has the content of one that a run recorded."""
    if file.size != recorded.get("size"):
        return False
    if digest_in(file.url) is not None:
        name = basename(file.url)
        return (
            basename(str(recorded.get("url")))
            == name
            == kept_name(table, storage.chunks(file.url, _CHUNK))
        )
    if file.version == recorded.get("version"):
        return True
    digest = recorded.get(DIGEST)
    return digest is not None and digest == storage.digest_of(file.url)


def _first_changed(
    table: str, location: str, files: Sequence[InputFile], recorded: _Files
) -> str | None:
    """Return the first file that is not as a run recorded it, or the table if it has others.

    A file has the folders below the location that it had then, which may name its coder.
    """
    folders = storage.file_folders(location, [file.url for file in files])
    by_name = sorted(zip(files, folders, strict=True), key=lambda one: basename(one[0].url))
    before = sorted(recorded, key=lambda one: basename(str(one.get("url"))))
    for (file, known), recorded_file in zip(by_name, before, strict=False):
        name = "/".join(("", *filter(None, known.below), basename(file.url)))
        if not f"/{recorded_file.get('url')}".endswith(name):
            return table
        if not _is_unchanged(table, file, recorded_file):
            return file.url
    return None if len(files) == len(recorded) else table


def require_unchanged(tables: Iterable[InputTable], recorded_inputs: Mapping[str, _Files]) -> None:
    """Check that input tables have not changed since a run.

    Raises:
        Refused: a file has changed, or a table has other files; the message names it.
    """
    for table in tables:
        recorded = recorded_inputs.get(table.name, ())
        changed = _first_changed(table.name, table.location, table.files, recorded)
        if changed == table.name:
            raise Refused(
                f"{table.name}: its files are not those of the run ({table.location}); restore "
                "them or score again"
            )
        if changed is not None:
            raise Refused(f"{changed}: has changed since the run; restore it or score again")
