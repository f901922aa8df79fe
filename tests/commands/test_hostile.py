"""Hostile input: bounded memory and time, and no name that leads out of the run's folder."""

from pathlib import Path

import pyarrow as pa
import pytest

from segscore.pipeline.storage import read_table, write_table
from tests.support.command_line import Segscore
from tests.support.hostile import run_alone, table

BAD_ROWS = 300_000


HOSTILE = [
    "line\nbreak",
    "a/slash",
    "../../../out",
    "..",
    "/etc/passwd",
    "C:\\Windows",
    "x" * 10_000,
    "nul\0byte",
    "paypal",
    "p\u0430ypal",  # a Cyrillic letter
    "e\u0301",
    "\u00e9",
    "\u202eright to left",
    "[bold]markup[/bold]",
    "part-00000.parquet",
    "{}",
]


def test_hostile_names_are_scored_unchanged(segscore: Segscore, tmp_path: Path) -> None:
    write_table(str(tmp_path / "in/ref.parquet"), table(HOSTILE, "../ann", 9, [3, 6]))
    write_table(str(tmp_path / "in/hyp.parquet"), table(HOSTILE, "../../sys\n", 9, [3, 7]))
    before = sorted(path for path in tmp_path.rglob("*") if "run" not in path.parts)
    run = tmp_path / "run"
    files = (tmp_path / "in/ref.parquet", tmp_path / "in/hyp.parquet")
    assert segscore("score", *files, "--output", run).code == 0
    assert segscore("agree", tmp_path / "in", "--output", run / "audit").code == 0
    scores = read_table(str(run / "scores"))
    assert scores.column("document_id").to_pylist() == HOSTILE
    assert set(scores.column("hypothesis").to_pylist()) == {"../../sys\n"}
    documents = read_table(str(run / "audit" / "documents"))
    assert documents.column("document_id").to_pylist() == HOSTILE
    assert sorted(path for path in tmp_path.rglob("*") if "run" not in path.parts) == before
    for path in run.rglob("*"):
        assert path.name.isascii()
        assert len(path.name) < 60


@pytest.mark.first
@pytest.mark.parametrize("document", [name for name in HOSTILE if "\0" not in name])
def test_hostile_names_are_explained(segscore: Segscore, tmp_path: Path, document: str) -> None:
    write_table(str(tmp_path / "ref.parquet"), table([document], "ann", 9, [3, 6]))
    write_table(str(tmp_path / "hyp.parquet"), table([document], "sys", 9, [3, 7]))
    run = tmp_path / "run"
    files = (tmp_path / "ref.parquet", tmp_path / "hyp.parquet")
    assert segscore("score", *files, "--output", run).code == 0
    result = segscore("explain", run, "--document", document)
    assert result.code == 0, result.err
    assert "near miss" in result.out


@pytest.mark.long
def test_a_file_of_bad_rows_needs_little_memory(tmp_path: Path) -> None:
    """All rows are in one row group; each is listed, and memory stays far below a gigabyte."""
    ids = [f"d{i}" for i in range(BAD_ROWS)]
    bad = table(ids, "sys", 9, [3, 2, 99])
    write_table(str(tmp_path / "ref.parquet"), table(["good"], "ann", 9, [3]))
    good = table(["good"], "sys", 9, [3])
    write_table(str(tmp_path / "hyp.parquet"), pa.concat_tables([bad, good]))
    run = tmp_path / "run"
    process, memory = run_alone(
        "score", tmp_path / "ref.parquet", tmp_path / "hyp.parquet", "--output", run
    )
    assert process.returncode == 0, process.stderr
    assert f"{BAD_ROWS + 1:,} in = 1 scored + {BAD_ROWS:,} rejected" in process.stdout
    rejects = read_table(str(run / "rejects"))
    assert sorted(rejects.column("row").to_pylist()) == list(range(BAD_ROWS))
    assert set(rejects.column("rule").to_pylist()) == {"boundaries_in_range"}
    assert memory < 1000


@pytest.mark.long
def test_ten_million_boundaries(tmp_path: Path) -> None:
    units = 2 * 10**7
    for name, coder in (("ref", "ann"), ("hyp", "sys")):
        whole = table(["long"], coder, units, list(range(1, units, 2)))
        write_table(str(tmp_path / f"{name}.parquet"), whole)
    run = tmp_path / "run"
    process, memory = run_alone(
        "score", tmp_path / "ref.parquet", tmp_path / "hyp.parquet", "--output", run
    )
    assert process.returncode == 0, process.stderr
    (row,) = read_table(str(run / "scores")).select(["matches", "boundary_similarity"]).to_pylist()
    assert row == {"matches": 10**7, "boundary_similarity": 1.0}
    assert memory < 2000
