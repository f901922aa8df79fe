"""Read finished runs: the record of a run of any command, and the tables that it lists."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs import run_folder
from segscore.pipeline.storage.listed_files import listed

RunRow = dict[str, Any]

_COMMANDS = {"hypotheses": "score", "scored": "sweep", "codings": "agree", "runs": "compare"}
"""A setting that only one command has -> the command."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run of any command.

    Attributes:
        url: its folder.
        record: the content of its run.json.
    """

    url: str
    record: dict[str, Any]

    @classmethod
    def find(cls, url: str) -> Self | None:
        """Read the run in a folder; None if there is no finished run.

        Raises:
            Refused: run.json is not what segscore writes.
        """
        text = storage.read_text(storage.join(url, run_folder.RECORD))
        return None if text is None else cls(url, run_folder.record_of(url, text))

    @classmethod
    def open(cls, url: str, unfinished: str = "the run is not finished") -> Self:
        """Read the run in a folder.

        Args:
            url: the folder.
            unfinished: what the message says of a run that is not finished.

        Raises:
            Refused: no run, an unfinished one, or run.json is not what segscore writes.
        """
        run = cls.find(url)
        if run is None:
            run_folder.read_status(url)  # has a message of its own where there is no run at all
            raise Refused(f"{url}: {unfinished}")
        return run

    @property
    def signature(self) -> str:
        """What was computed and how, in one line."""
        return str(self.record["signature"])

    @property
    def fingerprint(self) -> str:
        """The hash of its settings and inputs."""
        return str(self.record.get("fingerprint"))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings by name, as JSON has them."""
        settings = self.record.get("settings")
        return settings if isinstance(settings, dict) else {}

    @property
    def command(self) -> str | None:
        """The command that made it, a night counting as score; None if it is unknown."""
        return next((_COMMANDS[name] for name in _COMMANDS if name in self.settings), None)

    @property
    def inputs(self) -> list[str]:
        """The URLs of the files that it read."""
        return [str(file["url"]) for files in self.record["inputs"].values() for file in files]

    def files(self, name: str) -> list[str]:
        """List the files of a table; empty if the run has no such table.

        Raises:
            Refused: the record names files that no run writes.
        """
        names = listed(self.record, storage.join(self.url, run_folder.RECORD)).get(name, [])
        return [storage.join(self.url, name, each) for each in names]

    def parts(self, name: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Read a table one file at a time.

        Args:
            name: of the table.
            columns: to read; None for all.
        """
        for url in self.files(name):
            yield storage.read_columns(url, None if columns is None else list(columns))

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a whole table, which the run must have, as ``parts`` does."""
        return pa.concat_tables(self.parts(name, columns), promote_options="permissive")

    def rows(self, name: str) -> list[RunRow]:
        """Read all rows of a small table; none if the run has no such table."""
        return [row for part in self.parts(name) for row in part.to_pylist()]


def are_over_all(table: pa.Table, by: Iterable[str]) -> pa.ChunkedArray:
    """Mark the rows that are over all documents; the other rows are about one group each.

    Args:
        table: averages by group.
        by: its group-by columns, which are all null in a row over all documents.
    """
    every = pa.chunked_array([pa.repeat(True, table.num_rows)])
    return reduce(pc.and_, (pc.is_null(table.column(name)) for name in by), every)


def rows_over_all(table: pa.Table, by: Iterable[str]) -> list[RunRow]:
    """List the rows that are over all documents; arguments as ``are_over_all`` takes them."""
    return list(table.filter(are_over_all(table, by)).to_pylist())


def rows_by_group(table: pa.Table, by: Iterable[str]) -> list[RunRow]:
    """List the rows that are about one group; arguments as ``are_over_all`` takes them."""
    return list(table.filter(pc.invert(are_over_all(table, by))).to_pylist())
