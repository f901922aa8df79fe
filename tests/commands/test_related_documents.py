"""The interval by show, where documents have shows and intervals do not heed them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segscore as package
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

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
        write_rows(folder / f"{name}.jsonl", rows)
    places = [str(folder / f"{name}.jsonl") for name in tables]
    return [*places[:2], "--documents", places[2]]


def evaluated(tables: Mapping[str, Rows], **settings: Any) -> package.Evaluation:
    """Evaluate the tables in memory."""
    sides = (tables[name] for name in ("references", "hypotheses", "documents"))
    return package.evaluate(*sides, **{"measures": [MEASURE], **settings})


def said_of(tables: Mapping[str, Rows]) -> list[str]:
    """Return the lines about shows; each document has a date of its own, which tells nothing."""
    warnings: list[str] = evaluated(tables).record["warnings"]
    return [warning for warning in warnings if "--resample-by" in warning]


@pytest.mark.first
def test_every_engine_says_the_interval_by_show(segscore: Segscore, tmp_path: Path) -> None:
    """It is that of the best system in a run by show."""
    tables = corpus(0.3, seed=1)
    given = write(tables, tmp_path)
    said = {tuple(said_of(tables))}
    for way, limits in WAYS.items():
        segscore.cut(limits)
        run = tmp_path / way
        result = segscore("score", *given, "--output", run)
        assert result.code == 0, result.err
        warnings = json.loads((run / "run.json").read_text())["warnings"]
        said.add(tuple(warning for warning in warnings if "--resample-by" in warning))
    ((line,),) = said
    rows = evaluated(tables, resample_by="show").summary.to_pylist()
    best = max((row for row in rows if row["average"] == "macro"), key=lambda row: row["value"])
    interval = f"{best['ci_low']:.4f} to {best['ci_high']:.4f}"
    start = f"{best['hypothesis']}: the macro average of {MEASURE} by show is {interval}, 8 values"
    assert line.startswith(start)


def test_nothing_is_said_where_shows_are_named(segscore: Segscore, tmp_path: Path) -> None:
    given = write(corpus(0.3, seed=1), tmp_path)
    result = segscore("score", *given, "--output", tmp_path / "run", "--resample-by", "show")
    assert result.code == 0 and "by show is" not in result.err


def test_fewer_than_five_shows_have_no_interval() -> None:
    tables = corpus(0.3, seed=1)
    few = [row | {"show": f"show {int(row['show'][5:]) % 4}"} for row in tables["documents"]]
    assert not said_of(tables | {"documents": few})
