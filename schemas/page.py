"""Make the page docs/tables.md from the schemas; `python -m segscore.schemas.page` prints it."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import Any

from segscore.schemas.records import NIGHT_RECORD, RUN, Key
from segscore.schemas.rejects import BETWEEN_ROWS
from segscore.schemas.tables import ATTRIBUTES, FIRST, GROUPS, TABLES, OutputTable, arrow_type

_HEAD = """\
<!-- Written by `make columns` from schemas/; change it there. -->

# Tables

Every table that segscore reads or writes, column by column, and what of them is promised.

- [What is promised](#what-is-promised)
- [Inputs](#inputs)
- [segscore score](#segscore-score), [sweep](#segscore-sweep), [agree](#segscore-agree),
  [compare](#segscore-compare), [history](#segscore-history)
- [run.json](#runjson) and [night.json](#nightjson)

How dashboards read them: [dashboards.md](dashboards.md). What a measure is:
[measures.md](measures.md).

## What is promised

Within a major version no column of an output table, and no key of run.json or night.json, is
renamed, removed, given another type, or given another meaning. New columns stand after all others
of a table's own, only those of a new measure beside their like; new keys and new tables may come at
any release. Each has a line in the CHANGELOG. A release that changes a number for the same input
and settings says **numbers change** there. Before 1.0 a breaking change takes a minor version, and
says **columns change**.

Breaking: a column renamed or removed; another type; null where none was; a value outside the range
told here; one row per something else; a table renamed or moved. Not breaking: a column or key more;
a value more in `measure`, `rule`, `coefficient`, `similarity` or `outcome`; other texts in
`detail`, `warnings` and `plan`; how many files a table has, what they are called, and the order of
rows. So read columns by name, never by number, and only the files that run.json lists.

Files are Parquet. Types are Arrow's; DuckDB, pandas and Polars have their own names for the same.
Null means undefined (a precision without any boundary), unless the meaning says otherwise; a
table never holds NaN. RUN is the folder of `--output`, of a night `RUNS/date=2026-01-31`. The unit
of the run is what `--units` said: units, or words.

**Attributes** are the further columns of the input tables, under their own names and types, those
of the documents table first. **Groups** are the columns that `--group-by` named: a row for each
combination of their values, and rows over all documents, in which they are null. In runs with
`--consensus`, `reference` is a group, too.
"""

_COMMANDS = {
    None: "## Inputs\n\n"
    "Parquet or JSON Lines, a file, a folder or a glob. `segscore import` writes them to\n"
    "`references/`, `hypotheses/` and `documents/`, `segscore simulate` to `codings/`. Any "
    "further\ncolumn is an attribute.",
    "score": "## segscore score\n\nSo is every night of `segscore nightly`.",
    "sweep": "## segscore sweep\n\nBeside these [rejects](#rejects) and [unpaired](#unpaired).",
    "agree": "## segscore agree\n\nBeside these [rejects](#rejects) and [unpaired](#unpaired).",
    "compare": "## segscore compare\n\nWith `--output` only.",
    "history": "## segscore history",
}
BESIDE = {ATTRIBUTES: "attributes", GROUPS: "groups"}
_RULES = "Rules that its rows keep; one that breaks a rule is refused by the rule's name:"
_BETWEEN = "Rules beside those of the [inputs](#inputs), which a row breaks together with others:"


def page() -> str:
    """Return the whole page in Markdown."""
    return "\n\n".join([_HEAD.strip(), *_tables(), *_records()]) + "\n"


def _tables() -> Iterator[str]:
    said: set[str | None] = set()
    for table in TABLES:
        if table.command not in said:
            yield _COMMANDS[table.command]
        said.add(table.command)
        yield f"### {table.name}{' (input)' if table.command is None else ''}"
        yield _filled(f"One row per {table.schema.description}. {table.place}{_beside(table)}.")
        yield _markdown(("column", "type", "null", "range", "meaning"), _columns(table))
        if table.command is None:
            yield f"{_RULES}\n\n{_listed(_rules(table))}"
        if table.name == "rejects":
            yield f"{_BETWEEN}\n\n{_listed(BETWEEN_ROWS.items())}"


def _beside(table: OutputTable) -> str:
    if table.beside is None or table.command is None:
        return ""
    where = "stand first" if table.after == FIRST else f"stand after `{table.after}`"
    return f"; {BESIDE[table.beside]} {where}"


def _columns(table: OutputTable) -> Iterator[tuple[str, ...]]:
    given = {name.removesuffix("_given") for name, _ in _rules(table)}
    for name, column in table.schema.columns.items():
        optional = "" if column.required else ", optional"
        null = "no" if name in given or not column.nullable else "yes"
        kind = f"`{_named(arrow_type(column))}`{optional}"
        yield f"`{name}`", kind, null, _range(column), column.description


def _named(kind: Any) -> str:
    names = {"double": "float64", "date32[day]": "date32"}
    if hasattr(kind, "value_type"):
        return f"list<{_named(kind.value_type)}>"
    return names.get(str(kind), str(kind))


def _range(column: Any) -> str:
    """Return the range of a column's values, from its built-in checks."""
    limits: dict[str, Any] = {}
    for check in column.checks:
        limits |= check.statistics or {}
    if "allowed_values" in limits:
        return ", ".join(f"`{each}`" for each in limits["allowed_values"])
    if "max_value" in limits:
        most = limits["max_value"]
        return f"{limits['min_value']}..{f'{most:g}' if isinstance(most, float) else most}"
    return f"≥ {limits['min_value']}" if "min_value" in limits else ""


def _rules(table: OutputTable) -> list[tuple[str, str]]:
    return [
        (check.name, check.description)
        for column in table.schema.columns.values()
        for check in column.checks
        if not check.statistics
    ]


def _records() -> Iterator[str]:
    yield "## run.json"
    yield _filled(
        "What a run is, in its folder, written last: a run without it is not finished. `*` stands "
        "for any name, `[]` for each element of a list."
    )
    yield _markdown(("key", "type", "of", "meaning"), map(_of_run, RUN))
    yield "## night.json"
    yield _filled(
        "What the gate said of a night, beside its run.json. It is of no weight if `run` is not "
        "the `fingerprint` there."
    )
    yield _markdown(("key", "type", "meaning"), map(_of_night, NIGHT_RECORD))


def _of_run(key: Key) -> tuple[str, ...]:
    return f"`{key.name}`", f"`{key.kind}`", ", ".join(key.commands) or "all", key.meaning


def _of_night(key: Key) -> tuple[str, ...]:
    return f"`{key.name}`", f"`{key.kind}`", key.meaning


def _filled(text: str) -> str:
    return fill(text, 100, break_on_hyphens=False, break_long_words=False)


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(each) for each in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _listed(rules: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in rules)


if __name__ == "__main__":
    print(page(), end="")
