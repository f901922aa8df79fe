"""The rows of runs that were read before, kept beside the history, so that each is read once.

A run's rows are found again by what its run.json and night.json say, so that a run that was
published or judged anew is read anew.  A file has the rows of a month.  It is whole or not there,
and anybody may remove it; of two who write it at once, the rows of one are read again some day.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused

HISTORY_FOLDER = "history"
"""Folder of the history in that of the runs."""

_FOLDER = "_read"
"""Folder of the files, in that of the history; readers of Parquet folders skip its name."""

_LISTED = b"segscore.runs"
"""Key of the metadata of a file that lists its runs, in the order of their rows."""

_LAYOUT = 1
"""Changes when the rows of a run are made in another way."""

_OTHERS = "runs"
"""Name of the file with the runs that are no nights."""


class RunState(NamedTuple):
    """Digests of the run.json and the night.json of a run."""

    record: str
    verdict: str


def state_of(record: Mapping[str, Any], verdict: str | None) -> RunState:
    """Return the state of a run, given its record and the text of its verdict."""
    return RunState(_digest(record), _digest(verdict))


def _digest(content: Any) -> str:
    """Return the digest of what a file says, to this version of segscore."""
    return hashlib.sha256(json.dumps([_version(), _LAYOUT, content]).encode()).hexdigest()


@cache
def _version() -> str:
    return version("segscore")


class _Kept(NamedTuple):
    state: RunState
    rows: pa.Table


class SummaryCache:
    """The rows of the runs of a folder that were read before; a month is read on first use."""

    def __init__(self, runs: str, unneeded: Collection[str] = ()) -> None:
        """Prepare to read; rows that are found lack the columns that are not needed."""
        self._folder = storage.join(runs, HISTORY_FOLDER, _FOLDER)
        self._unneeded = frozenset(unneeded)
        self._months: dict[str, dict[str, _Kept]] = {}
        self._new: dict[str, dict[str, _Kept]] = {}

    def find(self, name: str, state: RunState) -> pa.Table | None:
        """Return the rows of a run; None if they were not read, or the run is another one now."""
        month = _month_of(name)
        if month not in self._months:
            self._months[month] = _read(self._url(month), self._unneeded)
        kept = self._months[month].get(name)
        return kept.rows if kept is not None and kept.state == state else None

    def add(self, name: str, state: RunState, rows: pa.Table) -> None:
        """Keep the rows of a run, which were just read, with all columns."""
        self._new.setdefault(_month_of(name), {})[name] = _Kept(state, rows)

    def save(self, existing: Collection[str] | None = None) -> None:
        """Write what is new, without the runs that do not exist any more, if it can be written."""
        for month, new in self._new.items():
            kept = {**_read(self._url(month)), **new}
            chosen = [name for name in sorted(kept) if existing is None or name in existing]
            listed = _of_one_type({name: kept[name] for name in chosen})
            with suppress(Refused, Failed, OSError):
                storage.write_table(self._url(month), _to_table(listed), plain=())
                storage.remove_temporary(self._url(month))
        self._new.clear()

    def _url(self, month: str) -> str:
        return storage.join(self._folder, f"{month}.parquet")


def _month_of(name: str) -> str:
    """Return the month of a night in the name of its folder, as 2026-01."""
    day = name.partition("=")[2]
    return day[:7] if len(day) == 10 and day[:4].isdigit() and day[5:7].isdigit() else _OTHERS


def _of_one_type(kept: Mapping[str, _Kept]) -> dict[str, _Kept]:
    """Leave out the runs with a column of another type than the first run that has it."""
    types: dict[str, pa.DataType] = {}
    chosen = {}
    for name, each in kept.items():
        own = {field.name: field.type for field in each.rows.schema}
        if all(types.get(column, kind) == kind for column, kind in own.items()):
            types |= own
            chosen[name] = each
    return chosen


def _to_table(kept: Mapping[str, _Kept]) -> pa.Table:
    """Return the rows of all runs, with a list of the runs as metadata."""
    tables = [each.rows.replace_schema_metadata() for each in kept.values()]
    listed = [
        [name, *each.state, each.rows.column_names, each.rows.num_rows]
        for name, each in kept.items()
    ]
    table = pa.concat_tables(tables, promote_options="default")
    return table.replace_schema_metadata({_LISTED: json.dumps(listed)})


def _read(url: str, unneeded: frozenset[str] = frozenset()) -> dict[str, _Kept]:
    """Read a file; a file that cannot be read, or is none of ours, is as good as none."""
    with suppress(Refused, Failed, OSError, ValueError, TypeError, LookupError, RecursionError):
        needed = [name for name in storage.column_names(url) if name not in unneeded]
        table = storage.read_columns(url, needed)
        kept, start = {}, 0
        for name, record, verdict, columns, rows in json.loads(table.schema.metadata[_LISTED]):
            own = table.slice(start, rows).select([each for each in columns if each in needed])
            kept[name] = _Kept(RunState(record, verdict), own.replace_schema_metadata())
            start += rows
        if start == table.num_rows:
            return kept
    return {}
