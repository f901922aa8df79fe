"""The destination of a run's tables and record: a folder that is published, or memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import publication, run_folder
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.finished import FinishedRun, TablePiece, table_piece
from segscore.pipeline.runs.run_folder import Attempt
from segscore.pipeline.tables.find import InputTable

_Columns = tuple[str, ...]

_PLAIN = ("document_id",)
"""Columns whose values seldom repeat, in most tables."""


class RunSettings(Protocol):
    """The settings that every run has; each command has a dataclass with these and its own."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def output(self) -> str | None:
        """Folder or URL of the run; None to write nothing."""

    @property
    def fresh(self) -> bool:
        """Whether to start over, replacing a finished run in the same folder."""

    @property
    def inputs(self) -> Mapping[str, str | Sequence[str] | None]:
        """Files and folders that the run reads, by the argument or option that names them."""


class FolderSink:
    """A folder in which a run is prepared, and then published for readers.

    Attributes:
        output: the folder or URL.
        kept: the inputs that the run keeps in its folder, by name (``listed_files.kept_name``).
        attempt: the attempt to fill it; set by ``prepare``.
        folder: the folder that tasks write to; set by ``claim``. The path is absolute because
            workers may have other working directories.
    """

    publishes = True
    """Whether others read the run, so that one that lost too many rows must not appear."""

    tables = None
    """The tables by name, if they are in memory."""

    attempt: Attempt
    folder: str

    def __init__(self, output: str, kept: Mapping[str, bytes] = MappingProxyType({})) -> None:
        self.output, self.kept = output, kept
        self._keeping = False

    @property
    def done(self) -> bool:
        """Whether the run was found finished when it was prepared or claimed."""
        return self.attempt.state.done

    def prepare(self, command: str, settings: RunSettings, tables: Sequence[InputTable]) -> bool:
        """Check that the run may be written; return False if it is there already, finished.

        A folder that was claimed to write the inputs that the run keeps is not checked again.

        Raises:
            Refused: the folder contains another run or other files, or another job is using it.
            Failed: an input has changed since the folder was claimed.
        """
        known = run_folder.known_digests(self.output)
        fingerprint = Fingerprint.of(command, settings, tables, known)
        if self._keeping and self.attempt.claim is not None:
            if fingerprint != self.attempt.fingerprint:
                raise Failed(f"{self.output}: an input was replaced just now; run again")
            return True
        self.attempt = publication.check(
            self.output, fingerprint, fresh=settings.fresh, inputs=tuple(self.kept)
        )
        return not self.done

    def inputs(self, tables: Iterable[InputTable]) -> dict[str, list[dict[str, Any]]]:
        """Return the files of input tables as the record of the run lists them."""
        return {table.name: self.attempt.fingerprint.inputs[table.name] for table in tables}

    def keeping(self) -> AbstractContextManager[None]:
        """Return the context to prepare and do the work in, with the inputs that the run keeps.

        The folder must have been prepared before, without them; see ``publication.keeping``.
        """
        self._keeping = True
        return publication.keeping(self.attempt, self.kept)

    def work(self) -> AbstractContextManager[None]:
        """Return the context to do the work in; see ``publication.claimed``."""
        return publication.claimed(self.attempt)

    def claim(self, stages: Mapping[str, list[str]]) -> bool:
        """Claim the folder, and either start over or resume an earlier attempt.

        Args:
            stages: the names of the parts of each stage; `status` compares the number of receipts
                with them.

        Returns:
            False if another job has finished the same run in the meantime.

        Raises:
            Refused: as for ``prepare``, if the folder has changed since.
        """
        folder = run_folder.claim(self.attempt, stages)
        if folder is not None:
            self.folder = folder
        return folder is not None

    def write(
        self, table: str, rows: pa.Table, file: str | None = None, plain: _Columns = _PLAIN, /
    ) -> None:
        """Write one file of an output table to the folder that the run is prepared in.

        The name of the file is by default that of the table, for a table of one file.  The columns
        ``plain`` have values that seldom repeat; see ``storage.write_table``.
        """
        name = file or f"{table}.parquet"
        storage.write_table(storage.join(self.folder, table, name), rows, plain=plain)
        self.attempt.written.add(f"{table}/{name}")

    def read(self, table: str, columns: list[str]) -> Iterator[pa.Table]:
        """Yield some columns of a table of the attempt, or of the finished run that it found.

        They are yielded one file at a time.
        """
        if self.done:
            yield from FinishedRun.open(self.output).parts(table, columns)
            return
        for url in run_folder.prepared_files(self.attempt, table):
            yield storage.read_columns(url, columns)

    def pieces(self, table: str) -> list[TablePiece]:
        """List the files of a table of the attempt."""
        return [table_piece(url) for url in run_folder.prepared_files(self.attempt, table)]

    def location(self, table: str) -> str:
        """Return where readers find a table once the run is published, for messages."""
        return storage.join(self.output, table)

    def written_to(self, table: str) -> str:
        """Return where a table is now, for messages about a run that is not published."""
        return storage.join(self.attempt.written_to, table)

    def publish(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Publish the tables and the record, and return the record as written.

        Raises:
            Overtaken: another job has claimed the folder, or published there.
        """
        return publication.publish(self.attempt, record)


class MemorySink:
    """Tables that are kept in memory, for a caller in the same process."""

    publishes = False
    done = False

    def __init__(self) -> None:
        self._written: dict[str, list[pa.Table]] = {}

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The tables by name, in the order in which they were first written."""
        return {
            name: pa.concat_tables(rows, promote_options="permissive")
            for name, rows in self._written.items()
        }

    def prepare(
        self, _command: str, _settings: RunSettings, _tables: Sequence[InputTable], /
    ) -> bool:
        """Return True: there is never a finished run."""
        return True

    def inputs(self, tables: Iterable[InputTable]) -> dict[str, list[dict[str, Any]]]:
        """Return the files of input tables, without digests."""
        return {table.name: [asdict(file) for file in table.files] for table in tables}

    def work(self) -> AbstractContextManager[None]:
        """Return a context that does nothing."""
        return nullcontext()

    def claim(self, _stages: Mapping[str, list[str]], /) -> bool:
        """Return True: nobody else writes here."""
        return True

    def write(
        self, table: str, rows: pa.Table, _file: str | None = None, _plain: _Columns = _PLAIN, /
    ) -> None:
        """Keep rows of a table; the file and its columns do not matter."""
        self._written.setdefault(table, []).append(rows)

    def read(self, table: str, columns: list[str]) -> Iterator[pa.Table]:
        """Yield the rows of a table as they were written."""
        for rows in self._written.get(table, ()):
            yield rows.select(columns)

    def pieces(self, table: str) -> list[TablePiece]:
        """List the rows of a table as they were written."""
        written = self._written.get(table, ())
        return [TablePiece(table, rows.column_names, rows.select) for rows in written]

    def location(self, table: str) -> str:
        """Return the name of the table."""
        return table

    def written_to(self, table: str) -> str:
        """Return the name of the table."""
        return table

    def publish(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record."""
        return dict(record)


Sink = FolderSink | MemorySink
"""Where a run leaves its tables and its record."""
