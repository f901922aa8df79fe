"""The mean and the best of several references: columns of each document, compared by averages."""

import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.comparisons import Row, compare, line, scored
from tests.support.rows import read_rows

BETTER = {"pk": min, "boundary_similarity": max, "precision": max, "f1": max}
"""Measures, and which of two values is better."""


def rows() -> list[Row]:
    """Twelve documents of one to four references; a reference without boundaries has no recall."""
    draw = random.Random(20)  # noqa: S311
    written = []
    for d in range(12):
        for coder in range(draw.randint(1, 4)):
            marked = sorted(draw.sample(range(1, 20), draw.randint(0, 6)))
            written.append(line(f"d{d}", f"person {coder}", "reference", marked))
        for system in ("a", "b"):
            marked = sorted(draw.sample(range(1, 20), draw.randint(0, 6)))
            written.append(line(f"d{d}", system, "hypothesis", marked))
    return written


def by_document(run: Path, measure: str) -> Mapping[tuple[str, str], list[float]]:
    """The defined values of each hypothesis against the references of each document."""
    values = defaultdict(list)
    for row in read_rows(run, "scores"):
        values[row["document_id"], row["hypothesis"]] += (
            [] if row[measure] is None else [row[measure]]
        )
    return values


@pytest.mark.parametrize("options", [(), ("--by-level",), ("--consensus", "0.5")])
def test_columns_and_averages(segscore: Segscore, tmp_path: Path, options: tuple[str, ...]) -> None:
    made = rows()
    if "--by-level" in options:
        made = [row | {"boundary_types": [1] * len(row["boundaries"])} for row in made]
    run = scored(segscore, tmp_path / "x", made, *options)
    of_consensus = [
        row for row in read_rows(run, "scores") if row["reference"].startswith("consensus:")
    ]
    names = [prefix + measure for measure in BETTER for prefix in ("mean_", "best_")]
    told = compare(segscore, tmp_path, run, "--measure", ",".join(names), "--average", "macro")
    averages = {
        (row["measure"], row["system"]): row
        for row in told["systems"]
        if row["average"] == "macro" and row.get("level") is None
    }
    for measure, better in BETTER.items():
        each = by_document(run, measure)
        for row in of_consensus:
            if row[measure] is not None:
                each[row["document_id"], row["hypothesis"]].remove(row[measure])
        best = {key: better(values, default=None) for key, values in each.items()}
        mean = {key: sum(v) / len(v) if v else None for key, v in each.items()}
        panels = read_rows(run, "panel_scores")
        assert {(row["document_id"], row["hypothesis"]) for row in panels} == {*each}
        for row in panels:
            key = row["document_id"], row["hypothesis"]
            assert row[f"best_{measure}"] == best[key]
            assert row[f"mean_{measure}"] == pytest.approx(mean[key])
        for prefix, values in (("best_", best), ("mean_", mean)):
            for system in ("a", "b"):
                known = [v for (_, name), v in values.items() if name == system and v is not None]
                average = averages[prefix + measure, system]
                assert average["value"] == pytest.approx(sum(known) / len(known))
                assert average["ci_low"] < average["value"] < average["ci_high"]


def test_mean_of_trials(segscore: Segscore, tmp_path: Path) -> None:
    """The best reference is that of the means over trials, which `scores` has."""
    trials = [
        row | ({"trial": trial} if row["role"] == "hypothesis" else {})
        for row in rows()
        for trial in ((1, 2) if row["role"] == "hypothesis" else (0,))
    ]
    run = scored(segscore, tmp_path / "x", trials)
    each = by_document(run, "pk")
    for row in read_rows(run, "panel_scores"):
        assert row["best_pk"] == min(each[row["document_id"], row["hypothesis"]])


def test_columns_are_shown_how_to_be_averaged(segscore: Segscore, tmp_path: Path) -> None:
    result = segscore("score", "x", "x", "--measures", "best_pk", "--output", tmp_path / "y")
    assert "choose pk, then `segscore compare RUN --measure best_pk --average macro`" in result.err
