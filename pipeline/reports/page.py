"""A page of sections: text, charts, drawings, each with the table behind it; rendered whole.

The page opens from disk without a network: the charting library, the style and the data are in it,
and its content security policy lets nothing else in.
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.reports.strips import NAME, Drawing

Cell = str | int | float | None


@dataclass(frozen=True)
class PageTable:
    """What a chart shows, to be read.

    Attributes:
        headings: of the columns.
        rows: cells; None is undefined, a number with a fraction is shown with four decimals.
        more: what is left out, and where it is; empty if nothing.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    more: str = ""


@dataclass(frozen=True)
class Figure:
    """A chart or a drawing.

    Attributes:
        title: what it shows.
        says: how to read it, in a sentence or two; also what a screen reader says for the chart.
        table: behind the chart; None if there is nothing more to read.
        chart: in Vega-Lite's JSON; None for none.
        drawings: segmentations, one above the other.
        folded: whether the table is folded away until it is asked for.
        wide: whether it takes the width of the page; else several stand side by side.
    """

    title: str
    says: str = ""
    table: PageTable | None = None
    chart: dict[str, Any] | None = None
    drawings: Sequence[Drawing] = ()
    folded: bool = True
    wide: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        anchor: its name in links.
        title: of the part.
        says: what it is about.
        figures: in reading order.
        missing: what it could not show, and why; empty if nothing.
    """

    anchor: str
    title: str
    says: str
    figures: Sequence[Figure]
    missing: str = ""


@dataclass(frozen=True)
class Page:
    """The whole.

    Attributes:
        title: what it is a report of.
        signature: of the run.
        says: the run in a few words.
        sections: in reading order.
    """

    title: str
    signature: str
    says: str
    sections: Sequence[Section]


def render(page: Page, library: str) -> str:
    """Make one HTML document of a page.

    Args:
        page: the page.
        library: script that draws the charts (``charting_library``).
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("segscore.pipeline.reports")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"cell": _shown, "short": shortened}
    made.globals["marks"] = _MARKS
    script, *_ = loader.get_source(made, "page.js")
    return made.get_template("page.html").render(
        page=page,
        library=library,
        script=script,
        allowed=" ".join(_digest(each) for each in (library, script)),
    )


def is_report(head: bytes) -> bool:
    """Whether a file that begins so is a page of `segscore report`."""
    return head.startswith(b"<!doctype html>") and b" segscore</title>" in head


_MARKS = {
    "boundary": ("M0 0V16", "boundary"),
    "match": ("M0 0V16", "match"),
    "near": ("M-4 16V4H4", "near miss, tied to where the reference has it"),
    "other": ("M0 0V16M-3 15h6", "other type"),
    "miss": ("M0 0V16", "miss"),
    "extra": ("M0 16V0M-3 1h6", "false alarm"),
}
"""Kind of mark -> what it looks like in a key, what it means."""


def shortened(name: str) -> str:
    """As much of a name as stands beside a strip: both ends, as names often differ in one."""
    half = NAME // 2
    return name if len(name) <= NAME else f"{name[:half]}…{name[1 - half :]}"


def charting_library() -> str:
    """Vega-Lite and what it needs, as one script.

    Raises:
        Refused: it is not installed.
    """
    try:
        import altair  # noqa: F401  (makes the charts)
        import vl_convert
    except ModuleNotFoundError as problem:
        raise Refused(
            "report: needs altair and vl-convert: pip install 'segscore[report]'"
        ) from problem
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _digest(script: str) -> str:
    """A script's name in a content security policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def isolated(name: str) -> str:
    """A name as it stands in a sentence, whose direction it must not change."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def _shown(cell: Cell) -> str:
    """A cell as it is read: a dash where undefined, four decimals, thousands apart."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
