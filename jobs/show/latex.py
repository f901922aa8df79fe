"""Write tables as LaTeX that fit the text of an article, 345 points wide, with booktabs."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from segscore.jobs.show.fitted import Column
from segscore.jobs.show.formats import Layout
from segscore.pipeline.comparison.pair_rows import letter
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.published import published_name

_TEXT_WIDTH = 345.0
"""Width of the text of the class article at 10 pt, in points."""

_UNDEFINED = "–"
_LONGEST_HEADING = 12
_LABEL_WORDS = 4
"""Number of words of a caption that its label has."""

_GAP = 8.0
"""Points between two columns."""

_LEAST_NAME = 45.0
"""Points to which a column of names may be narrowed before values continue in a further block."""

_SMALL = 0.93
"""Width of a character in \\small, divided by that at 10 pt."""

_WIDTHS = {
    **dict.fromkeys(".,:;ijl'|![]I", 3.1),
    **dict.fromkeys("frst()- ", 4.0),
    **dict.fromkeys("0123456789acez/", 5.0),
    **dict.fromkeys("mwMW%", 10.3),
    **dict.fromkeys("–<−↑↓", 7.8),
    **dict.fromkeys("\ue000\ue001\ue002", 0.0),
}
"""Character -> its width in Computer Modern at 10 pt, or a little more."""

_BOLD, _RAISED, _END = "\ue000\ue001\ue002"
"""Marks in the text of a cell: begin bold, begin a superscript, end either."""

_OTHER_WIDTH = {True: 7.9, False: 5.6}
"""Width of other characters: capitals and symbols, and small letters."""

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "[": "{[}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "\ue000": r"\textbf{", "\ue001": r"\textsuperscript{", "\ue002": "}",
        "<": "$<$", ">": "$>$", "−": "$-$", "–": "--", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    }
)  # fmt: skip

_PIECES = re.compile(r"[^\s_/:.@-]{0,5}[\s_/:.@-]?")
"""A part of a name after which a line may end: at a mark, or after five characters."""


def latex_tables(layout: Layout) -> str:
    """Write a table of systems or pairs: a float for each measure and group of its caption.

    Columns without any value are left out, and an interval is below its value. The best values are
    bold, and letters at a value name the systems of the table that it beats significantly.
    """
    tables: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(layout.rows):
        tables.setdefault(tuple(row[: layout.apart]), []).append(place)
    floats = []
    for number, (apart, places) in enumerate(tables.items(), start=1):
        letters = _letters_of(layout, places)
        rows = [_marked_row(layout, place, letters)[layout.apart :] for place in places]
        with_intervals = any(
            "[" in cell for row in rows for cell in row[layout.texts - layout.apart :]
        )
        caption = _caption(layout.headings[: layout.apart], apart, layout.average)
        caption += f"; {layout.intervals}" if with_intervals else ""
        caption += "; best values bold" if any(row in places for row, _ in layout.best) else ""
        caption += f"; {layout.notes[apart]}" if apart in layout.notes else ""
        caption += "; letters: systems that it beats (Holm-adjusted p < .05)" if letters else ""
        columns = _columns(layout, rows)
        if letters:
            columns.insert(0, Column("", [letters[place] for place in places], is_name=True))
        label = "-".join(re.findall("[A-Za-z0-9]+", " ".join(apart))) or "systems"
        label += f"-{number}" if len(tables) > 1 else ""
        floats.append(_latex_table(f"{caption}.", columns, layout.signature, label))
    return "\n\n".join(floats)


def _letters_of(layout: Layout, places: Sequence[int]) -> dict[int, str]:
    """Return a letter for each of some rows; empty if no value in them is marked with one."""
    if not any(row in places for row, _ in layout.beaten):
        return {}
    return {place: letter(number) for number, place in enumerate(places)}


def _marked_row(layout: Layout, place: int, letters: Mapping[int, str]) -> list[str]:
    """Return the cells of a row, with marks for bold and for letters."""
    cells = []
    for column, cell in enumerate(layout.rows[place]):
        value, space, interval = cell.partition(" [")
        value = f"{_BOLD}{value}{_END}" if (place, column) in layout.best else value
        beaten = [letters[row] for row in sorted(layout.beaten.get((place, column), ()))]
        value += f"{_RAISED}{','.join(beaten)}{_END}" if beaten else ""
        cells.append(f"{value}{space}{interval}")
    return cells


def latex_table(layout: Layout, caption: str) -> str:
    """Write one table as a float; columns without any value are left out."""
    label = "-".join(re.findall("[a-z0-9]+", caption.lower().partition(";")[0])[:_LABEL_WORDS])
    return _latex_table(caption, _columns(layout, layout.rows), layout.signature, label)


def _columns(layout: Layout, rows: Sequence[Sequence[str]]) -> list[Column]:
    headings, texts = layout.headings[layout.apart :], layout.texts - layout.apart
    columns = [
        Column(_heading(heading), cells, is_name=True)
        if place < texts
        else Column(_heading(heading), [_number(cell) for cell in cells])
        for place, (heading, *cells) in enumerate(zip(headings, *rows, strict=True))
    ]
    return [
        column
        for column in columns
        if column.is_name or any(cell != _UNDEFINED for cell in column.cells)
    ]


def _caption(headings: Sequence[str], values: Sequence[str], average: str) -> str:
    parts = [
        _heading(value) if heading == "measure" else f"{heading} {value}"
        for heading, value in zip(headings, values, strict=True)
    ]
    caption = ", ".join([*reversed(parts), f"{average} averages"])
    # Names such as multWinDiff stay as they are published.
    is_plain = caption.partition(" ")[0].islower()
    return caption[0].upper() + caption[1:] if is_plain else caption


def _heading(heading: str) -> str:
    """Return the published name of a measure, with its direction; another heading in lines."""
    if heading in ALL:
        return published_name(heading) + ALL[heading].arrow
    return "\n".join(textwrap.wrap(heading, _LONGEST_HEADING))


def _number(cell: str) -> str:
    """Return a number with a minus sign instead of a hyphen, and its interval on a second line."""
    return re.sub(r"-(?=\.?\d)", "−", cell).replace(" [", "\n[")


def _latex_table(caption: str, columns: Sequence[Column], signature: str, label: str) -> str:
    """Write a table as a float with its caption above and the signature below.

    If the columns do not fit beside each other, those of values continue in a further block, which
    repeats the columns of names.  Long names continue on a further line. `label` is the name for
    references to the table, after `tab:`.
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
            rf"\par\noindent{{\footnotesize\ttfamily {signed}}}",
            r"\end{table}",
        ]
    )


def _blocks(columns: Sequence[Column]) -> Iterator[str]:
    names = [column for column in columns if column.is_name]
    values = [column for column in columns if not column.is_name]
    needed = sum(min(_points(column), _LEAST_NAME) + _GAP for column in names)
    while values:
        number, free = 0, _TEXT_WIDTH - needed
        while number < len(values) and (_points(values[number]) <= free or not number):
            free -= _points(values[number]) + _GAP
            number += 1
        yield _block(names, values[:number], max(0.0, free + _GAP))
        values = values[number:]


def _block(names: Sequence[Column], values: Sequence[Column], free: float) -> str:
    """Write a block; ``free`` points beyond the least widths are for the columns of names."""
    kinds: list[str] = []
    columns: list[list[list[str]]] = []
    for column in names:
        least = min(_points(column), _LEAST_NAME)
        extra = min(free, _points(column) - least)
        free -= extra
        is_whole = least + extra >= _points(column)
        kinds.append("l" if is_whole else f"p{{{least + extra:.0f}pt}}")
        cells = [str(cell).replace("\n", " ") for cell in (column.heading, *column.cells)]
        columns.append([[_escape(cell) if is_whole else _breakable(cell)] for cell in cells])
    for column in values:
        kinds.append("r")
        texts = [str(cell) for cell in (column.heading, *column.cells)]
        columns.append([[_escape(line) for line in text.split("\n")] for text in texts])
    heading, *rows = map(_row, zip(*columns, strict=True))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}",
            *(r"\toprule", heading, r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}",
        ]
    )


def _points(column: Column) -> float:
    texts = [str(cell) for cell in (column.heading, *column.cells)]
    if column.is_name:
        texts = [text.replace("\n", " ") for text in texts]
    lines = [line for text in texts for line in text.split("\n")]
    return max(map(_line_points, lines))


def _line_points(line: str) -> float:
    other = (_OTHER_WIDTH[not char.islower()] for char in line if char not in _WIDTHS)
    return _SMALL * (sum(_WIDTHS.get(char, 0.0) for char in line) + sum(other))


def _escape(text: str) -> str:
    return text.translate(_SPECIAL)


def _breakable(name: str) -> str:
    pieces = [_escape(piece) for piece in _PIECES.findall(name) if piece]
    return r"\raggedright " + r"\allowbreak ".join(pieces)


def _row(cells: Sequence[Sequence[str]]) -> str:
    """Write the lines of the cells of a row as rows of LaTeX, one below the other."""
    lines = zip_longest(*cells, fillvalue="")
    return "\n".join(" & ".join(line) + r" \\" for line in lines)
