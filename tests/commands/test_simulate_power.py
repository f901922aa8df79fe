"""`segscore simulate power`: how often the intervals and tests of a run are right."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore, SegscoreOnce
from tests.support.comparisons import refusal_line
from tests.support.corpora import corpus, run
from tests.support.report_pages import Reader, plain, report
from tests.support.rows import write_rows

SHOWS = 6


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three systems on documents of six shows."""
    folder = tmp_path_factory.mktemp("certified")
    generated = corpus(seed=11, documents=48)
    for document in generated.documents:
        document["show"] = f"show {int(document['document_id'][1:]) % SHOWS}"
    generated.write(folder)
    run(SegscoreOnce(), folder, folder / "run", "--group-by", "show")
    return folder / "run"


def certified(segscore: Segscore, scored: Path, *options: object) -> dict[str, Any]:
    """The certificate in JSON."""
    result = segscore("simulate", "power", scored, "--format", "json", *options)
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def score(segscore: Segscore, folder: Path, systems: dict[str, list[int]], documents: int) -> Path:
    """Score systems that place the same boundaries in each document."""
    rows = [
        {"document_id": f"d{d}", "coder": name, "role": role, "n_units": 20, "boundaries": places}
        for d in range(documents)
        for name, role, places in (
            ("desk", "reference", [5 + d % 3, 12]),
            *((name, "hypothesis", [each + d % 3, 12]) for name, (each,) in systems.items()),
        )
    ]
    path = folder / "table.jsonl"
    write_rows(path, rows)
    assert segscore("score", path, path, "--output", folder / "run").code == 0
    return folder / "run"


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_ordinary_documents_are_certified_near_what_is_promised(
    segscore: Segscore, scored: Path, average: str
) -> None:
    found = certified(segscore, scored, "--average", average, "--measure", "pk")
    assert 0.9 <= found["coverage"] <= 0.98
    assert 0.01 <= found["level"] <= 0.085
    assert found["coverage_error"] == pytest.approx(0.007, abs=0.003)


@pytest.mark.long
def test_the_same_run_and_seed_give_the_same_certificate(segscore: Segscore, scored: Path) -> None:
    first, again = (certified(segscore, scored) for _ in range(2))
    assert first == again
    assert certified(segscore, scored, "--seed", 1) != first


@pytest.mark.long
def test_shows_are_drawn_whole(segscore: Segscore, scored: Path) -> None:
    found = certified(segscore, scored, "--resample-by", "show")
    assert (found["unit"], found["units"]) == ("show", SHOWS)
    said = segscore("simulate", "power", scored, "--resample-by", "show").out
    assert f"drawn from the {SHOWS} values of show of this run" in said
    unknown = segscore("simulate", "power", scored, "--resample-by", "shw")
    assert "has no attribute shw; the nearest is show" in refusal_line(unknown)


def test_a_perfect_system_and_its_copy(segscore: Segscore, tmp_path: Path) -> None:
    scored = score(segscore, tmp_path, {"good": [5], "copy": [5]}, 8)
    found = certified(segscore, scored)
    assert (found["coverage"], found["level"]) == (1.0, 0.0)


def test_one_system_has_no_test(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    alone = score(segscore, tmp_path, {"only": [6]}, 8)
    result = segscore("simulate", "power", alone, "--format", "csv")
    assert result.code == 0, result.err
    heads, cells = (line.split(",") for line in result.out.splitlines())
    row = dict(zip(heads, cells, strict=True))
    assert (row["system"], row["other"], row["level"]) == ("only", "", "")
    assert "equal systems" not in segscore("simulate", "power", alone).out


def test_what_cannot_be_certified_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    few = score(segscore, tmp_path, {"only": [6]}, 4)
    line = refusal_line(segscore("simulate", "power", few))
    assert "has 4 documents; intervals and tests need 5" in line
    assert "no such measure" in refusal_line(segscore("simulate", "power", few, "--measure", "pkk"))
    assert "has no tiou_f1; run score again" in refusal_line(
        segscore("simulate", "power", few, "--measure", "tiou_f1")
    )
    assert "no such folder" in refusal_line(segscore("simulate", "power", tmp_path / "none"))


@pytest.mark.long
def test_a_report_carries_the_sentence(segscore: Segscore, scored: Path) -> None:
    sentence = segscore("simulate", "power", scored, "--average", "macro").out.splitlines()[0]
    page = Reader(report(segscore, scored, "--certify", "--average", "macro"))
    assert sentence in [plain(line) for line in page.answer]
