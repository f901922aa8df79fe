"""The summaries of runs as rows of the history, and those of nights that were removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.nights import find_verdict
from segscore.pipeline.nightly.settings import NIGHT, read_date
from segscore.pipeline.nightly.verdict import UnreadableVerdict, Verdict
from segscore.pipeline.runs.finished import FinishedRun, are_over_all
from segscore.pipeline.statistics.averages import (
    SUMMARY_COLUMNS,
    summary_groups,
    summary_type,
)
from segscore.pipeline.testsets.registry import SHOWN_DIGITS

HISTORY_FOLDER = "history"
"""Folder of the history in that of the runs."""

_REMOVED = "_removed.parquet"
"""File of the rows of nights that were removed; readers of Parquet folders skip its name."""

RUN_COLUMNS: dict[str, pa.DataType] = {
    "run": pa.string(),
    "date": pa.date32(),
    "signature": pa.string(),
    "version": pa.string(),
    "outcome": pa.string(),
    "gate": pa.string(),
    "test_set": pa.string(),
    "good": pa.bool_(),
    "accepted": pa.string(),
}
"""Columns of the history in addition to those of summaries."""

EARLIER_COLUMNS = {*RUN_COLUMNS} - {"good", "accepted", "test_set"}
"""Columns by which a table of any version is recognised."""

_KEY = ("hypothesis", "measure", "average")

_GROUP = "group_"
"""Prefix of a group-by column whose name is in ``RUN_COLUMNS``."""


@dataclass(frozen=True)
class RunSummary:
    """A run and its summary; a run that is not a night has neither a date nor a verdict."""

    name: str
    date: date | None
    scored: FinishedRun
    verdict: Verdict | None
    summary: pa.Table


def read_summary(runs: str, name: str, warnings: list[str]) -> RunSummary | None:
    """Read a finished scoring run; return None if the folder has none.

    A verdict that cannot be read is none, and adds a warning.
    """
    url = storage.join(runs, name)
    run = FinishedRun.find(url)
    if run is None or run.command != "score":
        return None
    try:
        verdict = find_verdict(run)
    except UnreadableVerdict as problem:
        verdict = None
        warnings.append(f"{problem}; {name} counts as not judged: run the date again")
    return RunSummary(name, night_of(name), run, verdict, run.table("summary"))


def night_of(name: str) -> date | None:
    """Return the date of the night whose run is in a folder of this name; None for other runs."""
    if not name.startswith(NIGHT):
        return None
    try:
        return read_date("", name.removeprefix(NIGHT))
    except Refused:
        return None


def concatenate_summaries(runs: Sequence[RunSummary], removed: pa.Table | None = None) -> pa.Table:
    """Concatenate the rows of all runs; ``RUN_COLUMNS`` come first, then those of summaries."""
    tables = [_with_run_columns(run) for run in runs]
    if removed is not None:
        present = pa.array([run.name for run in runs], pa.string())
        tables.append(removed.filter(pc.invert(pc.is_in(removed.column("run"), present))))
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    leading = [*RUN_COLUMNS, *SUMMARY_COLUMNS]
    names = [*leading, *(name for name in names if name not in leading)]
    schema = pa.schema([(name, _column_type(name, tables)) for name in names])
    fitted = [_fit_to_schema(table, schema) for table in tables]
    return _in_order(pa.concat_tables(fitted)).combine_chunks()


def _in_order(table: pa.Table) -> pa.Table:
    """Return the rows by date and run, those without a date first; rows of a run stay in order."""
    keys = {
        "date": pc.fill_null(table.column("date"), pa.scalar(date.min, pa.date32())),
        "run": table.column("run"),
        "row": pa.array(range(table.num_rows), pa.int64()),
    }
    ascending = [(name, "ascending") for name in keys]
    return table.take(pc.sort_indices(pa.table(keys), sort_keys=ascending))


def _with_run_columns(run: RunSummary) -> pa.Table:
    """Return the summary of a run with ``RUN_COLUMNS`` added."""
    renamed = [_history_name(name, run.summary.column_names) for name in run.summary.column_names]
    table = run.summary.rename_columns(renamed)
    values = {
        "run": run.name,
        "date": run.date,
        "signature": run.scored.signature,
        "version": run.scored.record["versions"]["segscore"],
        "outcome": None if run.verdict is None else run.verdict.outcome,
        "test_set": str(run.scored.record.get("test_set", {}).get("fingerprint", ""))[:SHOWN_DIGITS]
        or None,
    }
    for name, value in values.items():
        column = pa.array([value] * table.num_rows, RUN_COLUMNS[name])
        table = table.append_column(name, column)
    gates = [*_gates(run)]
    for place, name in enumerate(("gate", "good", "accepted")):
        column = pa.array([gate[place] for gate in gates], RUN_COLUMNS[name])
        table = table.append_column(name, column)
    return table


def _history_name(name: str, used: list[str]) -> str:
    """Return the history's name for a column of a summary; never one of ``RUN_COLUMNS``."""
    if name in RUN_COLUMNS:
        name = _GROUP + name
        while name in used:
            name = _GROUP + name
    return name


def _gates(run: RunSummary) -> Iterator[tuple[str | None, bool | None, str | None]]:
    """Yield for each row of a summary the result of the gate, whether it is good, and why accepted.

    Of results by several rules it is the worst.
    """
    verdict = run.verdict
    checks = () if verdict is None else verdict.checks
    worst_last = sorted(checks, key=lambda check: check.fails)
    results = {(check.system, check.measure, check.average): check.result for check in worst_last}
    accepted = {
        (check.system, check.measure, check.average): verdict.accepts(check.system, check.rule)
        for check in checks
        if verdict is not None and verdict.restarts(check.system, check.rule)
    }
    systems = run.summary.column("hypothesis").unique().to_pylist()
    good = {} if verdict is None else {system: verdict.good_for(system) for system in systems}
    over_all = are_over_all(run.summary, summary_groups(run.summary.column_names))
    keys = zip(*(run.summary.column(name).to_pylist() for name in _KEY), strict=True)
    for key, whole in zip(keys, over_all.to_pylist(), strict=True):
        yield results.get(key) if whole else None, good.get(key[0]), accepted.get(key)


def _column_type(name: str, tables: list[pa.Table]) -> pa.DataType:
    """Return the type of a column over all runs; a string if its types cannot be unified."""
    types = [table.schema.field(name).type for table in tables if name in table.column_names]
    fields = [pa.schema([(name, kind)]) for kind in types]
    if not fields:  # runs of earlier versions do not have all columns of summaries
        return RUN_COLUMNS.get(name) or summary_type(name)
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(name).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.string()


def _fit_to_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def read_removed(runs: str) -> pa.Table | None:
    """Return the rows of the nights that were removed from a folder; None if there are none."""
    folder = storage.join(runs, HISTORY_FOLDER)
    if _REMOVED not in storage.names(folder):
        return None
    return storage.read_columns(storage.join(folder, _REMOVED), None)


def keep_rows(runs: str, nights: Sequence[str]) -> None:
    """Add the rows of nights that are about to be removed to those kept before.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the rows cannot be written.
    """
    warnings: list[str] = []
    found = [read_summary(runs, name, warnings) for name in nights]
    summaries = [summary for summary in found if summary is not None]
    if summaries:
        table = concatenate_summaries(summaries, read_removed(runs))
        storage.write_table(storage.join(runs, HISTORY_FOLDER, _REMOVED), table, plain=())
