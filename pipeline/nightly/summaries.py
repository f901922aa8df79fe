"""Summaries of runs, also of removed nights, as rows of the history."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.dates import NIGHT, read_date
from segscore.pipeline.nightly.nights import verdict_on, verdict_text
from segscore.pipeline.nightly.summary_cache import HISTORY_FOLDER, SummaryCache, state_of
from segscore.pipeline.nightly.verdict import UnreadableVerdict, Verdict
from segscore.pipeline.runs.finished import FinishedRun, are_over_all
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS, summary_groups, summary_type
from segscore.pipeline.testsets.registry import SHOWN_DIGITS

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
class RunRows:
    """A run and its rows of the history; a run that is not a night has no date."""

    name: str
    date: date | None
    rows: pa.Table


def read_run_rows(
    runs: str, name: str, warnings: list[str], before: SummaryCache | None = None
) -> RunRows | None:
    """Read the rows of a finished scoring run; return None if the folder has none.

    Rows that were read before are not read again, as long as run.json and night.json are the same.
    A verdict that cannot be read is none, and adds a warning.
    """
    run = FinishedRun.find(storage.join(runs, name))
    if run is None or run.command != "score":
        return None
    rows = rows_of_run(run, name, verdict_text(run), warnings, before)
    return RunRows(name, night_of(name), rows)


def rows_of_run(
    run: FinishedRun, name: str, text: str | None, warnings: list[str], before: SummaryCache | None
) -> pa.Table:
    """Return the rows of a run, given the text of its verdict, as they were read before or now."""
    state = state_of(run.record, text)
    known = None if before is None else before.find(name, state)
    if known is not None:
        return known
    try:
        rows = history_rows(run, name, verdict_on(run, text))
    except UnreadableVerdict as problem:
        warnings.append(f"{problem}; {name} counts as not judged: run the date again")
        return history_rows(run, name, None)
    if before is not None:
        before.add(name, state, rows)
    return rows


def night_of(name: str) -> date | None:
    """Return the date of the night whose run is in a folder of this name; None for other runs."""
    if not name.startswith(NIGHT):
        return None
    try:
        return read_date("", name.removeprefix(NIGHT))
    except Refused:
        return None


def concatenate_summaries(runs: Sequence[RunRows], removed: pa.Table | None = None) -> pa.Table:
    """Concatenate the rows of all runs by date and name, those without a date first.

    ``RUN_COLUMNS`` come first, then those of summaries.
    """
    tables = [run.rows for run in sorted(runs, key=lambda run: (run.date or date.min, run.name))]
    if removed is not None:
        present = pa.array([run.name for run in runs], pa.string())
        tables.append(removed.filter(pc.invert(pc.is_in(removed.column("run"), present))))
    schemas = distinct_schemas(tables)
    names = list(dict.fromkeys(name for schema in schemas for name in schema.names))
    leading = [*RUN_COLUMNS, *SUMMARY_COLUMNS]
    names = [*leading, *(name for name in names if name not in leading)]
    united = pa.schema([(name, _column_type(name, schemas)) for name in names])
    fitted = [fit_to_schema(table, united) for table in tables]
    table = pa.concat_tables(fitted)
    return (table if removed is None else _in_order(table)).combine_chunks()


def _in_order(table: pa.Table) -> pa.Table:
    keys = {
        "date": pc.fill_null(table.column("date"), pa.scalar(date.min, pa.date32())),
        "run": table.column("run"),
        "row": pa.array(np.arange(table.num_rows)),
    }
    ascending = [(name, "ascending") for name in keys]
    return table.take(pc.sort_indices(pa.table(keys), sort_keys=ascending))


def history_rows(run: FinishedRun, name: str, verdict: Verdict | None) -> pa.Table:
    """Return the rows of the history of a run: its summary with ``RUN_COLUMNS`` added."""
    summary = run.table("summary")
    renamed = [history_name(name, summary.column_names) for name in summary.column_names]
    table = summary.rename_columns(renamed).replace_schema_metadata()
    values = {
        "run": name,
        "date": night_of(name),
        "signature": run.signature,
        "version": run.record["versions"]["segscore"],
        "outcome": None if verdict is None else verdict.outcome,
        "test_set": str(run.record.get("test_set", {}).get("fingerprint") or "")[:SHOWN_DIGITS]
        or None,
    }
    for column, value in values.items():
        table = table.append_column(column, pa.array([value] * table.num_rows, RUN_COLUMNS[column]))
    gates = [*_gates(summary, verdict)]
    for place, column in enumerate(("gate", "good", "accepted")):
        results = pa.array([gate[place] for gate in gates], RUN_COLUMNS[column])
        table = table.append_column(column, results)
    return table


def history_name(name: str, used: Collection[str]) -> str:
    """Return the history's name for a column of a summary; never one of ``RUN_COLUMNS``."""
    if name in RUN_COLUMNS:
        name = _GROUP + name
        while name in used:
            name = _GROUP + name
    return name


def _gates(
    summary: pa.Table, verdict: Verdict | None
) -> Iterator[tuple[str | None, bool | None, str | None]]:
    """Yield for each row of a summary the result of the gate, whether it is good, and why accepted.

    Of results by several rules it is the worst.
    """
    checks = () if verdict is None else verdict.checks
    worst_last = sorted(checks, key=lambda check: check.fails)
    results = {(check.system, check.measure, check.average): check.result for check in worst_last}
    accepted = {
        (check.system, check.measure, check.average): verdict.accepts(check.system, check.rule)
        for check in checks
        if verdict is not None and verdict.restarts(check.system, check.rule)
    }
    systems = summary.column("hypothesis").unique().to_pylist()
    good = {} if verdict is None else {system: verdict.good_for(system) for system in systems}
    over_all = are_over_all(summary, summary_groups(summary.column_names))
    keys = zip(*(summary.column(name).to_pylist() for name in _KEY), strict=True)
    for key, whole in zip(keys, over_all.to_pylist(), strict=True):
        yield results.get(key) if whole else None, good.get(key[0]), accepted.get(key)


def distinct_schemas(tables: Iterable[pa.Table]) -> list[pa.Schema]:
    """List the schemas of tables, each once."""
    return list({str(table.schema): table.schema for table in tables}.values())


def _column_type(name: str, schemas: Sequence[pa.Schema]) -> pa.DataType:
    """Return the type of a column over all runs; a string if its types cannot be unified."""
    types = [schema.field(name).type for schema in schemas if name in schema.names]
    fields = [pa.schema([(name, kind)]) for kind in types]
    if not fields:  # runs of earlier versions do not have all columns of summaries
        return RUN_COLUMNS.get(name) or summary_type(name)
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(name).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.string()


def fit_to_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a schema, null where it has none."""
    if table.schema.equals(schema):
        return table
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
    found = [read_run_rows(runs, name, warnings) for name in nights]
    summaries = [summary for summary in found if summary is not None]
    if summaries:
        table = concatenate_summaries(summaries, read_removed(runs))
        storage.write_table(storage.join(runs, HISTORY_FOLDER, _REMOVED), table, plain=())
