"""`explain --units` and `report --units`: the words around each edit."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.report_pages import report
from tests.support.rows import write_rows


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Path:
    """A run of one document of 11 units."""
    rows = [
        {"document_id": "d", "coder": coder, "role": role, "n_units": 11, "boundaries": boundaries}
        for coder, role, boundaries in (
            ("desk", "reference", [2, 5]),
            ("a", "hypothesis", [2, 4, 8]),
        )
    ]
    path = tmp_path / "rows.jsonl"
    write_rows(path, rows)
    assert segscore("score", path, path, "--output", tmp_path / "run").code == 0
    return tmp_path / "run"


def texts(folder: Path, document: str = "d", units: int = 11) -> Path:
    path = folder / "texts.jsonl"
    listed = [f"This is unit number {number}." for number in range(1, units + 1)]
    path.write_text(json.dumps({"document_id": document, "units": listed}) + "\n")
    return path


def test_the_words_stand_below_each_edit(segscore: Segscore, run: Path, tmp_path: Path) -> None:
    printed = segscore("explain", run, "--document", "d", "--units", texts(tmp_path))
    assert printed.code == 0, printed.err
    *_, alarm, words = printed.out.splitlines()
    assert alarm == "false alarm: 8 in the hypothesis only"
    assert words == "    … This is unit number 8. | This is unit number 9. …"
    found = segscore(
        "explain", run, "--document", "d", "--units", texts(tmp_path), "--format", "json"
    )
    (pair,) = json.loads(found.out)["pairs"]
    assert pair["edits"][-1]["around"] == words.strip()


@pytest.mark.parametrize(
    ("document", "units", "message"),
    [
        ("other", 11, "has no document d"),
        ("d", 3, "d has 3 units, but 11 in the run"),
    ],
)
def test_other_texts_are_refused(
    segscore: Segscore, run: Path, tmp_path: Path, document: str, units: int, message: str
) -> None:
    file = texts(tmp_path, document, units)
    refused = segscore("explain", run, "--document", "d", "--units", file)
    assert refused.code == 2 and message in refused.err
    assert len(refused.err.splitlines()) == 1


def test_report_lists_the_errors_with_their_words(
    segscore: Segscore, run: Path, tmp_path: Path
) -> None:
    page = report(segscore, run, "--units", str(texts(tmp_path))).read_text("utf-8")
    assert "d: words around the errors" in page
    assert "… This is unit number 8. | This is unit number 9. …" in page
    assert "unit number 2. |" not in page, "a match is no error"


def test_report_refuses_other_texts(segscore: Segscore, run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    refused = segscore("report", run, "--units", texts(tmp_path, units=3), "--output", page)
    assert refused.code == 2 and "d has 3 units, but 11 in the run" in refused.err
    assert not page.exists()
