"""List, create, move, copy and remove folders on a disk or in an object store."""

import errno
import os
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import PurePosixPath

from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.storage.locations import is_table_file, join, split_locations
from segscore.pipeline.storage.object_stores import copy_object as copy_file
from segscore.pipeline.storage.object_stores import (
    discard,
    discard_files,
    explained,
    for_each,
    listing,
    require_container,
    resolve,
)
from segscore.pipeline.storage.temporary import NO_LINK, drop, name_beside, temporary_for

_TRIES, _PAUSE = 5, 0.1
"""How often to remove a folder that others still write to, and the seconds between."""


def names(url: str) -> list[str]:
    """List the names in a folder, sorted; empty if the folder does not exist.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: no server answers.
    """
    place = resolve(url)
    try:
        with explained(place):
            if place.local:
                return sorted(os.listdir(place.path))
            listed = [name.rstrip("/") for name in place.files.ls(place.path, detail=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to list it") from problem
    # Stores list a file as an entry of itself.
    return sorted({PurePosixPath(name).name for name in listed if name != place.path.rstrip("/")})


def is_folder(url: str) -> bool:
    """Return whether a folder exists; in a store, whether anything is in it.

    Raises: as ``names``.
    """
    place = resolve(url)
    return bool(place.files.isdir(place.path)) if place.local else bool(names(url))


def other_files(url: str) -> tuple[str, ...]:
    """Return the files of other formats than tables that a location names; none if it names others.

    Raises: as ``names``.
    """
    urls = split_locations(url)
    return urls if all(map(_is_other_file, urls)) else ()


def _is_other_file(url: str) -> bool:
    """Return whether a location names one file of another format than tables."""
    has_ending = bool(PurePosixPath(url).suffix) and not any(mark in url for mark in "*?[")
    return has_ending and not is_table_file(url) and not is_folder(url)


def make_folder(url: str) -> None:
    """Create a folder and its parents; in a store, only check that the bucket exists.

    Raises:
        Refused: the folder cannot be created, or the bucket does not exist.
        Failed: no server answers.
    """
    place = resolve(url)
    try:
        with explained(place):
            if place.cloud is None:
                place.files.makedirs(place.path, exist_ok=True)
            else:
                require_container(place)
    except OSError as problem:
        why = problem.strerror or problem
        if place.local and (link := _dangling(place.path)):
            why = f"{link} is a link to a folder that does not exist"
        raise Refused(f"{url}: cannot be created ({why})") from problem


def _dangling(path: str) -> str | None:
    """Return the first link on the way to a path that leads to nothing; None if there is none."""
    way = [str(folder) for folder in reversed(PurePosixPath(path).parents)]
    return next((e for e in [*way, path] if os.path.islink(e) and not os.path.exists(e)), None)


def copy(source: str, target: str, names: Mapping[str, str]) -> None:
    """Copy files from one folder to another, each whole or not at all, replacing earlier copies.

    On a disk a new folder appears with all files at once, and the copies are hard links, if the
    file system supports that and both are on it.

    The target need not exist. The names in the source are given with those in the target.

    Raises:
        Failed: a file cannot be copied.
    """
    origin, destination = resolve(source), resolve(target)
    try:
        with explained(destination):
            if origin.local:
                _copy_on_disk(origin.path, destination.path, names)
            else:
                pairs = {
                    join(origin.path, name): join(destination.path, new)
                    for name, new in names.items()
                }
                for_each(lambda name: copy_file(origin, name, pairs[name]), list(pairs))
    except (FileNotFoundError, Refused) as problem:
        raise Failed(f"{target}: cannot be written ({place_and_reason(problem)})") from problem


def _copy_on_disk(source: str, target: str, names: Mapping[str, str]) -> None:
    folder = name_beside(target)
    os.makedirs(folder)
    try:
        for name, new in names.items():
            _link(join(source, name), join(folder, new))
        if os.path.lexists(target):
            for new in names.values():
                os.replace(join(folder, new), join(target, new))
                drop(join(folder, new))  # it is still there if both are the same file
            os.rmdir(folder)
        else:
            os.rename(folder, target)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError as problem:
        if problem.errno not in NO_LINK:
            raise
        shutil.copyfile(source, target)


def remove(url: str) -> None:
    """Remove a file, or a folder with all its contents, if it exists.

    A folder on a disk is renamed first, so that no reader finds half of it under its name.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: no server answers.
    """
    place = resolve(url)
    with explained(place):
        if not place.local:
            discard(place, listing(place, folders=True))
            return
        try:
            os.unlink(place.path)
        except FileNotFoundError:
            return
        except (IsADirectoryError, PermissionError):  # for a folder: Linux, macOS
            _remove_folder(place.path)


def _remove_folder(path: str) -> None:
    path = path.rstrip("/")
    aside = path
    if not temporary_for(os.path.basename(path)):  # else it was renamed already
        aside = name_beside(path)
        try:
            os.rename(path, aside)
        except FileNotFoundError:
            return
    for _ in range(_TRIES):
        shutil.rmtree(aside, ignore_errors=True)
        if not os.path.lexists(aside):
            return
        time.sleep(_PAUSE)  # a late task wrote to it, or another job is removing it too
    with suppress(FileNotFoundError):
        shutil.rmtree(aside)


def remove_files(folder: str, names: Iterable[str]) -> None:
    """Remove files of a folder; ignore those that do not exist.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: no server answers.
    """
    place = resolve(folder)
    with explained(place):
        if place.local:
            for name in names:
                drop(join(place.path, name))
        else:
            discard_files(place, [join(place.path, name) for name in names])


def remove_temporary(url: str) -> None:
    """Remove what processes that were killed left of a file that they were writing.

    Raises:
        Refused, Failed: as for ``remove_files``.
    """
    folder, _, name = url.rpartition("/")
    remove_files(folder, [one for one in names(folder) if temporary_for(one) == name])


def remove_if_empty(url: str) -> None:
    """Remove a folder if it is empty; a link to a folder stays, as its owner made it.

    Raises:
        Failed: no server answers.
    """
    place = resolve(url)
    with explained(place):
        if place.local:
            try:
                os.rmdir(place.path)
            except OSError as problem:
                known = (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST)
                if problem.errno not in known and not os.path.islink(place.path):
                    raise
        elif not names(url):
            discard(place, {})
