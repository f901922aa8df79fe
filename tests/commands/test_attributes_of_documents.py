"""Attributes of documents in a plain table, which has no lengths of documents."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.storage import read_table, write_table
from tests.support.command_line import Segscore
from tests.support.corpora import Corpus, corpus
from tests.support.rows import write_rows

_GROUPED = ("--group-by", "genre", "--resample-by", "show", "--n-t", 2)


@pytest.fixture
def made(tmp_path: Path) -> Corpus:
    """Write tables without attributes, and those of their documents in each form."""
    made = corpus(5)
    made.write(tmp_path, files=3)
    shows = [
        {"document_id": each["document_id"], "genre": each["genre"], "show": str(number % 7)}
        for number, each in enumerate(made.documents)
    ]
    lines = [",".join(each[name] or "" for name in each) for each in shows]
    text = "\n".join(["document_id,genre,show", *lines])
    (tmp_path / "shows.csv").write_text(text)
    (tmp_path / "shows.tsv").write_text(text.replace(",", "\t"))
    write_rows(tmp_path / "shows.jsonl", shows)
    table = pa.Table.from_pylist(shows)
    write_table(str(tmp_path / "shows.parquet"), table)
    lengths = pa.array([each["n_units"] for each in made.documents], pa.int32())
    write_table(str(tmp_path / "full.parquet"), table.append_column("n_units", lengths))
    return made


def _score(segscore: Segscore, folder: Path, documents: str, name: str, *options: object) -> Path:
    """Score with a table of documents, by genre and by show."""
    sides, run = (folder / "references", folder / "hypotheses"), folder / name
    given = (*_GROUPED, "--documents", folder / documents, "--output", run)
    result = segscore("score", *sides, *given, *options)
    assert result.code == 0, result.err
    return run


def _rows(run: Path, table: str) -> list[dict[str, Any]]:
    return sorted(read_table(f"{run}/{table}").to_pylist(), key=str)


@pytest.mark.long
@pytest.mark.parametrize("name", ["shows.csv", "shows.tsv", "shows.jsonl", "shows.parquet"])
@pytest.mark.usefixtures("made")
def test_a_plain_table_gives_the_groups_of_a_full_one(
    segscore: Segscore, tmp_path: Path, name: str
) -> None:
    plain = _score(segscore, tmp_path, name, "plain")
    full = _score(segscore, tmp_path, "full.parquet", "full")
    for table in ("summary", "scores", "panel_scores"):
        assert _rows(plain, table) == _rows(full, table)
    assert {row["genre"] for row in _rows(plain, "summary")} == {None, "news", "novel"}
    record = json.loads((plain / "run.json").read_text())
    assert "|ci:jackknife,show|" in record["signature"]
    assert [Path(file["url"]).name for file in record["inputs"]["documents"]] == [name]


@pytest.mark.long
@pytest.mark.parametrize("read_again", [4.0, 0.0])
@pytest.mark.usefixtures("made")
def test_the_work_may_be_split(segscore: Segscore, tmp_path: Path, read_again: float) -> None:
    whole = _score(segscore, tmp_path, "shows.csv", "whole", "--window", "per-run")
    limits = Limits(rows_per_part=20, read_again=read_again)
    segscore.cut(limits)
    split = _score(segscore, tmp_path, "shows.csv", "split", "--window", "per-run")
    assert len([*(split / "scores").iterdir()]) > 1
    for table in ("summary", "scores", "panel_scores"):
        assert _rows(whole, table) == _rows(split, table)


@pytest.mark.long
@pytest.mark.usefixtures("made")
def test_processes_write_the_same_bytes(segscore: Segscore, tmp_path: Path) -> None:
    threads = _score(segscore, tmp_path, "shows.csv", "threads")
    place = ("--cluster", "processes", "--workers", 2)
    processes = _score(segscore, tmp_path, "shows.csv", "processes", *place)
    for path in sorted(threads.rglob("*.parquet")):
        assert path.read_bytes() == (processes / path.relative_to(threads)).read_bytes(), path


@pytest.mark.usefixtures("made")
def test_a_run_is_another_with_other_attributes(segscore: Segscore, tmp_path: Path) -> None:
    run = _score(segscore, tmp_path, "shows.csv", "run")
    explained = segscore("explain", run, "--document", "d1")
    assert explained.code == 0, explained.err
    (tmp_path / "shows.csv").write_text("document_id,genre,show\nd1,news,1\n")
    explained = segscore("explain", run, "--document", "d1")
    assert "shows.csv: has changed since the run" in explained.err
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    options = ("--documents", tmp_path / "shows.csv", "--output", run)
    again = segscore("score", *sides, *_GROUPED, *options)
    assert (again.code, "shows.csv has changed" in again.err) == (2, True)


def test_it_replaces_attributes_of_references(
    segscore: Segscore, tmp_path: Path, made: Corpus
) -> None:
    table = pa.Table.from_pylist([{**row, "genre": "other"} for row in made.references])
    write_table(str(tmp_path / "references.parquet"), table)
    sides = (tmp_path / "references.parquet", tmp_path / "hypotheses")
    options = ("--documents", tmp_path / "shows.csv", "--output", tmp_path / "run")
    result = segscore("score", *sides, *_GROUPED, *options)
    assert result.code == 0, result.err
    assert {row["genre"] for row in _rows(tmp_path / "run", "summary")} == {None, "news", "novel"}


@pytest.mark.usefixtures("made")
def test_ids_of_other_documents_are_warned_of(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "shows.csv").write_text("document_id,genre,show\nx,news,1\n")
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    options = ("--documents", tmp_path / "shows.csv", "--output", tmp_path / "run")
    result = segscore("score", *sides, *_GROUPED, *options)
    assert result.code == 0
    assert "no document has a value of genre; if --documents " in result.err


@pytest.mark.usefixtures("made")
def test_columns_of_segmentations_are_not_read(segscore: Segscore, tmp_path: Path) -> None:
    text = (tmp_path / "shows.csv").read_text().replace("show\n", "coder\n", 1)
    (tmp_path / "shows.csv").write_text(text)
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    options = ("--documents", tmp_path / "shows.csv", "--output", tmp_path / "run")
    result = segscore("score", *sides, "--group-by", "genre", *options)
    assert result.code == 0, result.err
    assert "shows.csv: coder is not read" in result.err
    assert {row["reference"] for row in _rows(tmp_path / "run", "scores")} <= {"r0", "r1", "r2"}


@pytest.mark.usefixtures("made")
def test_the_plan_names_it(segscore: Segscore, tmp_path: Path) -> None:
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    options = ("--documents", tmp_path / "shows.csv", "--output", tmp_path / "run")
    result = segscore("score", *sides, *options, "--explain-plan")
    assert "documents: 40 rows of attributes, which every task has\n" in result.out


@pytest.mark.long
@pytest.mark.usefixtures("made")
def test_sweep(segscore: Segscore, tmp_path: Path) -> None:
    scored = read_table(str(tmp_path / "hypotheses"))
    lists = [[0.5] * len(each) for each in scored["boundaries"].to_pylist()]
    column = pa.array(lists, pa.list_(pa.float64()))
    write_table(str(tmp_path / "scored.parquet"), scored.append_column("boundary_scores", column))
    measured = []
    for name, rows in (("shows.csv", 9999), ("shows.csv", 20), ("full.parquet", 9999)):
        segscore.cut(rows)
        run = tmp_path / f"run-{rows}-{name}"
        options = ("--measure", "f1", "--resample-by", "show", "--documents", tmp_path / name)
        sides = (tmp_path / "references", tmp_path / "scored.parquet")
        result = segscore("sweep", *sides, *options, "--output", run)
        assert result.code == 0, result.err
        measured.append(_rows(run, "measured"))
    assert measured[0] == measured[1] == measured[2]


@pytest.mark.first
@pytest.mark.parametrize("name", ["shows.csv", "full.parquet"])
@pytest.mark.usefixtures("made")
def test_calibrate_and_reconcile(segscore: Segscore, tmp_path: Path, name: str) -> None:
    tables = ("--documents", tmp_path / name, "--measure", "pk")
    result = segscore("simulate", "values", tmp_path / "references", *tables)
    assert result.code == 0, result.err
    sides = (tmp_path / "references", tmp_path / "hypotheses")
    result = segscore("reconcile", *sides, *tables, "--apply", "segscore")
    assert result.code == 0, result.err


@pytest.mark.parametrize("command", ["score", "sweep", "agree"])
@pytest.mark.usefixtures("made")
def test_it_has_no_lengths_in_words(segscore: Segscore, tmp_path: Path, command: str) -> None:
    sides = [tmp_path / "references", tmp_path / "hypotheses"][: 1 if command == "agree" else 2]
    options = ("--documents", tmp_path / "shows.csv", "--units", "words")
    more = ("--tolerances", 1) if command == "sweep" else ()
    result = segscore(command, *sides, *options, *more, "--output", tmp_path / "run")
    assert result.code == 2
    assert "--units words: " in result.err
    assert "shows.csv has no lengths of units; give a documents table with n_units" in result.err


@pytest.mark.usefixtures("made")
def test_nightly(segscore: Segscore, tmp_path: Path) -> None:
    sides = ("--references", tmp_path / "references", "--hypotheses", tmp_path / "hypotheses")
    where = ("--documents", tmp_path / "shows.csv", "--runs", tmp_path / "runs")
    settings = tmp_path / "settings.toml"
    settings.write_text('[score]\ngroup-by = "genre"\nmax-unpaired = 1.0\n')
    options = ("--date", "2026-01-31", "--settings", settings)
    result = segscore("nightly", *sides, *where, *options)
    assert result.code == 0, result.err
    summary = read_table(str(tmp_path / "runs" / "date=2026-01-31" / "summary"))
    assert {*pc.unique(summary["genre"]).to_pylist()} == {None, "news", "novel"}


def test_import_names_what_it_leaves_out(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "desk.csv").write_text("document_id,coder,start,end\na,desk,0,20\na,desk,20,50\n")
    shows = tmp_path / "shows.csv"
    shows.write_text("document_id,duration,genre,show\na,60,news,one\n")
    options = ("--documents", shows, "--output", tmp_path / "tables")
    result = segscore("import", tmp_path / "desk.csv", *options)
    assert result.code == 0, result.err
    assert f"warning: --documents {shows}: genre, show are not imported; " in result.err
    references = ("--documents", tmp_path / "tables" / "references", "--output", tmp_path / "more")
    again = segscore("import", tmp_path / "desk.csv", *references)
    assert (again.code, "not imported" in again.err) == (0, False)


@pytest.mark.parametrize("name", ["shows.csv", "shows.jsonl", "shows.parquet"])
@pytest.mark.usefixtures("made")
def test_validate_checks_a_plain_table(segscore: Segscore, tmp_path: Path, name: str) -> None:
    result = segscore("validate", tmp_path / name, "--documents")
    assert result.code == 0, result.err
    assert "is read as attributes of documents" in result.err
    twice = tmp_path / "twice.csv"
    twice.write_text("document_id,genre\na,news\na,talk\n")
    result = segscore("validate", twice, "--documents")
    assert result.code == 2 and "a is there 2 times" in result.err
