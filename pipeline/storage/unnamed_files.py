"""Temporary files without a name, for bytes that are needed again.

Nothing is left of such a file when the process that made it ends, however it does.
"""

import tempfile
from threading import Lock


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
