"""`segscore compare --ratings`: Spearman's correlation of measures with people's ratings."""

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

import segscore as api
from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison import own_published, read_ratings
from segscore.pipeline.comparison.ratings import interval_of, spearman
from segscore.pipeline.measures import ALL
from segscore.pipeline.settings.reading import read_file
from segscore.pipeline.storage import write_table
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.rows import read_rows
from tests.support.written import write

Row = dict[str, Any]


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Path:
    draw = Random(3)  # noqa: S311
    gold, hypotheses = [], []
    for number in range(12):
        row = {"document_id": f"d{number}", "n_units": 30}
        places = sorted(draw.sample(range(1, 30), 5))
        gold.append({**row, "coder": "gold", "boundaries": places})
        for system, share in (("a", 0.8), ("b", 0.4)):
            kept = {at for at in places if draw.random() < share} | {*draw.sample(range(1, 30), 2)}
            hypotheses.append({**row, "coder": system, "boundaries": sorted(kept)})
    output = tmp_path / "run"
    tables = write(tmp_path / "gold.jsonl", gold), write(tmp_path / "hyp.jsonl", hypotheses)
    assert segscore("score", *tables, "--output", output).code == 0
    return output


def ratings() -> list[Row]:
    """Two ratings of each pair but those of b in the last documents."""
    draw = Random(4)  # noqa: S311
    return [
        {
            "document_id": f"d{number}",
            "system": system,
            "rating": draw.randint(1, 5),
            "rater": rater,
        }
        for number in range(12)
        for system in ("a", "b")[: 1 + (number < 10)]
        for rater in ("x", "y")
    ]


def saved(folder: Path, kind: str, rows: list[Row]) -> Path:
    path = folder / f"ratings.{kind}"
    if kind == "parquet":
        write_table(str(path), [pa.Table.from_pylist(rows)])
    elif kind == "jsonl":
        write(path, rows)
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_it_is_that_of_scipy(segscore: Segscore, run: Path, kind: str) -> None:
    rows = ratings()
    file = saved(run.parent, kind, rows)
    ended = segscore("compare", run, "--ratings", file, "--output", run.parent / "compared")
    assert ended.code == 0, ended.err
    mean = {(r["document_id"], r["system"]): 0.0 for r in rows}
    for row in rows:
        mean[row["document_id"], row["system"]] += row["rating"] / 2
    scores = read_rows(run, "scores")
    found = {r["measure"]: r for r in read_rows(run.parent, "compared/ratings")}
    assert {"pk", "boundary_similarity", "f1"} < {*found}
    for measure, row in found.items():
        values = {(r["document_id"], r["hypothesis"]): r[measure] for r in scores}
        pairs = [pair for pair in mean if values[pair] is not None]
        sign = -1 if ALL[measure].better == "lower" else 1
        assert row["pairs"] == len(pairs) <= 22
        if len({values[pair] for pair in pairs}) == 1:
            assert row["correlation"] is None
            continue
        expected = spearmanr([sign * values[p] for p in pairs], [mean[p] for p in pairs]).statistic
        assert row["correlation"] == pytest.approx(expected, abs=1e-12)
    assert "--ratings: 2 scored pairs left out for want of a rating" in ended.err
    assert "over 22 pairs of a document and a system, 12 documents" in " ".join(ended.out.split())


def test_what_is_not_matched_is_counted(segscore: Segscore, run: Path) -> None:
    rows = [
        *ratings(),
        {"document_id": "d77", "system": "a", "rating": 2, "rater": "x"},
        {"document_id": "d1", "system": "zed", "rating": 2, "rater": "x"},
    ]
    ended = segscore("compare", run, "--ratings", saved(run.parent, "csv", rows))
    assert (
        "of 24 rated pairs, these were left out: 1 of systems not compared (zed), 1 of documents "
        "that were not scored"
    ) in ended.err


def test_files_beside_the_runs_are_read_once(
    segscore: Segscore, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def counted(option: str, location: str) -> str:
        opened.append(option)
        return read_file(option, location)

    for module in (read_ratings, own_published):
        monkeypatch.setattr(module, "read_file", counted)
    scores = run.parent / "published.csv"
    scores.write_text("system,measure,value\nold,pk,0.5\n")
    file = saved(run.parent, "csv", ratings())
    ended = segscore("compare", run, "--ratings", file, "--published-scores", scores)
    assert ended.code == 0, ended.err
    assert sorted(opened) == ["--published-scores", "--ratings"]


def test_formats_and_python(segscore: Segscore, run: Path) -> None:
    file = saved(run.parent, "csv", ratings())
    found = json.loads(segscore("compare", run, "--ratings", file, "--format", "json").out)
    assert {row["measure"] for row in found["ratings"]} > {"pk", "window_diff"}
    assert "| correlation" in segscore(
        "compare", run, "--ratings", file, "--format", "markdown"
    ).out.replace("|   correlation", "| correlation")
    assert "no room" in segscore("compare", run, "--ratings", file, "--format", "latex").err
    table = api.compare(str(run), ratings=str(file)).table("ratings").to_pylist()
    assert table == found["ratings"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document_id,system\nd1,a\n", "has no column rating"),
        ("document_id,system,rating\nd1,a,good\n", ":2: rating 'good' is not a number"),
        ("document_id,system,rating\nd1,a,nan\n", ":2: rating 'nan' is not a number"),
        ("document_id,system,rating\nd1,,3\n", ":2: system is empty"),
        ("document_id,coder,rating\n", "has no row"),
        ("document_id,coder,rating\nd1,x,3\n", "of systems not compared (x)"),
    ],
)
def test_wrong_ratings_are_refused(segscore: Segscore, run: Path, text: str, message: str) -> None:
    file = run.parent / "wrong.csv"
    file.write_text(text)
    assert message in refusal_line(segscore("compare", run, "--ratings", file))
    assert "no such file" in refusal_line(segscore("compare", run, "--ratings", "none.csv"))


def test_ranks_without_a_unit_are_those_of_the_others() -> None:
    draw = np.random.default_rng(1)
    values, rated = draw.integers(0, 6, (2, 60)).astype(np.float64)
    unit = draw.integers(0, 9, 60).astype(np.uint64)
    estimate = spearman(values, rated, unit)
    assert 2 * estimate.value - 1 == pytest.approx(spearmanr(values, rated).statistic)
    for number, one in enumerate(estimate.units):
        kept = unit != one
        expected = spearmanr(values[kept], rated[kept]).statistic
        assert 2 * estimate.without[number] - 1 == pytest.approx(expected)


def coverage(documents: int, systems: int, latent: float, *, single: bool = False) -> float:
    """Share of 600 corpora whose interval contains the truth; documents have half the variance."""
    draw = np.random.default_rng(documents)
    truth = 6 / np.pi * np.arcsin(latent / 2)  # of a bivariate normal distribution
    hits = 0
    for _ in range(600):
        sides = (
            _correlated(draw, (documents, 1), latent),
            _correlated(draw, (documents, systems), latent),
        )
        values, rated = (np.sqrt(0.5) * (a + b) for a, b in zip(*sides, strict=True))
        unit = np.repeat(np.arange(documents), systems).astype(np.uint64)
        unit = np.arange(len(unit)).astype(np.uint64) if single else unit
        low, high = interval_of(spearman(values.ravel(), rated.ravel(), unit))
        hits += low <= truth <= high
    return hits / 600


def _correlated(
    draw: np.random.Generator, shape: tuple[int, int], latent: float
) -> tuple[Floats, Floats]:
    one, other = draw.standard_normal((2, *shape))
    return one, latent * one + np.sqrt(1 - latent**2) * other


@pytest.mark.first
@pytest.mark.parametrize(("documents", "latent"), [(12, 0.5), (30, 0.0), (30, 0.8)])
def test_the_interval_contains_the_truth_at_its_level(documents: int, latent: float) -> None:
    # The standard error of a share of 600 at .95 is .009.
    assert 0.92 <= coverage(documents, 3, latent) <= 0.98


@pytest.mark.long
def test_pairs_of_a_document_are_not_independent() -> None:
    assert coverage(30, 8, 0.5, single=True) < 0.85 and coverage(30, 8, 0.5) > 0.92
