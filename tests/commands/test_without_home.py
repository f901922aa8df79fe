"""A user who has no home runs commands: an account without an entry in /etc/passwd, and no HOME."""

import os
import subprocess
import sys

import pytest

from tests.support import other_user
from tests.support.other_user import AS_OTHER, OTHER
from tests.support.paths import DATA


@pytest.mark.long
def test_a_user_without_a_home_gets_a_report() -> None:
    """Nothing is written but the output."""
    with other_user.shared_folder() as folder:
        os.chown(folder, OTHER, OTHER)
        (folder / "talk.jsonl").write_bytes((DATA / "stargazer.jsonl").read_bytes())
        environment = other_user.environment()
        for name in ("HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        score = "score talk.jsonl talk.jsonl --measures pk --replicates 0 --output run"
        for command in (score, "report run --output page.html"):
            ended = subprocess.run(
                [*AS_OTHER, sys.executable, "-m", "segscore", *command.split()],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert ended.returncode == 0, ended.stderr
        assert {path.name for path in folder.iterdir()} == {"talk.jsonl", "run", "page.html"}
