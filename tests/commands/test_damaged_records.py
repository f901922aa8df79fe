"""A damaged night.json or run.json: the verdict is made again, and messages name a way out."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.nights import DAYS, GOOD, Archive
from tests.support.paths import DATA
from tests.support.refusals import assert_one_line
from tests.support.rows import write_rows

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


@pytest.mark.first
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
    listed = segscore("trend", "--table", archive.runs)
    assert listed.code == 1
    assert "counts as not judged: run the date again" in listed.err
    outcomes = read_table(f"{archive.runs}/history/history.parquet").select(["run", "outcome"])
    assert {"run": f"date={SECOND}", "outcome": None} in outcomes.to_pylist()
    report = segscore("report", archive.folder_of(SECOND), "--output", path.parents[2] / "r.html")
    assert report.code == 2
    assert "run the date again, which judges it again" in report.err
    assert segscore("trend", "--table", archive.runs, "--keep", 1).code == 1
    assert path.exists()


def set_aside(message: str) -> None:
    """Run the command that a message names."""
    found = re.search(r"move the folder away \((mv .*?)\) and run the command that made", message)
    assert found is not None, message
    subprocess.run(shlex.split(found[1]), check=True)


@pytest.mark.first
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


@pytest.mark.first
@pytest.mark.parametrize("command", ["score", "compare", "report", "show", "explain", "export"])
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


CLAIM: dict[str, Any] = {
    "start": "0" * 32,
    "fingerprint": {"command": "score", "settings": {}, "inputs": {}, "version": "0"},
    "stages": {},
}
FORGED: dict[str, tuple[str, object]] = {
    "seconds.x is not a number": ("seconds", {"x": "text"}),
    "rows.hypotheses is not an object": ("rows", {"hypotheses": "x"}),
    "rows.hypotheses.in is not a whole number": ("rows", {"hypotheses": {"in": 0.5}}),
    "inputs.references[0].url is not text": ("inputs", {"references": [{"url": 1.5}]}),
    "warnings is not a list": ("warnings", "x"),
    "pairs is too large": ("pairs", 10**30),
    "p_seg is not a number": ("p_seg", True),
    "settings.group_by is not a list": ("settings", {"group_by": None}),
}


@pytest.fixture(scope="module")
def finished(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of `score` and one of `sweep`."""
    folder = tmp_path_factory.mktemp("finished")
    corpus = DATA / "tinyrec.jsonl"
    assert segscore_once("score", corpus, corpus, "--output", folder / "score").code == 0
    scored = folder / "scored.jsonl"
    rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    for row in rows:
        row["boundary_scores"] = [0.5] * len(row["boundaries"])
    write_rows(scored, rows)
    assert segscore_once("sweep", corpus, scored, "--output", folder / "sweep").code == 0
    return folder


@pytest.mark.first
@pytest.mark.parametrize("kind", ["score", "sweep"])
@pytest.mark.parametrize("said", FORGED)
def test_a_forged_record_is_refused_in_one_line(
    segscore: Segscore, finished: Path, kind: str, said: str
) -> None:
    """In SECURITY.md: a forged file can make a command fail with one line, and nothing worse."""
    url = finished / kind / "run.json"
    genuine, (key, value) = url.read_text(), FORGED[said]
    url.write_text(json.dumps({**json.loads(genuine), key: value}))
    inputs = (DATA / "tinyrec.jsonl", finished / "scored.jsonl")
    page = finished / "page.html"
    commands: list[list[object]] = [["report", finished / kind, "--output", page]]
    commands += [["show", finished / kind], [kind, *inputs, "--output", finished / kind]]
    for command in commands:
        assert_one_line(segscore(*command), 2, f"{url}: ", f"or damaged: {said}; put the file back")
    url.write_text(genuine)


@pytest.mark.long
def test_a_record_without_a_key_is_refused(segscore: Segscore, finished: Path) -> None:
    url = finished / "score" / "run.json"
    genuine = url.read_text()
    for key in ("warnings", "rows", "settings", "versions", "seconds", "inputs"):
        url.write_text(json.dumps({k: v for k, v in json.loads(genuine).items() if k != key}))
        result = segscore("report", url.parent, "--output", finished / "page.html")
        assert_one_line(result, 2, f"{url}: lacks the key {key}, which segscore writes")
    url.write_text(genuine)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("inputs", 1, "fingerprint.inputs is not an object"),
        ("inputs", {"references": [{"url": "a", "size": "x"}]}, "size is not a whole number"),
        ("settings", 1, "fingerprint.settings is not an object"),
        ("version", [], "fingerprint.version is not text"),
    ],
)
def test_a_forged_claim_is_refused_in_one_line(
    segscore: Segscore, tmp_path: Path, key: str, value: object, said: str
) -> None:
    url = tmp_path / "run" / "_unfinished" / "plan.json"
    url.parent.mkdir(parents=True)
    url.write_text(json.dumps(CLAIM | {"fingerprint": CLAIM["fingerprint"] | {key: value}}))
    corpus = DATA / "tinyrec.jsonl"
    for command in (("score", corpus, corpus), ("agree", corpus)):
        result = segscore(*command, "--output", tmp_path / "run")
        assert_one_line(result, 2, f"{url}: not a file that segscore writes, or damaged: ", said)


@pytest.mark.parametrize(
    ("kind", "table", "other"),
    [("sweep", "curves", "scores"), ("score", "summary", "scores")],
)
def test_another_table_under_the_name_of_one(
    segscore: Segscore, finished: Path, kind: str, table: str, other: str
) -> None:
    (path,) = (finished / kind / table).iterdir()
    (foreign,) = (finished / "score" / other).iterdir()
    genuine = path.read_bytes()
    path.write_bytes(foreign.read_bytes())
    result = segscore("report", finished / kind, "--output", finished / "page.html")
    assert_one_line(result, 2, f"{path}: is not a table {table} of this version", "is missing; run")
    path.write_bytes(genuine)


def test_a_mistake_of_segscore_is_not_blamed_on_a_run(
    segscore: Segscore, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr("segscore.pipeline.reports.write_report.write_report", fail)
    with pytest.raises(KeyError, match="a mistake"):
        segscore("report", finished / "score", "--output", finished / "page.html")
