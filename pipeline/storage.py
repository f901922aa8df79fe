"""The only module that opens files: tables found, read and written whole, wherever they are.

Every function takes URLs, of a disk or of an object store (``stores.py`` tells how each is
reached).  Where settings are wrong (credentials, permission, the name of a bucket) a store's
failure is `Refused`; where no server answers, or a disk is full, it is `Failed`.
"""

import codecs
import errno
import io
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.utils import glob_translate

from pipeline.clouds import AZURE
from pipeline.errors import Absent, Failed, Refused
from pipeline.memory import row_group_limit
from pipeline.storage_bounds import RowGroup, require_fit, spans
from pipeline.stores import (
    Info,
    Place,
    RemoteFile,
    configure,
    configured,
    discard,
    discard_files,
    each_of,
    explained,
    files_of,
    listing,
    place,
    put,
    require_container,
    version,
)
from pipeline.stores import copy as copy_file

__all__ = ["configure", "configured"]

Choice = Callable[[Sequence[str]], Sequence[str]]

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
MARKS = "*?["
"""What makes a URL a glob."""
BUFFER = 8 * 2**20
TRIES = 10
"""How often a file is written whose folder others remove at the same time."""

TEMPORARY = ".tmp"
TEMPORARY_NAME = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""A file that is being written, or a folder that is being removed, beside where it belongs."""

DICTIONARY = 2**17
"""Bytes a column's dictionary may take: where values seldom repeat one only costs time."""


@dataclass(frozen=True)
class InputFile:
    """A file of an input table.

    Attributes:
        url: where it is.
        size: bytes.
        version: what changes when its content does: an ETag, a generation, a modification time.
    """

    url: str
    size: int
    version: str


def join(url: str, *names: str) -> str:
    """Name something inside a folder."""
    return "/".join([url.rstrip("/") if url.strip("/") else "", *names])


def absolute(url: str) -> str:
    """Name a place so that processes with other working folders find it; a store's URL is as given.

    Raises:
        Refused: as ``stores.place``.
    """
    at = place(url)
    return str(at.path) if at.local else url


def find(url: str, *, any_kind: bool = False) -> list[InputFile]:
    """List the files of an input table, sorted by name.

    Args:
        url: a file, a directory (searched whole) or a glob.  In a directory only Parquet and
            JSON Lines files count, and nothing whose name starts with `_` or `.`.
        any_kind: in a directory count files of every kind.

    Raises:
        Absent: nothing there, or nothing that can be read as a table.
        Refused: no permission, no such bucket.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            found, missing = _search(at, any_kind)
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to read it") from problem
    if not found:
        raise Absent(f"{url}: {missing}")
    return [
        InputFile(at.url_of(name), int(info["size"]), version(info))
        for name, info in sorted(found.items())
    ]


def _search(at: Place, any_kind: bool) -> tuple[dict[str, Info], str]:
    """The files that a URL stands for, and what to say if there are none."""
    if _is_glob(at):
        return _told(at, at.files.glob(at.path, detail=True)), "no file matches this pattern"
    if at.local and not at.files.isdir(at.path):
        there = [at.path] if at.files.exists(at.path) else []
        return {name: at.files.info(name) for name in there}, "no such file or directory"
    held = _told(at, at.files.find(at.path) if at.local else listing(at))
    if not at.local and (not held or at.path in held):
        return held, "no such file or directory"
    found = {name: info for name, info in held.items() if _counts(name, at.path, any_kind)}
    return found, "the directory holds no " + ("file" if any_kind else "Parquet or JSONL file")


def _told(at: Place, listed: Iterable[str]) -> dict[str, Info]:
    """What there is to tell of the files in a listing; of a disk's link, what it leads to."""
    infos = listed if isinstance(listed, dict) and not at.local else {}
    told = {name: infos.get(name) or at.files.info(name) for name in listed}
    # Consoles show a folder by an empty object whose name ends so.
    return {name: i for name, i in told.items() if i["type"] == "file" and not name.endswith("/")}


def _counts(name: str, directory: str, any_kind: bool) -> bool:
    inside = PurePosixPath(name).relative_to(directory.rstrip("/") or "/")
    hidden = any(part.startswith(("_", ".")) for part in inside.parts)
    return not hidden and (any_kind or name.endswith(PARQUET + JSON_LINES))


def is_local(url: str) -> bool:
    """Whether a URL is of a disk; nothing is asked, and no package of a store is needed."""
    return fsspec.core.split_protocol(url)[0] in (None, "file", "local")


def canonical(url: str) -> str:
    """Name the place a URL points to, always in the same way, so that two places can be compared.

    On a disk that is the absolute path without links and `..`, also of a file or folder that does
    not exist yet.  In a store it is the bucket and the key, where `..` is a name like any other,
    whichever of a store's protocols the URL has.

    Raises:
        Refused: as ``place``.
    """
    at = place(url)
    return _spelled(at, at.path)


def _spelled(at: Place, path: str) -> str:
    if at.local:
        return "file:" + os.path.realpath(path)
    if at.cloud is None:
        return f"{type(at.files).__name__}:/{path.strip('/')}"
    # An Azure container is known by its account too, which a URL may name or leave to settings.
    account = f"{at.files.service_client.account_name}/" if at.cloud is AZURE else ""
    return f"{at.cloud.package}:/{account}{path.rstrip('/')}"


@dataclass(frozen=True)
class Pattern:
    """What an input's glob matches.

    Attributes:
        folder: canonical name of the folder that the first wildcard is in.
        names: matches names below the folder.
    """

    folder: str
    names: re.Pattern[str]

    def matches(self, name: str) -> bool:
        """Whether a file of this canonical name would be part of the input."""
        inside = self.folder.rstrip("/") + "/"
        return name.startswith(inside) and bool(self.names.match(name.removeprefix(inside)))


def pattern(url: str) -> Pattern | None:
    """Take apart the URL of an input; None if ``find`` does not read it as a glob.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no server answers.
    """
    at = place(url)
    with explained(at):
        if not _is_glob(at):
            return None
    parts = at.path.split("/")
    first = next(i for i, part in enumerate(parts) if any(mark in part for mark in MARKS))
    names = re.compile(glob_translate("/".join(parts[first:])))
    return Pattern(_spelled(at, "/".join(parts[:first]) or "/"), names)


def _is_glob(at: Place) -> bool:
    return any(mark in at.path for mark in MARKS) and not at.files.exists(at.path)


def head(url: str, size: int) -> bytes | None:
    """Read the first bytes of a file; None where there is no file.

    Raises:
        Refused: it cannot be read.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            if at.local and not os.path.exists(at.path):
                return None
            # A terminal or a pipe would keep its reader waiting.
            if at.local and not os.path.isfile(at.path):
                raise Refused(f"{url}: is not a file")
            with io.FileIO(at.path) if at.local else RemoteFile(at) as source:
                return source.read(size)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise Refused(f"{url}: cannot be read ({problem.strerror or problem})") from problem


def require_version(url: str, known: str) -> None:
    """Make sure that a file is still the one that ``find`` described.

    Raises:
        Failed: it was replaced or removed since.
    """
    at = place(url)
    try:
        with explained(at):
            now = version(at.files.info(at.path))
    except FileNotFoundError as problem:
        raise Failed(f"{url}: was removed while the run was reading it") from problem
    if now != known:
        raise Failed(f"{url}: was replaced while the run was reading it; run again with --fresh")


def is_json_lines(url: str) -> bool:
    """Whether a file is read as JSON Lines rather than as Parquet."""
    return url.endswith(JSON_LINES)


def open_parquet(url: str) -> pq.ParquetFile:
    """Open a Parquet file for reading; its rows are read when asked for.

    Raises:
        Refused: it is not there, cannot be read, or is not Parquet; when its rows are read, it was
            replaced since.
        Failed: no server answers, here or when rows are read.
    """
    return _open_parquet(place(url))[0]


def _open_parquet(at: Place) -> tuple[pq.ParquetFile, str | RemoteFile]:
    """Open a Parquet file; also tell what Arrow opened."""
    url = at.url
    try:
        with explained(at):
            source = at.path if at.local else RemoteFile(at)
        # Arrow asks at once for all that a row group needs, so that nothing has to read ahead.
        # Not mapped into memory: whoever cuts the file short would end this process.
        return pq.ParquetFile(source, memory_map=False, pre_buffer=not at.local), source
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


def read_row_groups(
    url: str, numbers: Iterable[int] | None, choose: Choice, limit: int
) -> pa.Table:
    """Read row groups of a Parquet file, after making sure that they fit into memory.

    Args:
        url: of the file.
        numbers: of the row groups; None for all.
        choose: the columns to read, given those that there are.
        limit: bytes that all of it may take in memory.

    Raises:
        Refused: as ``open_parquet`` and ``require_fit``, or the file is broken.
        Failed: no server answers.
    """
    file, source = _open_parquet(place(url))
    with io.FileIO(source) if isinstance(source, str) else source as content:
        columns = choose(file.schema_arrow.names)
        chosen = [*range(file.num_row_groups)] if numbers is None else [*numbers]

        def reopen(path: str) -> pq.ParquetFile:
            return pq.ParquetFile(source, metadata=file.metadata, read_dictionary=[path])

        def read(place: int, size: int) -> bytes:
            content.seek(place)
            return content.read(size) or b""

        taken = 0
        try:
            for number in chosen:
                group = RowGroup(url, file, reopen, number, columns, limit - taken)
                if isinstance(content, RemoteFile):
                    content.held = [(start, read(start, size)) for start, size in spans(group)]
                taken += require_fit(group, read)
            return file.read_row_groups(chosen, columns=columns)
        except (pa.ArrowException, OSError) as problem:
            raise Refused(f"{url}: cannot be read ({problem})") from problem


def lines(url: str) -> Iterator[str]:
    r"""Read a UTF-8 text file line by line, split at \n alone.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            source = io.FileIO(at.path) if at.local else RemoteFile(at)
        with io.BufferedReader(source, BUFFER) as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as problem:
                    if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                        raise Refused(f"{url}: is UTF-16 text; save it as UTF-8") from problem
                    raise Refused(f"{url}:{number}: not UTF-8 text ({problem.reason})") from problem
    except FileNotFoundError as problem:
        raise Refused(f"{url}: no such file") from problem
    except (PermissionError, IsADirectoryError) as problem:
        raise Refused(f"{url}: cannot be read as a file ({problem.strerror})") from problem


def read_text(url: str) -> str | None:
    """Read a small text file whole; None where there is none.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            content = bytes(at.files.cat_file(at.path))
        return content.decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"{url}: cannot be read as text ({problem})") from problem


def read_table(url: str) -> pa.Table:
    """Read every Parquet file of a folder, in the order of their names, as one table."""
    return pa.concat_tables(
        [open_parquet(file.url).read() for file in find(url)], promote_options="default"
    )


def column_names(url: str) -> list[str]:
    """List the columns of a Parquet file, from its footer.

    Raises:
        Refused: not there, or not Parquet.
        Failed: no server answers.
    """
    return list(open_parquet(url).schema_arrow.names)


def read_columns(url: str, columns: list[str] | None) -> pa.Table:
    """Read some columns of a Parquet file, None for all, each as one chunk.

    Raises:
        Refused: not there, not Parquet, broken, or too large for memory.
        Failed: no server answers.
    """
    limit = row_group_limit(None)
    chosen = read_row_groups(url, None, lambda there: there if columns is None else columns, limit)
    return chosen.combine_chunks()


def names(url: str) -> list[str]:
    """List what a folder holds, sorted; empty where there is no folder.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            if at.local:
                return sorted(os.listdir(at.path))
            listed = [name.rstrip("/") for name in at.files.ls(at.path, detail=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as problem:
        raise Refused(f"{url}: no permission to list it") from problem
    # Stores list a file as what it holds itself.
    return sorted({PurePosixPath(name).name for name in listed if name != at.path.rstrip("/")})


def _write(url: str, content: bytes | memoryview, *, new: bool = False) -> None:
    """Write a file whole or not at all; with ``new``, fail if it is there already."""
    at = place(url)
    with explained(at):
        if at.local:
            _write_to_disk(at, content, new=new)
        else:
            put(at, bytes(content), new=new)


def _write_to_disk(at: Place, content: bytes | memoryview, *, new: bool) -> None:
    for tries_left in reversed(range(TRIES)):
        temporary = _temporary(at)
        try:
            with open(temporary, "wb") as file:
                file.write(content)
            _take_place(temporary, at, new=new)
            return
        except FileNotFoundError:  # another job removed the folder, which was empty, just now
            if not tries_left:
                raise
        finally:
            _drop(temporary)


def _temporary(at: Place) -> str:
    """Name a file of a disk to write to, beside the place it is to take."""
    folder, name = os.path.split(at.path)
    os.makedirs(folder, exist_ok=True)
    return join(folder, f".{name}.{secrets.token_hex(8)}{TEMPORARY}")


def temporary_for(name: str) -> str | None:
    """Tell which file a temporary one was to become, by its name; None if it is no such file."""
    found = TEMPORARY_NAME.fullmatch(name)
    return found and found[1]


def _take_place(temporary: str, at: Place, *, new: bool) -> None:
    with open(temporary, "rb") as file:
        os.fsync(file.fileno())
    if new:
        os.link(temporary, at.path)
    else:
        os.replace(temporary, at.path)


def _drop(temporary: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(temporary)


def write_text(url: str, text: str) -> None:
    """Write a small text file whole or not at all.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no space left, or no server answers.
    """
    _write(url, text.encode())


def write_new_text(url: str, text: str) -> None:
    """Write a small text file that must not be there yet; of several at once one succeeds.

    Raises:
        FileExistsError: somebody else wrote it.
        Refused: no such bucket, no permission.
        Failed: no space left, or no server answers.
    """
    _write(url, text.encode(), new=True)


def write_bytes(url: str, content: bytes | memoryview) -> None:
    """Write a file whole or not at all.

    Raises:
        Failed: it cannot be written: work has begun when there is something to write.
    """
    with _failing(place(url)):
        _write(url, content)


def file_size(url: str) -> int:
    """Bytes of a file.

    Raises:
        Failed: it is not there, is no regular file, or cannot be asked for.
    """
    at = place(url)
    try:
        with explained(at):
            info = at.files.info(at.path)
    except (OSError, Refused) as problem:
        raise Failed(f"{url}: cannot be read ({problem})") from problem
    if info["type"] != "file":
        raise Failed(f"{url}: cannot be read (not a regular file)")
    return int(info["size"])


def read_bytes(url: str) -> bytes:
    """Read a file whole.

    Raises:
        Failed: it is not there, or cannot be read.
    """
    at = place(url)
    try:
        with explained(at):
            return bytes(at.files.cat_file(at.path))
    except (OSError, Refused) as problem:
        raise Failed(f"{url}: cannot be read ({problem})") from problem


class TableFile:
    """A Parquet file written as its rows are made, whole or not at all.

    Each table written is a row group; equal tables give equal bytes.  Without any there is no file.
    On a disk it grows under another name; a store is sent it at the end.
    """

    def __init__(self, url: str, *, plain: tuple[str, ...] = ("document_id",)) -> None:
        """Name the file.

        Args:
            url: where to.
            plain: columns whose values seldom repeat, so that a dictionary would only cost time.
        """
        self.at = place(url)
        self.plain = plain
        self.temporary = ""
        self.memory = pa.BufferOutputStream()
        self.writer: pq.ParquetWriter | None = None

    def __enter__(self) -> "TableFile":
        """Wait for the first table."""
        return self

    def write(self, table: pa.Table) -> None:
        """Write some rows.

        Raises:
            Failed: it cannot be written: work has begun when there is a table to write.
        """
        with _failing(self.at):
            if self.writer is None:
                self.writer = self._open(table.schema)
            self.writer.write_table(table, row_group_size=max(1, table.num_rows))

    def _open(self, schema: pa.Schema) -> pq.ParquetWriter:
        if self.at.local:
            self.temporary = _temporary(self.at)
        return pq.ParquetWriter(
            self.temporary or self.memory,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in schema.names if name not in self.plain],
            dictionary_pagesize_limit=DICTIONARY,
            # Nobody looks for rows by a range of measures, and taking it costs a tenth of the time.
            write_statistics=[each.name for each in schema if not pa.types.is_floating(each.type)],
        )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Put the file in its place, or leave nothing behind."""
        try:
            if self.writer is not None and kind is None:
                with _failing(self.at):
                    self.writer.close()
                    self._show()
        finally:
            if self.temporary:
                _drop(self.temporary)

    def _show(self) -> None:
        if self.at.local:
            _take_place(self.temporary, self.at, new=False)
        else:
            put(self.at, self.memory.getvalue().to_pybytes(), new=False)


@contextmanager
def _failing(at: Place) -> Iterator[None]:
    """What goes wrong once work has begun is a failure, whatever it is, and named by its URL."""
    try:
        with explained(at):
            yield
    except Refused as problem:
        raise Failed(str(problem)) from problem
    except FileNotFoundError:
        raise
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        raise Failed(f"{at.url}: cannot be written ({why})") from problem


def write_table(url: str, table: pa.Table, *, plain: tuple[str, ...] = ("document_id",)) -> None:
    """Write a Parquet file whole or not at all; equal tables give equal bytes.

    Args:
        url: where to.
        table: what.
        plain: as ``TableFile`` takes them.

    Raises:
        Failed: it cannot be written: work has begun when there is a table to write.
    """
    with TableFile(url, plain=plain) as file:
        file.write(table)


def make_folder(url: str) -> None:
    """Make a folder, its parents too; a store has none to make, but for the bucket.

    Raises:
        Refused: the place cannot be written to, or there is no such bucket, which is not made.
        Failed: no server answers.
    """
    at = place(url)
    try:
        with explained(at):
            if at.cloud is None:
                at.files.makedirs(at.path, exist_ok=True)
            else:
                require_container(at)
    except OSError as problem:
        raise Refused(f"{url}: cannot be created ({problem.strerror or problem})") from problem


def move(source: str, target: str) -> None:
    """Move a file or folder; the target must not be there.

    Of a store's folder each file is moved by itself, and all are copied before one is removed.

    Raises:
        Failed: it cannot be done.
    """
    at, to = place(source), place(target)
    if at.local:
        with explained(to):
            at.files.mv(at.path, to.path, recursive=True)
        return
    with explained(at):
        held = listing(at, folders=True)
        each_of(lambda name: copy_file(at, name, to.path + name[len(at.path) :]), files_of(held))
        discard(at, held)


def copy(source: str, target: str, names: Mapping[str, str]) -> None:
    """Copy files of a folder into another, each whole or not at all, also over an earlier copy.

    On a disk the copy is a link to the same content.

    Args:
        source: folder.
        target: folder; need not be there.
        names: of each file in the source -> in the target.

    Raises:
        Failed: it cannot be done.
    """
    at, to = place(source), place(target)
    try:
        with explained(to):
            if at.local:
                os.makedirs(to.path, exist_ok=True)
                for name, new in names.items():
                    _link(join(at.path, name), join(to.path, new))
            else:
                pairs = {join(at.path, name): join(to.path, new) for name, new in names.items()}
                each_of(lambda name: copy_file(at, name, pairs[name]), list(pairs))
    except (FileNotFoundError, Refused) as problem:
        raise Failed(f"{target}: cannot be written ({problem})") from problem


def _link(source: str, target: str) -> None:
    folder, name = os.path.split(target)
    temporary = join(folder, f".{name}.{secrets.token_hex(8)}{TEMPORARY}")
    try:
        try:
            os.link(source, temporary)
        except OSError as problem:
            if problem.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
            shutil.copyfile(source, temporary)
        os.replace(temporary, target)
    finally:
        _drop(temporary)


def remove(url: str) -> None:
    """Remove a file or a folder with all it holds, if it is there.

    A folder of a disk is renamed first, so that nobody finds half of it under its name.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no server answers.
    """
    at = place(url)
    with explained(at):
        if not at.local:
            discard(at, listing(at, folders=True))
            return
        try:
            os.unlink(at.path)
        except FileNotFoundError:
            return
        except (IsADirectoryError, PermissionError):  # what Linux says of a folder, and macOS
            _remove_folder(at.path)


def _remove_folder(path: str) -> None:
    folder, name = os.path.split(path.rstrip("/"))
    aside = join(folder, f".{name}.{secrets.token_hex(8)}{TEMPORARY}")
    if temporary_for(name):  # aside already
        aside = path
    else:
        try:
            os.rename(path, aside)
        except FileNotFoundError:
            return
    while os.path.lexists(aside):
        try:
            shutil.rmtree(aside)
        except OSError as problem:  # others remove it too, or a late task wrote there once more
            if problem.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise


def remove_files(folder: str, names: Iterable[str]) -> None:
    """Remove files of a folder, those that are there.

    Raises:
        Refused: no such bucket, no permission.
        Failed: no server answers.
    """
    at = place(folder)
    with explained(at):
        if at.local:
            for name in names:
                _drop(join(at.path, name))
        else:
            discard_files(at, [join(at.path, name) for name in names])


def remove_if_empty(url: str) -> None:
    """Remove a folder that holds nothing; leave any other as it is.

    Raises:
        Failed: no server answers.
    """
    at = place(url)
    with explained(at):
        if at.local:
            try:
                os.rmdir(at.path)
            except OSError as problem:
                if problem.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST):
                    raise
        elif not names(url):
            discard(at, {})
