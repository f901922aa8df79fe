"""Parquet files: opened, read with a limit on memory, written whole or not at all."""

import io
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage import temporary
from segscore.pipeline.storage.bounds import RowGroup, require_fit, spans
from segscore.pipeline.storage.files import failing
from segscore.pipeline.storage.input_files import find
from segscore.pipeline.storage.locations import PARQUET
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.storage.object_stores import Place, RemoteFile, explained, place, put
from segscore.pipeline.storage.temporary import drop, take_place

Choice = Callable[[Sequence[str]], Sequence[str]]


_DICTIONARY = 2**17
"""Bytes a column's dictionary may take: where values seldom repeat one only costs time."""


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
        with failing(self.at):
            if self.writer is None:
                self.writer = self._open(table.schema)
            self.writer.write_table(table, row_group_size=max(1, table.num_rows))

    def _open(self, schema: pa.Schema) -> pq.ParquetWriter:
        if self.at.local:
            self.temporary = temporary.path_beside(self.at)
        return pq.ParquetWriter(
            self.temporary or self.memory,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in schema.names if name not in self.plain],
            dictionary_pagesize_limit=_DICTIONARY,
            # Nobody looks for rows by a range of measures, and taking it costs a tenth of the time.
            write_statistics=[each.name for each in schema if not pa.types.is_floating(each.type)],
        )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Put the file in its place, or leave nothing behind."""
        try:
            if self.writer is not None and kind is None:
                with failing(self.at):
                    self.writer.close()
                    self._show()
        finally:
            if self.temporary:
                drop(self.temporary)

    def _show(self) -> None:
        if self.at.local:
            take_place(self.temporary, self.at, new=False)
        else:
            put(self.at, self.memory.getvalue().to_pybytes(), new=False)


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
