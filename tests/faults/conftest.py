"""Fixtures of tests that kill runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.resuming import ROWS, Workspace


@pytest.fixture
def workspace(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """A corpus of small parts, and the folder of its run."""
    limits = Limits(rows_per_part=ROWS, read_again=0.0)  # rows are shuffled
    monkeypatch.setattr(planning, "LIMITS", limits)
    with Workspace(tmp_path, segscore) as ready:
        yield ready
