"""Inputs of a run that were touched, copied or moved are read again; changed ones are not."""

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from segscore.pipeline.storage import input_files
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line

ROWS = [
    {"document_id": name, "coder": coder, "n_units": 9, "boundaries": [position]}
    for name in ("d", "e", "f")
    for coder, position in (("gold", 3), ("a", 4))
]


@pytest.fixture
def project(segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with references, a system and a run, which named them by relative paths."""
    folder = tmp_path / "project"
    for coder, name in (("gold", "gold.jsonl"), ("a", "systems/coder=a/a.jsonl")):
        file = folder / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in ROWS if row["coder"] == coder))
    monkeypatch.chdir(folder)
    assert segscore(*SCORE).code == 0
    return folder


SCORE = ("score", "data/gold.jsonl", "data/systems", "--output", "runs/first")
FINISHED = "runs/first already contains this run, finished"


def explain(segscore: Segscore, *options: object) -> bool:
    """Return whether the edits of a document are drawn, and the page has drawings."""
    explained = segscore("explain", "runs/first", "--document", "d", *options)
    reported = segscore("report", "runs/first", "--output", "page.html", *options)
    assert reported.code == 0, reported.err
    assert (explained.code == 0) == ("Not drawn" not in reported.err), reported.err
    return explained.code == 0


def test_the_record_has_digests_of_all_inputs(project: Path) -> None:
    inputs = json.loads((project / "runs/first/run.json").read_text())["inputs"]
    names = {"references": "data/gold.jsonl", "hypotheses": "data/systems/coder=a/a.jsonl"}
    for table, name in names.items():
        (file,) = inputs[table]
        assert (file["name"], file["sha256"]) == (name, sha256(Path(name).read_bytes()).hexdigest())


def test_files_that_were_touched_are_the_same(segscore: Segscore, project: Path) -> None:
    for file in (project / "data").rglob("*.jsonl"):
        os.utime(file, ns=(0, 0))
    assert FINISHED in segscore(*SCORE).out
    assert explain(segscore)


@pytest.mark.parametrize("removed", [True, False])
def test_a_copy_of_the_whole_folder_is_read(
    segscore: Segscore, project: Path, monkeypatch: pytest.MonkeyPatch, removed: bool
) -> None:
    shutil.copytree(project, project.with_name("copy"), copy_function=shutil.copyfile)
    if removed:
        shutil.rmtree(project)
    else:
        (project / "data/gold.jsonl").write_text("{}")
    monkeypatch.chdir(project.with_name("copy"))
    assert FINISHED in segscore(*SCORE).out
    assert explain(segscore)


@pytest.mark.first
@pytest.mark.parametrize("place", ["elsewhere", "elsewhere/data"])
def test_the_folder_of_moved_inputs_is_named(segscore: Segscore, project: Path, place: str) -> None:
    (project / place).parent.mkdir(exist_ok=True)
    (project / "data").rename(project / place)
    assert not explain(segscore)
    assert explain(segscore, "--inputs", place)
    assert explain(segscore, "--inputs", "elsewhere")


@pytest.mark.parametrize("change", ["content", "name", "folder", "more"])
def test_moved_inputs_that_changed_are_refused(
    segscore: Segscore, project: Path, change: str
) -> None:
    (project / "data").rename(project / "moved")
    file = project / "moved/systems/coder=a/a.jsonl"
    if change == "content":
        file.write_text(file.read_text().replace("[4]", "[5]"))
    if change == "name":
        (project / "moved/systems").rename(project / "moved/others")
    if change == "folder":
        file.parent.rename(file.parent.with_name("coder=b"))
    if change == "more":
        shutil.copyfile(file, file.with_name("b.jsonl"))
    command = ("explain", "runs/first", "--document", "d", "--inputs", "moved")
    assert "systems" in refusal_line(segscore(*command))


def test_an_unfinished_run_is_resumed_after_its_inputs_were_touched(
    segscore: Segscore, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree("runs")
    with monkeypatch.context() as failing:
        failing.setattr("segscore.pipeline.runs.publication.publish", _fail)
        assert segscore(*SCORE).code == 1
    os.utime(project / "data/gold.jsonl", ns=(0, 0))
    assert segscore(*SCORE).code == 0


def _fail(*_: object) -> None:
    raise OSError("the disk is full")


def test_large_inputs_are_known_by_the_time_of_their_change(
    segscore: Segscore, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "MOST_DIGESTED", 100)
    shutil.rmtree("runs")
    assert segscore(*SCORE).code == 0
    (project / "data").rename(project / "moved")
    assert explain(segscore, "--inputs", "moved")
    os.utime(project / "moved/gold.jsonl", ns=(0, 0))
    assert not explain(segscore, "--inputs", "moved")
