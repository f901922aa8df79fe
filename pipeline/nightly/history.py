"""Combine the summaries of many runs into one table, to follow them over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.missing_nights import missing_dates
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.nightly.settings import NIGHT, read_date, require_keep
from segscore.pipeline.nightly.verdict import UnreadableVerdict, Verdict
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.finished import FinishedRun, are_over_all
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS, summary_groups
from segscore.pipeline.storage.placement import is_inside, require_apart

_FOLDER, _FILE = "history", "history.parquet"
RUN_COLUMNS: dict[str, pa.DataType] = {
    "run": pa.string(),
    "date": pa.date32(),
    "signature": pa.string(),
    "version": pa.string(),
    "outcome": pa.string(),
    "gate": pa.string(),
}
"""Columns of the history in addition to those of summaries."""

_GROUP = "group_"
"""Prefix of a group-by column whose name is in ``RUN_COLUMNS``."""


@dataclass(frozen=True)
class Gathered:
    """The history, and messages about the runs in the folder.

    Attributes:
        table: the history, as in schemas/history.py.
        url: URL of the file that was written.
        removed: dates of the old nights that were removed.
        missing: dates on which a night is missing, ascending; see ``missing_dates``.
        wrong: messages about runs that could not be read and old nights that were not removed.
    """

    table: pa.Table
    url: str
    missing: list[date]
    removed: list[date]
    wrong: list[str]


@dataclass(frozen=True)
class _Run:
    name: str
    date: date | None
    scored: FinishedRun
    verdict: Verdict | None
    summary: pa.Table


def gather_history(runs: str, output: str | None, keep: int | None) -> Gathered:
    """Write the summaries of the runs of a folder as one table, atomically.

    Args:
        runs: folder with runs of `segscore score` or `segscore nightly`.
        output: folder to write the table to; None for `history` in the folder of the runs.
        keep: days after which nights are removed, before reading; None to keep all.

    Raises:
        Refused: the folder has no finished run that can be read, or the table would overwrite
            something else.
        Failed: the table cannot be written.
    """
    require_keep(keep)
    if not storage.names(runs):
        raise Refused(f"{runs}: no such folder, or it is empty")
    url = storage.join(output or storage.join(runs, _FOLDER), _FILE)
    _require_free(runs, url)
    removed, warnings = ([], []) if keep is None else remove_old(Nights(runs), keep)
    finished, left_out = _read_runs(runs, warnings)
    if not finished:
        reason = f" ({warnings[0]})" if warnings else ""
        if run_folder.RECORD in storage.names(runs):
            reason = "; it is a run itself: name the folder that contains the runs"
        raise Refused(f"{runs}: contains no finished run of segscore score or nightly{reason}")
    table = _concatenate(finished)
    storage.write_table(url, table, plain=())
    nights = [*(run.date for run in finished), *left_out]
    missing = missing_dates([night for night in nights if night is not None])
    return Gathered(table, url, missing, removed, warnings)


def read_history(runs: str) -> tuple[pa.Table, list[str]]:
    """Return the table that ``gather_history`` writes, and messages about runs left out.

    Raises:
        Refused: the folder has no finished run that can be read.
    """
    if not storage.names(runs):
        raise Refused(f"{runs}: no such folder, or it is empty")
    warnings: list[str] = []
    finished, _ = _read_runs(runs, warnings)
    if not finished:
        raise Refused(f"{runs}: contains no finished run of segscore score or nightly")
    return _concatenate(finished), warnings


def _read_runs(runs: str, warnings: list[str]) -> tuple[list[_Run], list[date | None]]:
    """Read the finished runs of a folder by date, and list the dates of those left out."""
    finished, left_out = [], []
    for name in storage.names(runs):
        try:
            run = _read(runs, name, warnings)
        except (Refused, Failed, OSError) as problem:
            warnings.append(f"{name} was left out: {problem}")
            left_out.append(_night(name))
        else:
            finished += [run] if run is not None else []
    return sorted(finished, key=lambda run: (run.date or date.min, run.name)), left_out


def _require_free(runs: str, url: str) -> None:
    """Refuse to write the table into a run, or over a file that is not such a table."""
    storage.require_writable_store("--output", url)
    folder = url.rpartition("/")[0]
    folders = [folder, *(storage.join(runs, name) for name in storage.names(runs))]
    target = storage.canonical(url)
    enclosing = [path for path in folders if is_inside(target, storage.canonical(path))]
    require_apart(url, {"RUN": [path for path in enclosing if _is_run(path)]}, is_file=True)
    if _FILE in storage.names(folder) and not {*RUN_COLUMNS} <= {*storage.column_names(url)}:
        raise Refused(
            f"{url}: is not a table of segscore history; name another folder with --output"
        )


def _is_run(folder: str) -> bool:
    return not {run_folder.RECORD, run_folder.UNFINISHED}.isdisjoint(storage.names(folder))


def _read(runs: str, name: str, warnings: list[str]) -> _Run | None:
    """Read a finished scoring run; return None if the folder has none.

    A verdict that cannot be read is none, and adds a warning.
    """
    url = storage.join(runs, name)
    run = FinishedRun.find(url)
    if run is None or run.command != "score":
        return None
    try:
        verdict = nights.find_verdict(run)
    except UnreadableVerdict as problem:
        verdict = None
        warnings.append(f"{problem}; {name} counts as not judged: run the date again")
    return _Run(name, _night(name), run, verdict, run.table("summary"))


def _night(name: str) -> date | None:
    if not name.startswith(NIGHT):
        return None
    try:
        return read_date("", name.removeprefix(NIGHT))
    except Refused:
        return None


def _concatenate(runs: list[_Run]) -> pa.Table:
    """Concatenate the rows of all runs; ``RUN_COLUMNS`` come first, then those of summaries."""
    tables = [_with_run_columns(run) for run in runs]
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    leading = [*RUN_COLUMNS, *SUMMARY_COLUMNS]
    names = [*leading, *(name for name in names if name not in leading)]
    schema = pa.schema([(name, _column_type(name, tables)) for name in names])
    return pa.concat_tables([_fit_to_schema(table, schema) for table in tables]).combine_chunks()


def _with_run_columns(run: _Run) -> pa.Table:
    """Return the summary of a run with ``RUN_COLUMNS`` added."""
    renamed = [_history_name(name, run.summary.column_names) for name in run.summary.column_names]
    table = run.summary.rename_columns(renamed)
    values = {
        "run": run.name,
        "date": run.date,
        "signature": run.scored.signature,
        "version": run.scored.record["versions"]["segscore"],
        "outcome": None if run.verdict is None else run.verdict.outcome,
    }
    for name, value in values.items():
        column = pa.array([value] * table.num_rows, RUN_COLUMNS[name])
        table = table.append_column(name, column)
    return table.append_column("gate", pa.array(list(_gates(run)), RUN_COLUMNS["gate"]))


def _history_name(name: str, used: list[str]) -> str:
    """Return the history's name for a column of a summary; never one of ``RUN_COLUMNS``."""
    if name in RUN_COLUMNS:
        name = _GROUP + name
        while name in used:
            name = _GROUP + name
    return name


def _gates(run: _Run) -> Iterator[str | None]:
    """Yield the result of the gate for each row of a run's summary, None if there is none."""
    checks = () if run.verdict is None else run.verdict.checks
    worst_last = sorted(checks, key=lambda check: check.fails)
    results = {(check.system, check.measure, check.average): check.result for check in worst_last}
    over_all = are_over_all(run.summary, summary_groups(run.summary.column_names))
    for row, whole in zip(run.summary.to_pylist(), over_all.to_pylist(), strict=True):
        yield results.get((row["hypothesis"], row["measure"], row["average"])) if whole else None


def _column_type(name: str, tables: list[pa.Table]) -> pa.DataType:
    """Return the type of a column over all runs; a string if its types cannot be unified."""
    types = [table.schema.field(name).type for table in tables if name in table.column_names]
    fields = [pa.schema([(name, kind)]) for kind in types]
    if not fields:  # runs of earlier versions do not have all columns of summaries
        return RUN_COLUMNS.get(name, pa.string() if name == "document_set" else pa.float64())
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
