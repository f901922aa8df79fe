"""`segscore warm-up` compiles what later commands use, once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.corpora import corpus
from tests.support.paths import DATA, ROOT
from tests.support.promises import message_lines

NOTICE = "First run on this machine: compiling numba kernels (a few seconds, cached afterwards)."
TALK = "stargazer"

LATER = (
    f"score {DATA / 'stargazer.jsonl'} {DATA / 'stargazer.jsonl'} --consensus 0.5,any --output own "
    "--reference-points random-own",
    "score references hypotheses --documents documents.parquet --output run",
    "score references hypotheses --measures pk,window_diff --output few",
    "compare run --measure pk,boundary_similarity",
    f"agree {DATA / 'stargazer.jsonl'} --output audit",
    "sweep references scored.jsonl --output curves",
    f"explain own --document {TALK}",
    "nightly --references references --hypotheses hypotheses --runs nights --date 2026-01-01",
    "nightly --references references --hypotheses hypotheses --runs nights --date 2026-01-02",
    "validate references",
)
"""Calls that are not those of the sample."""


def run(
    folder: Path, cache: Path, command: str, *, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with a folder for compiled kernels."""
    ended = subprocess.run(
        [sys.executable, "-m", "segscore", *command.split()],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == code, ended.stderr
    return ended


def loops(cache: Path) -> dict[Path, int]:
    """Return the files of compiled kernels, with their times."""
    return {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb*")}


@pytest.mark.long
def test_nothing_is_compiled_after_a_warm_up(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    first = run(tmp_path, cache, "warm-up")
    compiled = loops(cache)
    number = sum(file.suffix == ".nbc" for file in compiled)
    assert number > 50
    where = f"kernels, which are in {cache / 'segscore'}\n"
    assert first.stdout == f"compiled {number} {where}"
    assert message_lines(first.stderr)[0] == NOTICE
    assert run(tmp_path, cache, "warm-up").stdout == f"compiled 0 {where}"
    generated = corpus(seed=5)
    generated.write(tmp_path)
    scored = [
        {**row, "boundary_scores": [0.5] * len(row["boundaries"])} for row in generated.hypotheses
    ]
    (tmp_path / "scored.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in scored))
    for command in LATER:
        assert NOTICE not in run(tmp_path, cache, command).stderr, command
    assert loops(cache) == compiled


def test_a_cache_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "segscore").mkdir(parents=True)
    (cache / "segscore").chmod(0o777)
    ended = run(tmp_path, cache, "warm-up", code=2)
    assert "compiled kernels cannot be kept" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not loops(cache)
