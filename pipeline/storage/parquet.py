"""Open Parquet files, read them with a limit on memory, write them whole or not at all."""

import io
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext

import pyarrow as pa
import pyarrow.parquet as pq

from segscore.pipeline.errors import Inaccessible, OtherFormat, Refused, Unreadable, reason_of
from segscore.pipeline.storage import temporary
from segscore.pipeline.storage.bounds import RowGroup, require_fit, spans
from segscore.pipeline.storage.files import failing
from segscore.pipeline.storage.input_files import find
from segscore.pipeline.storage.locations import PARQUET
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.storage.object_stores import Place, RemoteFile, explained, put, resolve
from segscore.pipeline.storage.temporary import drop, take_place
from segscore.pipeline.storage.texts import require_utf8
from segscore.pipeline.storage.written import note

Choice = Callable[[Sequence[str]], Sequence[str]]


_DICTIONARY = 2**17
"""Largest size in bytes of a column's dictionary, which is a waste if values rarely repeat."""


_SMALL = 2**16
"""Size in bytes up to which a file is read whole: Arrow would read as much to find the footer."""

_RELEASED = 10.0
"""Most seconds to wait until Arrow releases a file; it takes less than a hundredth."""


def open_parquet(url: str) -> pq.ParquetFile:
    """Open a Parquet file; its rows are read on request.

    Raises:
        Refused: the file does not exist, cannot be read, or is not Parquet; or, later when rows are
            read, the file was replaced.
        Failed: no server answers, now or later when rows are read.
    """
    return _open_parquet(resolve(url))[0]


def _open_parquet(place: Place) -> tuple[pq.ParquetFile, str | RemoteFile | pa.BufferReader]:
    """Open a Parquet file; return it and the path or file that Arrow reads from."""
    url = place.url
    try:
        with explained(place):
            source = place.path if place.local else _remote(place)
        # With pre_buffer, Arrow requests all of a row group at once, so no read-ahead is needed.
        # No memory mapping: if someone truncated the file, this process would be killed.
        file = pq.ParquetFile(source, memory_map=False, pre_buffer=not place.local)
        _require_readable(file)
        return file, source
    except FileNotFoundError as problem:
        raise Inaccessible(f"{url}: no such file") from problem
    except PermissionError as problem:
        raise Inaccessible(f"{url}: no permission to read it") from problem
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        if not url.lower().endswith(PARQUET):
            raise OtherFormat(
                f"{url}: the name is not that of a Parquet or JSON Lines file; convert other "
                "formats with `segscore import`"
            ) from problem
        reason = " ".join(str(problem).split())
        advice = "; write its columns without encryption" if "decrypt" in reason else ""
        raise Refused(f"{url}: not a readable Parquet file ({reason}){advice}") from problem


def _remote(place: Place) -> RemoteFile | pa.BufferReader:
    """Open a file in a store; a small one is read whole, by one request."""
    file = RemoteFile(place)
    return pa.BufferReader(file.read()) if file.size <= _SMALL else file


class _WithoutContent(io.RawIOBase):
    """A large file of which nothing can be read: ``read`` is not implemented.

    It has no ``read`` of its own, because Arrow keeps an exception for as long as its reader, and
    one of a Python function keeps that function's callers with all that they have open.
    """

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return the position: the end, if it is asked for."""
        return offset + 2**62 * (whence == io.SEEK_END)

    def tell(self) -> int:
        """Return the end."""
        return 2**62


def _require_readable(file: pq.ParquetFile) -> None:
    """Let Arrow look at all columns in a footer, as it does before it reads anything else.

    ``RowGroupMetaData.column`` ends the process instead, if a column is encrypted or missing.

    Raises:
        OSError: a column cannot be read.
    """
    if not file.num_row_groups:
        return
    content, released = _WithoutContent(), threading.Event()
    weakref.finalize(content, released.set)
    twin = pq.ParquetFile(content, metadata=file.metadata, pre_buffer=True)
    del content
    try:
        twin.read_row_groups(range(file.num_row_groups), use_threads=False)
    except NotImplementedError as problem:
        problem.__traceback__ = None
    del twin
    # A thread of Arrow may hold the content for a moment.  If Python ended meanwhile, that thread
    # would wait for Python in vain, and abort the process.
    released.wait(_RELEASED)


def read_row_groups(
    url: str, numbers: Iterable[int] | None, choose: Choice, limit: int
) -> pa.Table:
    """Read row groups of a Parquet file, after checking that they fit into memory.

    ``numbers`` are the indexes of the row groups, None for all. ``choose`` returns the columns to
    read, given those of the file; in all row groups, they may take ``limit`` bytes in memory.

    Raises:
        Refused: as ``open_parquet`` and ``require_fit``.
        Unreadable: the file is broken, or a text in it is not UTF-8.
        Failed: no server answers.
    """
    file, source = _open_parquet(resolve(url))
    with nullcontext() if isinstance(source, str) else source as content:
        columns = choose(file.schema_arrow.names)
        chosen = [*range(file.num_row_groups)] if numbers is None else [*numbers]

        def reopen(path: str) -> pq.ParquetFile:
            return pq.ParquetFile(source, metadata=file.metadata, read_dictionary=[path])

        used = 0
        try:
            for number in chosen:
                group = RowGroup(url, file, reopen, number, columns, limit - used)
                if isinstance(content, RemoteFile):
                    content.prefetch(spans(group))
                used += require_fit(group)
            table = file.read_row_groups(chosen, columns=columns)
        except (pa.ArrowException, OSError) as problem:
            # Arrow raises an OSError without a number for a file that is corrupt.
            failed = isinstance(problem, OSError) and problem.errno is not None
            error = Inaccessible if failed else Unreadable
            raise error(f"{url}: cannot be read ({reason_of(problem)})") from problem
    require_utf8(url, table, [(i, file.metadata.row_group(i).num_rows) for i in chosen])
    return table


def read_table(url: str) -> pa.Table:
    """Read all Parquet files of a folder as one table, in the order of their names."""
    return pa.concat_tables(
        [open_parquet(file.url).read() for file in find(url)], promote_options="default"
    )


def column_names(url: str) -> list[str]:
    """List the columns of a Parquet file, from its footer.

    Raises:
        Refused: the file does not exist, or is not Parquet.
        Failed: no server answers.
    """
    return list(open_parquet(url).schema_arrow.names)


def read_columns(url: str, columns: list[str] | None) -> pa.Table:
    """Read some columns of a Parquet file, or all for None, each as one chunk.

    Raises:
        Refused: the file does not exist, is not Parquet, is broken, or is too large for memory.
        Failed: no server answers.
    """
    limit = row_group_limit(None)
    table = read_row_groups(url, None, lambda names: names if columns is None else columns, limit)
    return table.combine_chunks()


class TableFile:
    """A Parquet file that is written table by table, and appears whole or not at all.

    Each table becomes a row group; equal tables give equal bytes.  If no table is written, no file
    is created.  On a disk, the file grows under a temporary name; a store receives it at the end.
    """

    def __init__(self, url: str, *, plain: tuple[str, ...] = ("document_id",)) -> None:
        """Prepare a file, without creating it.

        A dictionary of values that rarely repeat, those of ``plain`` columns, would waste time.
        """
        self.place = resolve(url)
        self.plain = frozenset(plain)
        self.temporary = ""
        self.memory = pa.BufferOutputStream()
        self.writer: pq.ParquetWriter | None = None

    def __enter__(self) -> "TableFile":
        """Return this object; the first table creates the file."""
        return self

    def write(self, table: pa.Table) -> None:
        """Write a table as a row group.

        Raises:
            Failed: the file cannot be written; never Refused, because work has begun by then.
        """
        with failing(self.place):
            if self.writer is None:
                self.writer = self._open(table.schema)
            self.writer.write_table(table, row_group_size=max(1, table.num_rows))

    def _open(self, schema: pa.Schema) -> pq.ParquetWriter:
        if self.place.local:
            self.temporary = temporary.path_beside(self.place)
        return _writer(self.temporary or self.memory, schema, self.plain)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Move the file to its place, or leave nothing behind after an error."""
        try:
            if self.writer is not None and kind is None:
                with failing(self.place):
                    self.writer.close()
                    self._finish()
        finally:
            if self.writer is not None:
                self.writer.is_open = False  # or it would close itself again, and print a traceback
            if self.temporary:
                drop(self.temporary)

    def _finish(self) -> None:
        if self.place.local:
            take_place(self.temporary, self.place, new=False)
        else:
            content = self.memory.getvalue().to_pybytes()
            put(self.place, content, new=False)
            note(self.place.url, iter([content]))


def table_bytes(table: pa.Table) -> bytes:
    """Return the bytes of the file that ``write_table`` writes."""
    memory = pa.BufferOutputStream()
    with _writer(memory, table.schema, frozenset({"document_id"})) as writer:
        writer.write_table(table, row_group_size=max(1, table.num_rows))
    return bytes(memory.getvalue().to_pybytes())


def _writer(
    sink: str | pa.BufferOutputStream, schema: pa.Schema, plain: frozenset[str]
) -> pq.ParquetWriter:
    """Open a writer, with a dictionary of the values of each column but the ``plain`` ones."""
    return pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in schema.names if name not in plain],
        dictionary_pagesize_limit=_DICTIONARY,
        # No reader selects rows by ranges of floats, and their statistics take a tenth of the time.
        write_statistics=[field.name for field in schema if not pa.types.is_floating(field.type)],
    )


def write_table(
    url: str, table: pa.Table | Iterable[pa.Table], *, plain: tuple[str, ...] = ("document_id",)
) -> None:
    """Write a Parquet file whole or not at all; equal tables give equal bytes.

    The table may be given as its row groups, one after another. ``plain`` is as for ``TableFile``.

    Raises:
        Failed: the file cannot be written; never Refused, because work has begun by then.
    """
    with TableFile(url, plain=plain) as file:
        for group in [table] if isinstance(table, pa.Table) else table:
            file.write(group)
