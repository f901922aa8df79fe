"""A real headless browser, and a log of what a page does."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, sync_playwright

from tests.support.paths import ROOT

INSTALLED = ROOT / "build" / "browser" / "chromium"
AXE = ROOT / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"


@dataclass
class PageLog:
    """Log of a page.

    Attributes:
        page: Playwright's page.
        url: of the page.
        messages: texts on its console, and errors.
        requests: URLs that it requested, without its own.
    """

    page: Page
    url: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def message(self, message: ConsoleMessage) -> None:
        """Log a message of the console."""
        self.messages.append(message.text)

    def error(self, problem: Error) -> None:
        """Log an error."""
        self.messages.append(str(problem))

    def request(self, request: Request) -> None:
        """Log the address of a request."""
        if request.url != self.url:
            self.requests.append(request.url)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser for the whole session."""
    if not INSTALLED.exists():
        npm = shutil.which("npm")
        why = "`make test-all` does that, if npm can" if npm else "that needs npm, from Node.js"
        pytest.skip(f"NO REPORT IS OPENED: there is no browser; {why}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=INSTALLED, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def open_report(
    chromium: Browser,
    file: Path,
    width: int = 1280,
    scheme: str = "light",
    *,
    bypass: bool = False,
    unfolded: bool = True,
) -> Iterator[PageLog]:
    """Open a report and wait until its charts are drawn.

    Args:
        chromium: the browser.
        file: of the report.
        width: of the window, in pixels.
        scheme: light or dark.
        bypass: whether a test may add scripts to the page.
        unfolded: whether to open all sections.
    """
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=bypass,
    )
    context.set_default_timeout(120_000)  # other tests run at the same time
    log = PageLog(context.new_page(), file.as_uri())
    log.page.on("console", log.message)
    log.page.on("pageerror", log.error)
    log.page.on("request", log.request)
    log.page.goto(log.url)
    log.page.wait_for_selector("html[data-drawn]", state="attached")
    if unfolded:
        log.page.evaluate("document.querySelectorAll('.section').forEach(e => { e.open = true })")
    yield log
    context.close()
