"""Probabilities and logits of units: whose documents they are, and what logits become."""

import math
from pathlib import Path

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

OPTIONS = ("--format", "probabilities", "--set", "marks=end", "--coder", "net", "--role")
HOW = (*OPTIONS, "hypothesis", "--output", "out")
UNITS = "doc,prob\na,.1\na,.9\na,0\nb,.3\nb,.1\n"


def _scores() -> dict[str, list[float]]:
    rows = read_table("out/hypotheses").to_pylist()
    return {row["document_id"]: row["boundary_scores"] for row in rows}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_rows_of_units_belong_to_the_documents_of_their_column(segscore: Segscore) -> None:
    Path("units.csv").write_text(UNITS)
    assert segscore("import", "units.csv", *HOW).code == 0
    assert _scores() == {"a": [0.1, 0.9], "b": [0.3]}


def test_rows_without_a_column_of_documents_are_refused(segscore: Segscore) -> None:
    Path("units.csv").write_text(UNITS.replace("doc", "reel"))
    refused = segscore("import", "units.csv", *HOW)
    assert refused.code == 2
    assert "name it with --document-field" in refused.err
    assert segscore("import", "units.csv", *HOW, "--document-field", "reel").code == 0
    assert set(_scores()) == {"a", "b"}


def test_logits_become_probabilities(segscore: Segscore) -> None:
    write_rows(Path("net.jsonl"), [{"id": "a", "logits": [0.0, -800.0, 800.0, 1.5, 9.0]}])
    assert segscore("import", "net.jsonl", *HOW).code == 0
    expected = [0.5, 0.0, 1.0, 1 / (1 + math.exp(-1.5))]
    assert _scores() == {"a": pytest.approx(expected, abs=1e-15)}


def test_other_numbers_are_no_probabilities(segscore: Segscore) -> None:
    write_rows(Path("net.jsonl"), [{"id": "a", "prob": [0.5, -1.0]}])
    refused = segscore("import", "net.jsonl", *HOW)
    assert refused.code == 2
    assert "expected a number from 0 to 1; logits are in a field of this name" in refused.err
