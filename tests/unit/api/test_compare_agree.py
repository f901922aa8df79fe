"""Comparisons and agreement in memory have the tables of the commands."""

import json
from copy import copy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import segscore as package
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.corpora import Corpus, corpus, run


def same(ours: package.RunTables, folder: Path, left_out: tuple[str, ...] = ()) -> None:
    """Hold tables in memory against those of a run, but for columns that name files."""
    record = json.loads((folder / "run.json").read_text())
    assert {*record["files"]} <= {*ours.names}
    for name in record["files"]:
        theirs = read_table(str(folder / name))
        kept = [column for column in theirs.column_names if column not in left_out]
        tables: list[pa.Table] = [each.select(kept) for each in (ours.table(name), theirs)]
        rows = [sorted(map(repr, table.to_pylist())) for table in tables]
        assert rows[0] == rows[1], name
    assert ours.signature == record["signature"]


@pytest.fixture(scope="module")
def made() -> Corpus:
    return corpus(seed=5, documents=25)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, ()),
        (
            {"n_t": 3, "window": "per-run", "expected": "item"},
            ("--n-t", 3, "--window", "per-run", "--expected", "item"),
        ),
        (
            {"as_published": "fournier2013", "group_by": ["genre"], "units": "words"},
            ("--as-published", "fournier2013", "--group-by", "genre", "--units", "words"),
        ),
    ],
    ids=str,
)
def test_agreement(
    segscore: Segscore, tmp_path: Path, made: Corpus, settings: Any, options: tuple[Any, ...]
) -> None:
    made.write(tmp_path)
    table, documents = tmp_path / "references", tmp_path / "documents.parquet"
    arguments = (table, "--documents", documents, "--output", tmp_path / "run", *options)
    ended = segscore("agree", *arguments)
    assert ended.code == 0, ended.err
    agreement = package.agree(made.references, made.documents, **settings)
    same(agreement, tmp_path / "run", ("source",))
    read = package.read_run(tmp_path / "run")
    assert isinstance(read, package.AgreementTables)
    assert read["pi", "exact"] == agreement["pi", "exact"]


def test_one_coder_alone_is_no_agreement(segscore: Segscore, tmp_path: Path, made: Corpus) -> None:
    alone = [row for row in made.references if row["coder"] == "r0"]
    with pytest.raises(package.Failed, match="no document has two coders"):
        package.agree(alone)
    with pytest.raises(package.Refused, match="similarity pi: must be one of"):
        package.agree(made.references, similarity=["pi"])
    with pytest.raises(package.Refused, match="not in the table agreement, which has"):
        package.agree(made.references)["pie", "exact"]


def test_a_comparison(segscore: Segscore, tmp_path: Path, made: Corpus) -> None:
    made.write(tmp_path)
    run(segscore, tmp_path, tmp_path / "run")
    arguments = ("--measure", "pk,mult_window_diff", "--permutations", 99, "--group-by", "genre")
    ended = segscore("compare", tmp_path / "run", *arguments, "--output", tmp_path / "compared")
    assert ended.code == 0, ended.err
    evaluation = package.evaluate(made.references, made.hypotheses, made.documents)
    settings: dict[str, Any] = {"measure": ["pk", "mult_window_diff"], "permutations": 99}
    in_memory = package.compare(evaluation, **settings, group_by="genre")
    same(in_memory, tmp_path / "compared", ("run", "command"))
    by_path = package.compare(tmp_path / "run", **settings, group_by="genre")
    same(by_path, tmp_path / "compared")
    read = package.read_run(tmp_path / "compared")
    assert isinstance(read, package.ComparisonTables)
    same(read, tmp_path / "compared")


def test_systems_of_two_runs(made: Corpus) -> None:
    runs = [package.evaluate(made.references, made.hypotheses, n_t=n_t) for n_t in (2, 3)]
    systems = package.compare(runs[0], runs[0], measure="pk").systems.column("system").unique()
    assert {"h0@a", "h0@b"} <= {*systems.to_pylist()}
    with pytest.raises(package.Refused, match="were not scored alike: n_t 2 / 3"):
        package.compare(*runs, measure="boundary_similarity")
    package.compare(*runs, measure="pk")  # which n_t does not affect
    with pytest.raises(package.Refused, match="measure pkk: no such measure; the nearest is pk"):
        package.compare(runs[0], measure="pkk")  # type: ignore[arg-type]
    with pytest.raises(package.Refused, match="where: reads inputs again"):
        package.compare(runs[0], measure="pk", where=True)
    with pytest.raises(package.Refused, match="runs: give an evaluation"):
        package.compare(measure="pk")


def test_every_table_is_an_attribute() -> None:
    codings = {
        "ann": {"d": package.Segmentation([2], 9)},
        "bob": {"d": package.Segmentation([3], 9)},
    }
    agreement = package.agree(codings)
    for name in agreement.names:
        assert getattr(agreement, name).equals(agreement.table(name))
        assert name in dir(agreement)
    with pytest.raises(AttributeError, match="has no attribute reject; the nearest is rejects"):
        _ = agreement.reject
    assert copy(agreement).names == agreement.names


def test_a_group_in_which_nobody_has_a_peer() -> None:
    """Its documents have one coding each, so that it has coders and no pairs."""
    rows = [
        {"document_id": f"d{i}", "coder": coder, "n_units": 12, "boundaries": [3], "genre": genre}
        for i, genre in enumerate("aab")
        for coder in ("ann", "bob")
        if (coder, genre) != ("bob", "b")
    ]
    agreement = package.agree(rows, group_by=["genre"])
    assert {row["genre"] for row in agreement.peers.to_pylist()} == {None, "a"}
    assert {row["genre"] for row in agreement.coders.to_pylist()} == {None, "a", "b"}
