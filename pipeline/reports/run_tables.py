"""A finished run of any command, as a report reads it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.reports.page import isolated
from segscore.pipeline.runs import run_folder

RunRow = dict[str, Any]


@dataclass(frozen=True)
class Finished:
    """A run.

    Attributes:
        url: its folder.
        record: what run.json says.
    """

    url: str
    record: Mapping[str, Any]

    @property
    def inputs(self) -> list[str]:
        """The files it read."""
        return [str(file["url"]) for files in self.record["inputs"].values() for file in files]

    def has(self, table: str) -> bool:
        """Whether it has a table of that name."""
        return bool(run_folder.files(self.url, self.record, table))

    def rows(self, table: str) -> list[RunRow]:
        """A whole table, of those that are small."""
        parts = [part.to_pylist() for part in self.parts(table, None)]
        return [row for part in parts for row in part]

    def parts(self, table: str, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        """Some columns of a table, file by file; None for all."""
        for url in run_folder.files(self.url, self.record, table):
            yield storage.read_columns(url, None if columns is None else list(columns))


def grouped(row: RunRow, by: Sequence[str]) -> bool:
    """Whether a row is of a group, not of all documents."""
    return any(row[name] is not None for name in by)


def group_name(row: RunRow, by: Sequence[str]) -> str:
    """What a group is called: its value, or where there are several attributes each with its."""
    if len(by) == 1:
        return str(row[by[0]])
    return ", ".join(f"{name} {isolated(str(row[name]))}" for name in by)


SHAPE: dict[str, type] = {
    "settings": dict,
    "inputs": dict,
    "rows": dict,
    "files": dict,
    "versions": dict,
    "seconds": dict,
    "warnings": list,
}
"""What is needed of run.json, and what it is."""

BECAME = ("in", "scored", "rejected", "unpaired")


def open_finished(url: str) -> Finished:
    """Open a run.

    Raises:
        Refused: no run there, not finished, or its record is not what segscore writes.
    """
    url = url.rstrip("/") or url
    record = run_folder.read_status(url).record
    if record is None:
        raise Refused(f"{url}: the run is not finished; `segscore status` tells what is done")
    wrong = [name for name, kind in SHAPE.items() if not isinstance(record.get(name), kind)]
    rows, inputs = record["rows"], record.get("inputs")
    if not all(isinstance(each, dict) and {*BECAME} <= each.keys() for each in rows.values()):
        wrong.append("rows")
    if isinstance(inputs, dict) and not all(isinstance(each, list) for each in inputs.values()):
        wrong.append("inputs")
    if wrong:
        raise Refused(f"{url}: run.json is not what this version of segscore writes: {wrong[0]}")
    return Finished(url, record)
