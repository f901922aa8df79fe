"""Input tables under other endings: compressed, in capitals, or left out with a warning."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from segscore.pipeline.storage import read_table, write_table
from segscore.pipeline.storage.compression import decompressed
from tests.support.command_line import Segscore
from tests.support.hostile import run_alone, table

FOUR = ["a", "b", "c", "d"]


def line(document: str, coder: str = "sys") -> bytes:
    row = {"document_id": document, "coder": coder, "n_units": 10, "boundaries": [3, 7]}
    return (json.dumps(row) + "\n").encode()


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose files are all tables, one document in each."""
    write_table(str(tmp_path / "references.parquet"), table(FOUR, "ann", 10, [3, 6]))
    hypotheses = tmp_path / "hypotheses"
    hypotheses.mkdir()
    (hypotheses / "1.jsonl.gz").write_bytes(gzip.compress(line("a")) + gzip.compress(b""))
    skipped = b"\x5f\x2a\x4d\x18\x04\0\0\0skip"
    (hypotheses / "2.NDJSON.ZST").write_bytes(skipped + zstd(line("b")) + skipped)
    (hypotheses / "3.JSONL").write_bytes(line("c"))
    write_table(str(hypotheses / "4.Parquet"), table(["d"], "sys", 10, [3, 7]))
    return tmp_path


def test_all_files_are_read(segscore: Segscore, folder: Path) -> None:
    run = folder / "run"
    files = (folder / "references.parquet", folder / "hypotheses")
    result = segscore("score", *files, "--output", run)
    assert (result.code, "left out" in result.err) == (0, False), result.err
    assert read_table(str(run / "scores")).column("document_id").to_pylist() == FOUR
    assert "0 of 4 rows break a rule" in segscore("validate", files[1]).out


def test_import_reads_all_files(segscore: Segscore, folder: Path) -> None:
    (folder / "hypotheses" / "4.Parquet").unlink()  # a table already
    result = segscore("import", folder / "hypotheses", "--output", folder / "imported")
    assert (result.code, "references: 3 rows" in result.out) == (0, True), result.err


def test_other_files_are_counted(segscore: Segscore, folder: Path) -> None:
    for name in ("README.md", "z.csv", "_hidden.csv", ".x.csv"):
        (folder / "hypotheses" / name).write_text("x")
    run = folder / "run"
    files = (folder / "references.parquet", folder / "hypotheses")
    result = segscore("score", *files, "--output", run)
    warning = "hypotheses: left out 2 other files (README.md, …); input tables are Parquet and"
    assert (result.code, result.err.count("left out")) == (0, 1), result.err
    assert warning in result.err
    warnings = json.loads((run / "run.json").read_text())["warnings"]
    assert any(text.startswith(warning) for text in warnings)
    result = segscore("validate", files[1])
    assert "segmentations: left out 2 other files (README.md, …)" in result.err + result.out


def test_a_folder_of_other_files(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.csv").write_text("x")
    result = segscore("validate", tmp_path / "tables")
    message = "the directory contains no Parquet or JSONL file, but 1 other file (a.csv);"
    assert (result.code, message in result.err) == (2, True), result.err


def test_members_are_read_together() -> None:
    rows = [line(f"d{i}") for i in range(500)]
    content = b"".join(map(gzip.compress, rows)) + bytes(3)
    whole = b"".join(rows)
    assert [*decompressed("many.gz", content, len(whole), 2**20)] == [whole]
    small = [*decompressed("many.gz", content, len(whole), 700)]
    assert (b"".join(small), {*map(len, small[:-1])}) == (whole, {700})


@pytest.mark.parametrize("kind", ["plain", "cut", "damaged"])
def test_files_that_are_not_compressed_as_they_say(
    segscore: Segscore, folder: Path, kind: str
) -> None:
    whole = gzip.compress(line("a") * 100)
    contents = {"plain": line("a"), "cut": whole[:-9], "damaged": whole[:40] + b"x" + whole[41:]}
    bad = folder / "bad.jsonl.gz"
    bad.write_bytes(contents[kind])
    run = folder / "run"
    result = segscore("score", folder / "references.parquet", bad, "--output", run)
    assert (result.code, str(bad) in result.err) == (2, True), result.err
    assert ("is not compressed" if kind == "plain" else "cannot be decompressed") in result.err
    assert not run.exists()


@pytest.mark.long
@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_bomb(folder: Path, ending: str) -> None:
    """Files of some kilobytes that would take gigabytes."""
    bad = folder / f"bomb.jsonl.{ending}"
    million = b" " * 2**20
    packed = gzip.compress(million) if ending == "gz" else zstd(million)
    bad.write_bytes(packed * 4096)
    options = ("--memory-limit", "1GB", "--output", folder / "run")
    done, memory = run_alone("score", folder / "references.parquet", bad, *options)
    assert done.returncode == 2, done.stderr
    assert "decompressed, the most that is read at once" in done.stderr
    assert memory < 1000
