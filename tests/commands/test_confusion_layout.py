"""`score --confusion --layout confusion`: errors by boundary type, or by label, in every format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.rows import write_rows

ROWS: dict[str, list[dict[str, Any]]] = {
    "typed": [
        {
            "coder": "gold",
            "role": "reference",
            "boundaries": [2, 5, 9],
            "boundary_types": [1, 2, 2],
        },
        {"coder": "x", "role": "hypothesis", "boundaries": [2, 5, 7], "boundary_types": [1, 1, 2]},
        {"coder": "y_1", "role": "hypothesis", "boundaries": [], "boundary_types": []},
    ],
    "labelled": [
        {"coder": "gold", "role": "reference", "boundaries": [4], "segment_labels": ["ad", None]},
        {"coder": "x", "role": "hypothesis", "boundaries": [6], "segment_labels": ["ad", "talk"]},
    ],
}


def printed(segscore: Segscore, folder: Path, name: str, form: str) -> str:
    table = folder / f"{name}.jsonl"
    rows = ({"document_id": "d", "n_units": 12, **row} for row in ROWS[name])
    write_rows(table, rows)
    options = ("--confusion", "--layout", "confusion", "--format", form)
    ended = segscore("score", table, table, *options, "--output", folder / f"{name}-{form}")
    assert ended.code == 0, ended.err
    return ended.out


def test_a_cell_is_the_amount_of_the_table(segscore: Segscore, tmp_path: Path) -> None:
    found = list(csv.reader(io.StringIO(printed(segscore, tmp_path, "typed", "csv"))))
    assert found[0][:-1] == [
        "hypothesis",
        "reference_type",
        *(f"hypothesis_type_{n}" for n in "12"),
        "hypothesis_type_none",
    ]
    # The second boundary has another type: of two types, its weight is half.
    assert [row[:-1] for row in found[1:4]] == [
        ["x", "1", "1.0", "0", "0"],
        ["x", "2", "0.5", "0", "1.0"],
        ["x", "none", "0", "1.0", ""],
    ]
    assert [row[:-1] for row in found[4:]] == [
        ["y_1", "1", "0", "0", "1.0"],
        ["y_1", "2", "0", "0", "2.0"],
        ["y_1", "none", "0", "0", ""],
    ]


def test_a_paper_has_a_table_for_each_system(segscore: Segscore, tmp_path: Path) -> None:
    latex = printed(segscore, tmp_path, "typed", "latex")
    assert latex.count(r"\begin{table}") == 2
    assert r"\caption{System y\_1; boundaries by type in the reference (rows)" in latex
    assert "2 & 0 & 0 & 2 " in latex
    text = printed(segscore, tmp_path, "typed", "text")
    assert text.count("boundaries by type") == 1


def test_labels_stand_where_boundaries_have_no_types(segscore: Segscore, tmp_path: Path) -> None:
    lines = printed(segscore, tmp_path, "labelled", "markdown").splitlines()
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == [
        *("system", "label", "ad", "talk", "none")
    ]
    assert [cell.strip() for cell in lines[2].strip("|").split("|")] == ["x", "ad", "4", "0", "0"]


def test_json_has_what_was_counted(segscore: Segscore, tmp_path: Path) -> None:
    found = json.loads(printed(segscore, tmp_path, "typed", "json"))
    assert {"reference_type", "hypothesis_type", "amount"} < {*found["confusion"][0]}


@pytest.mark.parametrize("form", ["text", "latex"])
def test_it_has_to_be_counted(segscore: Segscore, tmp_path: Path, form: str) -> None:
    options = ("--layout", "confusion", "--format", form, "--output", tmp_path / "run")
    assert "add --confusion" in refusal_line(segscore("score", "a.jsonl", "b.jsonl", *options))
