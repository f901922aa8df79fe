"""Boundary types in a whole run: counts, similarities and confusion equal those of the twin."""

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

import segscore as api
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage import read_table, write_table
from tests.oracles import naive
from tests.support import passes
from tests.support.command_line import CommandResult, Segscore
from tests.support.corpora import COUNTED, SEGMENTATION
from tests.support.hostile import table
from tests.support.rows import read_rows

Rows = list[dict[str, Any]]
TYPED = SEGMENTATION.append(pa.field("boundary_types", pa.list_(pa.int32())))


def coding(draw: Random, document: str, coder: str, n_units: int) -> dict[str, Any]:
    places = [(p, kind) for p in range(1, n_units) for kind in (1, 2, 4)]
    chosen = sorted(place for place in places if draw.random() < 0.12)
    return {
        "document_id": document,
        "coder": coder,
        "n_units": n_units,
        "boundaries": [position for position, _ in chosen],
        "boundary_types": [kind for _, kind in chosen],
    }


def write(folder: Path, draw: Random, units: int = 14) -> tuple[Rows, Rows]:
    references, hypotheses = [], []
    for d in range(30):
        n_units = draw.randint(1, units)
        references += [coding(draw, f"d{d}", coder, n_units) for coder in ("r0", "r1")]
        hypotheses += [coding(draw, f"d{d}", coder, n_units) for coder in ("h0", "h1")]
    for name, rows in (("references", references), ("hypotheses", hypotheses)):
        table = pa.Table.from_pylist(rows, TYPED)
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=16)
    return references, hypotheses


def score(segscore: Segscore, folder: Path, output: str, *options: object) -> CommandResult:
    sides = (folder / f"{side}.parquet" for side in ("references", "hypotheses"))
    return segscore("score", *sides, "--output", folder / output, *options)


def pairs_of(row: dict[str, Any]) -> list[tuple[int, int]]:
    return list(zip(row["boundaries"], row["boundary_types"], strict=True))


@pytest.mark.parametrize(
    ("pairing", "n_t"),
    [("greedy", 2), ("greedy", 4), pytest.param("optimal", 3, marks=pytest.mark.long)],
)
def test_typed_edits_of_a_run_equal_the_twin(
    segscore: Segscore, tmp_path: Path, pairing: str, n_t: int
) -> None:
    references, hypotheses = write(tmp_path, Random(n_t), units=8)  # noqa: S311
    result = score(
        segscore, tmp_path, "run", "--n-t", n_t, "--pairing", pairing, "--confusion", *COUNTED
    )
    assert result.code == 0, result.err
    assert f"|pairing:{pairing}|types:1,2,4|" in result.out
    scored = read_rows(tmp_path / "run", "scores")
    by_key = {(row["document_id"], row["coder"]): row for row in (*references, *hypotheses)}
    twin = naive.typed_edit_counts if pairing == "greedy" else naive.typed_optimal_edit_counts
    listed = naive.typed_edits if pairing == "greedy" else naive.typed_optimal_edits
    confused: dict[Any, Fraction] = defaultdict(Fraction)
    for row in scored:
        reference = by_key[row["document_id"], row["reference"]]
        hypothesis = by_key[row["document_id"], row["hypothesis"]]
        typed = reference["n_units"], pairs_of(reference), pairs_of(hypothesis), (1, 2, 4)
        counted = twin(*typed, n_t)
        assert {name: row[name] for name in counted} == counted
        exact = naive.edit_values(counted, n_t=n_t, types=(1, 2, 4), per_row=True)
        for name in ("boundary_similarity", "segmentation_similarity", "b_precision", "b_f1"):
            assert passes.close(row[name], exact[name]), name
        reference_positions, hypothesis_positions = (
            sorted(set(row["boundaries"])) for row in (reference, hypothesis)
        )
        windows = naive.window_counts(
            reference["n_units"], reference_positions, hypothesis_positions, row["window"]
        )
        assert {name: row[name] for name in windows} == windows
        confusion = naive.class_confusion(listed(*typed, n_t), n_t=n_t, types=(1, 2, 4))
        for classes, amount in confusion.items():
            confused[row["hypothesis"], *classes] += amount
    table = read_table(str(tmp_path / "run" / "confusion"))
    stored = {
        (row["hypothesis"], row["reference_type"], row["hypothesis_type"]): row["amount"]
        for row in table.to_pylist()
    }
    assert stored.keys() == {key for key, amount in confused.items() if amount}
    assert all(stored[key] == pytest.approx(float(confused[key])) for key in stored)


def test_types_of_a_run_are_independent_of_the_split(segscore: Segscore, tmp_path: Path) -> None:
    write(tmp_path, Random(5))  # noqa: S311
    runs = []
    for output, rows in (("one", 1000), ("many", 16)):
        segscore.cut(rows)
        assert score(segscore, tmp_path, output, "--confusion").code == 0
        run = tmp_path / output
        scores, summary, confusion = (
            read_rows(run, name) for name in ("scores", "summary", "confusion")
        )
        names = (
            "document_id",
            "hypothesis",
            "reference",
        )  # parts have rows in an order of their own
        scores.sort(key=lambda row: [row[name] for name in names])
        runs.append([scores, summary, confusion])
    assert runs[0] == runs[1]


def test_declared_types_set_the_range_and_others_are_refused(
    segscore: Segscore, tmp_path: Path
) -> None:
    references, hypotheses = write(tmp_path, Random(6))  # noqa: S311
    wide = score(segscore, tmp_path, "wide", "--boundary-types", "1,2,4,9")
    assert wide.code == 0 and "|types:1,2,4,9|" in wide.out
    row = read_rows(tmp_path / "wide", "scores")[0]
    assert row["potential_boundaries"] == 4 * (row["n_units"] - 1)
    assert score(segscore, tmp_path, "narrow", "--boundary-types", "1,2").code == 0
    rejects = read_rows(tmp_path / "narrow", "rejects")
    expected = [row for row in (*references, *hypotheses) if 4 in row["boundary_types"]]
    assert len(rejects) == len(expected)
    assert {row["rule"] for row in rejects} == {"boundary_types_declared"}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--boundary-types", "0,1"),
        ("--boundary-types", "2,1"),
        ("--boundary-types", "1,x"),
        ("--pairing", "best"),
        ("--c-seg-costs", "1"),
        ("--c-seg-costs", "1,1.5"),
        ("--beta", "0"),
        ("--beta", "nan"),
        ("--edit-constants", "0,2"),
        ("--content-weights", "1,1,1"),
        ("--content-weights", "1,1,1,-1"),
        ("--content-weights", "1,1,1,inf"),
        ("--consensus", "0"),
        ("--consensus", "1.2"),
        ("--consensus", "most"),
        ("--reference-points", "nothing"),
    ],
)
def test_wrong_values_are_named_before_any_work(
    segscore: Segscore, tmp_path: Path, option: str, value: str
) -> None:
    result = segscore("score", "no", "no", "--output", tmp_path / "run", option, value)
    assert result.code == 2
    assert option in result.err and "Traceback" not in result.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("typed", ["references", "hypotheses"])
@pytest.mark.parametrize("some", [False, True], ids=["all rows", "some rows"])
def test_only_one_table_has_types(
    segscore: Segscore, tmp_path: Path, typed: str, some: bool
) -> None:
    types = pa.array([[1, 2], None if some else [1, 1]], pa.list_(pa.int32()))
    files = {}
    for name in ("references", "hypotheses"):
        whole = table(["a", "b"], name, 10, [3, 6])
        if name == typed:
            whole = whole.append_column("boundary_types", types)
        files[name] = tmp_path / f"{name}.parquet"
        write_table(str(files[name]), whole)
    run = tmp_path / "run"
    other = "hypotheses" if typed == "references" else "references"
    message = f"{files[other]}: the {other} have no column boundary_types, but the {typed} ("
    for command in (
        ("score", *files.values(), "--output", run),
        ("sweep", *files.values(), "--tolerances", "0,1", "--output", run),
        ("reconcile", *files.values(), "--measure", "pk", "--published", "0.3"),
    ):
        result = segscore(*command)
        assert (result.code, message in result.err) == (2, True), result.err
        assert len(result.err.splitlines()) == 1
        assert not run.exists()
    with pytest.raises(Refused, match="have no column boundary_types"):
        api.evaluate(files["references"], files["hypotheses"])
