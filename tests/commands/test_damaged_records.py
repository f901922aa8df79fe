"""A damaged night.json or run.json: the verdict is made again, and messages name a way out."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive
from tests.support.paths import DATA

FIRST, SECOND, THIRD = DAYS[:3]
DAMAGED = {
    "empty": "",
    "cut": '{"date": "2026-01-0',
    "a list": "[]",
    "deep": "[" * 100_000,
    "without checks": '{"good": true, "exit_code": 0}',
    "half a pair": '{"date": "\\ud800", "good": true, "exit_code": 0, "checks": [], "systems": []}',
}


NIGHTS = ((FIRST, GOOD, 0), (SECOND, GOOD, 0))
"""An archive with two good nights."""


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_verdict_is_made_again(archive: Archive, name: str) -> None:
    path = Path(archive.folder_of(SECOND)) / "night.json"
    before = json.loads(path.read_text())
    path.write_text(DAMAGED[name])
    result = archive.run(SECOND)
    assert result.code == 0
    assert f"{path}: damaged, not a verdict of segscore nightly; the night is judged" in result.err
    unknown = {"finished_at": "", "first_published_at": ""}  # the damaged file had it
    assert json.loads(path.read_text()) | unknown == before | unknown
    again = archive.run(SECOND)
    assert (again.code, again.err) == (0, "")


def test_a_later_night_is_not_compared_with_a_damaged_verdict(
    archive: Archive, segscore: Segscore
) -> None:
    path = Path(archive.folder_of(SECOND)) / "night.json"
    path.write_text("")
    archive.deliver(THIRD)
    result = archive.run(THIRD)
    assert result.code == 0
    assert f"damaged, not a verdict of segscore nightly; run {SECOND} again" in result.err
    checks = archive.read(THIRD, "night.json")["checks"]
    assert {check["against"] for check in checks} == {FIRST}
    listed = segscore("history", archive.runs)
    assert listed.code == 1
    assert "counts as not judged: run the date again" in listed.err
    outcomes = read_table(f"{archive.runs}/history/history.parquet").select(["run", "outcome"])
    assert {"run": f"date={SECOND}", "outcome": None} in outcomes.to_pylist()
    report = segscore("report", archive.folder_of(SECOND), "--output", path.parents[2] / "r.html")
    assert report.code == 2
    assert "run the date again, which judges it again" in report.err
    assert segscore("history", archive.runs, "--keep", 1).code == 1
    assert path.exists()


def set_aside(message: str) -> None:
    """Run the command that a message names."""
    found = re.search(r"move the folder away \((mv .*?)\) and run the command that made", message)
    assert found is not None, message
    subprocess.run(shlex.split(found[1]), check=True)


@pytest.mark.parametrize("name", DAMAGED)
def test_a_night_whose_record_is_damaged_can_be_run_after_the_command_that_is_named(
    archive: Archive, name: str
) -> None:
    before = archive.read(SECOND, "night.json")["checks"]
    path = Path(archive.folder_of(SECOND)) / "run.json"
    path.write_text(DAMAGED[name])
    for options in ((), ("--fresh",)):
        result = archive.run(SECOND, *options)
        assert result.code == 2
    set_aside(result.err)
    assert archive.run(SECOND).code == 0
    assert archive.read(SECOND, "night.json")["checks"] == before


@pytest.mark.parametrize("command", ["score", "compare", "report", "status", "explain", "export"])
def test_every_command_names_the_way_out_of_a_damaged_run(
    segscore: Segscore, tmp_path: Path, command: str
) -> None:
    corpus, run = DATA / "tinyrec.jsonl", tmp_path / "the run"
    options: dict[str, list[object]]
    score = ("score", corpus, corpus, "--output", run)
    assert segscore(*score).code == 0
    record = json.loads((run / "run.json").read_text())
    record["signature"] += "\ud800"
    (run / "run.json").write_text(json.dumps(record))
    options = {"compare": ["--measure", "pk"], "report": ["--output", tmp_path / "r.html"]}
    options["explain"] = ["--document", "d1"]
    options["export"] = [*options["explain"], "--format", "webvtt"]
    arguments = score if command == "score" else (command, run, *options.get(command, []))
    result = segscore(*arguments)
    assert result.code == 2
    assert "contains text that is not Unicode; put the file back from a copy, or move" in result.err
    set_aside(result.err)
    assert segscore(*score).code == 0
    shutil.rmtree(run)
