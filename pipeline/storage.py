"""The only module that opens files or object stores: tables found, read, and written whole."""

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from pipeline.errors import Refused

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class InputFile:
    """A file of an input table.

    Attributes:
        url: where it is.
        size: bytes.
        version: what changes when its content does: an ETag, or a modification time.
    """

    url: str
    size: int
    version: str


def _open(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    try:
        return fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as problem:
        raise Refused(f"{url}: {problem}") from problem


def join(url: str, *names: str) -> str:
    """Name something inside a folder."""
    return "/".join([url.rstrip("/") if url.strip("/") else "", *names])


def find(url: str, *, any_kind: bool = False) -> list[InputFile]:
    """List the files of an input table, sorted by name.

    Args:
        url: a file, a directory (searched whole) or a glob.  In a directory only Parquet and
            JSON Lines files count, and nothing whose name starts with `_` or `.`.
        any_kind: in a directory count files of every kind.

    Raises:
        Refused: nothing there, or nothing that can be read as a table.
    """
    files, path = _open(url)
    try:
        if any(mark in path for mark in "*?[") and not files.exists(path):
            found = [name for name in files.glob(path) if files.isfile(name)]
            missing = "no file matches this pattern"
        elif files.isdir(path):
            found = [name for name in files.find(path) if _counts(name, path, any_kind)]
            missing = "the directory holds no " + ("file" if any_kind else "Parquet or JSONL file")
        else:
            found = [path] if files.exists(path) else []
            missing = "no such file or directory"
        if not found:
            raise Refused(f"{url}: {missing}")
        return [_describe(files, name) for name in sorted(found)]
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem


def _counts(name: str, directory: str, any_kind: bool) -> bool:
    inside = PurePosixPath(name).relative_to(directory.rstrip("/") or "/")
    hidden = any(part.startswith(("_", ".")) for part in inside.parts)
    return not hidden and (any_kind or name.endswith(PARQUET + JSON_LINES))


def _describe(files: fsspec.AbstractFileSystem, name: str) -> InputFile:
    info = files.info(name)
    version = info.get("ETag") or info.get("etag") or info.get("md5Hash") or info.get("mtime")
    return InputFile(_url(files, name), int(info["size"]), str(version))


def _url(files: fsspec.AbstractFileSystem, name: str) -> str:
    return name if isinstance(files, LocalFileSystem) else files.unstrip_protocol(name)


def is_json_lines(url: str) -> bool:
    """Whether a file is read as JSON Lines rather than as Parquet."""
    return url.endswith(JSON_LINES)


def open_parquet(url: str) -> pq.ParquetFile:
    """Open a Parquet file for reading; its rows are read when asked for.

    Raises:
        Refused: it is not there, cannot be read, or is not Parquet.
    """
    files, path = _open(url)
    try:
        if isinstance(files, LocalFileSystem):
            return pq.ParquetFile(path, memory_map=True)
        return pq.ParquetFile(files.open(path, "rb"))
    except FileNotFoundError as problem:
        raise Refused(f"{url}: no such file") from problem
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        if not url.endswith(PARQUET):
            raise Refused(
                f"{url}: neither Parquet nor JSON Lines by its name; make tables of other formats "
                "with `segscore import`"
            ) from problem
        raise Refused(f"{url}: not a readable Parquet file ({problem})") from problem


def lines(url: str) -> Iterator[str]:
    r"""Read a UTF-8 text file line by line, split at \n alone.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
    """
    files, path = _open(url)
    try:
        with files.open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as problem:
                    raise Refused(f"{url}:{number}: not UTF-8 text ({problem.reason})") from problem
    except FileNotFoundError as problem:
        raise Refused(f"{url}: no such file") from problem
    except (PermissionError, IsADirectoryError) as problem:
        raise Refused(f"{url}: cannot be read as a file ({problem.strerror})") from problem


def read_text(url: str) -> str | None:
    """Read a small text file whole; None where there is none.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
    """
    files, path = _open(url)
    try:
        return str(files.cat_file(path).decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"{url}: cannot be read as text ({problem})") from problem


def read_table(url: str) -> pa.Table:
    """Read every Parquet file of a folder, in the order of their names, as one table."""
    return pa.concat_tables(
        [open_parquet(file.url).read() for file in find(url)], promote_options="default"
    )


def names(url: str) -> list[str]:
    """List what a folder holds, sorted; empty where there is no folder."""
    files, path = _open(url)
    if not files.isdir(path):
        return []
    return sorted(PurePosixPath(name).name for name in files.ls(path, detail=False))


def _write(url: str, content: bytes | memoryview, *, new: bool = False) -> None:
    """Write a file whole or not at all; with ``new``, fail if it is there already."""
    files, path = _open(url)
    if not isinstance(files, LocalFileSystem):
        with files.open(path, "xb" if new else "wb") as file:
            file.write(content)
        return
    files.makedirs(files._parent(path), exist_ok=True)
    temporary = join(files._parent(path), f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            os.link(temporary, path)
        else:
            os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def write_text(url: str, text: str) -> None:
    """Write a small text file whole or not at all."""
    _write(url, text.encode())


def write_new_text(url: str, text: str) -> None:
    """Write a small text file that must not be there yet.

    Raises:
        FileExistsError: somebody else wrote it.
    """
    _write(url, text.encode(), new=True)


def write_table(url: str, table: pa.Table, *, plain: tuple[str, ...] = ("document_id",)) -> None:
    """Write a Parquet file whole or not at all; equal tables give equal bytes.

    Args:
        url: where to.
        table: what.
        plain: columns whose values seldom repeat, so that a dictionary would only cost time.
    """
    sink = pa.BufferOutputStream()
    repeating = [name for name in table.column_names if name not in plain]
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=1,
        use_dictionary=repeating,
        row_group_size=max(1, table.num_rows),
    )
    _write(url, memoryview(sink.getvalue()))


def make_folder(url: str) -> None:
    """Make a folder, its parents too.

    Raises:
        Refused: the place cannot be written to.
    """
    files, path = _open(url)
    try:
        files.makedirs(path, exist_ok=True)
    except OSError as problem:
        raise Refused(f"{url}: cannot be created ({problem.strerror or problem})") from problem


def move(source: str, target: str) -> None:
    """Move a file or folder; the target must not be there."""
    files, path = _open(source)
    files.mv(path, _open(target)[1], recursive=True)


def remove(url: str) -> None:
    """Remove a file or a folder with all it holds, if it is there."""
    files, path = _open(url)
    if files.exists(path):
        files.rm(path, recursive=True)
