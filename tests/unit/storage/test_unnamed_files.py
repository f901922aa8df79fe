"""A temporary file without a name: what was appended is read again, and nothing is left of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from segscore.pipeline.storage import Spill

KILLED = """
import os, signal
from segscore.pipeline.storage import Spill
with Spill() as spill:
    spill.append(b"rows")
    print(len(os.listdir(os.environ["TMPDIR"])), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_bytes_are_read_again_in_any_order() -> None:
    contents = [b"first", b"", b"third" * 1000]
    with Spill() as spill:
        places = [spill.append(content) for content in contents]
        assert [spill.read(place) for place in reversed(places)] == contents[::-1]


def test_a_killed_process_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-c", KILLED]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -9 and ended.stdout == "0\n", ended.stderr
    assert not list(tmp_path.iterdir())
