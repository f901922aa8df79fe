"""`segscore sweep --measure` against scoring tables of the candidates that reach each threshold."""

import json
from fractions import Fraction
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
from segscore.pipeline.statistics import resampling
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.rows import read_rows
from tests.support.written import write

Row = dict[str, Any]
MEASURES = ("pk", "window_diff", "boundary_similarity", "f1", "r_miss", "pk_prior")


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
            show = f"show-{number // 3}"
            references.append({**row, "coder": coder, "boundaries": chosen, "show": show})
        for coder in ("a", "b"):
            chosen = sorted(draw.sample(places, draw.randint(0, len(places))))
            scores = [draw.randint(0, 20) / 20 for _ in chosen]
            hypotheses.append(
                {**row, "coder": coder, "boundaries": chosen, "boundary_scores": scores}
            )
    return write(tmp_path / "gold.jsonl", references), hypotheses


def scored(
    segscore: Segscore, gold: Path, rows: list[Row], least: float, *options: str
) -> dict[tuple[str, str], tuple[Any, Any, Any]]:
    """(System, measure) -> micro average of the candidates that reach a threshold, its interval."""
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
    command = ("score", gold, table, "--output", output, "--measures", ",".join(MEASURES))
    result = segscore(*command, *options)
    assert result.code == 0, result.err
    return {
        (row["hypothesis"], row["measure"]): (row["value"], row["ci_low"], row["ci_high"])
        for row in read_rows(output, "summary")
        if row["average"] == "micro"
    }


@pytest.mark.first
@pytest.mark.parametrize("unit", ["documents", "show", "11-buckets"])
def test_values_are_those_of_scoring_at_each_threshold(
    segscore: Segscore,
    tables: tuple[Path, list[Row]],
    monkeypatch: pytest.MonkeyPatch,
    unit: str,
) -> None:
    gold, rows = tables
    options = ("--resample-by", "show") if unit == "show" else ()
    if unit == "11-buckets":  # of all documents, also for a system with fewer
        monkeypatch.setattr(resampling, "BUCKETS", 11)
        segscore.cut(10)
        rows = [row for row in rows if row["coder"] == "a" or row["document_id"] < "d10"]
    candidates = write(gold.parent / "candidates.jsonl", rows)
    thresholds = (0.0, 0.3, 0.55, 1.0)
    result = segscore(
        "sweep", gold, candidates, "--measure", ",".join(MEASURES),
        "--thresholds", "1,0.3,0.55,0,0.3", "--output", gold.parent / "sweep", *options,
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "|thresholds:0,0.3,0.55,1|" in result.out
    assert f"|ci:jackknife,{unit}|" in result.out
    found = {
        (row["hypothesis"], row["measure"], row["threshold"]): row
        for row in read_rows(gold.parent / "sweep", "measured")
    }
    intervals = {}
    for least in thresholds:
        at = scored(segscore, gold, rows, least, *options)
        intervals[least] = {key: (low, high) for key, (_, low, high) in at.items()}
        for (system, measure), (value, *_) in at.items():
            assert found[system, measure, least]["value"] == value
    for system, measure in product(("a", "b"), MEASURES):
        values = {least: found[system, measure, least]["value"] for least in thresholds}
        better = min if ALL[measure].better == "lower" else max
        best = better(value for value in values.values() if value is not None)
        chosen = [least for least in thresholds if found[system, measure, least]["best"]]
        if measure == "r_miss":  # the lowest threshold is best by it
            assert not chosen
            continue
        assert [values[least] for least in chosen] == [best]
        row = found[system, measure, chosen[0]]
        ends = intervals[chosen[0]][system, measure]
        assert (row["ci_low"], row["ci_high"]) == ends and None not in ends
        near = [least for least in thresholds if found[system, measure, least]["near_best"]]
        assert all(ends[0] <= values[least] <= ends[1] for least in near)
        assert {*chosen} <= {*near}
        beside = [thresholds[i] for i in (thresholds.index(near[0]) - 1,) if i >= 0]
        assert not any(_as_good(values[least], ends, lower=better is min) for least in beside)


def _as_good(value: float | None, ends: tuple[float, float], *, lower: bool) -> bool:
    return value is not None and (value <= ends[1] if lower else value >= ends[0])


def average_precision(gold: Path, rows: list[Row], system: str) -> float:
    """The same area from a list of all candidates: the rise of recall times precision."""
    references = [json.loads(line) for line in gold.read_text().splitlines()]
    scored = [
        (score, at in reference["boundaries"])
        for row in rows
        for reference in references
        if (row["coder"], row["document_id"]) == (system, reference["document_id"])
        for at, score in zip(row["boundaries"], row["boundary_scores"], strict=True)
    ]
    wanted = sum(len(reference["boundaries"]) for reference in references)
    area, recall = Fraction(0), Fraction(0)
    for least in sorted({score for score, _ in scored}, reverse=True):
        reached = [right for score, right in scored if score >= least]
        area += (Fraction(sum(reached), wanted) - recall) * Fraction(sum(reached), len(reached))
        recall = Fraction(sum(reached), wanted)
    return float(area)


def test_average_precision_is_that_of_a_slow_twin(
    segscore: Segscore, tables: tuple[Path, list[Row]]
) -> None:
    gold, rows = tables
    candidates = write(gold.parent / "candidates.jsonl", rows)
    result = segscore("sweep", gold, candidates, "--output", gold.parent / "sweep")
    assert result.code == 0, result.err
    points = read_rows(gold.parent / "sweep", "operating_points")
    for row in points:
        expected = average_precision(gold, rows, row["hypothesis"])
        assert row["average_precision"] == pytest.approx(expected, abs=1e-15)
        assert 0 < expected < 1
        assert f"average precision is {expected:.4f}" in " ".join(result.out.split())


def test_average_precision_without_boundaries(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "d", "n_units": 9}
    candidates = {"boundaries": [3, 5], "boundary_scores": [0.8, 0.4]}
    table = write(tmp_path / "scored.jsonl", [{**row, "coder": "a", **candidates}])
    for places, expected in (([], None), ([7], 0.0), ([5], 0.5), ([3], 1.0), ([3, 7], 0.5)):
        gold = write(tmp_path / "gold.jsonl", [{**row, "coder": "g", "boundaries": places}])
        result = segscore("sweep", gold, table, "--fresh", "--output", tmp_path / "run")
        assert result.code == 0, result.err
        (point,) = read_rows(tmp_path / "run", "operating_points")
        assert point["average_precision"] == expected


def test_middle_of_the_widest_range_is_chosen(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "d", "n_units": 9, "coder": "gold"}
    gold = write(tmp_path / "gold.jsonl", [{**row, "boundaries": [3, 6]}])
    candidates = {"boundaries": [3, 5, 6], "boundary_scores": [0.8, 0.4, 0.71]}
    table = write(tmp_path / "scored.jsonl", [{**row, "coder": "a", **candidates}])
    result = segscore("sweep", gold, table, "--measure", "f1", "--output", tmp_path / "run")
    assert "0.41 to 0.71" in result.out
    assert "--threshold a=0.56 " in " ".join(result.out.split())
    rows = read_rows(tmp_path / "run", "measured")
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


@pytest.mark.parametrize(
    "options", [(), ("--tolerances", "0,1"), ("--windows", "5,10", "--measure", "pk")]
)
def test_nothing_else_is_resampled(
    segscore: Segscore, tables: tuple[Path, list[Row]], options: tuple[str, ...]
) -> None:
    gold, rows = tables
    candidates = write(gold.parent / "candidates.jsonl", rows)
    command = ("sweep", gold, candidates, "--output", gold.parent / "sweep")
    line = refusal_line(segscore(*command, "--resample-by", "show", *options))
    assert "--resample-by: only the values at the best thresholds by --measure have" in line
    measured = ("--measure", "boundary_similarity", "--resample-by", "shows")
    line = refusal_line(segscore(*command, *measured))
    assert "--resample-by shows: documents have no such attribute; the nearest is show" in line


def test_precision_and_recall_alone_choose_no_threshold(
    segscore: Segscore, tmp_path: Path, tables: tuple[Path, list[Row]]
) -> None:
    gold, rows = tables
    scores = write(tmp_path / "systems.jsonl", rows)
    options = ("--measure", "precision,b_recall,f1", "--output", tmp_path / "run")
    result = segscore("sweep", gold, scores, *options)
    assert result.code == 0, result.err
    measured = read_rows(tmp_path / "run", "measured")
    assert {row["measure"] for row in measured} == {"precision", "b_recall", "f1"}
    assert {row["measure"] for row in measured if row["best"]} == {"f1"}
    assert "best by f1 here" in " ".join(result.out.split())
    alone = segscore("sweep", gold, scores, "--measure", "recall", "--output", tmp_path / "alone")
    assert "recall alone chooses no threshold" in " ".join(alone.out.split())
