"""Write the figure that a command is asked for, and say so."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from segscore.jobs.cli.log import LOG
from segscore.pipeline.errors import Refused

if TYPE_CHECKING:
    from segscore.pipeline.reports.chart_parts import Chart


def write_figure(path: str, charts: "Iterable[Chart | None]", lacking: str) -> None:
    """Write charts to a file; None stands for one that has nothing to draw.

    Raises:
        Refused: there is nothing to draw, and ``lacking`` says why.
    """
    from segscore.pipeline.reports.figures import save_figure

    drawn = [chart for chart in charts if chart is not None]
    if not drawn:
        raise Refused(f"--figure {path}: {lacking}")
    save_figure(drawn, path)
    LOG.say("info", f"{path}: written", figure=path)
