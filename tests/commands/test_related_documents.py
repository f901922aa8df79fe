"""Advice to resample by an attribute whose documents have similar values."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import segscore as package
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore

SHOWS, EACH, UNITS = 8, 6, 60
WAYS = {
    "whole": Limits(),
    "ranges": Limits(rows_per_part=7),
    "shuffled": Limits(rows_per_part=7, read_again=0.0),
}
MEASURE = "boundary_similarity"
Rows = list[dict[str, Any]]


def corpus(spread: float, seed: int) -> dict[str, Rows]:
    """Two systems that find more boundaries in some shows than in others."""
    rng = np.random.default_rng(seed)
    tables: dict[str, Rows] = {"references": [], "hypotheses": [], "documents": []}
    ease = np.clip(0.6 + spread * rng.standard_normal(SHOWS), 0.05, 0.95)
    for i in range(SHOWS * EACH):
        name, show = f"d{i:02}", i % SHOWS
        places = np.sort(rng.choice(np.arange(1, UNITS), 12, replace=False))
        tables["documents"].append(
            {"document_id": name, "n_units": UNITS, "show": f"show {show}", "date": f"day {i}"}
        )
        for role, coder in (("references", "desk"), ("hypotheses", "a"), ("hypotheses", "b")):
            kept = places if coder == "desk" else places[rng.random(12) < ease[show]]
            row = {"document_id": name, "coder": coder, "n_units": UNITS}
            tables[role].append(row | {"boundaries": kept.tolist()})
    return tables


def write(tables: Mapping[str, Rows], folder: Path) -> list[str]:
    """Write the tables; return the arguments that name them."""
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    places = [str(folder / f"{name}.jsonl") for name in tables]
    return [*places[:2], "--documents", places[2]]


def evaluated(tables: Mapping[str, Rows]) -> package.Evaluation:
    """Evaluate the tables in memory."""
    sides = (tables[name] for name in ("references", "hypotheses", "documents"))
    return package.evaluate(*sides, measures="boundary_similarity")


def advised(tables: Mapping[str, Rows]) -> bool:
    """Whether an evaluation advises to resample by show."""
    warnings = evaluated(tables).record["warnings"]
    assert not any("--resample-by date" in warning for warning in warnings)
    return any("pass --resample-by show" in warning for warning in warnings)


@pytest.mark.first
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_every_engine_gives_the_same_advice(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    tables = corpus(spread, seed=1)
    given = write(tables, tmp_path)
    said = set()
    for way, limits in WAYS.items():
        monkeypatch.setattr(planning, "LIMITS", limits)
        run = tmp_path / way
        result = segscore("score", *given, "--output", run)
        assert result.code == 0, result.err
        warnings = json.loads((run / "run.json").read_text())["warnings"]
        said.add(tuple(warning for warning in warnings if "F test" in warning))
        assert ("documents of one show have similar values" in result.err) == (spread > 0)
    assert len(said) == 1
    assert (len(said.pop()) == 1) == advised(tables) == (spread > 0)


def test_there_is_no_advice_where_it_is_followed(segscore: Segscore, tmp_path: Path) -> None:
    given = write(corpus(0.3, seed=1), tmp_path)
    result = segscore("score", *given, "--output", tmp_path / "run", "--resample-by", "show")
    assert result.code == 0 and "F test" not in result.err


def test_fewer_than_five_shows_are_not_advised() -> None:
    tables = corpus(0.3, seed=1)
    assert advised(tables)
    few = [row | {"show": f"show {int(row['show'][5:]) % 4}"} for row in tables["documents"]]
    assert not advised(tables | {"documents": few})


def test_the_test_is_the_analysis_of_variance() -> None:
    """Of each system, at a level that is divided by their number."""
    found = []
    for seed in range(30):
        tables = corpus(0.11, seed)
        evaluation = evaluated(tables)
        values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in evaluation.table("scores").to_pylist():
            values[row["hypothesis"]][row["show"]].append(row[MEASURE])
        p = [stats.f_oneway(*groups.values()).pvalue for groups in values.values()]
        found.append(2 * min(p) < 0.001)
        said = any("F test" in warning for warning in evaluation.record["warnings"])
        assert said == found[-1], p
    assert 5 < sum(found) < 25
