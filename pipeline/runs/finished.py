"""Read finished runs of any command: their records, and the tables that the records list."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.trusted import Trusted
from segscore.pipeline.storage.listed_files import listed

if TYPE_CHECKING:
    import pandera.pyarrow as pap

RunRow = dict[str, Any]
_Row = TypeVar("_Row", bound=Mapping[str, object])

_COMMANDS = {"hypotheses": "score", "scored": "sweep", "codings": "agree", "runs": "compare"}
"""Setting that only one command has -> the command."""


class TablePiece(NamedTuple):
    """A file of a table, or a whole table in memory, and what reads some of its columns."""

    url: str
    columns: Sequence[str]
    read: Callable[[list[str]], pa.Table]


def table_piece(url: str) -> TablePiece:
    """Return a file of a table."""
    return TablePiece(url, storage.column_names(url), partial(storage.read_columns, url))


OPENED: "deque[FinishedRun]" = deque(maxlen=64)
"""The runs that were opened last, to explain an error by what is wrong with a table of theirs."""

_BEING_PUBLISHED = (
    "a run is being published here, and the one that it replaces is removed; read it again when "
    "that is done, which takes moments (`segscore show` shows when)"
)


@dataclass(frozen=True)
class FinishedRun:
    """A finished run of any command.

    Attributes:
        url: folder of the run; of a run in memory, its name in messages.
        record: content of its run.json.
        tables: the tables of a run in memory, by name; None if they are in the folder.
        read: tables of a folder that have been read, by name; they are not read again.
        trusted: where its inputs may be read again, besides the place of the run.
        inputs_in: the folder in which its inputs are now; None if they were not moved, or with it.
    """

    url: str
    record: dict[str, Any]
    tables: Mapping[str, pa.Table] | None = field(default=None, kw_only=True)
    read: Mapping[str, pa.Table] = field(default_factory=dict, kw_only=True)
    trusted: Trusted = field(default=Trusted(), kw_only=True)
    inputs_in: str | None = field(default=None, kw_only=True)

    @classmethod
    def find(cls, url: str) -> Self | None:
        """Open the run in a folder; None if the folder has no finished run.

        Raises:
            Refused: run.json is not what segscore writes.
        """
        text = storage.read_text(storage.join(url, run_folder.RECORD))
        if text is None:
            return None
        run = cls(url, run_folder.record_of(url, text))
        OPENED.append(run)
        return run

    @classmethod
    def open(cls, url: str, unfinished: str = "the run is not finished") -> Self:
        """Open the finished run in a folder; ``unfinished`` is the text of the error if it is not.

        Raises:
            Refused: the folder does not exist, has no run or an unfinished one, a run is being
                published there, or run.json is not what segscore writes.
        """
        run = cls.find(url)
        if run is None:
            status = run_folder.read_status(url)  # raises its own error if there is no run at all
            if status.record is not None:  # it was published in the meantime
                return cls(url, status.record)
            raise Refused(f"{url}: {_BEING_PUBLISHED if status.is_being_published else unfinished}")
        return run

    def trusting(self, *named: str, everything: bool = False) -> Self:
        """Return the run, whose inputs may also be in the buckets of some locations, or in any."""
        return replace(self, trusted=Trusted(named, everything))

    def with_inputs_in(self, folder: str | None) -> Self:
        """Return the run, whose inputs are in a folder that the user names; None for no other."""
        return replace(self, inputs_in=folder)

    @property
    def at_hand(self) -> Mapping[str, pa.Table]:
        """The tables that are in memory."""
        return self.read if self.tables is None else self.tables

    @property
    def is_published(self) -> bool:
        """Whether the run is in a folder, and not only computed."""
        return "files" in self.record

    @property
    def signature(self) -> str:
        """One line that describes what was computed, and how."""
        return str(self.record["signature"])

    @property
    def fingerprint(self) -> str:
        """The hash of the command, its settings and inputs, and the version of segscore."""
        return str(self.record.get("fingerprint"))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings by name, as JSON values."""
        settings: Mapping[str, Any] = self.record["settings"]
        return settings

    @property
    def measures_in_order(self) -> tuple[str, ...]:
        """Measures and families as the user of a scoring run named them; empty for the default."""
        return tuple(self.settings.get("measures_in_order", ()))

    @property
    def unit(self) -> str | None:
        """What positions are counted in; None if it is not known, as where words are measured."""
        return measured_unit(self.record)

    @property
    def command(self) -> str | None:
        """The command that made the run, `score` also for `nightly`; None if it is unknown."""
        return next((_COMMANDS[name] for name in _COMMANDS if name in self.settings), None)

    @property
    def recorded_inputs(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The files of each input table: url, size and version."""
        inputs: Mapping[str, Sequence[Mapping[str, Any]]] = self.record["inputs"]
        return inputs

    @property
    def inputs(self) -> list[str]:
        """The URLs of the input files."""
        return [file["url"] for files in self.recorded_inputs.values() for file in files]

    def files(self, name: str) -> list[str]:
        """List the locations of a table's files; empty if the run has no such table.

        Raises:
            Refused: the record names files that no run writes.
        """
        names = listed(self.record, storage.join(self.url, run_folder.RECORD)).get(name, [])
        return [storage.join(self.url, name, file) for file in names]

    def parts(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield some columns of a table, or all for None, one file at a time."""
        if name in self.at_hand:
            table = self.at_hand[name]
            yield table if columns is None else table.select(list(columns))
        if name in self.at_hand or self.tables is not None:
            return
        for url in self.files(name):
            yield storage.read_columns(url, None if columns is None else list(columns))

    def rows_of(
        self, name: str, columns: Sequence[str], documents: Iterable[str]
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of some documents, with their ids and some columns."""
        wanted = pa.array([*documents], pa.string())
        for part in self.parts(name, ["document_id", *columns]):
            ids = part.column("document_id").cast(pa.string())
            yield from part.filter(pc.is_in(ids, wanted)).to_pylist()

    def table_files(self, name: str) -> list[TablePiece]:
        """List the files of a table with their columns; empty if the run has no such table."""
        if self.tables is not None:
            in_memory = [self.tables[name]] if name in self.tables else []
            return [TablePiece(self.url, each.column_names, each.select) for each in in_memory]
        return [table_piece(url) for url in self.files(name)]

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a whole table, which the run must have; the arguments are those of ``parts``.

        Raises:
            Refused: the record does not list the table.
        """
        parts = list(self.parts(name, columns))
        if not parts:
            record = storage.join(self.url, run_folder.RECORD)
            raise Refused(f"{record}: lists no file of the table {name}; run again with --fresh")
        return pa.concat_tables(parts, promote_options="permissive")

    def rows(self, name: str) -> list[Any]:
        """Read all rows of a small table; empty if the run has no such table.

        They are dicts, of a type of ``segscore.schemas.rows`` if the table has one.
        """
        return [row for part in self.parts(name) for row in part.to_pylist()]


def describe_damage(schemas: Mapping[str, "pap.DataFrameSchema"]) -> str | None:
    """Say what is wrong with a table of a run that was opened last; None if nothing is.

    This is for errors that nobody expected, as it takes a moment.

    Args:
        schemas: name of a table of runs -> its schema.
    """
    try:
        return next((wrong for run in OPENED for wrong in _damaged_tables(run, schemas)), None)
    except Refused as problem:
        return str(problem)


def _damaged_tables(
    run: FinishedRun, schemas: Mapping[str, "pap.DataFrameSchema"]
) -> Iterator[str]:
    from segscore.schemas.columns import arrow_type  # imports Pandera

    for table, schema in schemas.items():
        for url in run.files(table):
            found = storage.open_parquet(url).schema_arrow
            for name, column in schema.columns.items():
                known = found.field(name).type if name in found.names else None
                if known != arrow_type(column) and (known or column.required):
                    yield (
                        f"{url}: is not a table {table} of this version of segscore, as its "
                        f"column {name} is {'of another type' if known else 'missing'}; run the "
                        "command that made it again with --fresh"
                    )


def are_over_all(table: pa.Table, by: Iterable[str]) -> pa.ChunkedArray:
    """Return a mask of the rows over all documents; every other row is about one group.

    All group-by columns are null in a row over all documents.
    """
    all_rows = pa.chunked_array([pa.repeat(True, table.num_rows)])
    return reduce(pc.and_, (pc.is_null(table.column(name)) for name in by), all_rows)


def measured_unit(record: Mapping[str, Any]) -> str | None:
    """Return what the positions of a run are counted in; None if it is not known, or is words."""
    settings = record.get("settings") or {}
    return record.get("unit") if settings.get("units", "units") == "units" else None


def rows_over_all(table: pa.Table, by: Iterable[str]) -> list[Any]:
    """List the rows over all documents as dicts; the arguments are those of ``are_over_all``."""
    return list(table.filter(are_over_all(table, by)).to_pylist())


def grouped(rows: Iterable[_Row], by: Sequence[str]) -> dict[tuple[Any, ...], list[_Row]]:
    """Return group -> its rows, both in their order; a column that a row lacks is None."""
    groups: dict[tuple[Any, ...], list[_Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in by), []).append(row)
    return groups


def rows_by_group(table: pa.Table, by: Iterable[str]) -> list[Any]:
    """List the rows about one group as dicts; the arguments are those of ``are_over_all``."""
    return list(table.filter(pc.invert(are_over_all(table, by))).to_pylist())
