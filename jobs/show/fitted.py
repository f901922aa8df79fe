"""Print tables that fit the width of the terminal."""

import os
import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from segscore.jobs.show.quiet import OUTPUT
from segscore.pipeline.plain_text import visible
from segscore.pipeline.statistics.result_table import Column

_PIPED_WIDTH = 110
"""Width of text and drawings that are not printed on a terminal."""

_LEAST_NAME = 16
"""Width to which a column of names may be narrowed before columns of values are left out."""

_GAP = 2
_MARKS = r"[\s_/:.=-]"
_BREAKS = re.compile(rf"(?<={_MARKS})(?!{_MARKS})(?<!\d\.(?=\d))(?<!\de-(?=\d))(?<!=-)|(?<==)(?=-)")
"""Where a line of a name may end: after marks or a space, but not inside a number."""


def as_it_is(cell: Text) -> Any:
    """Write a cell that is a text with a style."""
    return cell


def width_of(column: Column) -> int:
    """Return the number of terminal columns that the longest line of a column needs."""
    texts = [column.heading, *map(str, column.cells)]
    return max((cell_len(line) for text in texts for line in text.split("\n")), default=0)


def _least(column: Column) -> int:
    """Return the number of terminal columns to which a column can be narrowed."""
    return min(width_of(column), _LEAST_NAME) if column.is_name else width_of(column)


def out() -> Console:
    """Return the console for results; with ``NO_COLOR`` it writes no codes, not even for bold."""
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(highlight=False, emoji=False, soft_wrap=True, color_system=system)
    console.push_render_hook(_VisibleControls())
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    return console


def print_lines(*lines: str, style: str = "") -> None:
    """Print lines of results as they are; with `--quiet` none."""
    for line in () if OUTPUT.verdict_only else lines:
        out().print(line, markup=False, style=style)


class _VisibleControls(RenderHook):
    """Makes the control characters visible in all that a console prints."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Wrap what is printed."""
        return [_Visible(each) for each in renderables]


@dataclass(frozen=True)
class _Visible:
    """Something to print, without the control characters of its text."""

    content: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.content, options):
            yield Segment(visible(segment.text, lines=True), segment.style, segment.control)


def print_fitted(
    columns: Sequence[Column],
    *,
    title: str = "",
    caption: str = "",
    elsewhere: str = "",
    sections: Collection[int] = (),
    whole: bool = True,
    last: bool = False,
) -> None:
    """Print a table that fits the terminal; where output is piped, print it on long lines.

    On a narrow terminal, long names continue on a further line, and the last columns of values are
    left out and named below the table.  With `--quiet`, nothing is printed.

    Args:
        columns: the columns, the most important ones first.
        title: heading of the table; empty for none.
        caption: remark below the table; empty for none.
        elsewhere: how to see more, also the columns that were left out; empty if nothing says so.
        sections: indices of the rows that an empty line follows.
        whole: whether lines are as long as the table needs where output is piped.
        last: whether no empty line follows.
    """
    if OUTPUT.verdict_only:
        return
    columns = [_without_controls(part) for column in columns for part in column.for_terminal()]
    console = out()
    if whole and not console.is_terminal:
        console.width = max(console.width, _natural_width(columns))
    shown, left_out = _choose(columns, console.width)
    if title:
        console.print(Text(title, "bold"))
    console.print(_table(shown, console.width, sections))
    if left_out and not elsewhere:
        names = ", ".join(_full_heading(column, columns) for column in left_out)
        elsewhere = f"no room here for {names}"
    for line in textwrap.wrap("; ".join(filter(None, (caption, elsewhere))), console.width):
        console.print(Text(line, "dim"))
    if not last:
        console.print()


def _without_controls(column: Column) -> Column:
    """Return a column whose cells are as wide as they will be printed."""
    cells = [
        visible(cell, lines=True) if isinstance(cell, str) else _visible_text(cell)
        for cell in column.cells
    ]
    heading = visible(column.heading, lines=True)
    return replace(column, heading=heading, values=cells, write=as_it_is)


def _visible_text(cell: Text) -> Text:
    shown = visible(cell.plain, lines=True)
    return cell if shown == cell.plain else Text(shown, cell.style)


def _natural_width(columns: Sequence[Column]) -> int:
    return sum(width_of(column) + _GAP for column in columns) - _GAP


def _full_heading(column: Column, columns: Sequence[Column]) -> str:
    """Return a heading in one line; one of several equal ones with the column before it."""
    heading = column.name
    if sum(other.heading == column.heading for other in columns) == 1:
        return heading
    place = next(place for place, other in enumerate(columns) if other is column)
    return f"{heading} of {columns[place - 1].heading}"


def _choose(columns: Sequence[Column], width: int) -> tuple[list[Column], list[Column]]:
    """Separate the columns that there is room for from those that there is not."""
    shown = list(columns)
    left_out: list[Column] = []
    while sum(_least(column) + _GAP for column in shown) - _GAP > width:
        values = [place for place, column in enumerate(shown) if not column.is_name]
        if len(values) < 2:
            break
        left_out.insert(0, shown.pop(values[-1]))
    return shown, left_out


def _table(columns: Sequence[Column], width: int, sections: Collection[int]) -> Table:
    # What ``collapse_padding`` leaves differs between releases of rich.
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    cells: list[list[Text]] = []
    free = width + _GAP - sum(_least(column) + _GAP for column in columns)
    for column in columns:
        least = _least(column)
        extra = max(0, min(free, width_of(column) - least))
        free -= extra
        table.add_column(
            Text(column.heading),
            justify="left" if column.is_name else "right",
            overflow="fold",
            no_wrap=not column.is_name,
            width=least + extra,
            vertical="top",
        )
        cells.append([_in_lines(cell, least + extra) for cell in column.cells])
    for place, row in enumerate(zip(*cells, strict=True)):
        table.add_row(*row, end_section=place in sections)
    return table


def _in_lines(cell: str | Text, width: int) -> Text:
    """Return a cell whose lines are no longer than its column is wide."""
    text = Text(cell) if isinstance(cell, str) else cell
    if all(cell_len(line) <= width for line in text.plain.split("\n")):
        return text
    return Text(_fold(text.plain, width), text.style)


def _fold(name: str, width: int) -> str:
    """Break a long name into lines, after a mark or space where there is one."""
    lines = [""]
    for part in _BREAKS.split(name):
        if cell_len(lines[-1] + part) <= width:
            lines[-1] += part
        else:
            lines += chop_cells(part, width)
    return "\n".join(line for line in lines if line)
