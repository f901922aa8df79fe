"""The command line, run in this process."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import BytesIO, TextIOWrapper

import pandas  # noqa: F401  (commands leave it out of a process that has not imported it)
import pytest
import vl_convert

from segscore.jobs.cli import app
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits

# A process that writes many pages needs the library that draws their charts only once.
vl_convert.javascript_bundle = cache(vl_convert.javascript_bundle)


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
        self.capture.readouterr()
        code = _exit_code(self.patch, arguments)
        captured = self.capture.readouterr()
        return CommandResult(code, captured.out, captured.err)

    def cut(self, limits: Limits | int) -> None:
        """Cut inputs into parts of so many rows, or within these limits."""
        chosen = Limits(rows_per_part=limits) if isinstance(limits, int) else limits
        self.patch.setattr(planning, "LIMITS", chosen)


class SegscoreOnce(Segscore):
    """The command line, run in this process before the tests of a module."""

    def __init__(self) -> None:
        pass

    def __call__(self, *arguments: object) -> CommandResult:
        """Run `segscore ARGUMENTS`."""
        printed = [TextIOWrapper(BytesIO(), "utf-8", newline="") for _ in range(2)]
        with (
            pytest.MonkeyPatch.context() as patch,
            redirect_stdout(printed[0]),
            redirect_stderr(printed[1]),
        ):
            patch.setenv("COLUMNS", "200")
            code = _exit_code(patch, arguments)
        for stream in printed:
            stream.seek(0)
        out, err = (stream.read() for stream in printed)
        return CommandResult(code, out, err)


def _exit_code(patch: pytest.MonkeyPatch, arguments: tuple[object, ...]) -> int:
    """Run `segscore ARGUMENTS` and return its exit code."""
    patch.setattr(sys, "argv", ["segscore", *map(str, arguments)])
    code: object = 0
    try:
        app.main()
    except SystemExit as left:
        code = left.code or 0
    assert isinstance(code, int)
    return code
