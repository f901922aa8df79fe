"""`segscore report` of a comparison: differences and groups equal the tables."""

from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.report_pages import Reader, number, plain, report
from tests.support.rows import read_rows


def compared(segscore: Segscore, folder: Path, *options: object) -> Path:
    """Compare the systems of a run, and return the folder of the comparison."""
    corpus(seed=5, documents=30).write(folder)
    run(segscore, folder, folder / "run")
    output = folder / "compared"
    result = segscore(
        "compare", folder / "run", "--measure", "pk,boundary_similarity",
        "--permutations", 99, "--output", output, *options,
    )  # fmt: skip
    assert result.code == 0, result.err
    return output


TITLES = {
    "pk": "Differences in pk ↓",
    "boundary_similarity": "Differences in boundary_similarity ↑",
}


def check_differences(page: Reader, compared: Path, measure: str, average: str) -> int:
    """Check that a page lists all differences of a measure, and return their number."""
    expected = [
        row
        for row in read_rows(compared, "comparisons")
        if (row["measure"], row["average"]) == (measure, average)
    ]
    _, *listed = page.tables[TITLES[measure]]
    assert len(listed) == len(expected)
    for cells, row in zip(listed, expected, strict=True):
        assert plain(cells[0]) == (row.get("genre") or "all")
        assert {plain(cells[1]), plain(cells[2])} == {row["system"], row["other"]}
        assert row["better"] in (None, plain(cells[1]))
        assert abs(number(cells[3]) or 0) == pytest.approx(abs(row["difference"]), abs=5e-5)
    return len(listed)


@pytest.mark.long
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_page_has_every_difference(segscore: Segscore, tmp_path: Path, average: str) -> None:
    output = compared(segscore, tmp_path, "--group-by", "genre", "--systems", "h0,h1")
    page = Reader(report(segscore, output, "--average", average))
    for measure, title in TITLES.items():
        assert check_differences(page, output, measure, average) == 3  # all and both genres
        assert any(drawn.startswith(f"{measure} ") for drawn in page.charts), title
    *verdicts, scope = page.answer
    assert [words.partition(", ")[0] for words in verdicts] == ["pk", "boundary_similarity"]
    assert all(f", {average}: " in words for words in verdicts)
    assert scope.endswith("Tests and intervals are about these references.")


@pytest.mark.first
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_page_has_the_tests_of_the_terminal(
    segscore: Segscore, tmp_path: Path, average: str
) -> None:
    output = compared(segscore, tmp_path, "--margin", 0.9)
    page = Reader(report(segscore, output, "--average", average))
    heading, *rows = page.tables[TITLES["pk"]]
    assert [row[heading.index("within 0.9")] for row in rows] == ["equal"] * 3
    expected = [
        row["p_holm"]
        for row in read_rows(output, "comparisons")
        if (row["measure"], row["average"]) == ("pk", average)
    ]
    place = heading.index("p (Holm)")
    assert [number(row[place]) for row in rows] == pytest.approx(expected, rel=0.06, abs=5e-5)


def test_one_system_alone_is_said_to_be_alone(segscore: Segscore, tmp_path: Path) -> None:
    page = Reader(report(segscore, compared(segscore, tmp_path, "--systems", "h1")))
    assert "the only system" in page.answer[0]
