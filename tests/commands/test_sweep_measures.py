"""`segscore sweep --measure` against scoring tables of the candidates that reach each threshold."""

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from segscore.pipeline.errors import Failed
from segscore.pipeline.measures import ALL
from segscore.pipeline.scoring.sweep.coder_sums import merge_sums
from segscore.pipeline.scoring.sweep.measured import MeasureSums
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line

Row = dict[str, Any]
MEASURES = ("pk", "window_diff", "boundary_similarity", "f1", "r_miss", "pk_prior")


def write(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, list[Row]]:
    """The references of 20 documents, two of some, and candidates of two systems."""
    draw = Random(5)  # noqa: S311
    references, hypotheses = [], []
    for number in range(20):
        row: Row = {"document_id": f"d{number:02}", "n_units": draw.randint(2, 25)}
        places = range(1, row["n_units"])
        for coder in ("gold", "second")[: 1 + number % 2]:
            chosen = sorted(draw.sample(places, draw.randint(0, len(places) // 2)))
            references.append({**row, "coder": coder, "boundaries": chosen})
        for coder in ("a", "b"):
            chosen = sorted(draw.sample(places, draw.randint(0, len(places))))
            scores = [draw.randint(0, 20) / 20 for _ in chosen]
            hypotheses.append(
                {**row, "coder": coder, "boundaries": chosen, "boundary_scores": scores}
            )
    return write(tmp_path / "gold.jsonl", references), hypotheses


def scored(
    segscore: Segscore, gold: Path, rows: list[Row], least: float
) -> dict[tuple[str, str], float | None]:
    """(System, measure) -> micro average of the candidates that reach a threshold."""
    reached = [
        {
            **{name: row[name] for name in ("document_id", "coder", "n_units")},
            "boundaries": [
                at
                for at, score in zip(row["boundaries"], row["boundary_scores"], strict=True)
                if score >= least
            ],
        }
        for row in rows
    ]
    table, output = write(gold.parent / f"at-{least}.jsonl", reached), gold.parent / f"run-{least}"
    result = segscore("score", gold, table, "--output", output, "--measures", ",".join(MEASURES))
    assert result.code == 0, result.err
    return {
        (row["hypothesis"], row["measure"]): row["value"]
        for row in read_table(str(output / "summary")).to_pylist()
        if row["average"] == "micro"
    }


def test_values_are_those_of_scoring_at_each_threshold(
    segscore: Segscore, tables: tuple[Path, list[Row]]
) -> None:
    gold, rows = tables
    candidates = write(gold.parent / "candidates.jsonl", rows)
    thresholds = (0.0, 0.3, 0.55, 1.0)
    result = segscore(
        "sweep", gold, candidates, "--measure", ",".join(MEASURES),
        "--thresholds", "1,0.3,0.55,0,0.3", "--output", gold.parent / "sweep",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "|thresholds:0,0.3,0.55,1|" in result.out
    found = {
        (row["hypothesis"], row["measure"], row["threshold"]): row
        for row in read_table(str(gold.parent / "sweep" / "measured")).to_pylist()
    }
    for least in thresholds:
        for (system, measure), value in scored(segscore, gold, rows, least).items():
            assert found[system, measure, least]["value"] == value
    for system, measure in product(("a", "b"), MEASURES):
        values = {least: found[system, measure, least]["value"] for least in thresholds}
        better = min if ALL[measure].better == "lower" else max
        best = better(value for value in values.values() if value is not None)
        chosen = [least for least in thresholds if found[system, measure, least]["best"]]
        assert [values[least] for least in chosen] == [best]
        near = [least for least in thresholds if found[system, measure, least]["near_best"]]
        assert all(abs(values[least] - best) <= 0.01 for least in near)
        assert {*chosen} <= {*near}


def test_middle_of_the_widest_range_is_chosen(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "d", "n_units": 9, "coder": "gold"}
    gold = write(tmp_path / "gold.jsonl", [{**row, "boundaries": [3, 6]}])
    candidates = {"boundaries": [3, 5, 6], "boundary_scores": [0.8, 0.4, 0.71]}
    table = write(tmp_path / "scored.jsonl", [{**row, "coder": "a", **candidates}])
    result = segscore("sweep", gold, table, "--measure", "f1", "--output", tmp_path / "run")
    assert "0.41 to 0.71" in result.out
    assert "--threshold a=0.56 " in " ".join(result.out.split())
    rows = read_table(str(tmp_path / "run" / "measured")).to_pylist()
    perfect = [row["threshold"] for row in rows if row["value"] == 1]
    assert perfect == [step / 100 for step in range(41, 72)]


def test_measures_without_a_direction_are_refused(
    segscore: Segscore, tables: tuple[Path, list[Row]]
) -> None:
    gold, rows = tables
    table = write(gold.parent / "candidates.jsonl", rows)

    def refused(*options: str) -> str:
        return refusal_line(
            segscore("sweep", gold, table, "--output", gold.parent / "no", *options)
        )

    assert "no threshold can be chosen by it" in refused("--measure", "panel")
    assert "no such measure" in refused("--measure", "pkk")
    assert "needs --measure" in refused("--thresholds", "0.5")
    assert "--thresholds" in refused("--measure", "pk", "--thresholds", "0.5,1.5")
    assert "--tolerances" in refused("--measure", "pk", "--tolerances", "1")


def test_receipts_of_other_thresholds_are_refused() -> None:
    sums = [{"a": MeasureSums(np.zeros((size, 3), np.int64))} for size in (2, 4)]
    with pytest.raises(Failed, match="--fresh"):
        merge_sums(sums, "thresholds or measures")
    with pytest.raises(ValueError, match="shape"):
        MeasureSums(np.zeros(3, np.int64))
