"""Fixtures of tests that kill runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.resuming import Workspace


@pytest.fixture
def workspace(segscore: Segscore, tmp_path: Path) -> Iterator[Workspace]:
    """A corpus of small parts, and the folder of its run."""
    with Workspace(tmp_path, segscore) as ready:
        yield ready
