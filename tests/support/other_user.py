"""Another user of this machine, for tests that run segscore as somebody else."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

OTHER = 10002
"""A user who is neither root nor the one who runs the tests, and has no entry in /etc/passwd."""

AS_OTHER = ("setpriv", f"--reuid={OTHER}", f"--regid={OTHER}", "--clear-groups")
"""What a command begins with that this user runs."""

_PROBE = """
import os, sys
os.listdir(sys.argv[1])
import segscore.jobs.cli.app, segscore.pipeline.arrays.kernel
"""


def environment() -> dict[str, str]:
    """Return environment variables with which Python finds this checkout, and writes nothing."""
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@cache
def _refusal() -> str | None:
    """Return why another user cannot run segscore here; None if one can.

    Starting Python is not enough: one that cannot read its environment takes the libraries of
    another, in which segscore is not installed.
    """
    if os.getuid() != 0:
        return "only root can be or make another user"
    if shutil.which(AS_OTHER[0]) is None:
        return f"there is no `{AS_OTHER[0]}` to become another user with"
    probe = [*AS_OTHER, sys.executable, "-c", _PROBE, tempfile.gettempdir()]
    ended = subprocess.run(probe, env=environment(), capture_output=True, text=True)
    if ended.returncode:
        last = ended.stderr.strip().rpartition("\n")[2]
        places = ", ".join({str(ROOT): "", sys.prefix: "", tempfile.gettempdir(): ""})
        return f"another user cannot use segscore here, in {places} ({last})"
    return None


@contextmanager
def shared_folder() -> Iterator[Path]:
    """Make a folder that another user can enter, and remove it afterwards.

    The test is skipped, and says why, if that user cannot run segscore on this machine: the
    checkout or its Python may be in a folder that only its owner can enter.
    """
    if (refusal := _refusal()) is not None:
        pytest.skip(refusal)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
