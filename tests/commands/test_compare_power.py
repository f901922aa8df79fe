"""What a comparison could have shown: lines, columns and the simulated curve."""

from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.statistics import simulated_power
from segscore.pipeline.storage import read_table
from segscore.schemas.comparisons import POWER
from tests.support.command_line import Segscore
from tests.support.paths import DATA


@pytest.fixture
def scored(segscore: Segscore, tmp_path: Path) -> Path:
    source, run = DATA / "tinyrec.jsonl", tmp_path / "run"
    points = ("--reference-points", "none,random-known")
    assert segscore("score", source, source, *points, "--output", run).code == 0
    return run


def pair(rows: list[dict[str, Any]], other: str) -> dict[str, Any]:
    (row,) = (row for row in rows if {row["system"], row["other"]} == {"EquiSeg", other})
    return row


def compared(
    segscore: Segscore, run: Path, output: Path, *options: object
) -> tuple[str, list[dict[str, Any]]]:
    fast = ("--permutations", 99)
    result = segscore(
        "compare", run, "--measure", "boundary_similarity", *fast, *options, "--output", output
    )
    assert result.code == 0, result.err
    rows = read_table(str(output / "comparisons")).to_pylist()
    return result.out, [row for row in rows if row["average"] == "macro"]


def test_documents_can_show_a_difference_and_the_observed_one_needs_more(
    segscore: Segscore, scored: Path, tmp_path: Path
) -> None:
    """TinyRec: spread .0975 on 42 documents, so that .0432 can be shown."""
    options = ("--average", "macro", "--difference", "-0.03")
    text, rows = compared(segscore, scored, tmp_path / "c", *options)
    row = pair(rows, "point:random-known")
    assert row["smallest_difference"] == pytest.approx(0.0432, abs=5e-5)
    assert row["documents_needed"] == 94
    assert row["documents_for_difference"] == 85
    assert (
        "EquiSeg and point:random-known: 42 documents can show a difference of 0.0432 (power 0.8); "
        "0.0285 was observed, which needs 94; 0.03 needs 85"
    ) in text
    assert "point:random-known and point:none" not in text


def test_more_power_needs_more_documents(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    _, usual = compared(segscore, scored, tmp_path / "usual")
    _, more = compared(segscore, scored, tmp_path / "more", "--power", "0.95")
    _, strict = compared(segscore, scored, tmp_path / "strict", "--alpha", "0.01")
    names = ("smallest_difference", "documents_needed")
    for name in names:
        least = pair(usual, "point:none")[name]
        assert pair(more, "point:none")[name] > least < pair(strict, "point:none")[name]
    assert pair(usual, "point:none")["documents_for_difference"] is None


def test_the_simulated_curve_is_a_table(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    output = tmp_path / "c"
    options = ("--simulate-power", "--systems", "EquiSeg,point:random-known")
    text, _ = compared(segscore, scored, output, *options, "--difference", "0.06")
    table = read_table(str(output / "power"))
    POWER.validate(table, lazy=True)
    rows = [row for row in table.to_pylist() if row["average"] == "macro"]
    assert {row["sought"] for row in rows} == {0.06}
    assert 42 in {row["documents"] for row in rows}
    powers = [row["power"] for row in rows]
    assert powers == sorted(powers)
    assert powers[0] < 0.9 < powers[-1]
    assert "exaggeration" in text


def test_the_simulated_curve_is_the_same_again(
    segscore: Segscore, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated_power, "CORPORA", 500)
    options = ("--simulate-power", "--systems", "EquiSeg,point:random-known")
    for name in ("one", "again"):
        compared(segscore, scored, tmp_path / name, *options, "--difference", "0.06")
    one, again = (read_table(str(tmp_path / name / "power")) for name in ("one", "again"))
    assert one == again and one.num_rows > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--power", "1"), "--power 1: must be above --alpha and below 1"),
        (("--alpha", "0"), "--alpha 0: must lie between 0 and 1"),
        (("--difference", "0"), "--difference 0: must be a number other than 0"),
        (("--difference", "nan"), "--difference nan: must be a number other than 0"),
        (("--measure", "b_tp", "--simulate-power"), "b_tp has no better direction"),
    ],
)
def test_wrong_questions_are_refused(
    segscore: Segscore, scored: Path, options: tuple[str, ...], message: str
) -> None:
    measure = () if "--measure" in options else ("--measure", "pk")
    result = segscore("compare", scored, *measure, *options)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_too_few_documents_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    source, run = DATA / "stargazer.jsonl", tmp_path / "run"
    assert segscore("score", source, source, "--output", run).code == 0
    result = segscore("compare", run, "--measure", "pk", "--simulate-power")
    assert result.code == 2
    assert "1 documents by pk, too few to estimate the spread; at least 10 are needed" in result.err
    text = segscore("compare", run, "--measure", "pk").out
    assert "fewer than 10 documents: too few to estimate what difference they can show" in text
