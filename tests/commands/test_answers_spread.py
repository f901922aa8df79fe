"""Answers of language models give the same bytes on any workers, and after a kill."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segscore.pipeline.importing import run as importing
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.run_files import files

DOCUMENTS = 60
SMALL = Limits(rows_per_part=3, bytes_per_part=3000)


def write_answers(folder: Path) -> tuple[object, ...]:
    """Write units and answers with a twentieth of their words changed; return the arguments."""
    random = np.random.default_rng(3)
    with (folder / "units.jsonl").open("w") as source, (folder / "out.jsonl").open("w") as answers:
        for number in range(DOCUMENTS):
            units = [" ".join(f"w{random.integers(300)}" for _ in range(8)) for _ in range(12)]
            words = [unit.split() for unit in units]
            told = [
                "\n" * (random.random() < 0.3)
                + " ".join(word if random.random() > 0.05 else "x" for word in unit)
                for unit in words
            ]
            name = f"d{number}"
            source.write(json.dumps({"document_id": name, "units": units}) + "\n")
            answers.write(json.dumps({"document_id": name, "output": "\n".join(told)}) + "\n")
    return (
        "import", folder / "out.jsonl", "--format", "rewritten", "--source",
        folder / "units.jsonl", "--coder", "model", "--break", "blank", "--failed", "none",
    )  # fmt: skip


@pytest.mark.long
def test_bytes_are_the_same_on_any_workers(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str
) -> None:
    segscore.cut(SMALL)
    monkeypatch.setattr(importing, "SMALL", 0)
    arguments = write_answers(tmp_path)
    places: dict[str, tuple[object, ...]] = {
        "one": ("local", "--workers", 1),
        "four": ("local", "--workers", 4),
        "cluster": (scheduler,),
    }
    for name, place in places.items():
        ended = segscore(*arguments, "--output", tmp_path / name, "--cluster", *place)
        assert ended.code == 0, ended.err
        assert "parts done" in ended.err
    expected = files(tmp_path / "one")
    assert {name.partition("/")[0] for name in expected} >= {"hypotheses", "documents", "alignment"}
    for name in places:
        assert files(tmp_path / name) == expected, name


CUT = """
import os, signal, sys
from segscore.jobs.cli import app
from segscore.pipeline.importing.answers import part
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits

planning.LIMITS = Limits(rows_per_part=3, bytes_per_part=3000)
placed, real = [], part.write_shard

def write_shard(*arguments):
    placed.append(real(*arguments))
    if len(placed) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return placed[-1]

part.write_shard = write_shard
app.main()
"""


@pytest.mark.long
def test_an_import_that_was_killed_goes_on(segscore: Segscore, tmp_path: Path) -> None:
    arguments = write_answers(tmp_path)
    segscore.cut(SMALL)
    assert segscore(*arguments, "--output", tmp_path / "whole").code == 0
    output = tmp_path / "killed"
    command = [str(word) for word in (*arguments, "--output", output, "--workers", 1)]
    killed = subprocess.run(
        [sys.executable, "-c", CUT, *command], env=os.environ, capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (output / "hypotheses").exists()
    resumed = segscore(*arguments, "--output", output, "--workers", 1)
    assert resumed.code == 0, resumed.err
    assert files(output) == files(tmp_path / "whole")
