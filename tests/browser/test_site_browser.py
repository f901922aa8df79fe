"""In a browser, examples of the site are seen whole and copied alone, and words are found."""

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


def addresses(site: Path) -> list[str]:
    """Return the addresses of the pages."""
    return [file.as_uri() for file in sorted(site.rglob("*.html"))]


CUT = """() => [...document.querySelectorAll("article pre")].flatMap(example => {
    const probe = document.createElement("span");
    probe.textContent = "0".repeat(10);
    example.append(probe);
    const character = probe.getBoundingClientRect().width / 10;
    probe.remove();
    const style = getComputedStyle(example);
    const room = example.clientWidth - parseFloat(style.paddingLeft) * 2;
    const lines = example.textContent.split("\\n");
    const tables = lines.filter(line => /─{12}|^\\|-{3}/.test(line));
    const table = tables.filter(line => line.length * character > room);
    return example.scrollWidth > example.clientWidth ? [lines[0], ...table] : table;
})"""
"""The lines of tables and drawings that are broken, and the first lines of examples that scroll."""


def test_no_output_is_cut_or_broken(site: Path, page: Page) -> None:
    cut = {}
    for address in addresses(site):
        page.goto(address)
        cut[address] = page.evaluate(CUT)
    assert len(cut) > 40
    assert {address: lines for address, lines in cut.items() if lines} == {}


def test_a_table_that_is_broken_would_be_found(site: Path, page: Page) -> None:
    page.goto((site / "quickstart.html").as_uri())
    page.add_style_tag(content="article[role=main] { width: 40rem }")
    assert any("───" in line for line in page.evaluate(CUT))


WIDE = "[...document.querySelectorAll('article pre')].filter(e => e.scrollWidth > e.clientWidth)"


def test_on_a_phone_the_page_stays_and_wide_output_scrolls_by_keyboard(
    site: Path, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in addresses(site):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address
        assert page.evaluate(f"{WIDE}.every(e => e.tabIndex === 0)"), address
    page.goto((site / "quickstart.html").as_uri())
    page.evaluate(f"{WIDE}[0].focus()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def test_the_first_page_shows_a_picture_and_three_doors(site: Path, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((site / "index.html").as_uri())
    assert page.evaluate("document.querySelector('article img').naturalWidth") > 0
    boxes = [
        page.get_by_text(f"I have {whom}").bounding_box()
        for whom in (
            "systems to score.",
            "coders who annotate.",
            "an archive that grows every night.",
        )
    ]
    places = [box["y"] for box in boxes if box is not None]
    assert len(places) == 3 and places == sorted(places)
    assert places[0] < 800
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(f"{WIDE}.length") <= 3  # a command is one line


def found(site: Path, page: Page, words: str) -> list[str]:
    """Return the addresses that a search finds, best first."""
    page.goto((site / "index.html").as_uri())
    page.locator("input[name=q]").fill(words)
    page.keyboard.press("Enter")
    page.wait_for_selector("ul.search li a")
    page.wait_for_function("!document.querySelector('#search-progress')?.textContent")
    return [link.get_attribute("href") or "" for link in page.locator("ul.search li a").all()]


@pytest.mark.parametrize(
    ("words", "name"), [("rewritten answers", "language-models"), ("pk", "measures")]
)
def test_words_are_found(site: Path, page: Page, words: str, name: str) -> None:
    assert any(name in address for address in found(site, page, words))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("nightly", "jobs/nightly"),
        ("simulate", "jobs/simulate"),
        ("operations", "operations"),
        ("install", "install"),
        ("language models", "language-models"),
        ("tables", "tables"),
    ],
)
def test_a_title_is_found_first(site: Path, page: Page, title: str, name: str) -> None:
    first, *_ = found(site, page, title)
    assert first.split("?")[0].endswith(f"{name}.html")
