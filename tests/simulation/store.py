"""An object store in memory, whose every request the world may disturb."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from unittest.mock import patch

import fsspec
from fsspec.spec import AbstractFileSystem

from segscore.pipeline.storage import object_stores, resolver
from segscore.pipeline.storage.clouds import CLOUDS, Cloud
from segscore.pipeline.storage.failures import Advice

PROTOCOL = "sim"

READ, LIST, FIND, LOOK, CHANGE = "read", "list", "find", "look", "change"
"""Kinds of requests: of a content, of names (what is found is then read, copied or removed), of a
description, and those that change something."""


LATE = 3
"""Number of changes that a stale listing does not show."""


class ServerError(Exception):
    """What a client of a store raises when it has repeated a request in vain."""

    code = "500"


@dataclass(frozen=True)
class Stored:
    """An object: its content, its version, which equal contents share, and its content type."""

    content: bytes
    kind: str = ""

    @property
    def etag(self) -> str:
        """The version."""
        return blake2b(self.content, digest_size=8).hexdigest()


@dataclass
class Bucket:
    """The objects by name, and the last changes, which a stale listing does not show."""

    objects: dict[str, Stored] = field(default_factory=dict)
    last: deque[tuple[str, bool]] = field(default_factory=lambda: deque(maxlen=LATE))

    def put(self, name: str, stored: Stored | None) -> None:
        """Write an object; remove it for None."""
        self.last.append((name, name in self.objects))
        if stored is None:
            self.objects.pop(name, None)
        else:
            self.objects[name] = stored

    def names(self, *, stale: bool = False) -> set[str]:
        """Return the names of all objects, as they were before the last changes if ``stale``."""
        names = {*self.objects}
        for name, was_there in reversed(self.last if stale else ()):
            names = names | {name} if was_there else names - {name}
        return names

    def describe(self, name: str) -> dict[str, Any]:
        """Describe an object, or a prefix."""
        stored = self.objects.get(name)
        if stored is None:
            return {"name": name, "type": "directory", "size": 0}
        size, etag = len(stored.content), stored.etag
        return {"name": name, "type": "file", "size": size, "ETag": etag, "kind": stored.kind}

    def content(self, name: str) -> bytes:
        """Return the content of an object."""
        if name not in self.objects:
            raise FileNotFoundError(name)
        return self.objects[name].content


@dataclass(frozen=True)
class Request:
    """One request: its kind, its words for a person, and what it does to a bucket, stale or not."""

    kind: str
    words: str
    act: Callable[[Bucket, bool], Any]


Server = Callable[[Request], Any]
"""Answers a request; the world disturbs some."""

_CLIENTS: list["SimulatedFiles"] = []


class SimulatedFiles(AbstractFileSystem):  # type: ignore[misc]
    """A client of the store, with the methods that segscore uses."""

    protocol = PROTOCOL
    cachable = False

    def __init__(self, serve: Server) -> None:
        super().__init__()
        self._serve = serve

    def _request(self, kind: str, words: str, act: Callable[[Bucket, bool], Any]) -> Any:
        return self._serve(Request(kind, words, act))

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[str]:
        """List the names of what is right below a prefix."""
        assert not detail, "only names are listed"
        path = self._strip_protocol(path).rstrip("/")
        begin = f"{path}/"

        def below(bucket: Bucket, stale: bool) -> set[str]:
            names = bucket.names(stale=stale)
            return {begin + n[len(begin) :].split("/")[0] for n in names if n.startswith(begin)}

        names = sorted(self._request(LIST, f"list {path}", below))
        if not names:
            raise FileNotFoundError(path)
        return names

    def find(self, path: str, detail: bool = False, **_: Any) -> Any:
        """List everything below a prefix, or the object of this name."""
        path = self._strip_protocol(path).rstrip("/")

        def below(bucket: Bucket, stale: bool) -> dict[str, dict[str, Any]]:
            names = sorted(bucket.names(stale=stale))
            return {n: bucket.describe(n) for n in names if n == path or n.startswith(f"{path}/")}

        found = self._request(FIND, f"find {path}", below)
        found = {name: info for name, info in found.items() if info["type"] == "file"}
        return found if detail else [*found]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Describe an object, or a prefix."""
        path = self._strip_protocol(path).rstrip("/")

        def look(bucket: Bucket, _: bool) -> dict[str, Any]:
            info = bucket.describe(path)
            is_there = any(name.startswith(f"{path}/") for name in bucket.objects)
            if info["type"] == "directory" and not is_there:
                raise FileNotFoundError(path)
            return info

        return dict(self._request(LOOK, f"look at {path}", look))

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Read an object, or a range of it."""
        path = self._strip_protocol(path)
        return bytes(self._request(READ, f"read {path}", lambda b, _: b.content(path)[start:end]))

    def cat_ranges(self, paths: list[str], starts: Any, ends: Any, **_: Any) -> list[bytes]:
        """Read a range of each of some objects."""
        return [self.cat_file(*each) for each in zip(paths, starts, ends, strict=True)]

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **options: Any) -> None:
        """Write an object whole; with ``create``, only if it does not exist."""
        path = self._strip_protocol(path)

        def act(bucket: Bucket, _: bool) -> None:
            if mode == "create" and path in bucket.objects:
                raise FileExistsError(path)
            bucket.put(path, Stored(bytes(value), options.get("ContentType", "")))

        self._request(CHANGE, f"{'create' if mode == 'create' else 'write'} {path}", act)

    def rm_file(self, path: str) -> None:
        """Remove an object, if it exists."""
        path = self._strip_protocol(path).rstrip("/")
        self._request(CHANGE, f"remove {path}", lambda bucket, _: bucket.put(path, None))

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        """Copy an object."""

        def act(bucket: Bucket, _: bool) -> None:
            bucket.content(path1)
            bucket.put(path2, bucket.objects[path1])

        self._request(CHANGE, f"copy {path1} to {path2}", act)


_CLOUD = Cloud(
    extra="s3",
    package="simulated",
    settings=dict,
    typed=lambda kind: {"ContentType": kind},
    address=lambda _: "http://localhost",
    advice=Advice("bucket", "KEY", "ADDRESS"),
)


def _place(url: str, *_: object) -> object_stores.Place:
    """Resolve a URL with the client that was made last."""
    return object_stores.Place(url, _CLIENTS[-1], url.removeprefix(f"{PROTOCOL}://"), _CLOUD)


@contextmanager
def served(serve: Server) -> Iterator[None]:
    """Let a server answer the requests for ``sim://``."""
    _CLIENTS.append(SimulatedFiles(serve))
    try:
        yield
    finally:
        _CLIENTS.pop()


@contextmanager
def known() -> Iterator[None]:
    """Make `sim://` a cloud that segscore knows."""
    fsspec.register_implementation(PROTOCOL, SimulatedFiles, clobber=True)
    with (
        patch.dict(CLOUDS, {PROTOCOL: _CLOUD}),
        patch.object(resolver, "_problem", lambda *_: ""),
        patch.object(object_stores, "_in_cloud", _place),
    ):
        yield
