"""Schedulers and workers whose software differs from the client's: one message, never a hang."""

import os
import signal
import textwrap
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from distributed import Client  # noqa: TID251

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import cluster as places
from segscore.pipeline.runs import connecting, planning
from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.driven import Gate, wait
from tests.support.killing import Cluster, cluster
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import ROWS, Desk

NEEDED = version("segscore")
HIDING = """
    import sys
    from importlib import metadata

    class Hiding:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("pipeline", "jobs", "schemas"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    class Absent(metadata.Distribution):
        @classmethod
        def from_name(cls, name):
            if name == "segscore":
                raise metadata.PackageNotFoundError(name)
            return found(name)

    found = metadata.Distribution.from_name
    metadata.Distribution.from_name = Absent.from_name
    sys.meta_path.insert(0, Hiding())
"""


@pytest.fixture
def desk(segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A corpus of small parts, and the folder of its run."""
    monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=ROWS))
    with Desk(tmp_path, segscore) as made:
        yield made


@pytest.fixture
def without(tmp_path: Path) -> dict[str, str]:
    """Environment of a process that has Dask and no segscore."""
    folder = tmp_path / "without"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(textwrap.dedent(HIDING))
    return {**os.environ, "PYTHONPATH": str(folder)}


def other(folder: Path, package: str) -> dict[str, str]:
    """Environment of a process in which a package has another version."""
    told = folder / "other" / f"{package}-9.9.9.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9.9\n")
    root = str(Path(__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(told.parent), root])}


def join(there: Cluster, count: int, environment: dict[str, str] | None = None) -> None:
    """Start a worker, and wait until the scheduler has this many."""
    there.start_worker(environment)
    with Client(there.address) as client:
        client.wait_for_workers(count, timeout=60)


def refused(desk: Desk, there: Cluster) -> str:
    """Return the message of a run that is refused before it wrote anything."""
    ended = desk.score("--cluster", there.address)
    line = require_one_line(ended.err, ended.code)
    assert ended.code == 2
    assert f"--cluster {there.address}: the scheduler and all workers need" in line
    assert not desk.run.exists()
    return line


def test_workers_without_segscore(desk: Desk, without: dict[str, str]) -> None:
    with cluster(desk.drive({}), workers=0) as there:
        join(there, 1)
        assert desk.score("--cluster", there.address).code == 0
        expected = desk.undisturbed()
        require_same(desk.run, expected)
        desk.run.rename(desk.folder / "before")
        join(there, 2, without)  # the scheduler was used by segscore before
        line = refused(desk, there)
        assert f"segscore {NEEDED} (none on 1 of 2 workers: tcp://127.0.0.1:" in line
        assert "install them there and restart" in line


@pytest.mark.parametrize("package", ["segscore", "pyarrow"])
def test_workers_of_another_version(desk: Desk, package: str) -> None:
    with cluster(desk.drive({}), workers=0) as there:
        join(there, 1, other(desk.folder, package))
        line = refused(desk, there)
    assert f"{package} {version(package)} (9.9.9 on 1 of 1 workers: tcp://127.0.0.1:" in line


def test_a_scheduler_without_segscore(desk: Desk, without: dict[str, str]) -> None:
    made = Cluster(desk.drive({}), workers=1)
    made.scheduler_environment = without
    try:
        made.mend()
        assert f"segscore {NEEDED} (none on the scheduler)" in refused(desk, made)
    finally:
        made.stop()


def test_the_first_worker_to_come_is_without_segscore(
    desk: Desk, without: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client connects while there are no workers, and waits."""
    with cluster(desk.drive({}), workers=0) as there:
        run = desk.command(desk.drive({}), "--cluster", there.address)
        wait((desk.run / "_unfinished").exists, "the run began")
        there.start_worker(without)
        ended = run.ended()
        line = require_one_line(ended.err, ended.code)
        assert ended.code == 1
        assert f"segscore {NEEDED} (none on 1 that joined late" in line
        assert "run the same command to resume" in line


def test_a_worker_without_segscore_comes_late(desk: Desk, without: dict[str, str]) -> None:
    drive = desk.drive({"gate": Gate("runs.receipts.keep", "wait", "part-00002")})
    with cluster(drive, workers=1) as there:
        run = desk.command(drive, "--cluster", there.address)
        wait(lambda: drive.reached("gate"), "the gate was reached")
        stranger = there.start_worker(without)
        ended = run.ended()  # the gate stays closed
        line = require_one_line(ended.err, ended.code)
        assert ended.code == 1
        assert f"segscore {NEEDED} (none on 1 that joined late" in line
        stranger.kill()
        stranger.wait()
        drive.open("gate")
        again = desk.command(drive, "--cluster", there.address).ended()
        assert again.code == 0, again.err
    require_same(desk.run, desk.undisturbed())


def test_a_worker_that_hangs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "ANSWER_SECONDS", 2)
    with cluster(desk.drive({}), workers=0) as there:
        join(there, 1)
        there.workers[0].send_signal(signal.SIGSTOP)
        ended = desk.score("--cluster", there.address)
        line = require_one_line(ended.err, ended.code)
        assert ended.code == 1
        assert f"--cluster {there.address}: the scheduler or a worker did not answer" in line


def test_a_scheduler_that_hangs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "ANSWER_SECONDS", 2)
    drive = desk.drive({"gate": Gate("runs.receipts.keep", "wait", "part-00002")})
    with cluster(drive, workers=1) as there, places.connect(there.address, None) as client:
        outcomes = places.run_calls(client, pow, {"a": (2,)}, 3)
        assert there.scheduler is not None
        there.scheduler.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(Failed, match="did not answer for"):
                next(outcomes)
        finally:
            there.scheduler.send_signal(signal.SIGCONT)
