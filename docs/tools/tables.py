"""The page of tables, from the schemas."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from docs.tools.table_rows import in_code, table_rows
from segscore.api.output_tables import ATTRIBUTES, FIRST, GROUPS, TABLES, OutputTable
from segscore.pipeline.measures import FAMILIES, PAIRS
from segscore.pipeline.measures.selection import select
from segscore.schemas.records import NIGHT_RECORD, RUN, Key
from segscore.schemas.rejects import BETWEEN_ROWS

_HEAD = """\
<!-- Written by `make docs` from schemas/; change it there. -->

# Tables

Reference: every column that segscore reads or writes, and what stays stable between releases.
[Dashboards](dashboards.md) explains how to read the files, [measures](measures.md) defines the
measures.

- [What stays stable](#what-stays-stable), [how to read the tables](#how-to-read-the-tables)
- [Inputs](#inputs)
- [segscore score](#segscore-score), [sweep](#segscore-sweep), [agree](#segscore-agree),
  [compare](#segscore-compare), [reconcile](#segscore-reconcile),
  [simulate values](#segscore-simulate-values), [trend --table](#segscore-trend---table),
  [trend](#segscore-trend)
- [run.json](#runjson) and [night.json](#nightjson)

## What stays stable

Within a major version, no column of an output table and no key of run.json or night.json is
renamed, removed, or given another type or meaning. New columns are added after a table's own
columns, except those of a new measure, which are placed next to similar measures. New keys and new
tables may be added in any release. The CHANGELOG lists every change. A release that changes a
number for the same input and settings says **numbers change** there. Before 1.0, a breaking change
needs a new minor version, and the CHANGELOG says **columns change**.

Breaking: a column is renamed or removed; a type changes; nulls where there were none; a value
outside the range given here; a row means something else; a table is renamed or moved. Not
breaking: an additional column or key, or value in `measure`, `rule`, `coefficient`, `similarity` or
`outcome`; changed texts in `detail`, `warnings` and `plan`. The number and names of the files of a
table, and the order of rows, may also differ. Therefore read columns by name, never by number, and
read only the files that run.json lists.

## How to read the tables

Files are Parquet. Types are Arrow's; DuckDB, pandas and Polars have other names for them. A type
with `?` may be null, which means undefined (such as a precision without any boundary), unless the
meaning says otherwise; a table never contains NaN. The range of values follows the type. In the
meaning of several columns, … stands for what the name of each says. RUN is the folder of
`--output`, or `RUNS/date=2026-01-31` for a night. `--units` sets the unit of the run: units or
words.

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
    "`references/`, `hypotheses/` and `documents/`, and `segscore simulate coders` to `codings/`. "
    "Any other\ncolumn is an attribute. "
    "[Validate](jobs/validate.md#what-else-is-read-as-such-a-table) says what\nelse is read, "
    "such as columns that folders name.",
    "score": "## segscore score\n\nEvery night of `segscore nightly` has these tables too.",
    "sweep": "## segscore sweep\n\nIt also writes [rejects](#rejects) and [unpaired](#unpaired).",
    "agree": "## segscore agree\n\nIt also writes [rejects](#rejects) and [unpaired](#unpaired).",
    "compare": "## segscore compare\n\nWith `--output` only.",
    "suspects": "## segscore suspects\n\nIn the folder of the run, or of `--output`.",
    "import": "## segscore import\n\nAnswers of [language models](language-models.md) only. "
    "[project](jobs/project.md) writes the\ntable, too: the answer is then the transcript of "
    "`--from`, and the units are those of `--to`.",
    "reconcile": "## segscore reconcile\n\nWith `--output` only.",
    "simulate-values": "## segscore simulate values\n\nWith `--output` only.",
    "trend-table": "## segscore trend --table\n\n"
    "`segscore nightly` writes [restatements](#restatements).",
    "trend": "## segscore trend",
}
BESIDE = {ATTRIBUTES: "attributes", GROUPS: "groups"}
_RULES = "Rules for its rows; a row that breaks one is rejected, and listed with the rule's name:"
_COLUMN = ("column", "type", "meaning")
_BETWEEN = "Rules that several rows break together, in addition to those of the [inputs](#inputs):"

_SCORES = """\
The other columns are those of the measures chosen by `--measures`. A measure has a column if the
measure or its family is chosen, and a count if the formula of a chosen measure uses it. Without the
option, the families `window`, `edit`, `content`, `tolerance` and `panel` are chosen.
[Measures](measures.md) defines each, with its range. Counts are `int64` ≥ 0, measures
`float64?`:"""

_PANELS = (
    "Which optional columns a run has depends on `--measures`, too. The columns of each family:"
)

_MEANS = """\
Each chosen measure of [scores](#scores) has a column with its mean over the references, such as
`mean_pk`. Where one direction is better, another has the best of its values, such as `best_pk`.
Both are `float64?` of the range of the measure. [compare](jobs/compare.md) averages them with
`--measure best_pk --average macro`."""
"""What is said about the columns that depend on `--measures`."""


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
        yield from _columns(table)
        yield from _chosen(table)
        if table.command is None:
            yield f"{_RULES}\n\n{_bullets(_rules(table))}"
        if table.name == "rejects":
            yield f"{_BETWEEN}\n\n{_bullets(BETWEEN_ROWS.items())}"


def _chosen(table: OutputTable) -> Iterator[str]:
    """Yield what is said about the columns of a table that depend on `--measures`."""
    if table.name == "scores":
        yield f"{_SCORES}\n\n{_bullets(_families())}"
    elif table.name == "panel_scores":
        yield f"{_PANELS}\n\n{_bullets(_panel_families())}"
        yield _MEANS


def _panel_families() -> Iterator[tuple[str, str]]:
    """Yield each family of measures against all references with its columns."""
    for name in FAMILIES:
        chosen = select((name,)).panels
        if columns := [*chosen.counts, *chosen.measures]:
            yield name, in_code(columns)


def _families() -> Iterator[tuple[str, str]]:
    """Yield each family of measures of pairs with its counts and measures."""
    seen: set[str] = set()
    for name in FAMILIES:
        chosen = select((name,)).pairs
        if chosen.measures:
            seen |= {*chosen.measures}
            yield name, f"counts {in_code(chosen.counts)}; measures {in_code(chosen.measures)}"
    for name in PAIRS.measures:
        if name not in seen:
            counts = select((name,)).pairs.counts
            yield name, f"a measure of no family, with the counts {in_code(counts)}"


def _further_columns(table: OutputTable) -> str:
    if table.beside is None or table.command is None:
        return ""
    where = "come first" if table.after == FIRST else f"come after `{table.after}`"
    return f"; {BESIDE[table.beside]} {where}"


def _columns(table: OutputTable) -> Iterator[str]:
    """Yield the table of the columns, and a sentence on those that earlier tables have."""
    given = {name.removesuffix("_given") for name, _ in _rules(table)}
    before = [each for each in TABLES[: TABLES.index(table)] if each.command is not None]
    own, earlier = [], defaultdict[str, list[str]](list)
    for row in table_rows(table, given, before if table.command is not None else ()):
        if row.kind:
            own.append((in_code(row.names), row.kind, row.meaning))
        else:
            earlier[row.meaning] += row.names
    if own:
        yield _markdown(_COLUMN, own)
    if earlier:
        said = (f"{in_code(names)} {meaning}" for meaning, names in earlier.items())
        yield f"Also {'; '.join(said)}."


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
    lines = [f"| {' | '.join(map(_cell, line))} |" for line in (heads, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(heads)}", *lines[1:]])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _bullets(rules: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in rules)
