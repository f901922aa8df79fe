"""Object stores: resolve a URL, and read a file by ranges, write it, copy it or remove it.

Settings come from the clouds' own environment variables and from FSSPEC_*, never from a URL.
"""

import errno
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.plain_text import has_secret
from segscore.pipeline.storage.clouds import AZURE, CLOUDS, GCS, Cloud
from segscore.pipeline.storage.disk import Disk, disk_path
from segscore.pipeline.storage.failures import (
    FORBIDDEN,
    FULL,
    explain_failure,
    facts,
    missing_container,
)

DISKS = (None, "file", "local")
"""Protocols of a disk; None is that of a path."""

OFFLINE = "SEGSCORE_OFFLINE"
"""Environment variable that allows nothing but disks, if it is set."""

_AT_ONCE = 16
"""Number of concurrent requests when many files are copied or removed."""


@contextmanager
def offline() -> Iterator[None]:
    """Allow nothing but disks, to this process and to those that it starts."""
    before = os.environ.get(OFFLINE, "")
    os.environ[OFFLINE] = "1"
    try:
        yield
    finally:
        os.environ[OFFLINE] = before


Info = Mapping[str, Any]
"""A file system's description of a file."""


def configure(options: Mapping[str, Mapping[str, Any]]) -> None:
    """Apply options for fsspec's file systems, by protocol; FSSPEC_* variables take precedence.

    The options never appear in messages or in run.json.
    """
    if not options:
        return
    from fsspec.config import conf

    for protocol, settings in options.items():
        conf[protocol] = {**settings, **conf.get(protocol, {})}


def configured() -> dict[str, dict[str, Any]]:
    """Return all options by protocol, to configure workers in other processes."""
    from fsspec.config import conf

    return {
        protocol: dict(settings)
        for protocol, settings in conf.items()
        if isinstance(settings, dict)
    }


@dataclass(frozen=True)
class Place:
    """The file system and the path that a URL refers to.

    Attributes:
        url: the URL as it was given.
        files: the file system.
        path: path of the URL in the file system.
        cloud: the kind of object store; None for a disk.
    """

    url: str
    files: Any
    path: str
    cloud: Cloud | None = None

    @property
    def local(self) -> bool:
        """Whether the place is on a disk of this machine."""
        return isinstance(self.files, Disk)

    def url_of(self, name: str) -> str:
        """Return the URL of a name in the file system."""
        return name if self.local else str(self.files.unstrip_protocol(name))


def resolve(url: str) -> Place:
    """Resolve a URL, without a request to a server.

    Raises:
        Refused: the protocol is not one of a disk or a cloud, a package or credentials are missing,
            the URL contains a secret or names no bucket, or only disks are allowed (``OFFLINE``).
    """
    _refuse_secrets(url)
    if "\0" in url:
        raise Refused(f"{url}: has a null character, which no name of a file can have")
    given, url = url, plain_url(url)
    protocol = protocol_of(url)
    if protocol in DISKS:
        return Place(given, Disk(), disk_path(url))
    assert protocol is not None, "a path is on a disk"
    cloud = _cloud_of(url, protocol)
    if os.environ.get(OFFLINE):
        raise Refused(
            f"{url}: is not on a disk of this machine, and nothing else is read or written with "
            f"--offline or {OFFLINE}"
        )
    try:
        return _in_cloud(url, protocol, cloud)
    except ImportError as problem:
        hint = f"needs {cloud.package}: pip install 'segscore[{cloud.extra}]'"
        raise Refused(f"{url}: {hint}") from problem
    except Refused:
        raise
    except ValueError as problem:
        raise Refused(f"{url}: {problem}") from problem


def container(url: str) -> str | None:
    """Return the bucket of a URL, with the kind of its store; None if it is on a disk.

    No request is made, and no package of a store is needed.

    Raises:
        Refused: the URL is neither on a disk nor in a cloud.
    """
    url = plain_url(url)
    protocol = protocol_of(url)
    if protocol in DISKS:
        return None
    assert protocol is not None, "a path is on a disk"
    bucket = url.partition("://")[2].partition("/")[0]
    return f"{_cloud_of(url, protocol).package}://{bucket}"


def _cloud_of(url: str, protocol: str) -> Cloud:
    """Return the kind of store of a URL.

    All other protocols are refused: most ask a server, and some open further files and addresses
    that a URL names.
    """
    if protocol in CLOUDS:
        return CLOUDS[protocol]
    known = "tables and folders are on a disk, or at s3://, gs:// or abfs://"
    if "::" in url:
        raise Refused(f"{url}: is a place inside another (::); unpack it, and name the file")
    if protocol in ("http", "https"):
        raise Refused(f"{url}: is not read over {protocol}://; download it, and name the file")
    raise Refused(f"{url}: segscore does not read or write {protocol}://; {known}")


def protocol_of(url: str) -> str | None:
    """Return the protocol of a URL in small letters; None for a path on a disk."""
    if url.startswith("data:"):
        return "data"
    protocol, found, _ = url.partition("://")
    return protocol.lower() if found and len(protocol) > 1 else None


def plain_url(url: str) -> str:
    """Return a URL in the form that fsspec knows.

    The protocol is in small letters (RFC 3986, section 3.1), and a file URL does not name this
    machine as `localhost` (RFC 8089, section 2).

    Raises:
        Refused: two slashes are missing after the protocol.
    """
    if short := _ONE_SLASH.match(url):
        raise Refused(
            f"{url}: begins like a URL, but the two slashes are missing; write "
            f"{short[1].lower()}://…, or ./{url} for a folder of that name"
        )
    protocol = protocol_of(url)
    if protocol is None:
        return url
    rest = url.partition("://")[2]
    host, slash, path = rest.partition("/")
    if protocol == "file" and host.lower() == "localhost":
        rest = slash + path
    return f"{protocol}://{rest}"


_ONE_SLASH = re.compile(
    rf"({'|'.join([*CLOUDS, 'file', 'local', 'https?'])}):(?!//)", re.IGNORECASE
)


def _in_cloud(url: str, protocol: str, cloud: Cloud) -> Place:
    from fsspec import get_filesystem_class
    from fsspec.config import apply_config
    from fsspec.core import strip_protocol

    kind = get_filesystem_class(protocol) if cloud.kind is None else cloud.kind()
    path = strip_protocol(url)  # not by url_to_fs, which splits a name at "::"
    if not path.split("/", 1)[0]:
        raise Refused(f"{url}: the URL does not name a {cloud.advice.container}")
    if (cloud is AZURE and "\\" in path) or not url.rstrip("/").endswith(
        path.rstrip("/").partition("/")[2]
    ):
        raise Refused(f"{url!r}: {cloud.package} would store it as {path!r}; use another name")
    overrides = apply_config(kind, {})
    defaults = {"use_listings_cache": False, **cloud.settings()}
    options = {name: value for name, value in defaults.items() if name not in overrides}
    try:
        with explained(Place(url, None, path, cloud)):
            files = kind(**options | cloud.named_in(url))
    except Failed as problem:  # no request was made, so settings are wrong
        raise Refused(str(problem)) from problem
    return Place(url, files, path, cloud)


_STORE_QUERY = re.compile(r"\?[A-Za-z_][\w.%-]*=[^/]*$")
"""A query at the end of a URL; the `?` of a glob is not followed by a name and `=`."""


def _refuse_secrets(url: str) -> None:
    """Refuse a URL that contains a secret, because run.json and messages show URLs."""
    if has_secret(url):
        raise Refused(
            f"{url}: contains a password, a key or a signature, which run.json would reveal; "
            "set credentials in environment variables"
        )
    if protocol_of(url) in CLOUDS and _STORE_QUERY.search(url):
        shown = _STORE_QUERY.sub("?…", url)
        raise Refused(
            f"{shown}: has a query, which URLs of a store do not have; set options of the store "
            "in environment variables, and write [?] for a question mark in a name"
        )


@contextmanager
def explained(place: Place) -> Iterator[None]:
    """Turn exceptions of a store into Refused or Failed with a message of one line.

    Exceptions of a local disk name the place if they name no file, and are not changed otherwise,
    unless the disk is full.

    Raises:
        FileNotFoundError, FileExistsError: unchanged, for the caller to explain.
        Refused: the bucket does not exist, credentials are wrong, or permission is missing.
        Failed: no server answers, or there was any other error.
    """
    try:
        yield
    except (Refused, Failed):
        raise
    except Exception as problem:
        number = problem.errno if isinstance(problem, OSError) else None
        if place.local and number not in FULL:
            if isinstance(problem, OSError) and number and problem.filename is None:
                problem.filename = place.path
            raise
        if isinstance(problem, FileExistsError | IsADirectoryError | NotADirectoryError):
            raise
        if isinstance(problem, FileNotFoundError):
            if place.cloud and (place.files is None or not _container_exists(place)):
                raise missing_container(place.url, place.cloud.advice) from problem
            raise
        raise explain_failure(
            problem, place.url, place.cloud.advice if place.cloud else None
        ) from problem


def _container_exists(place: Place) -> bool:
    """Check whether the bucket exists; assume that it does if the credentials cannot query it."""
    try:
        place.files.info(place.path.split("/", 1)[0])
    except FileNotFoundError:
        return False
    except Exception:
        return True
    return True


def require_container(place: Place) -> None:
    """Check that the bucket exists, as far as the credentials allow.

    Raises:
        FileNotFoundError: the bucket does not exist; ``explained`` turns this into Refused.
    """
    try:
        place.files.info(place.path.split("/", 1)[0])
    except FileNotFoundError:
        raise
    except Exception as problem:
        if FORBIDDEN.isdisjoint(facts(problem)):
            raise


def version(info: Info) -> str:
    """Return a value that changes whenever the content of a file does."""
    names = ("ETag", "generation", "etag", "mtime", "last_modified")
    return str(next((info[name] for name in names if info.get(name)), None))


class RemoteFile(io.RawIOBase):
    """A file in a store; each read is one request for exactly the bytes to be read.

    Bytes that are ``prefetched``, each with its offset, are not requested again.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.position = 0
        self.prefetched: list[tuple[int, bytes]] = []
        info = place.files.info(place.path)
        if info["type"] == "directory":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), place.url)
        self.size, self.version = int(info["size"]), version(info)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position of the next read, and return it."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size}[whence]
        self.position = start + offset
        return self.position

    def read(self, size: int | None = -1) -> bytes:
        """Read up to ``size`` bytes, or all that remain.

        Raises:
            Refused: the file was replaced or removed since it was opened.
            Failed: as ``explained``.
        """
        remaining = max(0, self.size - self.position)
        end = self.position + (remaining if size is None or size < 0 else min(size, remaining))
        if end <= self.position:
            return b""
        for start, content in self.prefetched:
            if start <= self.position and end <= start + len(content):
                data = content[self.position - start : end - start]
                self.position = end
                return data
        pinned = {"generation": self.version} if self.place.cloud is GCS else {}
        with explained(self.place):
            try:
                data = self.place.files.cat_file(
                    self.place.path, start=self.position, end=end, **pinned
                )
            except Exception as problem:
                if {"404", "416", "FileNotFoundError"}.isdisjoint(facts(problem)):
                    raise
                raise self._changed() from problem
            if not pinned:
                self._require_unchanged()
        self.position += len(data)
        return bytes(data)

    def prefetch(self, spans: Sequence[tuple[int, int]]) -> None:
        """Request these parts, each an offset and a size, and keep them instead of earlier ones."""
        self.prefetched = []
        for start, size in spans:
            self.seek(start)
            self.prefetched.append((start, self.read(size)))

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _require_unchanged(self) -> None:
        try:
            current = version(self.place.files.info(self.place.path))
        except FileNotFoundError as problem:
            raise self._changed() from problem
        if current != self.version:
            raise self._changed()

    def _changed(self) -> Refused:
        return Refused(
            f"{self.place.url}: was replaced or removed while it was being read; run again"
        )


def put(place: Place, content: bytes, *, new: bool) -> None:
    """Write a file to a store, which shows it only when it is complete.

    A ``new`` file must not exist yet.

    Raises:
        FileExistsError: with ``new``, another writer created the file.
    """
    assert place.cloud is not None, "files on a disk are written by ``temporary``"
    # If a write succeeds but its response is lost, it is retried and finds its own file.
    mark = f"application/octet-stream; writer={os.urandom(8).hex()}"
    options = place.cloud.typed(mark) if new else {}
    try:
        place.files.pipe_file(place.path, content, mode="create" if new else "overwrite", **options)
    except Exception as problem:
        if {"FileExistsError", "PreconditionFailed"}.isdisjoint(facts(problem)):
            raise
        if not _is_marked(place, mark):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), place.url) from problem


def _is_marked(place: Place, mark: str) -> bool:
    try:
        return mark in str(place.files.info(place.path))
    except FileNotFoundError:
        return False


def copy_object(place: Place, source: str, target: str) -> None:
    """Copy a file within a store."""
    if place.cloud is AZURE:
        # Azure may respond before the copy is complete, and adlfs does not wait.
        place.files.pipe_file(target, place.files.cat_file(source))
    else:
        place.files.cp_file(source, target)


def listing(place: Place, *, folders: bool = False) -> dict[str, Info]:
    """List the files at a place of a store, which may be a file, optionally with folders."""
    if place.cloud is AZURE:
        # The search of adlfs treats a file that it cannot query as missing.
        try:
            info = place.files.info(place.path)
        except FileNotFoundError:
            require_container(place)
            return {}
        if info["type"] == "file":
            return {place.path: info}
    return dict(place.files.find(place.path, withdirs=folders, detail=True))


def discard(place: Place, listed: Mapping[str, Info]) -> None:
    """Remove the listed files at a place of a store, and their folders; ignore missing ones."""
    files = objects_of(listed)
    discard_files(place, files)
    # Some stores keep empty folders (Azure's hierarchical namespaces, SeaweedFS).
    for folder in sorted(
        {place.path.rstrip("/"), *listed}.difference(files), key=len, reverse=True
    ):
        if "/" in folder:
            _remove(place, folder if place.cloud is AZURE else f"{folder}/", "409")


def discard_files(place: Place, names: Sequence[str]) -> None:
    """Remove files of a store; ignore those that do not exist."""
    # Not by ``rm``, which treats names as patterns, and hides what S3 refused to remove.
    for_each(lambda name: _remove(place, name), names)


def objects_of(listed: Mapping[str, Info]) -> list[str]:
    """Return the names in a listing that are not folders."""
    return [name for name, info in listed.items() if info["type"] == "file"]


def _remove(place: Place, name: str, *ignored: str) -> None:
    """Remove a file; ignore that it does not exist, and errors with a code in ``ignored``."""
    try:
        place.files.rm_file(name)
    except Exception as problem:
        if {"FileNotFoundError", *ignored}.isdisjoint(facts(problem)):
            raise


def for_each(task: Callable[[str], None], names: Sequence[str]) -> None:
    """Run a task for each name, several at once; raise the error of the first name that failed."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for future in [pool.submit(task, name) for name in names]:
            future.result()
