"""Systems that were scored on fewer documents than others: their averages do not compare."""

import json
import re
from pathlib import Path

import pytest

import segscore as api
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore

DOCUMENTS, N_UNITS = 12, 30
REFERENCE = [5, 12, 20]
FOUND = {"good": REFERENCE[:2], "fair": REFERENCE[:1], "skips": REFERENCE}
"""System -> its boundaries in each document; `skips` has two documents."""


def rows(coder: str, boundaries: list[int], documents: int = DOCUMENTS) -> list[dict[str, object]]:
    """Return the rows of a coder, the same boundaries in each document."""
    row = {"coder": coder, "n_units": N_UNITS, "boundaries": boundaries}
    return [{"document_id": f"d{number}", **row} for number in range(documents)]


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """References and hypotheses of all systems."""
    hypotheses = [
        row
        for name, boundaries in FOUND.items()
        for row in rows(name, boundaries, 2 if name == "skips" else DOCUMENTS)
    ]
    paths = [tmp_path / "references.jsonl", tmp_path / "hypotheses.jsonl"]
    for path, table in zip(paths, (rows("desk", REFERENCE), hypotheses), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    return paths


WARNING = "skips (2) was scored on fewer documents than other systems (12)"


def test_they_come_last_and_are_not_best(
    segscore: Segscore, tables: list[Path], tmp_path: Path
) -> None:
    result = segscore("score", *tables, "--output", tmp_path / "run")
    assert result.code == 0
    assert WARNING in result.err
    lines = [line for line in result.out.splitlines() if line.startswith(tuple(FOUND))]
    assert [line.split()[0] for line in lines] == ["good", "fair", "skips"]
    assert ["*" in line for line in lines] == [True, True, False]  # fair: b_precision is 1, too
    assert "* best system with all documents" in result.out
    listed = segscore("score", *tables, "--output", tmp_path / "run", "--format", "markdown").out
    assert re.findall(r"^\| (good|fair|skips)", listed, re.M) == ["good", "fair", "skips"]


def test_a_report_does_not_rank_them(
    segscore: Segscore, tables: list[Path], tmp_path: Path
) -> None:
    assert segscore("score", *tables, "--output", tmp_path / "run").code == 0
    page = tmp_path / "report.html"
    assert segscore("report", tmp_path / "run", "--output", page).code == 0
    (answer,) = re.findall(r'class="answer">(.*?)</p>', page.read_text())
    words = re.sub("[\u2068\u2069]", "", answer)
    assert words.startswith("good is best in boundary_similarity")
    assert "on the 2 documents that all systems share" in words
    assert words.endswith("Not ranked: skips, which was scored on 2 of 12 documents.")
    assert "come last, without a rank or shades" in page.read_text()
    leaderboard = page.read_text().split("Leaderboard, micro averages")[1]
    good, fair, skips = leaderboard.split("<tbody>")[1].split("</tr>")[:3]
    assert 'class="number best better" style="--grade:1.0"' in good
    assert '<td class="number" data-value="0.3333' in fair
    assert "grade" not in skips and "best" not in skips
    assert '<td class="number"></td><th scope="row">skips' in skips
    assert skips.endswith('<td class="number">2</td>')


def test_python_warns_of_them(tables: list[Path]) -> None:
    references, hypotheses = (
        [json.loads(line) for line in path.read_text().splitlines()] for path in tables
    )
    (warning,) = api.evaluate(references, hypotheses, replicates=0).warnings
    assert warning.startswith(WARNING)
    complete = [row for row in hypotheses if row["coder"] != "skips"]
    assert not api.evaluate(references, complete, replicates=0).warnings


@pytest.mark.parametrize("together", [False, True])
def test_nobody_is_best_on_other_documents(
    segscore: Segscore, tmp_path: Path, together: bool
) -> None:
    """As many documents, but not the same; a third system decides which ones count."""
    hypotheses = [
        {**row, "coder": name}
        for place, name in enumerate(("good", "fair", "third")[: 2 + together])
        for row in rows(name, FOUND.get(name, []))[place % 2 :: 2]
    ]
    for name, table in (("ref", rows("desk", REFERENCE)), ("hyp", hypotheses)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    command = ("score", tmp_path / "ref.jsonl", tmp_path / "hyp.jsonl")
    options = ("--reference-points", "none", "--output", tmp_path / "run")
    result = segscore(*command, *options)
    assert result.code == 0
    lines = [line for line in result.out.splitlines() if line.startswith(("good", "fair", "third"))]
    other = "fair" if together else "fair, good"
    assert (
        f"warning: {other}: scored on as many documents as other systems (6), but not" in result.err
    )
    assert any("*" in line for line in lines) == together
    assert [line.split()[0] for line in lines][-1] == "fair"
    listed = segscore(*command, *options, "--format", "markdown").out
    assert re.findall(r"^\| (good|fair|third)", listed, re.M)[-1] == "fair"
    page = tmp_path / "report.html"
    assert segscore("report", tmp_path / "run", "--output", page).code == 0
    (answer,) = re.findall(r'class="answer">(.*?)</p>', page.read_text())
    words = re.sub("[\u2068\u2069]", "", answer)
    if together:
        assert words.startswith("good is best")
        assert words.endswith("Not ranked: fair, which was scored on other documents.")
    else:
        assert words == "No system is best: they were scored on different documents."


def test_the_set_of_documents_does_not_depend_on_parts(
    segscore: Segscore, tables: list[Path], tmp_path: Path
) -> None:
    sets = []
    half = tmp_path / "half"
    half.mkdir()
    lines = tables[1].read_text().splitlines(True)
    for part in range(4):
        (half / f"{part}.jsonl").write_text("".join(lines[part::4]))
    for number, hypotheses in enumerate((tables[1], half)):
        run = tmp_path / str(number)
        assert segscore("score", tables[0], hypotheses, "--output", run).code == 0
        summary = read_table(str(run / "summary")).select(["hypothesis", "document_set"])
        sets.append({(row["hypothesis"], row["document_set"]) for row in summary.to_pylist()})
    assert sets[0] == sets[1]
    by_system = dict(sets[0])
    assert by_system["good"] == by_system["fair"] != by_system["skips"]
