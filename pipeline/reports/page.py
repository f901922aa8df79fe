"""Render a page of sections with text, charts and drawings, and the table behind each.

The page opens from disk without a network: it contains the charting library, the style and the
data, and its content security policy allows nothing else.
"""

import re
from base64 import b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from segscore.pipeline.plain_text import terminal_safe
from segscore.pipeline.reports.cell_charts import CellChart
from segscore.pipeline.reports.figures import require_charts
from segscore.pipeline.reports.strips import MARKS, Drawing
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.formatted_numbers import format_value
from segscore.pipeline.statistics.result_table import Column, ResultTable, WrittenNumber

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class NumberCell(WrittenNumber):
    """A number that may be shaded.

    Attributes:
        grade: how good the number is, from 0 (worst, no shade) to 1 (best).
        best: whether it is the best of its column, which is bold.
    """

    grade: float = 0.0
    best: bool = False


Cell = str | int | float | NumberCell | CellChart | None


@dataclass(frozen=True)
class PageTable:
    """The numbers behind a chart.

    Attributes:
        headings: headings of the columns.
        rows: rows of cells; None is undefined, a float is shown with four decimals.
        more: what was left out and where to find it; empty if nothing.
        failed: indices of the rows that are marked as failed.
        best: indices of the rows that are the best by the first measure.
        wide: indices of the columns that the table at a glance leaves out on a narrow screen.
        apart: rows below the others, under a heading of their own; sorted among themselves.
        apart_heading: that heading.
        named_by: index of the column that names the rows.
        sorted_by: index of the column that the rows are sorted by; None if the page does not say.
        descending: whether they are sorted from the largest value to the smallest.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    more: str = ""
    failed: Collection[int] = ()
    best: Collection[int] = ()
    wide: Collection[int] = ()
    apart: Sequence[Sequence[Cell]] = ()
    apart_heading: str = ""
    named_by: int = 0
    sorted_by: int | None = None
    descending: bool = True

    @cached_property
    def numeric(self) -> frozenset[int]:
        """Indices of the columns of numbers, which stand on the right with their headings."""
        columns = zip(*self.rows, *self.apart, strict=True)
        return frozenset(
            place
            for place, cells in enumerate(columns)
            if not any(isinstance(cell, str | CellChart) for cell in cells)
        )


@dataclass(frozen=True)
class Figure:
    """A chart or a drawing.

    Attributes:
        title: heading of the figure.
        caption: how to read it, in a sentence or two; also the chart's text for screen readers.
        table: the numbers behind the chart; None for none.
        chart: chart as Vega-Lite JSON; None for none.
        drawings: drawings of segmentations.
        folded: whether the table is collapsed until the reader opens it.
        wide: whether the figure takes the width of the page; others are placed side by side.
        note: more about how to read it, below the table; empty for nothing.
        at_a_glance: whether it is the table of a first screen, larger and without a visible title.
    """

    title: str
    caption: str = ""
    table: PageTable | None = None
    chart: dict[str, Any] | None = None
    drawings: Sequence[Drawing] = ()
    folded: bool = True
    wide: bool = False
    note: str = ""
    at_a_glance: bool = False


def shown_figure(
    table: ResultTable,
    chart: dict[str, Any] | None = None,
    *,
    title: str = "",
    folded: bool = True,
    wide: bool = False,
    note: str = "",
    at_a_glance: bool = False,
) -> Figure:
    """Show a table of results, with a chart; its title is the figure's by default."""
    columns = [part for column in table.for_people for part in column.for_page()]
    cells = (
        [_cell_of(column, value, row) for row, value in enumerate(column.values)]
        for column in columns
    )
    rows = [*zip(*cells, strict=True)]
    naming = [each.is_name and not each.once for each in columns]
    among = table.rows - table.apart
    left = 0 if table.most is None else max(0, among - table.most)
    page_table = PageTable(
        [column.name for column in columns],
        rows[: among - left],
        more=f"{table.rest(left)}." if left and table.rest is not None else "",
        failed=table.failed,
        best=next((each.best for each in columns if each.best is not None), ()),
        wide=[place for place, each in enumerate(columns) if each.is_detail],
        apart=rows[among:],
        apart_heading=table.apart_heading,
        named_by=naming.index(True),
        sorted_by=table.sorted_by,
        descending=table.descending,
    )
    caption = " ".join(
        [f"{table.caption[:1].upper()}{table.caption[1:]}."] * bool(table.caption)
        + [table.guide] * bool(table.guide)
    )
    return Figure(
        title or table.title,
        caption,
        page_table,
        chart,
        folded=folded,
        wide=wide,
        note=note,
        at_a_glance=at_a_glance,
    )


def _cell_of(column: Column, value: Any, row: int) -> Cell:
    """Return a cell that is written as its column says."""
    if value is None or isinstance(value, str | CellChart):
        return value
    if isinstance(value, WrittenNumber):
        grade, is_best = column.grades.get(row, 0.0), row in (column.best or ())
        return NumberCell(value.text, value.value, value.detail, grade, is_best)
    text = column.write(value)
    return value if text == format_value(value) else NumberCell(text, value)


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes:
        anchor: name of the section in links.
        title: heading of the section.
        text: introductory text.
        figures: figures in reading order.
        missing: what could not be shown, and why; empty if nothing.
        openable: figures that are closed until the reader opens them, and can be searched by title.
        open: whether it is open from the start; others are folded.
    """

    anchor: str
    title: str
    text: str
    figures: Sequence[Figure]
    missing: str = ""
    openable: Sequence[Figure] = ()
    open: bool = False

    @property
    def marks(self) -> list[str]:
        """Kinds of marks in the drawings, in the order of the key."""
        return _marks_of((*self.figures, *self.openable))


def _marks_of(figures: Sequence[Figure]) -> list[str]:
    kinds = {kind for each in figures for drawing in each.drawings for kind in drawing.kinds}
    return [kind for kind in MARKS if kind in kinds]


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes:
        title: name of the run.
        finding: what the run found: the first screen.
        picture: what answers the question at a glance; None for nothing.
        signature: the signature of the run.
        summary: what else is to be known; empty for nothing.
        sections: the sections in reading order.
        following: the command to look closer; empty for none.
        inputs: the files that the run read, which tell runs of one name apart.
    """

    title: str
    finding: Finding
    picture: Figure | None
    signature: str
    summary: str
    sections: Sequence[Section]
    following: str = ""
    inputs: Sequence[str] = ()

    @property
    def subject(self) -> str:
        """What the page is about, in a few characters: another subject, another run."""
        return sha256("\n".join([self.title, *self.inputs]).encode()).hexdigest()[:16]

    @property
    def picture_marks(self) -> list[str]:
        """Kinds of marks in the drawings of the picture, in the order of the key."""
        return _marks_of([] if self.picture is None else [self.picture])


def render(page: Page, library: str) -> str:
    """Render a page, and the script that draws its charts, as one HTML document."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("segscore.pipeline.reports")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cell": _format_cell, "breakable": _breakable}
    environment.globals["marks"] = MARKS
    environment.tests["written"] = lambda cell: isinstance(cell, NumberCell)
    environment.tests["drawn"] = lambda cell: isinstance(cell, CellChart)
    script, *_ = loader.get_source(environment, "page.js")
    document = environment.get_template("page.html").render(
        page=page,
        library=library,
        script=script,
        allowed=" ".join(_digest(text) for text in (library, script)),
    )
    return terminal_safe(document)  # names may have control characters; the scripts have none


def charting_library() -> str:
    """Return Vega-Lite and its dependencies as one script.

    Raises:
        Refused: altair or vl-convert is not installed.
    """
    require_charts("report")
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _digest(script: str) -> str:
    """Return the hash that allows a script in a content security policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def isolated(name: str) -> str:
    """Isolate a name for use in a sentence, so that it cannot change the direction of the text."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def _breakable(heading: str) -> "Markup":
    """Let a heading continue on a further line after an underscore, but not before an arrow."""
    from markupsafe import Markup, escape

    together = re.sub(" (?=[↑↓])", "\N{NO-BREAK SPACE}", heading)
    return Markup(str(escape(together)).replace("_", "_<wbr>"))  # noqa: S704 (escaped)


def _format_cell(cell: Cell) -> str:
    """Format a cell: a dash if undefined, floats with four decimals, thousands separated."""
    if isinstance(cell, NumberCell):
        return cell.text
    return format_value(cell)
