"""`segscore compare --published`: published scores beside one's own, by the same convention."""

import json
from pathlib import Path

import pytest

import segscore as library
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.paths import DATA
from tests.support.report_pages import Reader
from tests.support.rows import read_rows
from tests.support.written import write

TINYREC = DATA / "tinyrec.jsonl"
QUICK = ("--measure", "pk", "--permutations", 0, "--published")


@pytest.fixture(scope="module")
def run(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("scored") / "run"
    assert segscore_once("score", TINYREC, TINYREC, "--output", output).code == 0
    return output


def test_every_published_score_of_tinyrec_is_given_exactly(
    segscore: Segscore, tmp_path: Path, run: Path
) -> None:
    result = segscore("compare", run, *QUICK, "--output", tmp_path / "compared")
    assert result.code == 0, result.err
    assert "published on these references (TinyRec; as printed; no test is possible)" in result.out
    rows = read_rows(tmp_path / "compared", "published")
    assert len(rows) == 84
    for row in rows:
        assert row["value"] == pytest.approx(float(row["printed"]), abs=1e-12)
        assert (row["system"], row["convention"]) == ("EquiSeg", "tinyrec")
    in_python = library.compare(run, measure="pk", published=True)
    assert in_python.table("published").to_pylist() == rows


HEADING = "published on these references (TinyRec; as printed; no test is possible)"


@pytest.mark.first
@pytest.mark.parametrize("layout", ["pairs", "systems", "references"])
def test_every_layout_has_the_block_below_it(segscore: Segscore, run: Path, layout: str) -> None:
    plain = segscore("compare", run, *QUICK[:-1], "--layout", layout).out
    text = segscore("compare", run, *QUICK, "--layout", layout)
    assert text.code == 0, text.err
    assert text.out.startswith(plain)
    assert HEADING in text.out.removeprefix(plain)
    assert "64 more are in the table published of --output and in JSON" in text.out
    markdown = segscore("compare", run, *QUICK, "--layout", layout, "--format", "markdown").out
    _, _, block = markdown.partition(f"\n\n{HEADING}\n\n")
    lines = block.splitlines()
    assert len(lines) == 2 + 84
    assert lines[0].startswith("| system")
    assert lines[0].endswith("| yours by the same convention   |")  # texts stand on the left
    assert sum("| EquiSeg 0." in line for line in lines[2:]) == 84


def test_latex_has_a_second_table(segscore: Segscore, run: Path) -> None:
    printed = segscore("compare", run, *QUICK, "--layout", "systems", "--format", "latex").out
    own, published = printed.split("\n\n")
    assert own.startswith("\\begin{table}") and published.startswith("\\begin{table}")
    assert published.count(" & EquiSeg 0.") == 84


def test_a_format_of_one_table_is_refused(segscore: Segscore, run: Path, tmp_path: Path) -> None:
    options = (*QUICK, "--layout", "systems", "--format", "csv")
    line = refusal_line(segscore("compare", run, *options))
    assert line.startswith("segscore: error: --format csv: holds one table")
    assert segscore("compare", run, *options, "--output", tmp_path / "compared").code == 0
    assert read_table(str(tmp_path / "compared" / "published")).num_rows == 84


def test_a_part_of_a_set_is_refused_by_name(segscore: Segscore, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in TINYREC.read_text().splitlines()]
    part = write(tmp_path / "part.jsonl", rows[:60])
    assert segscore("score", part, part, "--output", tmp_path / "part").code == 0
    line = refusal_line(segscore("compare", tmp_path / "part", *QUICK))
    assert "TinyRec: 30 of 42 documents; published scores are about exactly" in line
    record = json.loads((tmp_path / "part" / "run.json").read_text())
    record["test_set"] |= {"fingerprint": "0" * 64, "name": None, "split": None}
    (tmp_path / "part" / "run.json").write_text(json.dumps(record))
    line = refusal_line(segscore("compare", tmp_path / "part", *QUICK))
    assert "its references are not a test set that segscore knows" in line


def test_the_report_has_the_same_block(segscore: Segscore, tmp_path: Path, run: Path) -> None:
    page = tmp_path / "page.html"
    assert segscore("report", run, "--output", page).code == 0
    text = page.read_text()
    assert "Published on the same references" in text
    assert "0.6973684210526315" in text
    assert "EquiSeg 0.6974" in text
    heading, *scores = Reader(page).tables[HEADING]
    assert len(scores) == 84
    assert heading == [
        *("system", "document", "measure", "printed", "evidence", "convention"),
        "yours by the same convention",
    ]


def test_sets_and_scores_are_listed_in_python() -> None:
    listed = library.testsets("tinyrec")
    assert listed.table("sets").num_rows == 3
    assert listed.table("published").num_rows == 84
    with pytest.raises(library.Refused, match="the nearest is TIAGE"):
        library.testsets("TIAG")


def test_own_rows_are_shown_beside_the_systems(
    segscore: Segscore, tmp_path: Path, run: Path
) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        "system,measure,value,convention,note\n"
        "Top,pk,0.312,segscore,from the slides\n"
        "Low,boundary_similarity,41.5%,,\n"
    )
    command = ("compare", run, "--measure", "pk", "--permutations", 0)
    result = segscore(*command, "--published-scores", own, "--output", tmp_path / "compared")
    assert result.code == 0, result.err
    assert "published on these references (own.csv; as printed; no test is possible)" in result.out
    rows = read_rows(tmp_path / "compared", "published")
    (micro,) = [
        row["value"]
        for row in read_rows(run, "summary")
        if (row["measure"], row["average"]) == ("pk", "micro")
    ]
    found = [
        (row["published_system"], row["printed"], row["convention"], row["value"]) for row in rows
    ]
    assert found == [
        ("Top", "0.312", "segscore", pytest.approx(micro)),
        ("Low", "41.5%", None, None),
    ]
    both = segscore(*command, "--published-scores", own, "--published", "--format", "json")
    assert len(json.loads(both.out)["published"]) == 2 + 84


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,measure\nTop,pk\n", "has no column value"),
        (
            "system,measure,value,sourc\nTop,pk,.3,x\n",
            "unknown column sourc; the nearest is source",
        ),
        ("system,measure,value\nTop,pkk,.3\n", ":2: no measure pkk; the nearest is pk"),
        ("system,measure,value\nTop,pk,low\n", ":2: value low is not a number"),
        ("system,measure,value\nTop,,.3\n", ":2: measure is empty"),
        ("system,measure,value\n", "has no row"),
    ],
)
def test_wrong_own_rows_are_refused(
    segscore: Segscore, tmp_path: Path, run: Path, text: str, message: str
) -> None:
    own = tmp_path / "own.csv"
    own.write_text(text)
    result = segscore("compare", run, "--measure", "pk", "--published-scores", own)
    assert message in refusal_line(result)
