"""What all tests share: the same generated examples in every run, and the command line."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from jobs import app

settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


class Segscore:
    """The command line, run in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.capture = capture
        self.patch = patch

    def __call__(self, *arguments: object) -> Ended:
        """Run `segscore ARGUMENTS`."""
        self.patch.setattr(sys, "argv", ["segscore", *map(str, arguments)])
        self.capture.readouterr()
        code: object = 0
        try:
            app.main()
        except SystemExit as left:
            code = left.code or 0
        said = self.capture.readouterr()
        assert isinstance(code, int)
        return Ended(code, said.out, said.err)


@pytest.fixture
def segscore(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Segscore:
    """Run commands as a user would, one call a command line."""
    monkeypatch.setenv("COLUMNS", "200")
    return Segscore(capsys, monkeypatch)
