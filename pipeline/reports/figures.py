"""Turn charts into figures: for notebooks, and as SVG, PDF and PNG for papers."""

import re
from collections.abc import Sequence
from os.path import splitext
from typing import TYPE_CHECKING, Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused, require_extra
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.published import published_name
from segscore.pipeline.reports.chart_parts import Chart

if TYPE_CHECKING:
    import altair as alt

FIGURES = (".svg", ".pdf", ".png")
"""Endings of the files that a figure can be saved as."""

_WIDTH = 420
"""Width of what is drawn in a notebook, without the labels of its axis, in pixels."""

_COLUMN = 321
"""Width of a saved figure in pixels of 1/96 inch: 85 mm, a column of a paper."""

_NARROWEST = 100
"""Smallest width of what is drawn beside the labels of an axis, in pixels."""

_CONFIG = {"axisQuantitative": {"labelSeparation": 6}, "axisX": {"titleAnchor": "end"}}
"""Settings of all figures: at least so many pixels between two numbers on an axis, and titles that
end where their axis ends, as a long one is wider than the axis."""

_POINTS = 0.75
"""Points of 1/72 inch, in which PDF and PNG measure, for each pixel of a figure."""

_RESOLUTION = 288
"""Pixels of a PNG for each inch: three for each pixel of a figure."""

_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
"""The size of an SVG in its first element."""


def require_charts(what: str) -> None:
    """Refuse what needs charts if a package that draws them is not installed."""
    require_extra(what, "report", "altair", "vl_convert")


def require_figure(option: str, path: str) -> None:
    """Check that a figure can be saved as a file of this name.

    Raises:
        Refused: the ending is no format of figures, or a package is not installed.
    """
    if splitext(path)[1].lower() not in FIGURES:
        raise Refused(f"{option} {path}: must end in {', '.join(FIGURES)}")
    require_charts(option)
    storage.require_writable_store(option, path)


_MEASURE = re.compile(rf"\b({'|'.join(sorted(ALL, key=len, reverse=True))})\b")
"""The name of a measure in the title of an axis."""


_DATA = ("data", "datasets")
"""Parts of a chart that are no titles."""


def _as_published(part: Any) -> Any:
    """Return a part of a chart whose titles have the names of measures that LaTeX tables have."""
    if isinstance(part, list):
        return [_as_published(each) for each in part]
    if not isinstance(part, dict):
        return part
    published = {}
    for name, value in part.items():
        if name == "title" and isinstance(value, str):
            published[name] = _MEASURE.sub(lambda found: published_name(found[1]), value)
        else:
            published[name] = value if name in _DATA else _as_published(value)
    return published


def as_figure(chart: Chart) -> "alt.Chart":
    """Return a chart that shows itself in a notebook, and saves itself."""
    import altair as alt

    chart = _as_published(chart)
    figure: alt.Chart = alt.Chart.from_dict({**chart, "width": _WIDTH, "config": _CONFIG})
    return figure


def as_figures(drawn: Sequence[Chart]) -> "alt.VConcatChart":
    """Return charts, one below the other, as ``as_figure`` does."""
    import altair as alt

    figure: alt.VConcatChart = alt.VConcatChart.from_dict(_below_each_other(drawn))
    return figure


def _below_each_other(drawn: Sequence[Chart], width: float = _WIDTH) -> dict[str, Any]:
    charts = [{**_as_published(chart), "width": width} for chart in drawn]
    return {"vconcat": charts, "config": _CONFIG}


def _of_one_column(drawn: Sequence[Chart]) -> dict[str, Any]:
    """Return charts, one below the other, that are as wide as a column with all their labels."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(_below_each_other(drawn))
    labels = float(svg.split('width="', 1)[1].split('"', 1)[0]) - _WIDTH
    return _below_each_other(drawn, max(_NARROWEST, _COLUMN - labels))


def save_figure(drawn: Sequence[Chart], path: str) -> None:
    """Save charts, one below the other, in the format that the name ends in.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: the file cannot be written.
    """
    import vl_convert

    svg = vl_convert.vegalite_to_svg(_of_one_column(drawn))
    ending = splitext(path)[1].lower()
    if ending == ".svg":
        content = svg.encode()
    elif ending == ".pdf":
        content = vl_convert.svg_to_pdf(_in_points(svg))
    else:
        content = vl_convert.svg_to_png(_in_points(svg), ppi=_RESOLUTION)
    storage.write_bytes(path, content)


def _in_points(svg: str) -> str:
    """Return an SVG whose size is in points, so that it is as wide on paper as one in pixels."""

    def smaller(size: re.Match[str]) -> str:
        width, height = (float(number) * _POINTS for number in size.groups())
        return f'width="{width:g}" height="{height:g}"'

    return _SIZE.sub(smaller, svg, count=1)
