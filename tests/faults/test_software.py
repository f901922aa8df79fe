"""Schedulers and workers whose software differs from the client's: one message, never a hang."""

import os
import signal
import textwrap
from importlib.metadata import version
from pathlib import Path

import pytest
from distributed import Client  # noqa: TID251

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import connecting, executors
from tests.support.driven import Gate, wait
from tests.support.killing import Cluster, cluster
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Workspace

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
def without(tmp_path: Path) -> dict[str, str]:
    """Environment of a process that has Dask and no segscore."""
    folder = tmp_path / "without"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(textwrap.dedent(HIDING))
    return {**os.environ, "PYTHONPATH": str(folder)}


def other(folder: Path, package: str) -> dict[str, str]:
    """Environment of a process in which a package has another version."""
    metadata = folder / "other" / f"{package}-9.9.9.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9.9\n")
    root = str(Path(__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(metadata.parent), root])}


def join(dask: Cluster, count: int, environment: dict[str, str] | None = None) -> None:
    """Start a worker, and wait until the scheduler has this many."""
    dask.start_worker(environment)
    with Client(dask.address) as client:
        client.wait_for_workers(count, timeout=60)


def refusal_line(workspace: Workspace, dask: Cluster) -> str:
    """Return the message of a run that is refused before it wrote anything."""
    result = workspace.score("--cluster", dask.address)
    line = require_one_line(result.err, result.code)
    assert result.code == 2
    assert f"--cluster {dask.address}: the scheduler and all workers need" in line
    assert not workspace.run.exists()
    return line


def test_workers_without_segscore_are_refused(
    workspace: Workspace, without: dict[str, str]
) -> None:
    with cluster(workspace.fault_plan({}), workers=0) as dask:
        join(dask, 1)
        assert workspace.score("--cluster", dask.address).code == 0
        expected = workspace.undisturbed()
        require_same(workspace.run, expected)
        workspace.run.rename(workspace.folder / "before")
        join(dask, 2, without)  # the scheduler was used by segscore before
        line = refusal_line(workspace, dask)
        assert f"segscore {NEEDED} (none on 1 of 2 workers: tcp://127.0.0.1:" in line
        assert "install them there and restart" in line


@pytest.mark.parametrize("package", ["segscore", "pyarrow"])
def test_workers_of_another_version_are_refused(workspace: Workspace, package: str) -> None:
    with cluster(workspace.fault_plan({}), workers=0) as dask:
        join(dask, 1, other(workspace.folder, package))
        line = refusal_line(workspace, dask)
    assert f"{package} {version(package)} (9.9.9 on 1 of 1 workers: tcp://127.0.0.1:" in line


def test_a_scheduler_without_segscore_is_refused(
    workspace: Workspace, without: dict[str, str]
) -> None:
    dask = Cluster(workspace.fault_plan({}), workers=1)
    dask.scheduler_environment = without
    try:
        dask.restart()
        assert f"segscore {NEEDED} (none on the scheduler)" in refusal_line(workspace, dask)
    finally:
        dask.stop()


def test_a_first_worker_without_segscore_is_refused(
    workspace: Workspace, without: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client connects while there are no workers, and waits."""
    with cluster(workspace.fault_plan({}), workers=0) as dask:
        run = workspace.command(workspace.fault_plan({}), "--cluster", dask.address)
        wait((workspace.run / "_unfinished").exists, "the run began")
        dask.start_worker(without)
        result = run.result()
        line = require_one_line(result.err, result.code)
        assert result.code == 1
        assert f"segscore {NEEDED} (none on 1 that joined late" in line
        assert "run the same command to resume" in line


def test_a_late_worker_without_segscore_is_refused(
    workspace: Workspace, without: dict[str, str]
) -> None:
    fault_plan = workspace.fault_plan(
        {"gate": Gate("runs.receipts.keep", "wait", "scored/part-00002")}
    )
    with cluster(fault_plan, workers=1) as dask:
        run = workspace.command(fault_plan, "--cluster", dask.address)
        wait(lambda: fault_plan.reached("gate"), "the gate was reached")
        stranger = dask.start_worker(without)
        result = run.result()  # the gate stays closed
        line = require_one_line(result.err, result.code)
        assert result.code == 1
        assert f"segscore {NEEDED} (none on 1 that joined late" in line
        stranger.kill()
        stranger.wait()
        fault_plan.open("gate")
        again = workspace.command(fault_plan, "--cluster", dask.address).result()
        assert again.code == 0, again.err
    require_same(workspace.run, workspace.undisturbed())


def test_a_hanging_worker_is_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "ANSWER_SECONDS", 2)
    with cluster(workspace.fault_plan({}), workers=0) as dask:
        join(dask, 1)
        dask.workers[0].send_signal(signal.SIGSTOP)
        result = workspace.score("--cluster", dask.address)
        line = require_one_line(result.err, result.code)
        assert result.code == 1
        assert f"--cluster {dask.address}: the scheduler or a worker did not answer" in line


def test_a_hanging_scheduler_is_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "ANSWER_SECONDS", 2)
    fault_plan = workspace.fault_plan(
        {"gate": Gate("runs.receipts.keep", "wait", "scored/part-00002")}
    )
    with cluster(fault_plan, workers=1) as dask, executors.connect(dask.address, None) as executor:
        outcomes = executor.run_calls(pow, {"a": (2,)}, 3)
        assert dask.scheduler is not None
        dask.scheduler.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(Failed, match="did not answer for"):
                next(outcomes)
        finally:
            dask.scheduler.send_signal(signal.SIGCONT)
