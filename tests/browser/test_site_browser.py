"""In a browser, examples of the site are copied without their output, and words are found."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.site import build_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page of 1280 pixels."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


NOTE_COPIES = "document.addEventListener('copy', e => { window.copied = e.target.value })"


@pytest.mark.parametrize(
    ("name", "containing", "copied"),
    [
        (
            "language-models",
            "$ segscore score references.jsonl",
            "segscore score references.jsonl tables/hypotheses --output run",
        ),
        ("harnesses", "from inspect_ai import Task, task", "from inspect_ai import Task, task\n…"),
    ],
)
def test_a_button_copies_what_was_typed(
    site: Path, page: Page, name: str, containing: str, copied: str
) -> None:
    page.goto((site / f"{name}.html").as_uri())
    page.evaluate(NOTE_COPIES)
    example = page.locator("div.highlight", has_text=containing).first
    example.hover()
    example.locator("button.copybtn").click()
    text = page.wait_for_function("window.copied").json_value()
    if copied.endswith("…"):
        assert text.startswith(copied.removesuffix("…"))
    else:
        assert text == copied


def test_a_word_is_found(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    page.locator("input[name=q]").fill("rewritten answers")
    page.keyboard.press("Enter")
    page.wait_for_selector("ul.search li a")
    found = [link.get_attribute("href") or "" for link in page.locator("ul.search li a").all()]
    assert any("language-models" in address for address in found)
