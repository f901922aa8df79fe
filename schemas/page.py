"""Make the page docs/tables.md from the schemas; `python -m segscore.schemas.page` prints it."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import Any

from segscore.pipeline.measures import FAMILIES
from segscore.pipeline.measures.selection import select
from segscore.schemas.columns import arrow_type
from segscore.schemas.records import NIGHT_RECORD, RUN, Key
from segscore.schemas.rejects import BETWEEN_ROWS
from segscore.schemas.tables import ATTRIBUTES, FIRST, GROUPS, TABLES, OutputTable

_HEAD = """\
<!-- Written by `make columns` from schemas/; change it there. -->

# Tables

Every table that segscore reads or writes, column by column, and what stays stable between releases.

- [What stays stable](#what-stays-stable)
- [Inputs](#inputs)
- [segscore score](#segscore-score), [sweep](#segscore-sweep), [agree](#segscore-agree),
  [compare](#segscore-compare), [reconcile](#segscore-reconcile),
  [calibrate](#segscore-calibrate), [history](#segscore-history), [trend](#segscore-trend)
- [run.json](#runjson) and [night.json](#nightjson)

[dashboards.md](dashboards.md) explains how to read them, and [measures.md](measures.md) defines the
measures.

## What stays stable

Within a major version, no column of an output table and no key of run.json or night.json is
renamed, removed, or given another type or meaning. New columns are added after a table's own
columns, except those of a new measure, which are placed next to similar measures. New keys and new
tables may be added in any release. The CHANGELOG lists every change. A release that changes a
number for the same input and settings says **numbers change** there. Before 1.0, a breaking change
needs a new minor version, and the CHANGELOG says **columns change**.

Breaking: a column is renamed or removed; a type changes; nulls where there were none; a value
outside the range given here; a row means something else; a table is renamed or moved. Not
breaking: an additional column or key; an additional value in `measure`, `rule`, `coefficient`,
`similarity` or `outcome`; changed texts in `detail`, `warnings` and `plan`; the number and names of
the files of a table, and the order of rows. Therefore read columns by name, never by number, and
read only the files that run.json lists.

Files are Parquet. Types are Arrow's; DuckDB, pandas and Polars have other names for them. Null
means undefined (such as a precision without any boundary), unless the meaning says otherwise; a
table never contains NaN. RUN is the folder of `--output`, or `RUNS/date=2026-01-31` for a night.
`--units` sets the unit of the run: units or words.

**Attributes** are the additional columns of the input tables, with their names and types, those of
the documents table first. **Groups** are the columns of `--group-by`: there is one row for each
combination of their values, and one over all documents, in which they are null. In runs with
`--consensus`, `reference` is also a group.

In runs of `segscore score --by-level`, `scores`, `panel_scores` and `confusion` have a row for each
**level**, whose number is in the column `level` (int64, after the attributes or `hypothesis`).
`level` is then also the last group of `summary`, where it is null in rows over all levels.
"""

_COMMANDS = {
    None: "## Inputs\n\n"
    "Parquet or JSON Lines: a file, a folder or a glob. `segscore import` writes them to\n"
    "`references/`, `hypotheses/` and `documents/`, and `segscore simulate` to `codings/`. Any "
    "other\ncolumn is an attribute. [Validate](jobs/validate.md#what-else-is-read-as-such-a-table) "
    "says what\nelse is read, such as columns that folders name.",
    "score": "## segscore score\n\nEvery night of `segscore nightly` has these tables too.",
    "sweep": "## segscore sweep\n\nIt also writes [rejects](#rejects) and [unpaired](#unpaired).",
    "agree": "## segscore agree\n\nIt also writes [rejects](#rejects) and [unpaired](#unpaired).",
    "compare": "## segscore compare\n\nWith `--output` only.",
    "doctor": "## segscore doctor\n\nIn the folder of the run, or of `--output`.",
    "import": "## segscore import\n\nAnswers of [language models](language-models.md) only. "
    "[project](jobs/project.md) writes the\ntable, too: the answer is then the transcript of "
    "`--from`, and the units are those of `--to`.",
    "reconcile": "## segscore reconcile\n\nWith `--output` only.",
    "calibrate": "## segscore calibrate\n\nWith `--output` only.",
    "history": "## segscore history\n\n`segscore nightly` writes [restatements](#restatements).",
    "trend": "## segscore trend",
}
BESIDE = {ATTRIBUTES: "attributes", GROUPS: "groups"}
_RULES = "Rules for its rows; a row that breaks one is rejected, and listed with the rule's name:"
_BETWEEN = "Rules that several rows break together, in addition to those of the [inputs](#inputs):"

_CHOSEN = {
    "scores": "Which optional columns a run has depends on `--measures`: a measure has a column if "
    "the measure\nor its family is chosen, and a count if the formula of a chosen measure uses it. "
    "Without the\noption, the families `window`, `edit`, `content`, `tolerance` and `panel` are "
    "chosen. `dialseg_score`\nbelongs to no family. The columns of each family:",
    "panel_scores": "Optional columns depend on `--measures` as in [scores](#scores). Each chosen "
    "measure of scores\nhas a column with the prefix `mean_`. The other columns of each family:",
}
"""Table -> which of its columns a run with `--measures` has."""


def page() -> str:
    """Return the whole page in Markdown."""
    return "\n\n".join([_HEAD.strip(), *_tables(), *_records()]) + "\n"


def _tables() -> Iterator[str]:
    commands: set[str | None] = set()
    for table in TABLES:
        if table.command not in commands:
            yield _COMMANDS[table.command]
        commands.add(table.command)
        yield f"### {table.name}{' (input)' if table.command is None else ''}"
        yield _wrapped(
            f"One row per {table.schema.description}. {table.place}{_further_columns(table)}."
        )
        yield _markdown(("column", "type", "null", "range", "meaning"), _columns(table))
        if table.name in ("scores", "panel_scores"):
            yield f"{_CHOSEN[table.name]}\n\n{_bullets(_families(table.name))}"
        if table.command is None:
            yield f"{_RULES}\n\n{_bullets(_rules(table))}"
        if table.name == "rejects":
            yield f"{_BETWEEN}\n\n{_bullets(BETWEEN_ROWS.items())}"


def _families(table: str) -> Iterator[tuple[str, str]]:
    """Yield each family of measures with its columns of a table."""
    for name in FAMILIES:
        selection = select((name,))
        chosen = selection.pairs if table == "scores" else selection.panels
        if columns := [*chosen.counts, *chosen.measures]:
            yield name, ", ".join(f"`{column}`" for column in columns)


def _further_columns(table: OutputTable) -> str:
    if table.beside is None or table.command is None:
        return ""
    where = "come first" if table.after == FIRST else f"come after `{table.after}`"
    return f"; {BESIDE[table.beside]} {where}"


def _columns(table: OutputTable) -> Iterator[tuple[str, ...]]:
    given = {name.removesuffix("_given") for name, _ in _rules(table)}
    for name, column in table.schema.columns.items():
        optional = "" if column.required else ", optional"
        null = "no" if name in given or not column.nullable else "yes"
        kind = f"`{_type_name(arrow_type(column))}`{optional}"
        yield f"`{name}`", kind, null, _range(column), column.description


def _type_name(kind: Any) -> str:
    names = {"double": "float64", "date32[day]": "date32"}
    if hasattr(kind, "value_type"):
        return f"list<{_type_name(kind.value_type)}>"
    return names.get(str(kind), str(kind))


def _range(column: Any) -> str:
    """Return the range of a column's values, from its built-in checks."""
    limits: dict[str, Any] = {}
    for check in column.checks:
        limits |= check.statistics or {}
    if "allowed_values" in limits:
        return ", ".join(f"`{value}`" for value in limits["allowed_values"])
    least, largest = (_limit(limits.get(name)) for name in ("min_value", "max_value"))
    if least and largest:
        return f"{least}..{largest}"
    return f"≥ {least}" if least else f"≤ {largest}" if largest else ""


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _rules(table: OutputTable) -> list[tuple[str, str]]:
    return [
        (check.name, check.description)
        for column in table.schema.columns.values()
        for check in column.checks
        if not check.statistics
    ]


def _records() -> Iterator[str]:
    yield "## run.json"
    yield _wrapped(
        "The record of a run, in its folder. It is written last: a run without it is not finished. "
        "`*` is any name, and `[]` is each element of a list."
    )
    yield _markdown(("key", "type", "command", "meaning"), map(_run_row, RUN))
    yield "## night.json"
    yield _wrapped(
        "The verdict of the gate on a night, next to its run.json. It is not valid if `run` "
        "differs from the `fingerprint` there."
    )
    yield _markdown(("key", "type", "meaning"), map(_night_row, NIGHT_RECORD))


def _run_row(key: Key) -> tuple[str, ...]:
    return f"`{key.name}`", f"`{key.kind}`", ", ".join(key.commands) or "all", key.meaning


def _night_row(key: Key) -> tuple[str, ...]:
    return f"`{key.name}`", f"`{key.kind}`", key.meaning


def _wrapped(text: str) -> str:
    return fill(text, 100, break_on_hyphens=False, break_long_words=False)


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(text) for text in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _bullets(rules: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in rules)


if __name__ == "__main__":
    print(page(), end="")
