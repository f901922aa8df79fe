"""What all tests share: marks, the same generated examples in every run, the command line."""

import gc
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

pytest.register_assert_rewrite("tests.support", "tests.conformance.ours")

from segscore.pipeline.arrays.kernel import LIMITS  # noqa: E402
from tests.support import kernels  # noqa: E402

kernels.share()

from tests.support.command_line import Segscore, SegscoreOnce  # noqa: E402  (it imports numba)
from tests.support.dask_cluster import dask_cluster  # noqa: E402
from tests.support.examples import examples  # noqa: E402

settings.register_profile(
    "same",
    derandomize=True,
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same")

# Nothing that the tests write must outlive a power cut, and waiting for disks takes a minute.
os.fsync = lambda fd: None  # noqa: ARG005

TESTS = Path(__file__).parent
NOT_QUICK = {
    "stores": "server",
    "browser": "browser",
    "deploy": "deploy",
    "faults": "kill",
    "integrations": "harness",
}
"""Folder -> mark of its tests, which says why `make test` does not run them."""

SLOWER = re.compile(r"\bmark\.(long|first)\b")
"""What a module with tests says that `make test` does not run, in the other folders."""


def pytest_configure(config: pytest.Config) -> None:
    """Notice numbers that wrap around in interpreted kernels."""
    for line in kernels.filters():
        config.addinivalue_line("filterwarnings", line)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders without quick tests, or the modules with quick tests alone."""
    chosen = config.getoption("markexpr")
    if chosen == "quick" and collection_path.parent == TESTS:
        return collection_path.name in NOT_QUICK or None
    if chosen == "not quick" and collection_path.suffix == ".py":
        folder = collection_path.relative_to(TESTS).parts[0]
        return (folder not in NOT_QUICK and not SLOWER.search(collection_path.read_text())) or None
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Have more processes than cores for tests that wait for servers and killed processes."""
    cores = os.cpu_count() or 1
    return None if config.getoption("markexpr") == "quick" else cores + cores // 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folder; short tests in the other folders are `quick`."""
    met: set[tuple[Path, str]] = set()
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        name = item.path, item.name.partition("[")[0]
        is_later = item.get_closest_marker("first") is not None and name in met
        met.add(name)
        if folder in NOT_QUICK:
            item.add_marker(NOT_QUICK[folder])
        elif item.get_closest_marker("long") is None and not is_later:
            item.add_marker("quick")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exempt the tests and all modules from garbage collection, which would scan them each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Let Python take everything apart at its end; duckdb would tell of leaks."""
    gc.unfreeze()


TOGETHER = (
    "tests/browser/test_report_browser.py",
    "tests/browser/test_site_browser.py",
    "tests/docs/test_archives.py",
    "tests/commands/dashboards/",
    "tests/commands/test_added_measure.py",
    "tests/commands/test_trend.py",
    "tests/deploy/",
    "tests/docs/test_site.py",
    "tests/unit/test_house.py",
)
"""Modules and folders whose tests share something expensive; one process runs all of each."""


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
    """Distributes tests one by one, except that those which share something stay together.

    It replaces ``--dist loadgroup``, which groups nothing with pytest 9.2
    (https://github.com/pytest-dev/pytest-xdist/issues/1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((part for part in TOGETHER if part in nodeid), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler:
    """Distribute the tests among the processes of pytest-xdist."""
    return Scheduler(config, log)


@pytest.fixture(autouse=True)
def own_limit() -> None:
    """Interpret kernels for as long in each test."""
    LIMITS.spent = 0.0


@pytest.fixture
def segscore(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Segscore:
    """Run commands as a user would, one call for each command line."""
    monkeypatch.setenv("COLUMNS", "200")
    return Segscore(capsys, monkeypatch)


@pytest.fixture(scope="module")
def segscore_once() -> Segscore:
    """Run commands whose results all tests of a module read and none changes."""
    return SegscoreOnce()


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a scheduler for tests that need no special environment of its workers."""
    with dask_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address
