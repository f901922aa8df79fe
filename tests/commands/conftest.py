"""Archives with nights, made once for a module."""

import pytest

from tests.support.command_line import Segscore, SegscoreOnce
from tests.support.nights import Archive, KeptArchive


@pytest.fixture(scope="module")
def kept_archive(
    request: pytest.FixtureRequest,
    segscore_once: SegscoreOnce,
    tmp_path_factory: pytest.TempPathFactory,
) -> KeptArchive:
    """An archive with the nights that the module lists in ``NIGHTS``."""
    return KeptArchive(tmp_path_factory.mktemp("archive"), segscore_once, *request.module.NIGHTS)


@pytest.fixture
def archive(segscore: Segscore, kept_archive: KeptArchive) -> Archive:
    """The archive with the nights of the module, as they were at first."""
    return kept_archive.restore(segscore)
