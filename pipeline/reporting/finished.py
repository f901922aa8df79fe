"""A finished run of any command, as a report reads it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipeline import run_folder, storage
from pipeline.errors import Refused

Row = dict[str, Any]


@dataclass(frozen=True)
class Finished:
    """A run.

    Attributes:
        url: its folder.
        record: what run.json says.
    """

    url: str
    record: Mapping[str, Any]

    def has(self, table: str) -> bool:
        """Whether it has a table of that name."""
        return bool(run_folder.files(self.url, self.record, table))

    def rows(self, table: str) -> list[Row]:
        """A whole table, of those that are small."""
        parts = [part.to_pylist() for part in self.parts(table, None)]
        return [row for part in parts for row in part]

    def parts(self, table: str, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        """Some columns of a table, file by file; None for all."""
        for url in run_folder.files(self.url, self.record, table):
            yield storage.read_columns(url, None if columns is None else list(columns))


def open_finished(url: str) -> Finished:
    """Open a run.

    Raises:
        Refused: no run there, or not finished.
    """
    url = url.rstrip("/") or url
    record = run_folder.status(url).record
    if record is None:
        raise Refused(f"{url}: the run is not finished; `segscore status` tells what is done")
    return Finished(url, record)
