"""Reports in a real browser: all charts drawn, no messages, no requests, accessible."""

import json
import subprocess
from collections.abc import Sequence
from itertools import combinations
from math import hypot
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser

from segscore.pipeline.reports.settings import ReportSettings
from segscore.pipeline.reports.write_report import write_report
from tests.support.browser import AXE, open_report
from tests.support.corpora import corpus
from tests.support.hostile import MARKUP, SEGSCORE
from tests.support.paths import DATA

KINDS = ("scored", "audited", "swept", "compared", "many")
MOST = 5_000_000
"""Largest size in bytes of a report of 1,000 documents and 20 systems."""


def run(*arguments: object) -> None:
    """Run a command in a process of its own."""
    command = [SEGSCORE, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports by kind of run."""
    folder = tmp_path_factory.mktemp("reports")
    _score(folder / "scored")
    run("agree", DATA / "moonstone.jsonl", "--output", folder / "audited" / "run")
    _sweep(folder / "swept")
    compared = folder / "compared" / "run"
    run("compare", folder / "scored" / "run", "--group-by", "genre", "--output", compared)
    _score_many(folder / "many")
    for kind in KINDS:
        report = folder / kind
        write_report(ReportSettings(str(report / "run"), str(report / "page.html"), "pk", "micro"))
    return {kind: folder / kind / "page.html" for kind in KINDS}


def _score(folder: Path) -> None:
    """Score several references with groups, undefined values, and a name that is markup."""
    generated = corpus(5, documents=120)
    for row in generated.hypotheses:
        row["coder"] = {"h0": "__proto__", "h1": MARKUP, "h2": "constructor"}[row["coder"]]
    for row in [row for row in generated.hypotheses if row["coder"] == "__proto__"]:
        places = range(1, row["n_units"])
        generated.hypotheses.append(row | {"coder": "everywhere", "boundaries": [*places]})
    generated.write(folder)
    run(
        "score", folder / "references", folder / "hypotheses", "--output", folder / "run",
        "--documents", folder / "documents.parquet", "--group-by", "genre",
        "--reference-points", "none,all",
    )  # fmt: skip


def _sweep(folder: Path) -> None:
    folder.mkdir()
    draw = Random(3)  # noqa: S311
    for name in ("references", "scored"):
        with (folder / f"{name}.jsonl").open("w") as file:
            for d in range(20):
                row: dict[str, object] = {"document_id": f"d{d}", "coder": name}
                row |= {"n_units": 40, "boundaries": [9, 20]}
                if name == "scored":
                    row |= {
                        "boundaries": [9, 15, 20],
                        "boundary_scores": [draw.random() for _ in "abc"],
                    }
                file.write(json.dumps(row) + "\n")
    run("sweep", folder / "references.jsonl", folder / "scored.jsonl", "--output", folder / "run")


def _score_many(folder: Path) -> None:
    """Score 1,000 documents of some 1,000 units with 20 systems."""
    folder.mkdir()
    draw = Random(4)  # noqa: S311
    with (folder / "all.jsonl").open("w") as file:
        for d in range(1000):
            n_units = draw.randint(200, 1800)
            model = sorted(draw.sample(range(1, n_units), draw.randint(3, 30)))
            for s in range(-1, 20):
                boundaries = {p for p in model if s < 0 or draw.random() > 0.02 * s}
                boundaries |= {draw.randrange(1, n_units) for _ in range(s // 3)}
                row = {
                    "document_id": f"the evening news of station {d}",
                    "coder": "desk" if s < 0 else f"segmenter number {s}",
                    "role": "reference" if s < 0 else "hypothesis",
                    "n_units": n_units,
                    "boundaries": sorted(boundaries),
                }
                file.write(json.dumps(row) + "\n")
    run("score", *[folder / "all.jsonl"] * 2, "--output", folder / "run")


def test_a_page_begins_with_its_finding_and_folds_the_rest(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    """The first screen has a headline and one picture; a link opens the section that it names."""
    for kind in KINDS:
        with open_report(chromium, pages[kind], unfolded=False) as log:
            headline = log.page.locator("h1.headline").inner_text()
            assert headline.endswith(".") and not headline.endswith(" .")
            assert log.page.locator(".facts li").count() <= 4
            assert log.page.locator("header .picture").count() == 1
            folded = log.page.locator("details.section:not([open])")
            before = folded.count()
            assert before > 0
            log.page.locator("nav a", has_text="What was computed").click()
            log.page.wait_for_timeout(100)
            assert folded.count() == before - 1


PAPER = 794
"""Width of a sheet of A4 in pixels."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_report_draws_every_chart_without_messages_or_requests(
    chromium: Browser,
    pages: dict[str, Path],
    kind: str,
    scheme: str,
    width: int,
) -> None:
    """Every chart is drawn, nothing is logged or requested, nothing overflows the page."""
    with open_report(chromium, pages[kind], width, scheme) as log:
        charts = log.page.locator("[data-chart]")
        assert charts.count() > 0
        for i in range(charts.count()):
            chart = charts.nth(i)
            assert chart.get_attribute("data-drawn") == "yes"
            assert chart.locator("svg .mark-symbol, svg .mark-rect, svg .mark-line").count() > 0
            box = chart.locator("svg").first.bounding_box()
            assert box is not None
            assert 200 < box["width"] <= width
        across = log.page.evaluate("document.documentElement.scrollWidth")
        assert across == width
        assert log.messages == []
        assert log.requests == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report_is_accessible(
    chromium: Browser,
    pages: dict[str, Path],
    kind: str,
    scheme: str,
) -> None:
    """Axe reports nothing, each chart has a name and a table, and every table can be opened."""
    with open_report(chromium, pages[kind], scheme=scheme, bypass=True) as log:
        log.page.add_script_tag(path=AXE)
        opened = "figure details, .openable details:nth-child(-n+3)"
        log.page.evaluate(
            f"document.querySelectorAll('{opened}').forEach(e => {{ e.open = true }})"
        )
        axe_call = "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']})"
        violations = log.page.evaluate(f"{axe_call}.then(each => each.violations)")
        assert [
            (violation["id"], violation["nodes"][0]["html"][:200]) for violation in violations
        ] == []
        bare = "[...document.querySelectorAll('figure')].filter(e => !e.querySelector('table'))"
        assert log.page.evaluate(f"{bare}.length") == 0


def test_markup_in_names_is_shown_as_text(chromium: Browser, pages: dict[str, Path]) -> None:
    """Markup is shown as text in tables, in charts and in the tooltips of charts."""
    with open_report(chromium, pages["scored"]) as log:
        assert log.page.locator("th", has_text=MARKUP).count() > 0
        labels = log.page.locator("svg .role-axis-label text").all_text_contents()
        assert any(label.startswith(MARKUP[:8]) for label in labels)
        for point in log.page.locator("svg .mark-symbol.role-mark path").all()[:4]:
            log.page.mouse.move(0, 0)  # hides the tooltip before, which may cover the point
            point.hover(force=True)
            tooltip = log.page.locator("#vg-tooltip-element.visible")
            tooltip.wait_for()
            assert tooltip.locator("img, script").count() == 0
        assert log.page.locator("img").count() == 0
        assert log.messages == []


LABELS = "[...document.querySelectorAll('[data-chart]')].map(chart => " + (
    "[...chart.querySelectorAll('.mark-text.role-mark text')]"
    ".filter(text => text.style.display !== 'none' && text.textContent)"
    ".map(text => text.getBoundingClientRect())"
    ".map(box => [box.left, box.top, box.right, box.bottom]))"
)


@pytest.mark.parametrize("kind", ["scored", "audited", "many"])
@pytest.mark.parametrize("width", [360, 1280])
def test_labels_in_charts_do_not_overlap(
    chromium: Browser, pages: dict[str, Path], kind: str, width: int
) -> None:
    with open_report(chromium, pages[kind], width) as log:
        shown = 0
        for boxes in log.page.evaluate(LABELS):
            shown += len(boxes)
            for (left, top, right, bottom), other in combinations(boxes, 2):
                apart = (
                    left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
                )
                assert apart
        assert shown > 0 or width == 360


SCATTERED = """[...document.querySelectorAll('[data-chart]')]
    .filter(chart => chart.querySelector('.mark-text') && !chart.querySelector('.mark-rect'))
    .map(chart => ['text', 'path'].map(kind => [...chart.querySelectorAll(`.role-mark ${kind}`)]
        .filter(element => element.__data__.datum.label && element.style.display !== 'none')
        .filter(element => kind === 'text' || element.closest('.mark-symbol'))
        .map(element => [element.__data__.datum.name, element.getBoundingClientRect()])
        .map(([name, box]) => [name, box.left, box.top, box.right, box.bottom])))"""


def gap(label: Sequence[Any], point: Sequence[Any]) -> float:
    """Return the distance between the box of a label and the middle of a point."""
    _, left, top, right, bottom = label
    x, y = (point[1] + point[3]) / 2, (point[2] + point[4]) / 2
    return hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom))


@pytest.mark.parametrize("kind", ["scored", "many"])
@pytest.mark.parametrize("width", [360, 1280])
def test_labels_stand_beside_their_points(
    chromium: Browser, pages: dict[str, Path], kind: str, width: int
) -> None:
    """No other point is as near to a label as its own, unless the eye sees one point."""
    with open_report(chromium, pages[kind], width) as log:
        shown = 0
        for labels, points in log.page.evaluate(SCATTERED):
            centres = {point[0]: point for point in points}
            shown += len(labels)
            for label in labels:
                own = gap(label, centres[label[0]])
                assert 0 < own < 15
                assert all(
                    gap(label, point) > own or gap(point, centres[label[0]]) == 0
                    for point in points
                    if point[0] != label[0]
                )
        assert shown > 0


def test_a_narrow_matrix_keeps_the_stars_of_its_numbers(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    """Numbers that have no room in their cells leave their stars, and return with the room."""
    cells = "[...e.querySelectorAll('.mark-text.role-mark text')].map(text => text.textContent)"
    with open_report(chromium, pages["scored"]) as log:
        chart = log.page.locator("figure", has_text="Difference in").locator("[data-chart]")
        wide = chart.evaluate(f"e => {cells}")
        assert all(text[0] in "–01" for text in wide)
        chart.evaluate("e => { e.style.width = '190px' }")
        log.page.set_viewport_size({"width": 390, "height": 900})
        log.page.wait_for_timeout(500)
        stars = ["*" if text.endswith("*") else "" for text in wide]
        assert chart.evaluate(f"e => {cells}") == stars
        assert "*" in stars
        chart.evaluate("e => { e.style.width = '' }")
        log.page.set_viewport_size({"width": 1280, "height": 900})
        log.page.wait_for_timeout(500)
        assert chart.evaluate(f"e => {cells}") == wide


def test_leaderboard_is_sorted_by_a_heading(chromium: Browser, pages: dict[str, Path]) -> None:
    """Best first, then worst first; undefined values and reference points stay last."""
    with open_report(chromium, pages["scored"]) as log:
        table = log.page.locator("figure", has_text="Leaderboard").locator("table").first
        assert table.locator("th[aria-sort]").all_text_contents() == ["pk\xa0↓"]
        assert table.locator("th[aria-sort=ascending]").count() == 1
        heading = table.locator("thead th").nth(5)  # of the measure after the difference and pk
        values = "e => [...e.tBodies[0].rows].map(row => Number(row.cells[5].dataset.value))"
        for direction in ("ascending", "descending"):
            heading.locator("button").click()
            assert heading.get_attribute("aria-sort") == direction
            actual = table.evaluate(values)
            assert len(actual) > 1
            assert actual == sorted(actual, reverse=direction == "descending")
        points = "e => [...e.tBodies[1].rows].map(row => row.cells[0].textContent)"
        assert table.evaluate(points)[0] == "Reference points"
        assert log.messages == []


@pytest.mark.parametrize("kind", ["scored", "many"])
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_the_leaderboard_is_on_the_first_screen(
    chromium: Browser, pages: dict[str, Path], kind: str, width: int
) -> None:
    """The answer comes first, then all systems; numbers stand right under their headings."""
    with open_report(chromium, pages[kind], width) as log:
        headline = log.page.locator("h1").bounding_box()
        table = log.page.locator(".glance table")
        box = table.bounding_box()
        assert box is not None and headline is not None
        assert headline["y"] <= 150
        assert box["y"] <= (450 if width == 1280 else 800)
        ends = table.evaluate(
            "e => [...e.tHead.rows[0].cells].map((head, i) => [head, e.tBodies[0].rows[0].cells[i]]"
            ".map(cell => [cell.className, getComputedStyle(cell).textAlign]))"
        )
        for (head, side), (cell, cell_side) in ends:
            assert ("number" in head.split()) == ("number" in cell.split())
            assert side == cell_side


@pytest.mark.parametrize(("kind", "begins"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_charts_can_be_saved(
    chromium: Browser, pages: dict[str, Path], kind: str, begins: bytes
) -> None:
    """In dark text, as for paper, whatever the colours of the page are."""
    with open_report(chromium, pages["scored"], scheme="dark") as log:
        with log.page.expect_download() as download:
            name = f"Save b_precision against b_recall as {kind}"
            log.page.get_by_role("button", name=name).click()
        file = f"b-precision-against-b-recall.{kind.lower()}"
        assert download.value.suggested_filename == file
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(begins)
        if kind == "SVG":
            assert b"color: #1b1f24" in content
        assert log.messages == []


def test_the_signature_can_be_copied(chromium: Browser, pages: dict[str, Path]) -> None:
    """It is folded; the button copies it without opening it."""
    with open_report(chromium, pages["scored"]) as log:
        signature = log.page.locator(".signature code")
        assert not signature.is_visible()
        log.page.evaluate(
            "() => { navigator.clipboard.writeText = async t => { window.copied = t } }"
        )
        log.page.get_by_role("button", name="Copy the signature").click()
        log.page.get_by_role("button", name="Copied").wait_for()
        assert log.page.evaluate("window.copied") == signature.text_content()
        log.page.evaluate("() => { navigator.clipboard.writeText = async () => { throw 0 } }")
        log.page.evaluate(
            "document.addEventListener('copy', e => { window.copied = e.target.value })"
        )
        log.page.get_by_role("button", name="Copy the signature").click()
        log.page.get_by_role("button", name="Copied").wait_for()
        assert log.page.evaluate("window.copied") == signature.text_content()


@pytest.mark.parametrize("width", [360, 1280])
def test_names_beside_drawings_leave_room_on_a_phone(
    chromium: Browser, pages: dict[str, Path], width: int
) -> None:
    """On a phone, strips take the width of the page, and names stand above them."""
    with open_report(chromium, pages["scored"], width) as log:
        boxes = "all => all.map(e => e.getBoundingClientRect()).map(box => [box.left, box.width])"
        strips = log.page.locator(".strip svg").evaluate_all(boxes)
        assert len(strips) > 10
        for left, across in strips:
            assert left == pytest.approx(16 if width == 360 else 216, abs=2)
            assert across > (0.9 if width == 360 else 0.75) * width
        assert log.page.locator("section .key", has_text="match").count() <= 2


def test_documents_are_found_by_name_and_opened(chromium: Browser, pages: dict[str, Path]) -> None:
    with open_report(chromium, pages["many"]) as log:
        entries = log.page.locator(".openable > details")
        assert entries.count() > 100
        name = str(entries.nth(60).get_attribute("data-name"))
        log.page.get_by_label("Find by name").fill(name.upper())
        shown = log.page.locator(".openable > details:visible")
        assert name in shown.evaluate_all("all => all.map(each => each.dataset.name)")
        assert shown.count() < entries.count()
        chosen = log.page.locator(f".openable > details[data-name='{name}']")
        assert chosen.locator("svg").count() == 0
        chosen.locator("summary").click()
        drawing = chosen.locator(".drawn").first
        drawing.wait_for()
        assert drawing.locator("rect").count() >= 9  # a reference and eight systems
        assert log.messages == []


def test_report_of_many_documents_is_small(pages: dict[str, Path]) -> None:
    assert pages["many"].stat().st_size < MOST


def test_report_can_be_printed(chromium: Browser, pages: dict[str, Path]) -> None:
    """On paper, tables are unfolded, ink is dark, controls are left out, and everything fits."""
    with open_report(chromium, pages["scored"], PAPER, "dark") as log:
        log.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        log.page.emulate_media(media="print")
        folded = "[...document.querySelectorAll('figure details:not([open])')]"
        rows = f"{folded}.map(e => e.querySelectorAll('tbody tr').length)"
        assert all(many > 100 for many in log.page.evaluate(rows))
        wide = "[...document.querySelectorAll('table')].filter(e => e.offsetParent)"
        assert log.page.evaluate(f"{wide}.every(e => e.getBoundingClientRect().right <= {PAPER})")
        cut = (
            "[...document.querySelectorAll('.scrolled')]"
            ".filter(e => e.scrollHeight > e.clientHeight + 2)"
        )
        assert log.page.evaluate(f"{cut}.map(e => e.className)") == []
        assert log.page.locator("nav").is_hidden()
        ink = log.page.evaluate("getComputedStyle(document.documentElement).color")
        assert ink == "rgb(0, 0, 0)"
        assert log.page.pdf().startswith(b"%PDF")
        log.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert log.page.locator("figure details[open]").count() == 0
