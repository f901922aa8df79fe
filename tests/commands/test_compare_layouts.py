"""The tables of a comparison for a paper: every layout in every format."""

import csv
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.paths import DATA


@pytest.fixture
def tinyrec(segscore: Segscore, tmp_path: Path) -> Path:
    table = DATA / "tinyrec.jsonl"
    options = ("--reference-points", "none,random-known", "--output", tmp_path / "run")
    assert segscore("score", table, table, *options).code == 0
    return tmp_path / "run"


@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_every_layout_has_the_same_cells_in_every_format(
    segscore: Segscore, tinyrec: Path, layout: str, average: str
) -> None:
    options = ("--measure", "b_precision,pk", "--layout", layout, "--average", average)
    out = {}
    for kind in ("text", "markdown", "latex", "csv"):
        result = segscore("compare", tinyrec, *options, "--format", kind)
        assert result.code == 0, result.err
        out[kind] = result.out
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
    for row, printed in zip(table, rows, strict=True):
        value_column = {"pairs": "difference", "systems": "pk", "references": "EquiSeg"}[layout]
        value = "–" if row[value_column] == "" else f"{float(row[value_column]):.4f}"
        assert any(cell.startswith(value) for cell in printed)


def test_markup_in_names_is_escaped(segscore: Segscore, tmp_path: Path) -> None:
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
