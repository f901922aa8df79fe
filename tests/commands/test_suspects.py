"""`segscore suspects`: which boundaries of the references may be wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

import segscore as api
from segscore.pipeline.storage import read_table
from segscore.schemas.comparisons import SUSPECTS
from tests.support.command_line import Segscore
from tests.support.planted import Planted, plant
from tests.support.report_pages import Reader
from tests.support.rows import read_rows

Row = dict[str, Any]


def diagnosed(segscore: Segscore, folder: Path, planted: Planted, *options: object) -> list[Row]:
    """Return the suspects of a corpus, the most likely first."""
    references, hypotheses = planted.write(folder)
    run = folder / "run"
    assert segscore("score", references, hypotheses, *options, "--output", run).code == 0
    result = segscore("suspects", run)
    assert result.code == 0, result.err
    table = read_table(str(run / "suspects"))
    SUSPECTS.validate(table)
    return sorted(table.to_pylist(), key=lambda row: -row["posterior"])


def is_right(row: Row, planted: Planted) -> bool:
    """A missing boundary may be off by one, as near misses may."""
    reach = (0,) if row["kind"] != "missing" else (-1, 0, 1)
    return any((row["document_id"], row["position"] + each) in planted.wrong for each in reach)


@pytest.mark.long
@pytest.mark.parametrize(
    ("hard", "attractive", "least"),
    [(0.0, 0.0, 0.75), (0.7, 0.0, 0.5), (1.2, 0.0, 0.5), (1.2, 1.2, 0.45)],
    ids=["independent", "hard", "very hard", "attractive places"],
)
def test_planted_errors_are_suspected_first(
    segscore: Segscore, tmp_path: Path, hard: float, attractive: float, least: float
) -> None:
    planted = plant(5, hard=hard, attractive=attractive)
    first = diagnosed(segscore, tmp_path, planted)[: planted.planted]
    assert len(first) == planted.planted
    assert sum(is_right(row, planted) for row in first) >= least * planted.planted


@pytest.mark.first
@pytest.mark.parametrize(("hard", "attractive"), [(0.0, 0.0), (1.2, 1.2)])
def test_few_boundaries_of_clean_references_are_suspected(
    segscore: Segscore, tmp_path: Path, hard: float, attractive: float
) -> None:
    planted = plant(6, share=0.0, hard=hard, attractive=attractive)
    rows = diagnosed(segscore, tmp_path, planted)
    assert sum(row["posterior"] > 0.9 for row in rows) <= 2000 / 200


@pytest.fixture(scope="module")
def corpus() -> tuple[list[Row], list[Row]]:
    """Forty documents; in the last, the reference lacks 30, has 60, and has 81 in place of 78.

    Each system misses a boundary of its own in every third document, but not in the last.
    """
    positions = [10, 30, 50, 78]
    gold = [
        {"document_id": f"d{i}", "coder": "gold", "n_units": 100, "boundaries": positions}
        for i in range(40)
    ]
    systems = [
        {**row, "coder": name, "boundaries": _without(positions, (number + s) % 4)}
        if number % 3 == s % 3 and number < 39
        else {**row, "coder": name}
        for number, row in enumerate(gold)
        for s, name in enumerate(("a", "b", "c", "d"))
    ]
    gold[-1] = {**gold[-1], "boundaries": [10, 50, 60, 81]}
    return gold, systems


def _without(positions: list[int], index: int) -> list[int]:
    return [each for i, each in enumerate(positions) if i != index]


def test_missing_spurious_and_shifted_boundaries_are_told_apart(
    segscore: Segscore, tmp_path: Path, corpus: tuple[list[Row], list[Row]]
) -> None:
    gold, systems = corpus
    planted = Planted(gold, systems, set(), 3)
    rows = diagnosed(segscore, tmp_path, planted)
    found = {(row["kind"], row["position"], row["shift"]) for row in rows[:3]}
    assert found == {("missing", 30, None), ("spurious", 60, None), ("shifted", 81, -3)}
    for row in rows[:3]:
        assert row["document_id"] == "d39"
        assert row["systems_for"] == ["a", "b", "c", "d"]
        assert row["systems_against"] == []
        assert row["change"] > 0


def test_the_scores_are_those_of_the_mended_reference(
    segscore: Segscore, tmp_path: Path, corpus: tuple[list[Row], list[Row]]
) -> None:
    gold, systems = corpus
    planted = Planted(gold, systems, set(), 3)
    for row in diagnosed(segscore, tmp_path, planted)[:3]:
        mended = {*gold[-1]["boundaries"]}
        if row["kind"] != "missing":
            mended.remove(row["position"])
        if row["kind"] != "spurious":
            mended.add(row["position"] + (row["shift"] or 0))
        references = [*gold[:-1], {**gold[-1], "boundaries": sorted(mended)}]
        summary = api.evaluate(references, systems).summary.to_pylist()
        expected = {
            each["hypothesis"]: each["value"]
            for each in summary
            if each["measure"] == "boundary_similarity" and each["average"] == "micro"
        }
        values = dict(zip(row["systems"], row["values"], strict=True))
        assert values == pytest.approx(expected)


def test_it_prints_where_and_what_to_do(
    segscore: Segscore, tmp_path: Path, corpus: tuple[list[Row], list[Row]]
) -> None:
    gold, systems = corpus
    planted = Planted(gold, systems, set(), 3)
    diagnosed(segscore, tmp_path, planted, "--unit", "millisecond", "--n-t", 2)
    run, other = tmp_path / "run", tmp_path / "other"
    result = segscore("suspects", run, "--output", other)
    assert "shifted by -3" in result.out
    assert "d39, 0:00:00.081: shifted by -3" in result.out
    assert "4 of 4" in result.out
    assert read_table(str(other / "suspects")).equals(read_table(str(run / "suspects")))
    export = next(line for line in result.out.splitlines() if "label-studio" in line)
    words = export.partition(": segscore ")[2].replace("--output queue", f"--output {tmp_path}/q")
    assert segscore(*words.split()).code == 0
    quiet = segscore("suspects", run, "--output", other, "-q").out.splitlines()
    assert 1 <= len(quiet) <= 3 and {*quiet} < {*result.out.splitlines()}
    printed = json.loads(segscore("suspects", run, "--format", "json").out)
    assert printed["suspects"] == read_rows(run, "suspects")
    assert segscore("suspects", run, "--format", "csv").out.count("\n") == 1 + len(
        printed["suspects"]
    )


def test_it_needs_three_systems(
    segscore: Segscore, tmp_path: Path, corpus: tuple[list[Row], list[Row]]
) -> None:
    gold, systems = corpus
    two = [row for row in systems if row["coder"] in "ab"]
    references, hypotheses = Planted(gold, two, set(), 3).write(tmp_path)
    run = tmp_path / "run"
    assert segscore("score", references, hypotheses, "--output", run).code == 0
    result = segscore("suspects", run)
    assert result.code == 2
    assert "has 2 systems" in result.err
    assert segscore("suspects", run, "--accuracy", "1").code == 2


@pytest.mark.long
def test_the_page_lists_and_draws_the_suspects(segscore: Segscore, tmp_path: Path) -> None:
    planted = plant(5)
    first = diagnosed(segscore, tmp_path, planted)[0]
    run, page = tmp_path / "run", tmp_path / "suspects.html"
    assert segscore("suspects", run, "--report", page).code == 0
    read = Reader(page)
    rows = read.tables["Suspected boundaries"]
    listed = [(row[0], row[2]) for row in rows[1:]]
    assert (first["document_id"], str(first["position"])) in listed
    suspects = read_rows(run, "suspects")
    assert [row[5:7] for row in rows[1:]] == [
        [f"{len(row['systems_for'])} of {len(row['systems'])}", ", ".join(row["systems_for"])]
        for row in suspects[:20]
    ]
    assert f"{len(suspects) - 20} more are in the table suspects." in read.text
