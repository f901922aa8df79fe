"""The tables of a comparison for a paper: every layout in every format."""

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.paths import DATA
from tests.support.rows import write_rows
from tests.support.written import write

FEW = ("--permutations", 99)
"""For tests that compare layouts and formats with each other."""


@pytest.fixture(scope="module")
def tinyrec(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table, run = DATA / "tinyrec.jsonl", tmp_path_factory.mktemp("tinyrec") / "run"
    options = ("--reference-points", "none,random-known", "--output", run)
    assert segscore_once("score", table, table, *options).code == 0
    return run


@pytest.mark.first
@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_every_layout_has_the_same_cells_in_every_format(
    segscore: Segscore, tinyrec: Path, layout: str, average: str
) -> None:
    options = ("--measure", "b_precision,pk", "--layout", layout, "--average", average, *FEW)
    out = {}
    for kind in ("text", "markdown", "latex", "csv"):
        result = segscore("compare", tinyrec, *options, "--format", kind)
        assert result.code == 0, result.err
        out[kind] = result.out
    markdown = [line for line in out["markdown"].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in markdown]
    headings, _, *rows = cells
    assert all(len(row) == len(headings) for row in rows) and len(rows) >= 3
    assert [line.split() for line in out["text"].splitlines()[2 : 2 + len(rows)]] == [
        " ".join(row).replace("\\<", "<").split() for row in rows
    ]
    table = list(csv.DictReader(out["csv"].splitlines()))
    assert len(table) == len(rows)
    (signature,) = {row["signature"] for row in table}
    assert f"`{signature}`" in out["markdown"] and signature in out["text"]
    assert signature.replace("_", r"\_").replace("|", r"|\allowbreak ") in out["latex"]
    for row, printed in zip(table, rows, strict=True):
        value_column = {"pairs": "difference", "systems": "pk", "references": "EquiSeg"}[layout]
        turned = -1 if layout == "pairs" and row["better"] == row["other"] else 1
        value = "–" if row[value_column] == "" else f"{turned * float(row[value_column]):.4f}"
        assert any(cell.startswith(value) for cell in printed)
        if value != "–":
            assert value.replace("-", "$-$") in out["latex"]


@pytest.mark.first
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_ranks_are_printed_in_a_layout_of_their_own(
    segscore: Segscore, tinyrec: Path, average: str
) -> None:
    """They depend on which other systems are there."""
    options = ("--measure", "pk", "--average", average, *FEW)
    whole = segscore("compare", tinyrec, *options).out
    tests = ("Friedman", "Nemenyi", "mean rank")
    assert not any(name in whole for name in tests)
    ranks = segscore("compare", tinyrec, *options, "--layout", "ranks").out
    assert all(name in ranks for name in tests)
    first, *_ = (line for line in ranks.splitlines() if line.startswith("pk "))
    assert first.split()[:3] == ["pk", "EquiSeg", "1"]
    latex = segscore("compare", tinyrec, *options, "--layout", "ranks", "--format", "latex").out
    assert "Friedman chi²(2) = " in latex
    rows = csv.DictReader(
        segscore(
            "compare", tinyrec, *options, "--layout", "ranks", "--format", "csv"
        ).out.splitlines()
    )
    by_name = {row["system"]: row for row in rows}
    assert (by_name["EquiSeg"]["rank"], by_name["point:none"]["rank"]) == ("1.0", "")
    assert by_name["EquiSeg"]["p against EquiSeg (Nemenyi)"] == ""
    assert float(by_name["EquiSeg"]["p against point:none (Nemenyi)"]) < 0.01


@pytest.mark.first
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_columns_of_references_are_in_the_order_of_systems(
    segscore: Segscore, tinyrec: Path, average: str
) -> None:
    options = ("--measure", "window_diff,pk", "--average", average, "--format", "csv", *FEW)
    systems = segscore("compare", tinyrec, *options, "--layout", "systems").out
    references = segscore("compare", tinyrec, *options, "--layout", "references").out
    listed = [row["system"] for row in csv.DictReader(systems.splitlines())]
    columns = csv.DictReader(references.splitlines()).fieldnames
    assert columns is not None and columns[2:-2] == listed
    assert all(row["average"] == average for row in csv.DictReader(references.splitlines()))
    assert listed[1:] == sorted(listed[1:]) and len(listed) == 3


def test_the_largest_difference_of_each_measure_comes_first(
    segscore: Segscore, long_names: Path
) -> None:
    options = ("--measure", "window_diff,pk", "--group-by", "reference", "--format", "csv")
    printed = segscore("compare", long_names, *options, "--layout", "pairs").out
    sizes: dict[tuple[str, str], list[float]] = {}
    for row in csv.DictReader(printed.splitlines()):
        part = sizes.setdefault((row["reference"], row["measure"]), [])
        part.append(abs(float(row["difference"])))
    assert all(part == sorted(part, reverse=True) for part in sizes.values())
    assert any(len({*part}) > 1 for part in sizes.values())
    assert [measure for _, measure in sizes] == ["window_diff", "pk"] * (len(sizes) // 2)


LONG = "experiments/2026-01/transformer-large.learning-rate-3e-5/[checkpoint]_120000_{final}%"
PROGRAM = next(filter(None, map(shutil.which, ("pdflatex", "tectonic", "xelatex"))), None)
FINDER = shutil.which("kpsewhich")
WITHOUT_BOOKTABS = FINDER is not None and bool(
    subprocess.run([FINDER, "booktabs.sty"], capture_output=True, check=False).returncode
)


@pytest.fixture(scope="module")
def long_names(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    rows = []
    for number in range(9):
        document = {"document_id": f"d{number}", "n_units": 30}
        rows.append(document | {"coder": "desk", "role": "reference", "boundaries": [9, 20]})
        for name, step in ((LONG, 3), (LONG[::-1], 4), ("b", 2)):
            boundaries = [9 + number % step, 20 - number % step]
            rows.append(document | {"coder": name, "role": "hypothesis", "boundaries": boundaries})
    table = write(folder / "t.jsonl", rows)
    names = ("--measures", MEASURES)
    assert segscore_once("score", table, table, "--output", folder / "run", *names).code == 0
    return folder / "run"


MEASURES = "window_diff,boundary_similarity,pk,r_miss,r_false_alarm,segmentation_similarity,b_f1"


@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
def test_latex_is_divided_to_fit(segscore: Segscore, long_names: Path, layout: str) -> None:
    options = ("--measure", MEASURES, "--layout", layout, "--format", "latex")
    result = segscore("compare", long_names, *options)
    assert result.code == 0, result.err
    captions = [line for line in result.out.splitlines() if line.startswith(r"\caption{")]
    assert len(captions) == (1 if layout == "systems" else 7)
    assert all(("in brackets" in line) == (layout != "references") for line in captions)
    assert all(line.removeprefix(r"\caption{")[0].isupper() for line in captions)
    assert r"WindowDiff $\downarrow$" in result.out
    blocks = re.findall(
        r"(.*)\n\\begin\{tabular\}\{@\{\}([lr]*)@\{\}\}\n\\toprule\n(.*)\n", result.out
    )
    assert len(blocks) == result.out.count(r"\begin{tabular}")
    for fitted, kinds, heading in blocks:
        assert fitted == r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        assert heading.count("&") + 1 == len(kinds)
        # A value with its interval has at least 15 characters, another value 6.
        assert 6 * kinds.count("r") <= 90
    assert (len(blocks) > len(captions)) == (layout == "systems")
    assert LONG[:40].replace("_", r"\_") in result.out or layout == "references"


@pytest.mark.skipif(PROGRAM is None, reason="no LaTeX on this machine")
@pytest.mark.skipif(WITHOUT_BOOKTABS, reason="LaTeX without booktabs")
@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
def test_latex_compiles_without_overfull_lines(
    segscore: Segscore, long_names: Path, tmp_path: Path, layout: str
) -> None:
    options = ("--measure", MEASURES, "--layout", layout, "--format", "latex")
    tables = segscore("compare", long_names, *options).out
    head = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
    (tmp_path / "paper.tex").write_text(head + tables + r"\end{document}", "utf-8")
    assert PROGRAM is not None
    mode = [] if "tectonic" in PROGRAM else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [PROGRAM, *mode, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = done.stdout + done.stderr
    assert r"Overfull \hbox" not in log, log


def test_markup_in_names_is_escaped(segscore: Segscore, tmp_path: Path) -> None:
    row = '{"document_id": "d", "coder": "%s", "role": "%s", "n_units": 9, "boundaries": [4]}\n'
    table = tmp_path / "t.jsonl"
    table.write_text(row % ("desk", "reference") + row % ("a|b_50%", "hypothesis"))
    assert segscore("score", table, table, "--output", tmp_path / "run").code == 0
    options = ("compare", tmp_path / "run", "--measure", "pk", "--layout", "systems")
    assert r"| a\|b_50% |" in segscore(*options, "--format", "markdown").out
    assert r"a|b\_50\% & 1 & 0.0000" in segscore(*options, "--format", "latex").out
    assert "\na|b_50%,1,0.0,," in segscore(*options, "--format", "csv").out
    pairs = ("compare", tmp_path / "run", "--measure", "pk", "--layout", "pairs")
    for kind in ("text", "markdown", "latex", "csv"):
        assert segscore(*pairs, "--format", kind).code == 0


@pytest.fixture
def rivals(segscore: Segscore, tmp_path: Path) -> Path:
    """A run in which `good` and `fair` are alike and `poor` is much worse."""
    rows = []
    for number in range(12):
        document = {"document_id": f"d{number}", "n_units": 40}
        rows.append(document | {"coder": "desk", "role": "reference", "boundaries": [9, 20, 31]})
        for name, moved in (("good", number % 2), ("fair", 1 - number % 3 // 2), ("poor", 5)):
            boundaries = [9, 20 + moved, 31 - moved]
            rows.append(document | {"coder": name, "role": "hypothesis", "boundaries": boundaries})
    table = tmp_path / "rivals.jsonl"
    write_rows(table, rows)
    assert segscore("score", table, table, "--output", tmp_path / "rivals").code == 0
    return tmp_path / "rivals"


def test_latex_marks_the_best_and_the_beaten(segscore: Segscore, rivals: Path) -> None:
    options = ("--measure", "boundary_similarity", "--layout", "systems", "--format", "latex")
    result = segscore("compare", rivals, *options)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert next(line for line in lines if line.startswith("a & good")).count(r"\textbf{") == 1
    assert r"}\textsuperscript{c}" in next(line for line in lines if line.startswith("a & good"))
    assert r"\textbf" not in next(line for line in lines if line.startswith("b & fair"))
    assert r"\textsuperscript{c}" in next(line for line in lines if line.startswith("b & fair"))
    assert "textsuperscript" not in next(line for line in lines if line.startswith("c & poor"))
    assert "best values bold; letters: systems that it beats" in result.out
    assert r"\label{tab:systems}" in lines


@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
def test_latex_is_balanced_and_has_no_table_in_a_cell(
    segscore: Segscore, rivals: Path, layout: str
) -> None:
    options = ("--measure", "boundary_similarity,pk", "--layout", layout, "--format", "latex")
    text = segscore("compare", rivals, *options, *FEW).out
    deepest, opened = 0, list[str]()
    for command, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if command == "begin":
            opened.append(name)
            deepest = max(deepest, opened.count("tabular"))
        else:
            assert opened.pop() == name
    assert not opened and deepest == 1
    escaped = re.sub(r"\\[{}]", "", text)
    assert escaped.count("{") == escaped.count("}")
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(labels) == len({*labels}) == text.count(r"\begin{table}")
