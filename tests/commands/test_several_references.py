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

PANELS = "panel_scores"


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
        panels = read_rows(run, PANELS)
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


def test_a_trial_has_its_own_best_reference(segscore: Segscore, tmp_path: Path) -> None:
    """The mean over trials of the best value of each, not the best of the means over trials."""
    of_trials, runs = [], []
    for number, moved in enumerate((0, 1), start=1):
        one = [
            row | {"boundaries": [p + moved for p in row["boundaries"] if p < 19], "trial": number}
            if row["role"] == "hypothesis"
            else row
            for row in rows()
        ]
        of_trials += [row for row in one if row["role"] == "hypothesis" or number == 1]
        alone = [{key: row[key] for key in row if key != "trial"} for row in one]
        runs.append(scored(segscore, tmp_path / str(number), alone))
    expected = [
        {(row["document_id"], row["hypothesis"]): row["best_pk"] for row in read_rows(run, PANELS)}
        for run in runs
    ]
    together = scored(segscore, tmp_path / "x", of_trials)
    for row in read_rows(together, PANELS):
        key = row["document_id"], row["hypothesis"]
        assert row["best_pk"] == pytest.approx(sum(each[key] for each in expected) / 2)


def test_chance_has_the_best_reference_of_each_draw(segscore: Segscore, tmp_path: Path) -> None:
    """So a system's best value is compared with that of boundaries which chose as freely."""
    alike = [line(f"d{d}", f"c{c}", "reference", [3 + 7 * c]) for d in range(6) for c in range(2)]
    alike += [line(f"d{d}", "a", "hypothesis", [9]) for d in range(6)]
    options = ("--reference-points", "random-own", "--measures", "boundary_similarity")
    run = scored(segscore, tmp_path / "x", alike, *options)
    means = by_document(run, "boundary_similarity")
    above = 0
    for row in read_rows(run, PANELS):
        key = row["document_id"], row["hypothesis"]
        if row["hypothesis"].startswith("point:"):
            # No draw of one boundary is near both references, so that one of its two values is 0.
            assert row["best_boundary_similarity"] == pytest.approx(sum(means[key]))
            above += row["best_boundary_similarity"] > max(means[key])
    assert above


def test_columns_are_shown_how_to_be_averaged(segscore: Segscore, tmp_path: Path) -> None:
    result = segscore("score", "x", "x", "--measures", "best_pk", "--output", tmp_path / "y")
    assert "choose pk, then `segscore compare RUN --measure best_pk --average macro`" in result.err
