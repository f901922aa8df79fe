"""`segscore report`: write the results of a run as one HTML page."""

from segscore.jobs.cli import startup
from segscore.jobs.cli.log import LOG
from segscore.pipeline.reports.settings import ReportSettings


def report(chosen: ReportSettings) -> None:
    """Write the results of a run of score, nightly, sweep or agree as one HTML page with charts."""
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.reports.write_report import write_report

    startup.work()
    written = write_report(chosen)
    LOG.warn(written.missing)
    print_lines(f"{chosen.output} ({written.size / 1e6:.1f} MB): open it in a browser")
    if LOG.structured:
        LOG.say("info", "written", output=chosen.output, bytes=written.size)
