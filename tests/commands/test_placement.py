"""Outputs that overlap with inputs are refused before any work, and no file is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.export.write_export import write_export
from segscore.pipeline.storage.object_stores import resolve
from segscore.pipeline.storage.placement import require_apart
from tests.support.command_line import CommandResult, Segscore
from tests.support.placements import COMMANDS, NIGHT, ROWS, idle, refusal_line

__all__ = ["idle"]

RECORD = {
    **{name: {} for name in ("settings", "rows", "files", "versions", "seconds")},
    "signature": "segscore",
    "pairs": 1,
    "warnings": [],
    "inputs": {},
}


def files(folder: Path) -> dict[str, bytes | None]:
    """All files of a folder with their content, and all folders."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Nested folders: a night, in it a corpus, in it a night, in it files of a user."""
    folder = tmp_path / "tree"
    inner = folder / NIGHT / "corpus" / NIGHT
    inner.mkdir(parents=True)
    (inner / "a.jsonl").write_text(ROWS)
    (inner / "notes.txt").write_text("mine")
    (inner / "run.json").write_text(json.dumps(RECORD))
    return folder


# --- Every command, every overlap, every spelling ------------------------------------------------

SPELLINGS = ("plain", "dots", "link", "link to it", "file", "slash", "relative")
OVERLAPS = {"same": "itself", "inside": "lies inside the input", "containing": "lies inside it"}


def spelled(path: Path, how: str, links: Path) -> str:
    """Write a path in some spelling."""
    if how == "dots":
        return f"{path.parent}/../{path.parent.name}/{path.name}"
    if how == "link":
        links.mkdir(exist_ok=True)
        (links / "l").symlink_to(path.parent)
        return f"{links}/l/{path.name}"
    if how == "link to it":
        links.mkdir(exist_ok=True)
        (links / path.name).symlink_to(path)
        return f"{links}/{path.name}"
    if how == "relative":
        return os.path.relpath(path)
    return {"plain": "{}", "file": "file://{}", "slash": "{}/"}[how].format(path)


def outputs(tree: Path) -> dict[str, Path]:
    """Paths of outputs that overlap with the inner folder."""
    inner = tree / NIGHT / "corpus" / NIGHT
    return {"same": inner, "inside": inner / NIGHT, "containing": tree / NIGHT}


@pytest.mark.first
@pytest.mark.parametrize("side", ["output", "input"])
@pytest.mark.parametrize("how", SPELLINGS)
@pytest.mark.parametrize("overlap", OVERLAPS)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("idle")
def test_overlaps_are_refused(
    segscore: Segscore, tree: Path, command: str, overlap: str, how: str, side: str
) -> None:
    inner, output = tree / NIGHT / "corpus" / NIGHT, outputs(tree)[overlap]
    links = tree.parent / "links"
    named = {"input": str(inner), "output": str(output)}
    named[side] = spelled(inner if side == "input" else output, how, links)
    before = files(tree)
    line = refusal_line(segscore(*COMMANDS[command](named["input"], named["output"])))
    assert OVERLAPS[overlap] in line and "choose a new folder outside the inputs" in line
    assert files(tree) == before


@pytest.mark.parametrize(
    ("overlap", "glob", "why"),
    [
        ("same", "*.jsonl", "matches, lies inside it"),
        ("same", "**/*.parquet", "would match its file"),
        ("inside", "**", "would match its file"),
        ("inside", "*/*/*.parquet", "would match its file"),
        ("containing", "*", "matches, lies inside it"),
        ("containing", "[a-b].jsonl", "matches, lies inside it"),
    ],
)
@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"compare"}))
@pytest.mark.usefixtures("idle")
def test_globs_that_overlap_are_refused(
    segscore: Segscore, tree: Path, command: str, overlap: str, glob: str, why: str
) -> None:
    inner, before = tree / NIGHT / "corpus" / NIGHT, files(tree)
    arguments = COMMANDS[command](f"{inner}/{glob}", str(outputs(tree)[overlap]))
    line = refusal_line(segscore(*arguments))
    assert why in line
    assert files(tree) == before


@pytest.mark.usefixtures("idle")
def test_a_glob_matching_a_link_into_the_output_is_refused(segscore: Segscore, tree: Path) -> None:
    inner, inputs = tree / NIGHT / "corpus" / NIGHT, tree / "inputs"
    inputs.mkdir()
    (inputs / "a.jsonl").symlink_to(inner / "a.jsonl")
    before = files(tree)
    line = refusal_line(segscore("agree", inputs / "*.jsonl", "--output", inner))
    assert "matches, lies inside it" in line and files(tree) == before


def test_an_output_with_tables_of_a_user_is_not_emptied(segscore: Segscore, tmp_path: Path) -> None:
    """Earlier versions emptied this folder."""
    for name in ("corpus/a.jsonl", "corpus/notes.txt", "systems/b.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ROWS)
    segscore.patch.chdir(tmp_path)
    before = files(tmp_path)
    line = refusal_line(segscore("score", "corpus", "systems", "--output", "."))
    assert line == (
        "segscore: error: --output .: the input REFERENCES corpus lies inside it; choose a new "
        "folder outside the inputs"
    )
    assert files(tmp_path) == before


# --- No overlap ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("data/a.jsonl", "data/run"),
        ("data/*.jsonl", "data/run"),
        ("data/*", "data/run"),
        ("data/*/*.jsonl", "data/b/run"),
        ("data", "database"),
        ("data", "data2/run"),
        ("data/a", "data/ab"),
        ("data/**/*.jsonl", "data/run"),
        ("not/there/*.parquet", "data/run"),
        ("s3://data", "data"),
        ("data", "s3://data/run"),
    ],
)
def test_outputs_without_overlap_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("data/a.jsonl", "data/b/c.jsonl", "data/run/scores/old.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(ROWS)
    require_apart(output, {"REFERENCES": source, "FILE": ["elsewhere"], "--documents": None})


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("s3://b/data", "S3://b/data/run"),
        ("s3://b/data/", "s3a://b/data"),
        ("file://localhost/tmp/x", "FILE:///tmp"),
        ("data", "local://data/run"),
        ("/", "data"),
        ("data", "/"),
    ],
)
def test_overlapping_paths_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match="outside the inputs"):
        require_apart(output, {"REFERENCES": source})


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("memory://b/run", "cannot write to memory://"),
        ("s3:/bucket/run", "the two slashes are missing; write s3://…, or ./s3:/bucket/run"),
        ("FILE:/tmp/run", "the two slashes are missing; write file://…"),
        ("s3://bucket/run?versionId=3", "s3://bucket/run?…: has a query"),
    ],
)
def test_outputs_that_would_not_be_where_they_seem_to_be_are_refused(url: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        require_apart(url, {"REFERENCES": "data"})
    assert why in str(refused.value)


def test_question_marks_of_globs_are_no_queries() -> None:
    for url in ("s3://b/day-?.parquet", "s3://b/channel=?/day=1/x.parquet", "s3://b/?-c=eins"):
        resolve(url)


@pytest.mark.parametrize(
    "url", ["hdfs://host/x", "sftp://host/x", "hf://datasets/x", "http://host/x"]
)
def test_a_store_that_cannot_be_written_to_is_refused(url: str) -> None:
    """Its package is not needed, and its server is not asked."""
    protocol = url.partition("://")[0]
    with pytest.raises(Refused, match=f"^--runs {url}: cannot write to {protocol}://; write to"):
        require_apart(url, {"REFERENCES": "data"}, option="--runs")


@pytest.mark.parametrize(
    "command",
    [
        ("report", "run"),
        ("trend", "--table", "."),
        ("import", "in.jsonl"),
    ],
)
def test_commands_refuse_other_stores(
    segscore: Segscore, tmp_path: Path, command: tuple[str, ...]
) -> None:
    segscore.patch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(ROWS)
    assert segscore("score", "in.jsonl", "in.jsonl", "--output", "run").code == 0
    result = segscore(*command, "--output", "sftp://host/x")
    assert result.code == 2
    assert "cannot write to sftp://" in refusal_line(result)


def test_an_export_refuses_other_stores() -> None:
    with pytest.raises(Refused, match=r"^--output sftp://host/x: cannot write"):
        write_export("sftp://host/x", {"a.vtt": "WEBVTT"})


@pytest.mark.long
def test_inputs_and_runs_in_one_folder(segscore: Segscore, tmp_path: Path) -> None:
    """The usual layout is accepted."""
    segscore.patch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text(ROWS)
    for arguments in (
        ("score", "a.jsonl", "*.jsonl", "--output", "runs/one"),
        ("score", "a.jsonl", "a.jsonl", "--output", "runs/two", "--n-t", 3),
        ("agree", "a.jsonl", "--output", "runs/audit"),
        ("trend", "--table", "runs"),
        ("trend", "--table", "runs"),
        ("trend", "--table", "runs", "--output", "runs"),
        ("compare", "runs/one", "--measure", "pk", "--output", "runs/compared"),
        ("report", "runs/one"),
        ("report", "runs/one"),
        ("import", "a.jsonl", "--output", "tables"),
        (
            "simulate",
            "coders",
            "tables/references",
            "--output",
            "tables/simulated",
            "--documents",
            2,
        ),
    ):
        result = segscore(*arguments)
        assert result.code == 0, result.err
    assert (tmp_path / "report.html").exists() and (tmp_path / "a.jsonl").read_text() == ROWS


# --- Single files: reports, histories, metrics ---------------------------------------------------


@pytest.mark.parametrize("how", [how for how in SPELLINGS if how != "slash"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{NIGHT}/corpus/{NIGHT}/page.html", "lies inside the input RUN"),
        (f"{NIGHT}/corpus/{NIGHT}/run.json", "lies inside the input RUN"),
        ("refs.parquet", "is the input of the run"),
        ("mine.html", "is a file that segscore report did not write"),
        ("empty", "is a folder; name a file"),
    ],
)
def test_reports_do_not_overwrite_foreign_files(
    segscore: Segscore, tree: Path, name: str, why: str, how: str
) -> None:
    run, target = tree / NIGHT / "corpus" / NIGHT, tree / name
    for other in ("refs.parquet", "mine.html", "empty/file"):
        (tree / other).parent.mkdir(exist_ok=True)
        (tree / other).write_text("<!doctype html><title>Mine</title>")
    inputs = {"references": [{"url": str(tree / "refs.parquet"), "size": 1, "version": "1"}]}
    (run / "run.json").write_text(json.dumps({**RECORD, "inputs": inputs}))
    before = files(tree)
    output = spelled(target, how, tree.parent / "links")
    assert why in refusal_line(segscore("report", run, "--output", output))
    assert files(tree) == before


@pytest.mark.parametrize("how", SPELLINGS)
@pytest.mark.parametrize("overlap", ["same", "inside"])
def test_histories_are_not_written_into_runs(
    segscore: Segscore, tree: Path, overlap: str, how: str
) -> None:
    output = spelled(outputs(tree)[overlap], how, tree.parent / "links")
    before = files(tree)
    line = refusal_line(
        segscore("trend", "--table", tree / NIGHT / "corpus", "--output", output, "--keep", 1)
    )
    assert "lies inside the input RUN" in line and files(tree) == before


@pytest.mark.parametrize("content", [b"mine", b""])
def test_histories_do_not_overwrite_foreign_files(
    segscore: Segscore, tree: Path, content: bytes
) -> None:
    runs = tree / NIGHT / "corpus"
    (runs / "history").mkdir()
    (runs / "history" / "history.parquet").write_bytes(content)
    before = files(tree)
    assert "history.parquet: not a readable Parquet file" in refusal_line(
        segscore("trend", "--table", runs)
    )
    storage.write_table(f"{runs}/history/history.parquet", pa.table({"run": ["mine"]}))
    before = files(tree)
    refused = refusal_line(segscore("trend", "--table", runs))
    assert "is not a table of `segscore trend --table`" in refused
    assert files(tree) == before


@pytest.mark.parametrize(
    ("metrics", "why"),
    [
        (f"{NIGHT}/corpus/{NIGHT}/x.prom", "lies inside the input --references"),
        (f"{NIGHT}/corpus/../corpus/{NIGHT}/x.prom", "lies inside the input --references"),
        (f"runs/{NIGHT}/x.prom", "lies inside the input --runs"),
        ("mine.prom", "is a file that segscore nightly did not write"),
    ],
)
@pytest.mark.usefixtures("idle")
def test_metrics_do_not_overwrite_foreign_files(
    segscore: Segscore, tree: Path, metrics: str, why: str
) -> None:
    (tree / "mine.prom").write_text("# HELP node_load1 1m load average.\n")
    before = files(tree)
    arguments = COMMANDS["nightly"](f"{tree}/{NIGHT}/corpus/{NIGHT}", f"{tree}/runs/{NIGHT}")
    assert why in refusal_line(segscore(*arguments, "--metrics", tree / metrics))
    assert files(tree) == before


# --- Nothing half written, nothing mixed ---------------------------------------------------------

WRITERS = {
    "import": (["import"], "_unfinished", "references"),
    "simulate": (["simulate", "coders"], "_unfinished", "codings"),
}


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[str], Path, str]:
    """A command line that writes tables to a folder, its hidden folder, and the first table."""
    command, hidden, table = WRITERS[request.param]
    (tmp_path / "a.jsonl").write_text(ROWS)
    output = tmp_path / "out"
    output.mkdir()
    (output / "mine.txt").write_text("mine")
    return [*command, f"{tmp_path}/a.jsonl", "--output", str(output)], output / hidden, table


@pytest.mark.first
@pytest.mark.parametrize("problem", [KeyboardInterrupt(), Failed("disk full")])
@pytest.mark.parametrize("step", ["write_table", "copy"])
def test_an_interrupted_write_leaves_nothing_where_readers_look(
    segscore: Segscore,
    writer: tuple[list[str], Path, str],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    problem: BaseException,
) -> None:
    arguments, hidden, _ = writer
    before = files(hidden.parent)

    def fail(*_: Any, **__: Any) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(storage, step, fail)
        assert segscore(*arguments).code != 0
    left = files(hidden.parent).items() - before.items()
    # What is whole when the first table is copied is kept, so that the same command resumes it.
    assert all(step == "copy" and path.is_relative_to(hidden) for path in map(Path, dict(left)))
    assert hidden.exists() == (step == "copy")
    assert segscore(*arguments).code == 0
    assert not hidden.exists()
    assert (hidden.parent / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("writer", ["simulate"], indirect=True)
def test_a_foreign_hidden_folder_is_kept(
    segscore: Segscore, writer: tuple[list[str], Path, str]
) -> None:
    """It may be a user's, that of a killed command, or of one at work."""
    arguments, hidden, _ = writer
    hidden.mkdir()
    (hidden / "notes.txt").write_text("mine")
    before = files(hidden.parent)
    line = refusal_line(segscore(*arguments))
    assert f"contains files that are not a run ({hidden.name})" in line
    assert files(hidden.parent) == before


@pytest.mark.parametrize("writer", ["simulate"], indirect=True)
def test_two_at_once(
    segscore: Segscore, writer: tuple[list[str], Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second command, started while the first writes, is refused, whatever it read before."""
    arguments, hidden, table = writer
    write, second = storage.write_table, list[CommandResult]()

    def meanwhile(url: str, *rows: Any, **how: Any) -> None:
        monkeypatch.setattr(storage, "write_table", write)
        write(url, *rows, **how)
        names = storage.names
        with monkeypatch.context() as patch:
            blind = lambda url: [] if url == str(hidden.parent) else names(url)  # noqa: E731
            patch.setattr(storage, "names", blind)
            second.append(segscore(*arguments))

    monkeypatch.setattr(storage, "write_table", meanwhile)
    assert segscore(*arguments).code == 0
    assert "another run" in refusal_line(second[0])
    assert (hidden.parent / table).exists() and not hidden.exists()


@pytest.mark.long
def test_another_command_at_the_same_time_is_refused(
    segscore: Segscore, writer: tuple[list[str], Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All commands that write a folder claim it in one way, whatever they write there."""
    arguments, hidden, table = writer
    write, others = storage.write_table, list[subprocess.CompletedProcess[str]]()
    rows = str(hidden.parent.parent / "a.jsonl")
    second = [
        ["score", rows, rows],
        ["agree", rows],
        ["import", rows],
        ["simulate", "coders", rows],
    ]

    def meanwhile(url: str, *written: Any, **how: Any) -> None:
        monkeypatch.setattr(storage, "write_table", write)
        write(url, *written, **how)
        for one in second:
            command = [sys.executable, "-m", "segscore", *one, "--output", str(hidden.parent)]
            others.append(subprocess.run(command, capture_output=True, text=True, check=False))

    monkeypatch.setattr(storage, "write_table", meanwhile)
    assert segscore(*arguments).code == 0
    for result in others:
        assert result.returncode == 2
        assert result.stderr.startswith(f"segscore: error: --output {hidden.parent}: ")
    assert sorted(path.name for path in hidden.parent.iterdir() if table not in path.name) in (
        ["hypotheses", "mine.txt"],
        ["mine.txt", "simulation.json"],
    )


def test_a_table_written_meanwhile_is_kept(
    segscore: Segscore, writer: tuple[list[str], Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, hidden, table = writer
    write = storage.write_table

    def meanwhile(url: str, *rows: Any, **how: Any) -> None:
        write(url, *rows, **how)
        (hidden.parent / table).mkdir(exist_ok=True)
        (hidden.parent / table / "mine.txt").write_text("mine")

    monkeypatch.setattr(storage, "write_table", meanwhile)
    assert f"already contains {table}" in refusal_line(segscore(*arguments))
    assert sorted(path.name for path in hidden.parent.rglob("*")) == sorted(
        [table, "mine.txt", "mine.txt"]
    )
