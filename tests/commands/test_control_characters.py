"""Control characters in names and texts change neither a terminal nor a result."""

from pathlib import Path

import pytest

from segscore.pipeline.nightly.metrics import Metrics
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

ESCAPE = "\x1b"
WIKI = Path(__file__).parents[1] / "data" / "formats" / "text" / "halvern.wiki.txt"


def _codings(path: Path) -> Path:
    rows = [
        {
            "document_id": f"d{document}{ESCAPE}[1m",
            "coder": coder,
            "n_units": 20,
            "boundaries": [3 + document % 3, 9],
            "genre": f"news{ESCAPE}[{document % 2}m",
        }
        for document in range(4)
        for coder in (f"anna{ESCAPE}[31m", f"ben{ESCAPE}]0;x\x07", "carl")
    ]
    return write_rows(path, rows)


@pytest.mark.long
def test_pages_have_no_control_characters(segscore: Segscore, tmp_path: Path) -> None:
    codings = _codings(tmp_path / "codings.jsonl")
    group = ("--group-by", "genre")
    assert segscore("agree", codings, *group, "--output", tmp_path / "audit").code == 0
    assert segscore("score", codings, codings, *group, "--output", tmp_path / "run").code == 0
    for run in ("audit", "run"):
        page = tmp_path / f"{run}.html"
        assert segscore("report", tmp_path / run, "--output", page).code == 0
        text = page.read_text("utf-8")
        assert ESCAPE not in text
        assert "\\x1b" in text


def test_labels_of_metrics_have_no_control_characters() -> None:
    metrics = Metrics()
    metrics.set("documents", 1, system=f"a{ESCAPE}[2J")
    assert ESCAPE not in metrics.text
    assert "x1b[2J" in metrics.text


def test_an_end_of_file_mark_of_dos_is_no_sentence(segscore: Segscore, tmp_path: Path) -> None:
    found = []
    for name, end in (("plain", b""), ("marked", b"\x1a")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / WIKI.name).write_bytes(WIKI.read_bytes() + end)
        output = tmp_path / f"{name}-tables"
        result = segscore("import", folder / WIKI.name, "--coder", "anna", "--output", output)
        assert result.code == 0, result.err
        files = sorted((output / "references").rglob("*.parquet"))
        found.append([file.read_bytes() for file in files])
    assert found[0] == found[1] != []
