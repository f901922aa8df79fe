"""Pictures of the pages: the first screen of a report of data that ships.

`python -m tests.docs.picture RUN FILE` opens the report of a run in the tests' browser; RUN may be
a page, such as that of `segscore trend --report`.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from segscore.pipeline.reports.settings import ReportSettings
from segscore.pipeline.reports.write_report import write_report
from tests.support.browser import INSTALLED, open_report

WIDTH = 1180
CUT = "document.querySelectorAll('nav, header > .more, .save, .further').forEach(e => e.remove());"


def take(run: str, picture: str) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(run)
        if page.suffix != ".html":
            page = Path(folder) / "report.html"
            write_report(ReportSettings(run, str(page), "boundary_similarity", "micro"))
        browser = playwright.chromium.launch(executable_path=INSTALLED, args=["--no-sandbox"])
        with open_report(browser, page.resolve(), WIDTH, unfolded=False) as log:
            log.page.evaluate(CUT)
            log.page.locator("header").screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(*sys.argv[1:])
