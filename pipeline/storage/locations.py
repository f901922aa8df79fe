"""Join, compare and match URLs of files on a disk or in an object store."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.clouds import AZURE, CLOUDS
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.storage.object_stores import (
    DISKS,
    Place,
    explained,
    plain_url,
    protocol_of,
    resolve,
)

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")

_MARKS = "*?["
"""Characters that make a URL a glob."""

_LIST = re.compile(r"\{([^{}][^{},]*,[^{}]+)\}")
"""Several locations written as one."""


def join(url: str, *names: str) -> str:
    """Return the URL of something inside a folder."""
    return "/".join([url.rstrip("/") if url.strip("/") else "", *names])


def absolute(url: str) -> str:
    """Return a URL that is valid in any working folder; a store's URL is returned unchanged.

    Raises:
        Refused: as ``object_stores.resolve``.
    """
    place = resolve(url)
    return str(place.path) if place.local else url


def listed_as(url: str) -> str:
    """Return the URL by which ``find`` lists a file, whether it exists or not.

    Raises:
        Refused: as ``object_stores.resolve``.
    """
    place = resolve(url)
    return place.url_of(place.path)


def is_local(url: str) -> bool:
    """Return whether a URL is on a disk, without a request or a package of a store."""
    return protocol_of(url) in DISKS


def require_writable_store(option: str, url: str) -> None:
    """Refuse an output in a kind of store that runs cannot be published to.

    Publication needs writes that fail if a file exists already, which other stores do not have.
    """
    plain_url(url)
    protocol = protocol_of(url)
    if not is_local(url) and protocol not in CLOUDS:
        raise Refused(
            f"{option} {url}: cannot write to {protocol}://; write to a disk, or to s3://, gs:// "
            "or abfs://"
        )


def split_locations(location: str) -> tuple[str, ...]:
    """Return the locations that are written as one, such as those of several HYPOTHESES.

    Examples:
        >>> split_locations("{sys/a.jsonl,sys/b.jsonl}")
        ('sys/a.jsonl', 'sys/b.jsonl')
        >>> split_locations("sys/{date}.jsonl")
        ('sys/{date}.jsonl',)
    """
    several = _LIST.fullmatch(location)
    return tuple(several[1].split(",")) if several else (location,)


def joined_locations(locations: Sequence[str]) -> str:
    """Write locations as one, which ``split_locations`` splits again."""
    return locations[0] if len(locations) == 1 else f"{{{','.join(locations)}}}"


def canonical(url: str) -> str:
    """Return the one canonical name of the place of a URL, so that places can be compared.

    On a disk, it is the absolute path without links and `..`, even if the file or folder does not
    exist yet.  In a store, it is the bucket and the key, where `..` is an ordinary name, whichever
    of the store's protocols the URL uses.

    Raises:
        Refused: as ``object_stores.resolve``.
    """
    place = resolve(url)
    return canonical_path(place, place.path)


def canonical_path(place: Place, path: str) -> str:
    """Return the canonical name, as of ``canonical``, of a path in the file system of a place."""
    if place.local:
        return "file:" + os.path.realpath(path)
    assert place.cloud is not None, "what is not on a disk is in a store"
    # An Azure container is identified by its account too, which may be in the URL or in settings.
    account = f"{place.files.service_client.account_name}/" if place.cloud is AZURE else ""
    return f"{place.cloud.package}:/{account}{path.rstrip('/')}"


@dataclass(frozen=True)
class Pattern:
    """The glob of an input, split at its first wildcard.

    Attributes:
        folder: canonical name of the folder that contains the first wildcard.
        names: matches names relative to the folder.
    """

    folder: str
    names: re.Pattern[str]

    def matches(self, name: str) -> bool:
        """Return whether a file with this canonical name would be part of the input."""
        inside = self.folder.rstrip("/") + "/"
        return name.startswith(inside) and bool(self.names.match(name.removeprefix(inside)))


def pattern(url: str) -> Pattern | None:
    """Parse the URL of an input as a glob; return None if ``find`` does not read it as one.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: no server answers.
    """
    place = resolve(url)
    with explained(place):
        if not is_glob(place):
            return None
    from fsspec.utils import glob_translate

    parts = place.path.split("/")
    first = next(i for i, part in enumerate(parts) if any(mark in part for mark in _MARKS))
    names = re.compile(glob_translate("/".join(parts[first:])))
    return Pattern(canonical_path(place, "/".join(parts[:first]) or "/"), names)


@dataclass(frozen=True)
class FileFolders:
    """The names of the folders that contain a file of an input.

    Attributes:
        named: those that the URL of the input names, without those of the working folder.
        below: those below it; for a glob, from the first wildcard on.
    """

    named: tuple[str, ...]
    below: tuple[str, ...]


def file_folders(url: str, files: Sequence[str]) -> list[FileFolders]:
    """Return the folders of each file of an input, which is one location or a list of them."""
    bases = [base_of(location) for location in split_locations(url)]
    return [_folders_of(file, bases) for file in files]


def _folders_of(file: str, bases: Sequence[tuple[str, tuple[str, ...]]]) -> FileFolders:
    """Return the folders of a file of an input; of several locations, the longest that has it."""
    base, named = max(
        bases, key=lambda one: len(one[0]) * (file == one[0] or file.startswith(one[0] + "/"))
    )
    if file == base:
        return FileFolders(named[:-1], ())
    return FileFolders(named, tuple(file.removeprefix(base).split("/")[:-1]))


def base_of(url: str) -> tuple[str, tuple[str, ...]]:
    """Return a location up to its first part with a glob's mark, and the folders that it names."""
    place = resolve(url)
    with explained(place):
        marks = _MARKS if is_glob(place) else ""
    base = place.url_of("/".join(_before_marks(place.path, marks)))
    return base.rstrip("/"), _before_marks(url.rstrip("/"), marks)


def _before_marks(path: str, marks: str) -> tuple[str, ...]:
    parts = path.split("/")
    return tuple(takewhile(lambda part: not any(mark in part for mark in marks), parts))


def is_glob(place: Place) -> bool:
    """Return whether a place is a glob, and not a file whose name looks like one."""
    return any(mark in place.path for mark in _MARKS) and not place.files.exists(place.path)


def is_json_lines(url: str) -> bool:
    """Return whether a file is read as JSON Lines, compressed or not, rather than as Parquet."""
    return without_compression(url).lower().endswith(JSON_LINES)


def is_plain(url: str) -> bool:
    """Return whether a file is not compressed, by its name."""
    return without_compression(url) == url


def is_table_file(url: str) -> bool:
    """Return whether a file has the name of an input table."""
    return is_json_lines(url) or url.lower().endswith(PARQUET)
