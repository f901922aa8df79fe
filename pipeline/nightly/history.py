"""Combine the summaries of many runs into one table, to follow them over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.nightly.settings import NIGHT, read_date, require_keep
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.finished import FinishedRun, are_over_all
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS, summary_groups
from segscore.pipeline.storage.placement import is_inside, require_apart

_FOLDER, _FILE = "history", "history.parquet"
OURS: dict[str, pa.DataType] = {
    "run": pa.string(),
    "date": pa.date32(),
    "signature": pa.string(),
    "version": pa.string(),
    "outcome": pa.string(),
    "gate": pa.string(),
}
"""Columns of the history in addition to those of summaries."""

_GROUP = "group_"
"""Prefix of a group-by column whose name is in ``OURS``."""


@dataclass(frozen=True)
class Gathered:
    """The history, and messages about the runs in the folder.

    Attributes:
        table: the history, as in schemas/history.py.
        url: URL of the file that was written.
        removed: dates of the old nights that were removed.
        wrong: messages about runs that could not be read and old nights that were not removed.
    """

    table: pa.Table
    url: str
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
        raise Refused(f"{runs}: no such folder, or nothing in it")
    url = storage.join(output or storage.join(runs, _FOLDER), _FILE)
    _require_free(runs, url)
    removed, wrong = ([], []) if keep is None else remove_old(Nights(runs), keep)
    found = []
    for name in storage.names(runs):
        try:
            one = _read(runs, name)
        except (Refused, Failed, OSError) as problem:
            wrong.append(f"{name} was left out: {problem}")
        else:
            found += [one] if one is not None else []
    if not found:
        why = f" ({wrong[0]})" if wrong else ""
        raise Refused(f"{runs}: holds no finished run of segscore score or nightly{why}")
    table = _united(sorted(found, key=lambda one: (one.date or date.min, one.name)))
    storage.write_table(url, table, plain=())
    return Gathered(table, url, removed, wrong)


def _require_free(runs: str, url: str) -> None:
    """Refuse to write the table into a run, or over a file that is not such a table."""
    folder = url.rpartition("/")[0]
    around = [folder, *(storage.join(runs, name) for name in storage.names(runs))]
    target = storage.canonical(url)
    held = [each for each in around if is_inside(target, storage.canonical(each))]
    require_apart(url, {"RUN": [each for each in held if _is_run(each)]}, is_file=True)
    if _FILE in storage.names(folder) and not {*OURS} <= {*storage.column_names(url)}:
        raise Refused(f"{url}: is not a table of segscore history; name another folder by --output")


def _is_run(folder: str) -> bool:
    return not {run_folder.RECORD, run_folder.UNFINISHED}.isdisjoint(storage.names(folder))


def _read(runs: str, name: str) -> _Run | None:
    """Read a finished scoring run; return None if the folder has none."""
    url = storage.join(runs, name)
    run = FinishedRun.find(url)
    if run is None or run.command != "score":
        return None
    return _Run(name, _night(name), run, nights.judged(run), run.table("summary"))


def _night(name: str) -> date | None:
    if not name.startswith(NIGHT):
        return None
    try:
        return read_date("", name.removeprefix(NIGHT))
    except Refused:
        return None


def _united(runs: list[_Run]) -> pa.Table:
    """Concatenate the rows of all runs; ``OURS`` come first, then all columns of the summaries."""
    tables = [_widened(one) for one in runs]
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    first = [*OURS, *SUMMARY_COLUMNS]
    names = [*first, *(name for name in names if name not in first)]
    schema = pa.schema([(name, _type(name, tables)) for name in names])
    return pa.concat_tables([_fitted(table, schema) for table in tables]).combine_chunks()


def _widened(one: _Run) -> pa.Table:
    """Return the summary of a run with ``OURS`` added."""
    renamed = [_free(name, one.summary.column_names) for name in one.summary.column_names]
    table = one.summary.rename_columns(renamed)
    said = {
        "run": one.name,
        "date": one.date,
        "signature": one.scored.signature,
        "version": one.scored.record["versions"]["segscore"],
        "outcome": None if one.verdict is None else one.verdict.outcome,
    }
    for name, value in said.items():
        column = pa.array([value] * table.num_rows, OURS[name])
        table = table.append_column(name, column)
    return table.append_column("gate", pa.array(list(_gates(one)), OURS["gate"]))


def _free(name: str, taken: list[str]) -> str:
    """Return the history's name for a column of a summary, which must not be one of ``OURS``."""
    if name in OURS:
        name = _GROUP + name
        while name in taken:
            name = _GROUP + name
    return name


def _gates(one: _Run) -> Iterator[str | None]:
    """Yield the result of the gate for each row of a run's summary, None if there is none."""
    checks = () if one.verdict is None else one.verdict.checks
    said = {(each.system, each.measure, each.average): each.result for each in checks}
    over_all = are_over_all(one.summary, summary_groups(one.summary.column_names))
    for row, whole in zip(one.summary.to_pylist(), over_all.to_pylist(), strict=True):
        yield said.get((row["hypothesis"], row["measure"], row["average"])) if whole else None


def _type(name: str, tables: list[pa.Table]) -> pa.DataType:
    """Return the type of a column over all runs; a string if its types cannot be unified."""
    types = [table.schema.field(name).type for table in tables if name in table.column_names]
    fields = [pa.schema([(name, kind)]) for kind in types]
    if not fields:
        return OURS[name]
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(name).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.string()


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
