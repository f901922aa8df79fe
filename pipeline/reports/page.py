"""Render a page of sections with text, charts and drawings, and the table behind each.

The page opens from disk without a network: it contains the charting library, the style and the
data, and its content security policy allows nothing else.
"""

from base64 import b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from segscore.pipeline.reports.figures import require_charts
from segscore.pipeline.reports.strips import Drawing
from segscore.pipeline.statistics.shown_numbers import shown_number


@dataclass(frozen=True)
class NumberCell:
    """A number that is written in its own way, and may be shaded.

    Attributes:
        text: how the number is written.
        value: what the cell is sorted by; None if undefined.
        detail: smaller text below the number, such as its interval; empty for none.
        grade: how good the number is, from -1 (worst) to 1 (best); 0 for no shade.
    """

    text: str
    value: float | None
    detail: str = ""
    grade: float = 0.0


Cell = str | int | float | NumberCell | None


@dataclass(frozen=True)
class PageTable:
    """The numbers behind a chart.

    Attributes:
        headings: headings of the columns.
        rows: rows of cells; None is undefined, a float is shown with four decimals.
        more: what was left out and where to find it; empty if nothing.
        failed: indices of the rows that are marked as failed.
        apart: rows below the others, under a heading of their own; sorted among themselves.
        apart_heading: that heading.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    more: str = ""
    failed: Collection[int] = ()
    apart: Sequence[Sequence[Cell]] = ()
    apart_heading: str = ""


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
    """

    title: str
    caption: str = ""
    table: PageTable | None = None
    chart: dict[str, Any] | None = None
    drawings: Sequence[Drawing] = ()
    folded: bool = True
    wide: bool = False


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
    """

    anchor: str
    title: str
    text: str
    figures: Sequence[Figure]
    missing: str = ""
    openable: Sequence[Figure] = ()


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes:
        title: name of the run.
        answer: what the run shows, one sentence or more in each paragraph.
        signature: signature of the run.
        summary: the run in a few words.
        sections: sections in reading order.
    """

    title: str
    answer: Sequence[str]
    signature: str
    summary: str
    sections: Sequence[Section]


def render(page: Page, library: str) -> str:
    """Render a page as one HTML document.

    Args:
        page: the page.
        library: script that draws the charts (``charting_library``).
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("segscore.pipeline.reports")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cell": _format_cell}
    environment.globals["marks"] = _MARKS
    environment.tests["written"] = lambda cell: isinstance(cell, NumberCell)
    script, *_ = loader.get_source(environment, "page.js")
    return environment.get_template("page.html").render(
        page=page,
        library=library,
        script=script,
        allowed=" ".join(_digest(text) for text in (library, script)),
    )


def is_report(head: bytes) -> bool:
    """Check whether a file that starts with these bytes is a page of `segscore report`."""
    return head.startswith(b"<!doctype html>") and b" segscore</title>" in head


_MARKS = {
    "boundary": ("M0 0V16", "boundary"),
    "match": ("M0 0V16", "match"),
    "near": ("M-4 16V4H4", "near miss, linked to the reference boundary"),
    "other": ("M0 0V16M-3 15h6", "other type"),
    "miss": ("M0 0V16", "miss"),
    "extra": ("M0 16V0M-3 1h6", "false alarm"),
}
"""Kind of mark -> its SVG path in the key, and its meaning."""


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


def _format_cell(cell: Cell) -> str:
    """Format a cell: a dash if undefined, floats with four decimals, thousands separated."""
    if isinstance(cell, NumberCell):
        return cell.text
    if cell is None or isinstance(cell, float):
        return shown_number(cell)
    return f"{cell:,}" if isinstance(cell, int) else cell
