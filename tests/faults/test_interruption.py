"""Ctrl-C before the work of a command begins ends it in one line, while anything is imported."""

import signal
import subprocess
import sys

import pytest

from tests.support.paths import DATA

INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, {handler})

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from segscore.__main__ import main
main()
"""


def interrupted(module: str, handler: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line, with an interruption when it imports a module."""
    code = INTERRUPTED.format(module=module, handler=handler)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "module",
    ["segscore.jobs.cli.app", "typer", "segscore.jobs.score", "segscore.pipeline.scoring.settings"],
)
def test_an_early_interruption_is_one_line(module: str) -> None:
    result = interrupted(module, "signal.default_int_handler", "score", "--help")
    assert result.returncode == 128 + signal.SIGINT
    assert result.stderr == (
        "segscore: error: interrupted before the work began; nothing was written\n"
    )


def test_work_is_interrupted_in_order() -> None:
    corpus = DATA / "tinyrec.jsonl"
    result = interrupted(
        "segscore.pipeline.tables.check_table", "signal.default_int_handler", "validate", corpus
    )
    assert result.returncode == 128 + signal.SIGINT
    assert "interrupted; finished parts are kept" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_ignored_interruption_stays_ignored() -> None:
    result = interrupted("typer", "signal.SIG_IGN", "validate", DATA / "tinyrec.jsonl")
    assert (result.returncode, result.stderr) == (0, "")
