"""Write tables as LaTeX that fit the line of any class, with booktabs and graphicx."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from segscore.jobs.show.fitted import width_of
from segscore.pipeline.comparison.pair_rows import letter
from segscore.pipeline.measures.published import published_name
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.statistics.result_table import Column, ResultTable

_UNDEFINED = "–"
_LONGEST_HEADING = 12
_LABEL_WORDS = 4
"""Number of words of a caption that its label has."""

_LINE = 90
"""Number of characters of a row after which columns of values continue in a further block."""

_GAP = 2
"""Number of characters between two columns."""

_LONGEST_NAME = 16
"""Number of characters of a name that count; a block with longer names is printed smaller."""

_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Scales what is wider than the line down to it, and leaves the rest as it is."""

_BOLD, _RAISED, _END = "\ue000\ue001\ue002"
"""Marks in the text of a cell: begin bold, begin a superscript, end either."""

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "[": "{[}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "\ue000": r"\textbf{", "\ue001": r"\textsuperscript{", "\ue002": "}",
        "<": "$<$", ">": "$>$", "−": "$-$", "–": "--", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    }
)  # fmt: skip


def latex_tables(table: ResultTable) -> str:
    """Write a table of systems or pairs: a float for each measure and group of its caption.

    Columns without any value are left out, and an interval is below its value. The best values are
    bold, and letters at a value name the systems of the table that it beats significantly.
    """
    cells = [*zip(*(column.bracketed for column in table.for_people), strict=True)]
    parts: dict[tuple[str, ...], list[int]] = {}
    for row, of_row in enumerate(cells):
        parts.setdefault(of_row[: table.groups], []).append(row)
    floats = []
    for number, (group, rows) in enumerate(parts.items(), start=1):
        letters = _letters_of(table, rows)
        columns = _columns(table, rows, letters)
        caption = _captioned(table, group, rows, has_letters=bool(letters))
        if letters:
            columns.insert(0, Column("", [letters[row] for row in rows], is_name=True))
        label = "-".join(re.findall("[A-Za-z0-9]+", " ".join(group))) or "systems"
        label += f"-{number}" if len(parts) > 1 else ""
        floats.append(_latex_table(f"{caption}.", columns, table.signature, label))
    return "\n\n".join(floats)


def _captioned(
    table: ResultTable, group: tuple[str, ...], rows: Sequence[int], *, has_letters: bool
) -> str:
    """Say what the rows of a group are, and what is marked in them."""
    values = [column for column in table.for_people if not column.is_name]
    headings = [column.name for column in table.for_people[: table.groups]]
    caption = _caption(headings, group, table.average)
    if any("[" in column.bracketed[row] for column in values for row in rows):
        caption += f"; {table.intervals}"
    if any(row in (column.best or ()) for column in values for row in rows):
        caption += "; best values bold"
    caption += "".join(
        f"; {table.notes[of]}" for of in dict.fromkeys([group, ()]) if of in table.notes
    )
    caption += f"; {table.caption}" if table.caption else ""
    return caption + ("; letters: systems that it beats (Holm-adjusted p < 0.05)" * has_letters)


def _letters_of(table: ResultTable, rows: Sequence[int]) -> dict[int, str]:
    """Return a letter for each of some rows; empty if no value in them is marked with one."""
    if not any(row in rows for column in table.for_people for row in column.beaten):
        return {}
    return {row: letter(number) for number, row in enumerate(rows)}


def _marked(column: Column, cell: str, row: int, letters: Mapping[int, str]) -> str:
    """Return a cell with marks for bold and for letters."""
    value, space, interval = cell.partition(" [")
    value = f"{_BOLD}{value}{_END}" if row in (column.best or ()) else value
    beaten = [letters[other] for other in sorted(column.beaten.get(row, ()))]
    value += f"{_RAISED}{','.join(beaten)}{_END}" if beaten else ""
    return f"{value}{space}{interval}"


def latex_table(table: ResultTable, signature: str) -> str:
    """Write one table as a float; columns without any value are left out."""
    caption = table.caption
    label = "-".join(re.findall("[a-z0-9]+", caption.lower().partition(";")[0])[:_LABEL_WORDS])
    return _latex_table(caption, _columns(table, range(table.rows), {}), signature, label)


def _columns(table: ResultTable, rows: Sequence[int], letters: Mapping[int, str]) -> list[Column]:
    """Return the columns of some rows without those of the caption."""
    columns = []
    for column in table.for_people[table.groups :]:
        cells = column.bracketed
        marked = [_marked(column, cells[row], row, letters) for row in rows]
        heading = _heading(column.name)
        if column.is_name:
            columns.append(Column(heading, marked, is_name=True))
        elif any(cells[row] != _UNDEFINED for row in rows):
            columns.append(Column(heading, [*map(_number, marked)]))
    return columns


def _caption(headings: Sequence[str], values: Sequence[str], average: str) -> str:
    parts = [
        _heading(value) if heading == "measure" else f"{heading} {value}"
        for heading, value in zip(headings, values, strict=True)
    ]
    caption = ", ".join([*reversed(parts), *([f"{average} averages"] if average else [])])
    # Names such as multWinDiff stay as they are published.
    is_plain = caption.partition(" ")[0].islower()
    return caption[0].upper() + caption[1:] if is_plain else caption


def _heading(heading: str) -> str:
    """Return the published name of a measure, with its direction; another heading in lines."""
    if heading in COMPARED:
        return published_name(heading) + COMPARED[heading].arrow
    return "\n".join(textwrap.wrap(heading, _LONGEST_HEADING))


def _number(cell: str) -> str:
    """Return a number with a minus sign instead of a hyphen, and its interval on a second line."""
    return re.sub(r"-(?=\.?\d)", "−", cell).replace(" [", "\n[")


def _latex_table(caption: str, columns: Sequence[Column], signature: str, label: str) -> str:
    """Write a table as a float with its caption above and the signature below.

    Many columns of values continue in a further block, which repeats the columns of names. A block
    that is still too wide is scaled down. `label` is the name for references to the table, after
    `tab:`.
    """
    blocks = "\n\\par\\medskip\n".join(_blocks(columns))
    signed = _escape(signature).replace("|", r"|\allowbreak ")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\small\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{_escape(caption)}}}",
            rf"\label{{tab:{label}}}",
            blocks,
            *([rf"\par\noindent{{\footnotesize\ttfamily {signed}}}"] if signed else []),
            r"\end{table}",
        ]
    )


def _blocks(columns: Sequence[Column]) -> Iterator[str]:
    names = [column for column in columns if column.is_name]
    values = [column for column in columns if not column.is_name]
    room = _LINE - sum(min(width_of(column), _LONGEST_NAME) + _GAP for column in names)
    while values:
        number, free = 0, room
        while number < len(values) and (width_of(values[number]) <= free or not number):
            free -= width_of(values[number]) + _GAP
            number += 1
        yield _block(names, values[:number])
        values = values[number:]


def _block(names: Sequence[Column], values: Sequence[Column]) -> str:
    texts = [
        [str(cell).replace("\n", " ") if column.is_name else str(cell) for cell in cells]
        for column in (*names, *values)
        for cells in [(column.heading, *column.cells)]
    ]
    columns = [[[_escape(line) for line in text.split("\n")] for text in cells] for cells in texts]
    heading, *rows = map(_row, zip(*columns, strict=True))
    kinds = "l" * len(names) + "r" * len(values)
    return "\n".join(
        [
            _FITTED,
            rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}",
            *(r"\toprule", heading, r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}}",
        ]
    )


def _escape(text: str) -> str:
    return text.translate(_SPECIAL)


def _row(cells: Sequence[Sequence[str]]) -> str:
    """Write the lines of the cells of a row as rows of LaTeX, one below the other."""
    lines = zip_longest(*cells, fillvalue="")
    return "\n".join(" & ".join(line) + r" \\" for line in lines)
