"""Temporary files without a name: bytes that are needed again, and arrays that processes share.

Nothing is left of such a file when the process that made it ends, however it does.
"""

import mmap
import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import Any

_ALIGNED = 64


class Spill:
    """A file without a name, in the system's temporary folder; it ends with its context."""

    def __init__(self) -> None:
        """Create the file."""
        self._file = tempfile.TemporaryFile(prefix="segscore-")  # noqa: SIM115  (closed by __exit__)
        self._lock = Lock()

    def __enter__(self) -> "Spill":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, content: bytes) -> slice:
        """Append bytes, and return the range of the file that contains them."""
        with self._lock:
            start = self._file.seek(0, 2)
            self._file.write(content)
        return slice(start, start + len(content))

    def read(self, part: slice) -> bytes:
        """Return the bytes of a range."""
        with self._lock:
            self._file.seek(part.start)
            return self._file.read(part.stop - part.start)


@dataclass(frozen=True)
class MappedValue:
    """A value with large arrays, which processes of one machine share instead of receiving copies.

    The arrays are in a file, which processes of the same user open through the descriptor of the
    process that made it.  What is unpickled comes from the sender, not from the file.

    Attributes:
        path: path of the file.
        structure: the value without its buffers, pickled.
        sizes: bytes of each buffer; each starts at a multiple of 64.
        writable: whether each buffer may be changed, in a process's own copy.
    """

    path: str
    structure: bytes
    sizes: tuple[int, ...]
    writable: tuple[bool, ...]

    def load(self) -> Any:
        """Return the value, whose arrays are in memory that all processes share.

        Raises:
            ValueError: the process that made the file has ended, or is another user's.
        """
        try:
            with open(self.path, "rb") as file:
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        except OSError as problem:
            raise ValueError(f"shared arrays cannot be opened ({problem})") from problem
        views = [content[start : start + size] for start, size in self.places()]
        buffers = [
            view if is_writable else view.toreadonly()
            for view, is_writable in zip(views, self.writable, strict=True)
        ]
        return pickle.loads(self.structure, buffers=buffers)  # noqa: S301  (the sender made it)

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield the start and the size of each buffer."""
        padded = (size + -size % _ALIGNED for size in self.sizes)
        yield from zip(accumulate(padded, initial=0), self.sizes, strict=False)


@contextmanager
def mapped(value: Any) -> Iterator[MappedValue | None]:
    """Write the buffers of a value to a file, which exists until the context ends.

    None is yielded where other processes cannot open the file, or it cannot be written.
    """
    buffers: list[pickle.PickleBuffer] = []
    structure = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    with tempfile.TemporaryFile(prefix="segscore-", buffering=0) as file:
        path = f"/proc/{os.getpid()}/fd/{file.fileno()}"
        sizes = tuple(view.nbytes for view in views)
        writable = tuple(not view.readonly for view in views)
        made = MappedValue(path, structure, sizes, writable)
        try:
            for view, (start, size) in zip(views, made.places(), strict=True):
                file.seek(start)
                while size:
                    size -= file.write(view[view.nbytes - size :])
            is_usable = sum(sizes) > 0 and os.path.samestat(os.stat(path), os.fstat(file.fileno()))
        except OSError:
            is_usable = False
        yield made if is_usable else None
