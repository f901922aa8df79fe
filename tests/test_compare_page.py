"""docs/compare.md: every command on the page is run, and says what the page says."""

import csv
import re
import shlex
from pathlib import Path

import pytest

from schemas.comparisons import COMPARISON_TABLES
from tests.conftest import ROOT, Segscore

PAGE = (ROOT / "docs" / "compare.md").read_text("utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def said(text: str) -> str:
    """Lines without what tables put at their ends, and without the last digits of long numbers."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return re.sub(r"\d\.\d{9,}", lambda number: f"{float(number[0]):.9f}", lines)


def commands(block: str) -> list[tuple[list[str], str]]:
    """The command lines of a block, each with what stands under it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return [
        (shlex.split(line), said(text)) for line, text in zip(parts[::2], parts[1::2], strict=True)
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as one who has the repository would see it."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_page_says_is_said(segscore: Segscore, place: Path) -> None:
    shown = 0
    for block in BLOCKS:
        for (program, *arguments), expected in commands(block):
            assert program == "segscore"
            ended = segscore(*arguments)
            assert ended.code == 0, ended.err
            if expected:
                shown += 1
                assert said(ended.out) == expected, arguments
    assert shown == 6


def test_every_table_is_named() -> None:
    for schema in COMPARISON_TABLES:
        assert f"| `{schema.name}/` |" in PAGE


@pytest.fixture
def tinyrec(segscore: Segscore, place: Path) -> Path:
    table = place / "tests" / "data" / "tinyrec.jsonl"
    options = ("--reference-points", "none,random-known", "--output", place / "run")
    assert segscore("score", table, table, *options).code == 0
    return place / "run"


@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_every_layout_says_the_same_in_every_format(
    segscore: Segscore, tinyrec: Path, layout: str, average: str
) -> None:
    options = ("--measure", "b_precision,pk", "--layout", layout, "--average", average)
    out = {}
    for kind in ("text", "markdown", "latex", "csv"):
        ended = segscore("compare", tinyrec, *options, "--format", kind)
        assert ended.code == 0, ended.err
        out[kind] = ended.out
    markdown = [line for line in out["markdown"].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in markdown]
    headings, _, *rows = cells
    assert all(len(row) == len(headings) for row in rows) and len(rows) >= 3
    latex = [line for line in out["latex"].splitlines() if line.endswith(r"\\")]
    plain = [line.replace(r"\ensuremath{<}", "<") for line in latex]
    unescaped = [line.removesuffix(r"\\").replace("\\", "") for line in plain]
    assert [[cell.strip() for cell in line.split(" & ")] for line in unescaped] == [headings, *rows]
    assert [line.split() for line in out["text"].splitlines()[2 : 2 + len(rows)]] == [
        " ".join(row).split() for row in rows
    ]
    table = list(csv.DictReader(out["csv"].splitlines()))
    assert len(table) == len(rows)
    (signature,) = {row["signature"] for row in table}
    assert f"`{signature}`" in out["markdown"] and signature in out["text"]
    assert signature.replace("_", r"\_").replace("|", r"|\allowbreak ") in out["latex"]
    for row, shown in zip(table, rows, strict=True):
        of = {"pairs": "difference", "systems": "pk", "references": "EquiSeg"}[layout]
        value = "–" if row[of] == "" else f"{float(row[of]):.4f}"
        assert any(cell.startswith(value) for cell in shown)


def test_marks_of_a_format_are_no_marks_in_a_name(segscore: Segscore, tmp_path: Path) -> None:
    row = '{"document_id": "d", "coder": "%s", "role": "%s", "n_units": 9, "boundaries": [4]}\n'
    table = tmp_path / "t.jsonl"
    table.write_text(row % ("desk", "reference") + row % ("a|b_50%", "hypothesis"))
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    options = ("compare", tmp_path / "run", "--measure", "pk", "--layout", "systems")
    assert r"| a\|b_50% |" in segscore(*options, "--format", "markdown").out
    assert r" a|b\_50\%  &" in segscore(*options, "--format", "latex").out
    assert "\na|b_50%,1,0.0,," in segscore(*options, "--format", "csv").out
    pairs = ("compare", tmp_path / "run", "--measure", "pk", "--layout", "pairs")
    for kind in ("text", "markdown", "latex", "csv"):
        assert segscore(*pairs, "--format", kind).code == 0
