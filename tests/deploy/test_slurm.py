"""deploy/slurm/: the client's job submits workers, scores on them, and cancels them.

Slurm is not installed here: replacements of `sbatch` and `scancel` run a job at once as a process
of this machine, and end it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.deployed import DEPLOY
from tests.support.paths import DATA
from tests.support.run_files import tables

SBATCH = """#!/bin/sh
set -eu
bash -n "$1"
cp "$1" "$JOBS/$$.sh"  # as Slurm does: who submits removes it
setsid bash "$JOBS/$$.sh" >"$JOBS/$$.out" 2>&1 </dev/null &
echo "$!" >"$JOBS/$$.group"
echo "Submitted batch job $$"
"""
SCANCEL = """#!/bin/sh
for job in "$@"; do
    kill -- "-$(cat "$JOBS/$job.group")" && touch "$JOBS/$job.cancelled"
done
"""
WORKERS = 2
PATIENCE = 120
"""Seconds that the client may wait for workers, as long as a queue may take."""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of the submitted jobs, which reach each other by loopback."""
    job_folder, programs = tmp_path / "jobs", tmp_path / "bin"
    for folder in (job_folder, programs):
        folder.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "JOBS": str(job_folder), "DASK_JOBQUEUE__SLURM__INTERFACE": "lo"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return job_folder


@pytest.mark.skipif(shutil.which("setsid") is None, reason="there is no setsid: jobs have no group")
def test_workers_are_submitted_and_cancelled_as_jobs(
    segscore: Segscore, jobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = str(DATA / "stargazer.jsonl")
    score = ["score", table, table, "--output"]
    monkeypatch.setenv("SLURM_SUBMIT_DIR", str(DEPLOY / "slurm"))
    job = ["sh", str(DEPLOY / "slurm" / "segscore.sbatch"), str(WORKERS)]
    command = [*job, *score, str(tmp_path / "run")]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    scripts = list(jobs.glob("*.sh"))
    assert len(scripts) == WORKERS
    assert {path.with_suffix(".cancelled") for path in scripts} == {*jobs.glob("*.cancelled")}
    for path in scripts:
        text = path.read_text()
        assert "#SBATCH --mem=5G" in text
        assert "--memory-limit 4.00GiB" in text
    assert segscore(*score, tmp_path / "here").code == 0
    assert tables(tmp_path / "run") == tables(tmp_path / "here")
