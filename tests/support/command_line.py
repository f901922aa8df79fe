"""The command line, run in this process."""

import gc
import sys
from dataclasses import dataclass

import pandas  # noqa: F401  (commands leave it out of a process that has not imported it)
import pytest

from segscore.jobs.cli import app
from tests.support.kernels import without_announcement


@dataclass(frozen=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


class Segscore:
    """The command line, run in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.capture = capture
        self.patch = patch

    def __call__(self, *arguments: object) -> CommandResult:
        """Run `segscore ARGUMENTS`."""
        self.patch.setattr(sys, "argv", ["segscore", *map(str, arguments)])
        self.capture.readouterr()
        code: object = 0
        try:
            app.main()
        except SystemExit as left:
            code = left.code or 0
        finally:
            gc.unfreeze()  # a command assumes that its process ends soon
            gc.enable()
        captured = self.capture.readouterr()
        assert isinstance(code, int)
        return CommandResult(code, captured.out, without_announcement(captured.err))
