"""`segscore report`: what a run found, as one HTML page."""

from typing import Annotated

import typer

from segscore.jobs.cli import garbage
from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import LogFormat, Settings


def report(
    run: Annotated[str, typer.Argument(help="Folder of a finished run.")],
    output: Annotated[str, typer.Option(help="File of the page.")] = "report.html",
    measure: Annotated[
        str, typer.Option(help="Measure that systems are ranked by, of a scoring run.")
    ] = "boundary_similarity",
    average: Annotated[str, typer.Option(help="Of those ranks: micro, or macro.")] = "micro",
    settings: Settings = None,
    log_format: LogFormat = "text",
) -> None:
    """Write what a run of score, nightly, sweep or agree found as one page, charts and all."""
    from segscore.jobs.show.printing import out
    from segscore.pipeline.reports.report import ReportSettings
    from segscore.pipeline.reports.report import write_report as write

    garbage.work()
    written = write(ReportSettings(run, output, measure, average))
    for problem in written.missing:
        LOG.say("warning", problem)
    out().print(f"{output} ({written.size / 1e6:.1f} MB): open it in a browser", markup=False)
    if LOG.structured:
        LOG.say("info", "written", output=output, bytes=written.size)
