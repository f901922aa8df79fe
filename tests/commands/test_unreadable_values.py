"""Values of Parquet files that no table can have: one line with the place, and the folder free."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline.storage import write_table
from tests.support.command_line import CommandResult, Segscore
from tests.support.hostile import table, wrong_texts

GOOD = ["a", "b", "c"]
WRONG = wrong_texts([b"a", "ü".encode(), b"\xff\xfe"])
UNFIT = {
    "nan": float("nan"),
    "infinite": float("inf"),
    "fraction": 11.5,
    "large": 2**40,
    "small": -(2**40),
}
PK = ("--measure", "pk")


def assert_refused(result: CommandResult, run: Path, *texts: str) -> None:
    """Check for one line, no advice to resume, and an output folder that is not taken."""
    assert result.code == 2, result.err
    (line,) = result.err.splitlines()
    assert line.startswith("segscore: error: ")
    assert "resume" not in line
    for text in texts:
        assert text in line
    assert not [*run.glob("*")]


def commands(
    segscore: Segscore, folder: Path, references: str, hypotheses: str
) -> list[CommandResult]:
    run = folder / "run"
    sides = (folder / references, folder / hypotheses)
    return [
        segscore("score", *sides, "--output", run),
        segscore("sweep", *sides, "--tolerances", "0,1", "--output", run),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(str(tmp_path / "references.parquet"), table(GOOD, "ann", 10, [3, 6]))
    write_table(str(tmp_path / "hypotheses.parquet"), table(GOOD, "sys", 10, [3, 7]))
    return tmp_path


@pytest.mark.parametrize("side", ["references", "hypotheses"])
@pytest.mark.parametrize("column", ["document_id", "coder", "show"])
def test_text_that_is_not_utf_8(segscore: Segscore, folder: Path, side: str, column: str) -> None:
    whole = pa.table({**columns(10, [3]), column: WRONG})
    bad = folder / "bad.parquet"
    write_table(str(bad), [whole.slice(0, 1), whole.slice(1, 2)])
    place = f"{bad}: row group 1: column {column}: the text in row 1 of the row group"
    other = "hypotheses" if side == "references" else "references"
    names = {side: "bad.parquet", other: f"{other}.parquet"}
    for result in commands(segscore, folder, names["references"], names["hypotheses"]):
        assert_refused(result, folder / "run", place)
    for command in (("agree", bad, "--output", folder / "run"), ("simulate", "values", bad, *PK)):
        assert_refused(segscore(*command), folder / "run", place)
    result = segscore("validate", bad)
    assert (result.code, place in result.err) == (2, True)


def columns(units: object, boundaries: list[int]) -> dict[str, object]:
    rows = len(GOOD)
    return {
        "document_id": GOOD,
        "coder": ["x"] * rows,
        "n_units": [units] * rows,
        "boundaries": pa.array([boundaries] * rows, pa.list_(pa.int64())),
    }


def test_text_of_documents_that_is_not_utf_8(segscore: Segscore, folder: Path) -> None:
    bad = folder / "documents.parquet"
    write_table(str(bad), pa.table({"document_id": GOOD, "n_units": [10] * 3, "show": WRONG}))
    sides = (folder / "references.parquet", folder / "hypotheses.parquet")
    run = folder / "run"
    result = segscore("score", *sides, "--documents", bad, "--group-by", "show", "--output", run)
    assert_refused(result, run, f"{bad}: row group 0: column show: the text in row 2")
    result = segscore("agree", sides[0], "--documents", bad, "--output", run)
    assert_refused(result, run, f"{bad}: row group 0: column show: the text in row 2")


def test_import_of_text_that_is_not_utf_8(segscore: Segscore, folder: Path) -> None:
    bad = folder / "bad.parquet"
    intervals = {"document_id": WRONG, "start_s": [0, 0, 0], "end_s": [1, 2, 3]}
    write_table(str(bad), pa.table(intervals))
    result = segscore("import", bad, "--coder", "x", "--output", folder / "run")
    assert_refused(result, folder / "run", f"{bad}: row group 0: column document_id: the text in")


@pytest.mark.first
@pytest.mark.parametrize("side", ["references", "hypotheses"])
@pytest.mark.parametrize("column", ["n_units", "boundaries"])
@pytest.mark.parametrize("kind", UNFIT)
def test_numbers_that_are_not_int32(
    segscore: Segscore, folder: Path, side: str, column: str, kind: str
) -> None:
    value = UNFIT[kind]
    exact = pa.float64() if isinstance(value, float) else pa.int64()
    given = columns(10, [3])
    if column == "n_units":
        given["n_units"] = pa.array([10, 10, value], exact)
    else:
        given["boundaries"] = pa.array([[], [1, 3], [3, value]], pa.list_(exact))
    bad = folder / "bad.parquet"
    write_table(str(bad), [pa.table(given).slice(0, 1), pa.table(given).slice(1, 2)])
    other = "hypotheses" if side == "references" else "references"
    names = {side: "bad.parquet", other: f"{other}.parquet"}
    if side == "references":
        sides = (bad, folder / "hypotheses.parquet")
        result = segscore("reconcile", *sides, *PK, "--published", "0.3")
        assert_refused(result, folder / "run", f"{bad} row 2")
    place = f"{bad} row 2: {column} has the value {value}; expected whole numbers"
    for result in commands(segscore, folder, names["references"], names["hypotheses"]):
        assert_refused(result, folder / "run", place)
    result = segscore("validate", bad)
    assert (result.code, place in result.err) == (2, True)


def test_half_precision_numbers(segscore: Segscore, folder: Path) -> None:
    given = {**columns(10, [3]), "n_units": pa.array(np.array([10, 10, 10], np.float16))}
    bad = folder / "bad.parquet"
    write_table(str(bad), pa.table(given))
    result = segscore("validate", bad)
    assert result.code in (0, 1) and "Traceback" not in result.err, result.err
    run = folder / "run"
    result = segscore("score", folder / "references.parquet", bad, "--output", run)
    assert result.code in (0, 2) and "Traceback" not in result.err, result.err
