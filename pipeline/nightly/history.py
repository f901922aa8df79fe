"""The summaries of many runs brought together as one table, for whoever reads them over time."""

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
"""Columns beside those of summaries."""

_GROUP = "group_"
"""Goes before the name of a group-by column that one of ours has already."""


@dataclass(frozen=True)
class Gathered:
    """What was found.

    Attributes:
        table: as in schemas/history.py.
        url: where it was written.
        removed: dates of nights removed for their age.
        wrong: runs that could not be read, and why; nights that are old and were not removed.
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
    """Write the summaries of the runs of a folder as one table, whole.

    Args:
        runs: folder that holds runs of `segscore score`, or of `segscore nightly`.
        output: folder to write the table to; None for `history` in that of the runs.
        keep: days after which nights are removed first; None: never.

    Raises:
        Refused: no run there.
        Failed: no run could be read, or the table cannot be written.
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
    """A finished scoring run; None if the folder holds none."""
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
    """Rows of all runs, in their order; columns are ours, then all that summaries have."""
    tables = [_widened(one) for one in runs]
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    first = [*OURS, *SUMMARY_COLUMNS]
    names = [*first, *(name for name in names if name not in first)]
    schema = pa.schema([(name, _type(name, tables)) for name in names])
    return pa.concat_tables([_fitted(table, schema) for table in tables]).combine_chunks()


def _widened(one: _Run) -> pa.Table:
    """One run's summary with our columns."""
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
    """What a column of a summary is called here."""
    if name in OURS:
        name = _GROUP + name
        while name in taken:
            name = _GROUP + name
    return name


def _gates(one: _Run) -> Iterator[str | None]:
    """For each row of a run's summary what the gate said of it."""
    checks = () if one.verdict is None else one.verdict.checks
    said = {(each.system, each.measure, each.average): each.result for each in checks}
    over_all = are_over_all(one.summary, summary_groups(one.summary.column_names))
    for row, whole in zip(one.summary.to_pylist(), over_all.to_pylist(), strict=True):
        yield said.get((row["hypothesis"], row["measure"], row["average"])) if whole else None


def _type(name: str, tables: list[pa.Table]) -> pa.DataType:
    """The type of a column over all runs: a string where they cannot be brought together."""
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
