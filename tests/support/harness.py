"""Run programs of other projects in the environment that `make test-all` sets up for them.

They cannot be in that of the other tests: inspect_ai needs an older fsspec than the newest s3fs.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import DOCS, fences
from tests.support.paths import ROOT

ENVIRONMENT = ROOT / "build" / "harness"
READY = ENVIRONMENT / "ready"

RunFile = Callable[[str], str]
"""Runs a file of a page in Python, and returns what it prints."""


@pytest.fixture
def harness(tmp_path: Path) -> RunFile:
    """Run a file in the folder of the test, without a network."""
    if not READY.exists():
        pytest.skip(f"{ENVIRONMENT} is not set up; `make {READY.relative_to(ROOT)}` does it")
    offline = {
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HOME": str(tmp_path),
        "MLFLOW_ALLOW_FILE_STORE": "true",  # a database needs more than mlflow-skinny
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_TRACKING_URI": f"file:{tmp_path}/mlruns",
        "WANDB_MODE": "offline",
    }
    environment = {**os.environ, **offline}
    environment.pop("PYTHONPATH", None)

    def run(file: str) -> str:
        command = [str(ENVIRONMENT / "bin" / "python"), file]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return run


def write_files(page: str, folder: Path) -> dict[str, str]:
    """Write the files of a page into a folder; return them by name."""
    files = {fence.file: fence.text for fence in fences(DOCS / page) if fence.file}
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return files
