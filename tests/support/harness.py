"""Run programs of other projects in the environments that the Makefile sets up for them.

They cannot be in that of the other tests: inspect_ai needs an older fsspec than the newest s3fs,
and torch takes 4 GB.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import DOCS, fences
from tests.support.paths import ROOT

BUILD = ROOT / "build"

RunFile = Callable[[str], str]
"""Runs a file of a page in Python, and returns what it prints."""


@pytest.fixture
def harness(tmp_path: Path) -> RunFile:
    """Run a file in the folder of the test, without a network."""
    return _runner(BUILD / "harness", tmp_path)


@pytest.fixture
def torch(tmp_path: Path) -> RunFile:
    """Run a file in the folder of the test where torch is installed, without a network."""
    return _runner(BUILD / "torch", tmp_path)


def _runner(environment: Path, folder: Path) -> RunFile:
    ready = environment / "ready"
    if not ready.exists():
        pytest.skip(f"{environment} is not set up; `make {ready.relative_to(ROOT)}` does it")
    offline = {
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HOME": str(folder),
        "MLFLOW_ALLOW_FILE_STORE": "true",  # a database needs more than mlflow-skinny
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_TRACKING_URI": f"file:{folder}/mlruns",
        "WANDB_MODE": "offline",
    }
    variables = {**os.environ, **offline}
    variables.pop("PYTHONPATH", None)

    def run(file: str) -> str:
        command = [str(environment / "bin" / "python"), file]
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
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
