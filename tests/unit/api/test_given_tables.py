"""Rows of numpy, tables without coders and datasets of Hugging Face are read as what they are."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import segscore

PLAIN: list[dict[str, Any]] = [
    {"document_id": f"d{i}", "coder": "desk", "n_units": 11, "boundaries": [2 + i % 3, 6]}
    for i in range(9)
]


def values(evaluation: segscore.Evaluation) -> list[Any]:
    return [evaluation.scores.column(name).to_pylist() for name in ("document_id", "pk")]


def test_rows_of_numpy_are_those_of_python() -> None:
    rows = [
        {**row, "n_units": np.int32(row["n_units"]), "boundaries": np.array(row["boundaries"])}
        for row in PLAIN
    ]
    hypotheses = [{**row, "coder": "s", "boundaries": np.array([4], np.uint16)} for row in PLAIN]
    expected = segscore.evaluate(PLAIN, [{**row, "coder": "s", "boundaries": [4]} for row in PLAIN])
    assert values(segscore.evaluate(rows, hypotheses)) == values(expected)


def test_one_system_needs_no_name() -> None:
    rows = [{name: row[name] for name in row if name != "coder"} for row in PLAIN]
    for given in (rows, pd.DataFrame(rows)):
        evaluation = segscore.evaluate(given, given)
        assert evaluation.systems == ["hypothesis"]
        assert evaluation.scores.column("reference").unique().to_pylist() == ["reference"]


def test_a_table_in_which_some_rows_have_a_coder_is_not_completed() -> None:
    rows = [dict(row) for row in PLAIN]
    del rows[3]["coder"]
    evaluation = segscore.evaluate(rows, PLAIN)
    assert evaluation.rejects.column("rule").to_pylist() == ["coder_given"]


def test_datasets_of_hugging_face_are_read_by_their_arrow_tables() -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    whole = datasets.Dataset.from_list(PLAIN)
    chosen = whole.filter(lambda row: row["document_id"] != "d3").shuffle(seed=1)
    evaluation = segscore.evaluate(PLAIN, chosen)
    assert evaluation["pk"].micro == 0
    assert len(evaluation.scores) == 8
    assert values(segscore.evaluate(whole, whole)) == values(segscore.evaluate(PLAIN, PLAIN))


def test_lists_that_were_read_as_texts_from_csv() -> None:
    names = {"document_id": ["a", "b", "c"], "n_units": [11, 9, 7]}
    texts = pa.table({**names, "boundaries": ["2 5", "[1, 4]", None]})
    lists = pa.table({**names, "boundaries": [[2, 5], [1, 4], []]})
    hypotheses = pa.table({**names, "boundaries": ["2;4", "4", ""]})
    scored = [segscore.evaluate(references, hypotheses) for references in (texts, lists)]
    assert scored[0].scores.equals(scored[1].scores)
    assert scored[0]["f1"].micro == 2 * 2 / (4 + 3)
    wrong = pa.table({**names, "boundaries": ["2 5", "early", ""]})
    with pytest.raises(segscore.Refused, match="references: boundaries is a text, not a list"):
        segscore.evaluate(wrong, hypotheses)
