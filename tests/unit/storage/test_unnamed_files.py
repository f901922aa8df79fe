"""Values whose arrays are in a file without a name, read by other processes."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.storage.unnamed_files import MappedValue, mapped

READ = """
import pickle, sys
loaded = pickle.load(sys.stdin.buffer).load()
assert loaded["numbers"].flags.writeable and not loaded["fixed"].flags.writeable
loaded["numbers"][0] = -1  # in this process only
pickle.dump(loaded, sys.stdout.buffer)
"""
KILLED = """
import os, signal
import numpy as np
from segscore.pipeline.storage import mapped
with mapped(np.arange(1000)) as value:
    assert value is not None
    print(len(os.listdir(os.environ["TMPDIR"])), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def value() -> dict[str, Any]:
    """Return arrays of several kinds, some of which cannot be changed."""
    fixed = np.arange(7, dtype=np.int32)
    fixed.flags.writeable = False
    return {
        "numbers": np.arange(100_000),
        "fixed": fixed,
        "empty": np.zeros(0),
        "names": pa.array(["a", "bc", None]),
        "text": "words",
    }


def read_elsewhere(made: MappedValue) -> dict[str, Any]:
    """Return the value as another process reads it."""
    command = [sys.executable, "-c", READ]
    ended = subprocess.run(command, input=pickle.dumps(made), capture_output=True, check=True)
    read: dict[str, Any] = pickle.loads(ended.stdout)  # noqa: S301
    return read


def test_another_process_reads_the_same_value() -> None:
    expected = value()
    with mapped(expected) as made:
        assert made is not None
        assert len(pickle.dumps(made)) < 10_000  # without the arrays
        for _ in range(2):  # what a process changes no other sees
            read = read_elsewhere(made)
            assert read["numbers"][0] == -1
            assert (read["numbers"][1:] == expected["numbers"][1:]).all()
            assert read["fixed"].tolist() == expected["fixed"].tolist()
            assert read["names"].equals(expected["names"]) and read["text"] == "words"
            assert len(read["empty"]) == 0
    with pytest.raises(ValueError, match="shared arrays cannot be opened"):
        made.load()


def test_a_value_without_arrays_is_not_mapped() -> None:
    with storage.mapped({"text": "words"}) as made:
        assert made is None


def test_a_killed_process_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-c", KILLED]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -9 and ended.stdout == "0\n", ended.stderr
    assert not list(tmp_path.iterdir())
