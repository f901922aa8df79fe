"""`segscore report` of a comparison: differences, groups and the power curve equal the tables."""

from pathlib import Path

import pytest

from segscore.pipeline.statistics import simulated_power
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.report_pages import Reader, number, plain, report


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
        for row in read_table(str(compared / "comparisons")).to_pylist()
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


@pytest.fixture(scope="module")
def with_power(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two systems, with the power curves of their differences."""
    folder = tmp_path_factory.mktemp("compared")
    options = ("--simulate-power", "--group-by", "genre", "--systems", "h0,h1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated_power, "CORPORA", 1000)
        return compared(segscore_once, folder, *options)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_page_has_every_difference_and_the_power_curve(
    segscore: Segscore, with_power: Path, average: str
) -> None:
    output = with_power
    page = Reader(report(segscore, output, "--average", average))
    for measure, title in TITLES.items():
        assert check_differences(page, output, measure, average) == 3  # all and both genres
        drawn = page.charts[title]["layer"]
        assert drawn, title
        power = [
            row
            for row in read_table(str(output / "power")).to_pylist()
            if (row["measure"], row["average"]) == (measure, average)
        ]
        _, *curve = page.tables[f"Power to find a difference in {measure}"]
        points = page.charts[f"Power to find a difference in {measure}"]["data"]["values"]
        assert len(curve) == len(points) == len(power) > 5
        for cells, point, row in zip(curve, points, power, strict=True):
            documents = int(cells[2].replace(",", ""))
            assert documents == point["x"] == row["documents"]
            assert number(cells[3]) == pytest.approx(row["power"], abs=6e-3)
            assert point["y"] == pytest.approx(row["power"], abs=1e-5)
    verdicts, (scope, *differences) = page.answer[:2], page.answer[2:]
    assert [words.partition(", ")[0] for words in verdicts] == ["pk", "boundary_similarity"]
    assert all(f", {average}: " in words for words in verdicts)
    assert scope.endswith("Tests and intervals are about these references.")
    assert f"differences in pk ({average} average) are significant" in differences[0]


def test_a_comparison_without_power_has_no_curve(segscore: Segscore, tmp_path: Path) -> None:
    output = compared(segscore, tmp_path)
    page = Reader(report(segscore, output, "--average", "macro"))
    assert check_differences(page, output, "pk", "macro") == 3  # pairs of systems
    assert not any(title.startswith("Power") for title in page.tables)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_page_has_the_tests_of_the_terminal(
    segscore: Segscore, tmp_path: Path, average: str
) -> None:
    output = compared(segscore, tmp_path, "--margin", 0.9)
    page = Reader(report(segscore, output, "--average", average))
    heading, *rows = page.tables[TITLES["pk"]]
    assert [row[heading.index("within 0.9")] for row in rows] == ["equal"] * 3
    of_documents = ["Wilcoxon (Holm)", "d"] if average == "macro" else []
    after = heading.index("within 0.9") + 1
    assert heading[after:-3] == of_documents
    expected = [
        row["p_wilcoxon_holm"]
        for row in read_table(str(output / "comparisons")).to_pylist()
        if (row["measure"], row["average"]) == ("pk", average)
    ]
    if of_documents:
        assert [number(row[after]) for row in rows] == pytest.approx(expected, abs=5e-5)


def test_one_system_alone_is_said_to_be_alone(segscore: Segscore, tmp_path: Path) -> None:
    page = Reader(report(segscore, compared(segscore, tmp_path, "--systems", "h1")))
    assert page.answer[-1] == "One system was compared with no other."
