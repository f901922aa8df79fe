"""Jobs started at the same moment into one folder; `make chaos` runs hundreds of such races."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT


@pytest.mark.parametrize(
    "races", [("3", "2"), pytest.param(("20", "10"), marks=pytest.mark.long)], ids="+".join
)
def test_races_leave_one_whole_run(races: tuple[str, str]) -> None:
    two, three = races
    command = [sys.executable, "-m", "tests.faults.races", "--two", two, "--three", three]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert f"{int(two) + int(three)} races" in result.stdout
