"""What tests of runs that are killed share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from segscore.pipeline.runs import planning
from tests.support.command_line import Segscore
from tests.support.resuming import ROWS, Desk


@pytest.fixture
def desk(segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A corpus of small parts."""
    monkeypatch.setattr(planning, "ROWS_PER_PART", ROWS)
    monkeypatch.setattr(planning, "READ_AGAIN", 0.0)  # rows travel
    with Desk(tmp_path, segscore) as made:
        yield made
