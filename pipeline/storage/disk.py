"""Files on a disk of this machine, with the methods of fsspec's file systems that are used here.

fsspec has such a class too, but importing it takes as long as importing NumPy.
"""

import os
import stat
from collections.abc import Sequence
from typing import Any


class Disk:
    """The disks of this machine."""

    def cat_file(self, path: str) -> bytes:
        """Read a file whole."""
        with open(path, "rb") as file:
            return file.read()

    def cat_ranges(
        self, paths: Sequence[str], starts: Any, ends: Any, *, on_error: str
    ) -> list[bytes]:
        """Read one range of each file."""
        assert on_error == "return"
        return [*map(_range, paths, starts, ends)]

    def info(self, path: str) -> dict[str, Any]:
        """Describe a file or folder by type, size in bytes and mtime; links are followed."""
        found = os.stat(path)
        kind = "directory" if stat.S_ISDIR(found.st_mode) else "other"
        kind = "file" if stat.S_ISREG(found.st_mode) else kind
        return {"name": path, "type": kind, "size": found.st_size, "mtime": found.st_mtime}

    def exists(self, path: str) -> bool:
        """Return whether there is something with a name; a link to nothing is nothing."""
        return os.path.exists(path)

    def isdir(self, path: str) -> bool:
        """Return whether there is a folder."""
        return os.path.isdir(path)

    def makedirs(self, path: str, *, exist_ok: bool) -> None:
        """Create a folder and its parents."""
        os.makedirs(path, exist_ok=exist_ok)

    def find(self, path: str) -> list[str]:
        """List the files of a folder and of those in it, sorted; links to folders are left out."""
        walked = os.walk(path)
        return sorted(os.path.join(folder, name) for folder, _, names in walked for name in names)

    def glob(self, path: str, *, detail: bool) -> Any:
        """Return the files and folders that match a pattern of fsspec, with their descriptions."""
        from fsspec.implementations.local import LocalFileSystem

        return LocalFileSystem().glob(path, detail=detail)


def _range(path: str, start: int, end: int) -> bytes:
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        return file.read(end - start)


def disk_path(url: str) -> str:
    """Return the absolute path of a URL or a path, without a slash at its end."""
    for protocol in ("file://", "local://"):
        url = url.removeprefix(protocol)
    if url.startswith("~"):
        url = os.path.expanduser(url)
    elif not url.startswith("/"):
        inside = "" if url == "." else url.removeprefix("./")
        url = f"{os.getcwd()}/{inside}"
    return url.rstrip("/") or "/"
