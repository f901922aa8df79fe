"""Note the files that a task writes, to know later whether they are still as they were written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import NamedTuple


class Written(NamedTuple):
    """The size of a file in bytes, and the digest of its content."""

    size: int
    digest: str


_NOTED: ContextVar[dict[str, Written] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[Mapping[str, Written]]:
    """Note each file that the enclosed work writes in this thread, by its URL."""
    noted = dict[str, Written]()
    before = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(before)


def note(url: str, chunks: Iterator[bytes | memoryview]) -> None:
    """Note a file that was written, if the work is one that is noted."""
    noted = _NOTED.get()
    if noted is not None:
        noted[url] = described(chunks)


def described(chunks: Iterator[bytes | memoryview]) -> Written:
    """Return the size and the digest of the content of a file."""
    size, digest = 0, sha256()  # most processors compute it in hardware
    for chunk in chunks:
        size += len(chunk)
        digest.update(chunk)
    return Written(size, digest.hexdigest())
