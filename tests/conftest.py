"""What all tests share: the same generated examples in every run, and the command line."""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
# A compiled loop is kept by its own file's date; one that calls a loop of another file would
# outlive a change there.  Compiled loops of other sources are other files.
SOURCES = b"".join(path.read_bytes() for path in sorted((ROOT / "pipeline").rglob("*.py")))
KERNELS = ROOT / "build" / "kernels" / blake2b(SOURCES, digest_size=8).hexdigest()
os.environ.setdefault("NUMBA_CACHE_DIR", str(KERNELS))

from jobs import app  # noqa: E402  (numba reads the variable when it is imported)
from tests.support.browser import chromium  # noqa: E402, F401  (a fixture)
from tests.support.deployed import image, machine, services, store  # noqa: E402, F401  (fixtures)
from tests.support.servers import (  # noqa: E402
    azure,  # noqa: F401  (these are fixtures)
    environment,  # noqa: F401
    gcs,  # noqa: F401
    proxied,  # noqa: F401
    s3,  # noqa: F401
)

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
        finally:
            gc.unfreeze()  # a command leaves the collector as it is good for a process that ends
            gc.enable()
        said = self.capture.readouterr()
        assert isinstance(code, int)
        return Ended(code, said.out, said.err)


@pytest.fixture
def segscore(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Segscore:
    """Run commands as a user would, one call a command line."""
    monkeypatch.setenv("COLUMNS", "200")
    return Segscore(capsys, monkeypatch)


DASK = [sys.executable, "-m", "dask"]
START_SECONDS = 60


def wait_for(file: Path, process: subprocess.Popen[bytes]) -> str:
    """The text of a file another process writes when it is ready."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, "the process ended before it was ready"
        if file.exists() and (text := file.read_text()):
            return text
        time.sleep(0.02)
    raise TimeoutError(f"{file} did not appear in {START_SECONDS} s")


@contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """The address of a real scheduler with two real worker processes, all on loopback."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file)]
    with ExitStack() as stack:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(
                subprocess.Popen([*DASK, *arguments], cwd=file.parent, stderr=subprocess.DEVNULL)
            )
            stack.callback(process.terminate)
            return process

        head = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *common)
        address: str = json.loads(wait_for(file, head))["address"]
        for _ in range(2):
            start("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
        yield address


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler for tests that do not care for its workers' environment."""
    with dask_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address
