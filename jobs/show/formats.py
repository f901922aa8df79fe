"""Print results in formats that other programs read."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len

from segscore.jobs.cli.encoding import lacking_encoding
from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import visible, visible_json
from segscore.pipeline.settings.options import Panel
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.statistics.formatted_numbers import shown_cell
from segscore.pipeline.statistics.result_table import Column, ResultTable

if TYPE_CHECKING:
    import pyarrow as pa

_FORMATS = ("text", "json", "csv", "markdown")
SCHEMA_VERSION = 1
"""Version of the JSON objects; it grows when a field is removed or changes its meaning."""

_AVERAGE, _SIGNATURE = "average", "signature"

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which a formula of a spreadsheet begins."""

_MARKDOWN = re.compile(r"[\\|<`]|\](?=[(\[])")
"""Characters that begin or divide something in Markdown, and the end of a link's text."""


def _checked(format_name: str) -> str:
    one_of("--format", format_name, _FORMATS)
    return format_name


ResultFormat = Annotated[
    str,
    typer.Option(
        "--format",
        callback=_checked,
        help="Output: text, json, csv or markdown.",
        rich_help_panel=Panel.OUTPUT,
    ),
]


def _checked_for_papers(format_name: str) -> str:
    one_of("--format", format_name, (*_FORMATS, "latex"))
    return format_name


PaperFormat = Annotated[
    str,
    typer.Option(
        "--format",
        callback=_checked_for_papers,
        help="Output: text, json, csv, markdown or latex.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
"""``ResultFormat``, and LaTeX."""


def plain_table(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], signature: str = ""
) -> ResultTable:
    """Make a table of rows as they are; the columns with text are the first of the names."""
    texts = len(list(takewhile(lambda name: _is_text(rows, name), names)))
    return ResultTable(
        [
            Column(
                name,
                [row[name] for row in rows],
                is_name=place < texts,
                write=shown_cell,
            )
            for place, name in enumerate(names)
        ],
        signature=signature,
    )


def _is_text(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return all(isinstance(row[name], str) for row in rows)


def csv_text(table: ResultTable) -> str:
    """Write the values of a table as CSV, with the average and the signature as last columns.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    columns = table.for_programs
    own = {_AVERAGE: table.average, _SIGNATURE: table.signature}
    own = {name: text for name, text in own.items() if text and name not in columns}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_csv_cell, [*columns, *own]))
    rows = zip(*columns.values(), strict=True)
    writer.writerows(map(_csv_cell, [*row, *own.values()]) for row in rows)
    return text.getvalue().rstrip("\n")


def _csv_cell(value: object) -> object:
    """Return a value that no spreadsheet runs; numbers are not changed."""
    if isinstance(value, bool):
        return shown_cell(value)
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.startswith(_FORMULA) else value


def markdown_text(table: ResultTable) -> str:
    """Write a table as Markdown, with remarks and the signature below it."""
    columns = [[column.name, *column.bracketed] for column in table.for_people]
    cells = [[markdown_cell(cell) for cell in column] for column in columns]
    # A heading has room around it; every release has written these bytes.
    widths = [max([cell_len(heading) + 2, *map(cell_len, rest)]) for heading, *rest in cells]
    texts = len(table.names)
    lines = [_markdown_line(row, widths, texts) for row in zip(*cells, strict=True)]
    text = "\n".join([lines[0], f"|{'|'.join('-' * (width + 2) for width in widths)}|", *lines[1:]])
    named = "".join(f"\n\n{markdown_cell(remark)}" for remark in table.remarks)
    return f"{text}{named}\n\n`{table.signature}`" if table.signature else text + named


def _markdown_line(cells: Sequence[str], widths: Sequence[int], texts: int) -> str:
    """Write a row of a table: its first ``texts`` cells on the left of their columns."""
    padded = (
        f"{cell}{gap}" if i < texts else f"{gap}{cell}"
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        for gap in (" " * (width - cell_len(cell)),)
    )
    return f"| {' | '.join(padded)} |"


def markdown_cell(text: str) -> str:
    """Escape what would be a column, HTML, code or a link in Markdown."""
    return _MARKDOWN.sub(r"\\\g<0>", visible(text))


def print_text(text: str) -> None:
    """Print lines of text on standard output, with control characters as escapes."""
    print(visible(text, lines=True))


def print_table(table: ResultTable, format_name: str) -> None:
    """Print a table in the format csv or markdown.

    Raises:
        Refused: as ``require_names_printable``.
    """
    require_names_printable(table)
    print_text(table_text(table, format_name))


def table_text(table: ResultTable, format_name: str) -> str:
    """Write a table in the format csv or markdown."""
    return csv_text(table) if format_name == "csv" else markdown_text(table)


def require_names_printable(table: ResultTable) -> None:
    """Refuse a table with a text that standard output cannot represent; nothing may alter it."""
    columns = table.for_programs
    texts = (value for values in columns.values() for value in values if isinstance(value, str))
    for text in (*columns, *texts):
        encoding = lacking_encoding(text)
        if encoding is not None:
            raise Refused(
                f"{text!a} cannot be printed in the encoding of the output ({encoding}); set "
                "PYTHONIOENCODING=utf-8, or use --format json"
            )


def print_json(command: str, contents: Mapping[str, Any]) -> None:
    """Print one JSON object: the version of its form, the command, and the results.

    Undefined values are null, dates are text, and all characters are ASCII.
    """
    result = {"schema_version": SCHEMA_VERSION, "command": command, **contents}
    print_text(visible_json(json.dumps(result, indent=2, default=str, allow_nan=False)))


_EXPLAINING = (
    *(
        "signature",
        "settings",
        "rows",
        "left_out",
        "missing",
        "pairs",
        "test_set",
        "warnings",
        "versions",
    ),
)


def described(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a JSON object says about a run: the fields of its record that explain it."""
    return {name: record[name] for name in _EXPLAINING if name in record}


def as_rows(tables: "Mapping[str, pa.Table]") -> dict[str, list[dict[str, Any]]]:
    """Return tables as lists of rows."""
    return {name: table.to_pylist() for name, table in tables.items()}
