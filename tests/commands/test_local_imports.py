"""Runs in threads of their own process import only what they use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.corpora import corpus
from tests.support.paths import ROOT

HEAVY = {"asyncio", "dask", "distributed", "fsspec", "pandera"}
COMMAND = (
    "import sys\n"
    "from segscore.jobs.cli.app import main\n"
    "try:\n    main()\n"
    "finally:\n    print(*sys.modules)"
)


def imported(*arguments: object) -> set[str]:
    """Run a command in a process of its own, and return which heavy modules it imported."""
    ended = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == 0, ended.stderr
    return HEAVY & {*ended.stdout.splitlines()[-1].split()}


@pytest.mark.long
def test_local_runs_do_not_import_dask(tmp_path: Path) -> None:
    corpus(seed=3).write(tmp_path)
    tables = (tmp_path / "references", tmp_path / "hypotheses")
    documents = ("--documents", tmp_path / "documents.parquet")
    score = imported("score", *tables, *documents, "--output", tmp_path / "first")
    assert not score
    agree = imported("agree", tables[0], "--output", tmp_path / "agree")
    assert not agree & {"dask", "distributed"}
    compare = imported("compare", tmp_path / "first", "--measure", "pk")
    assert not compare & {"dask", "distributed"}
