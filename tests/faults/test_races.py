"""Jobs started at the same moment into one folder; `make chaos` runs hundreds of such races."""

import subprocess
import sys

from tests.support.paths import ROOT


def test_races_leave_one_whole_run() -> None:
    command = [sys.executable, "-m", "tests.faults.races", "--two", "6", "--three", "3"]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "9 races" in result.stdout
