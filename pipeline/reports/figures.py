"""Turn charts into figures: for notebooks, and as SVG, PDF and PNG for papers."""

from collections.abc import Sequence
from os.path import splitext
from typing import TYPE_CHECKING, Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused, require_extra
from segscore.pipeline.reports import charts

if TYPE_CHECKING:
    import altair as alt

FIGURES = (".svg", ".pdf", ".png")
"""Endings of the files that a figure can be saved as."""

_WIDTH = 420
"""Width of a figure in pixels of 1/96 inch: a column of a paper."""

_CONFIG = {"axisQuantitative": {"labelSeparation": 6}}
"""Settings of all figures: at least so many pixels between two numbers on an axis."""

_SCALE = 3
"""Pixels of a PNG for each of the figure's."""


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


def as_figure(chart: charts.Chart) -> "alt.Chart":
    """Return a chart that shows itself in a notebook, and saves itself."""
    import altair as alt

    figure: alt.Chart = alt.Chart.from_dict({**chart, "width": _WIDTH, "config": _CONFIG})
    return figure


def as_figures(drawn: Sequence[charts.Chart]) -> "alt.VConcatChart":
    """Return charts, one below the other, as ``as_figure`` does."""
    import altair as alt

    figure: alt.VConcatChart = alt.VConcatChart.from_dict(_below_each_other(drawn))
    return figure


def _below_each_other(drawn: Sequence[charts.Chart]) -> dict[str, Any]:
    return {"vconcat": [{**chart, "width": _WIDTH} for chart in drawn], "config": _CONFIG}


def save_figure(drawn: Sequence[charts.Chart], path: str) -> None:
    """Save charts, one below the other, in the format that the name ends in.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: the file cannot be written.
    """
    import vl_convert

    together = _below_each_other(drawn)
    ending = splitext(path)[1].lower()
    if ending == ".svg":
        content = vl_convert.vegalite_to_svg(together).encode()
    elif ending == ".pdf":
        content = vl_convert.vegalite_to_pdf(together)
    else:
        content = vl_convert.vegalite_to_png(together, scale=_SCALE)
    storage.write_bytes(path, content)
