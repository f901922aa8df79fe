"""The recipes of docs/harnesses.md run, and what they log is what the command computes."""

import json
from pathlib import Path

import pytest

from segscore import read_run
from tests.support.command_line import Segscore
from tests.support.harness import RunFile, write_files
from tests.support.pages import same

MLFLOW = """
import json, mlflow
(run,) = mlflow.search_runs(output_format="list")
files = mlflow.artifacts.list_artifacts(run_id=run.info.run_id)
found = {"values": run.data.metrics, "config": run.data.params, "files": [f.path for f in files]}
print(json.dumps(found))
"""

WANDB = """
import glob, json
from wandb.proto import wandb_internal_pb2

def records(data, block=32768):
    # LevelDB's log format after seven bytes: checksum, length, which part of a record this is
    at, whole = 7, b""
    while at + 7 <= len(data):
        if block - at % block < 7:
            at += block - at % block
            continue
        length, part = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if part in (1, 4):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            yield record
            whole = b""

found = {"values": {}, "config": {}, "files": []}
(file,) = glob.glob("wandb/offline-run-*/*.wandb")
for record in records(open(file, "rb").read()):
    for item in record.summary.update:
        found["values"][item.key or item.nested_key[0]] = json.loads(item.value_json)
    for item in [*record.run.config.update, *record.config.update]:
        found["config"][item.key or item.nested_key[0]] = json.loads(item.value_json)
    found["files"] += [entry.path for entry in record.artifact.manifest.contents]
    logged = record.request.log_artifact.artifact
    found["files"] += [entry.path for entry in logged.manifest.contents]
print(json.dumps(found))
"""


@pytest.mark.parametrize(("program", "reading"), [("mlflow", MLFLOW), ("wandb", WANDB)])
def test_a_tracker_keeps_values_signature_and_report(
    program: str,
    reading: str,
    harness: RunFile,
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files("harnesses.md", tmp_path)
    common = ("--format", "rewritten", "--break", "heading", "--source", "stories.jsonl")
    done = segscore(
        *("import", "answers.jsonl", *common, "--coder", "model", "--failed", "none"),
        *("--output", "tables"),
    )
    assert done.code == 0, done.err
    assert segscore("score", "stories.jsonl", "tables/hypotheses", "--output", "own").code == 0
    own = read_run(str(tmp_path / "own"))
    expected = {
        row["measure"]: row["value"]
        for row in own.summary.to_pylist()
        if row["average"] == "micro" and row["value"] is not None
    }

    harness(f"log_{program}.py")
    (tmp_path / "read.py").write_text(reading)
    kept = json.loads(harness("read.py").splitlines()[-1])
    assert {name: kept["values"][name] for name in expected} == expected
    assert (
        kept["config"]["signature"]
        == json.loads((tmp_path / "own/run.json").read_text())["signature"]
    )
    assert "report.html" in kept["files"]


def test_sentences_of_spacy_are_scored(harness: RunFile, tmp_path: Path) -> None:
    shown = write_files("harnesses.md", tmp_path)["sentences.txt"]
    printed = harness("sentences.py")
    assert same(shown, printed), printed
