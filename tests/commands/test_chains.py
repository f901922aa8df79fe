"""A few random chains of commands, of the many that `make chaos` runs, have no faults."""

import subprocess
import sys

import pytest

from tests.support.chains.verdicts import NightResult, faults_of
from tests.support.paths import ROOT


@pytest.mark.long
def test_chains_of_commands_have_no_faults() -> None:
    command = [sys.executable, "-m", "tests.faults.chains", "--processes", "1", "--chains", "20"]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "20 chains" in result.stdout


def _ended(code: int = 0, out: str = "", err: str = "", words: str = "score a b") -> list[str]:
    return [*faults_of(NightResult(words.split(), code, out, err))]


ERROR = "segscore: error: a: no such file\n"


@pytest.mark.parametrize(
    "faults",
    [
        _ended(-11),
        _ended(70),
        _ended(2),
        _ended(0, err=ERROR),
        _ended(2, err="Traceback (most recent call last):\n  File ...\nKeyError: 'a'\n"),
        _ended(2, err=f"{ERROR[:-1]}: run the same command to resume\n"),
        _ended(0, "a  None  0.5000\n"),
        _ended(0, "a  nan\n"),
        _ended(0, "live True\n"),
        _ended(0, "<a.b object at 0x7f>\n"),
        _ended(0, "there are ['a', 'b']\n"),
        _ended(0, "{", words="score a b --format json"),
    ],
)
def test_faults_are_found(faults: list[str]) -> None:
    assert faults


@pytest.mark.parametrize(
    "faults",
    [
        _ended(0, "a  –  0.5000\nnone of 3; financial, Nancy, information\n"),
        _ended(2, err=ERROR),
        _ended(75, err=ERROR),
        _ended(1, "1 of 2 rows breaks a rule\n", words="validate a"),
        _ended(0, "{}", words="score a b --format json"),
    ],
)
def test_what_is_in_order_is_no_fault(faults: list[str]) -> None:
    assert not faults
