"""Workers and schedulers lost at a known moment: the run is complete, or stops with one message."""

import psutil  # type: ignore[import-untyped]
import pytest
from distributed import Client, get_worker  # noqa: TID251
from distributed.comm import CommClosedError  # noqa: TID251

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import cluster as places
from segscore.pipeline.runs import executors
from segscore.pipeline.runs.cluster import DaskCluster
from tests.support.driven import FaultPlan, Gate, wait
from tests.support.killing import Cluster, Command, cluster, kill, spawned
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Workspace
from tests.support.run_files import files
from tests.support.waiting import WAIT_AT_PART, WAIT_IN_SHUFFLE, waiting_process

WAYS = [
    pytest.param("score", WAIT_AT_PART, id="score"),
    pytest.param("agree", WAIT_IN_SHUFFLE, id="shuffle"),
]


def started(workspace: Workspace, fault_plan: FaultPlan, command: str, where: str) -> Command:
    """Start `score` or `agree` in a process of its own at some gates."""
    options = ("--cluster", where, "--workers", 2)
    if command == "score":
        return workspace.command(fault_plan, *options)
    agree = (
        "agree",
        workspace.folder / "references",
        "--output",
        workspace.run,
    )
    workspace.commands.append(Command(fault_plan, *agree, *options))
    return workspace.commands[-1]


def undisturbed(workspace: Workspace, command: str) -> dict[str, bytes]:
    """Return the files of the same run elsewhere."""
    if command == "score":
        return workspace.undisturbed()
    output = workspace.folder / "undisturbed"
    agree = ("agree", workspace.folder / "references", "--output", output)
    assert workspace.segscore(*agree).code == 0
    return files(output)


def test_a_task_of_a_lost_worker_is_repeated(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan({"gate": WAIT_AT_PART})
    with cluster(fault_plan) as dask:
        run = started(workspace, fault_plan, "score", dask.address)
        pid = waiting_process(fault_plan, run)
        assert pid in [worker.pid for worker in dask.workers]
        kill(pid)
        result = run.result()
    assert result.code == 0, result.err
    require_same(workspace.run, undisturbed(workspace, "score"))


def test_a_worker_may_be_lost_during_a_shuffle(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan({"gate": WAIT_IN_SHUFFLE})
    with cluster(fault_plan) as dask:
        run = started(workspace, fault_plan, "agree", dask.address)
        kill(waiting_process(fault_plan, run))
        result = run.result()
    assert result.code == 0, result.err
    require_same(workspace.run, undisturbed(workspace, "agree"))


def test_a_task_of_a_lost_local_process_is_repeated(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan({"gate": WAIT_AT_PART})
    run = started(workspace, fault_plan, "score", "processes")
    pid = waiting_process(fault_plan, run)
    assert pid in spawned(run.process.pid)
    kill(pid)
    result = run.result()
    assert result.code == 0, result.err
    require_same(workspace.run, undisturbed(workspace, "score"))


@pytest.mark.parametrize(("command", "gate"), WAYS)
def test_a_run_with_a_lost_scheduler_can_be_resumed(
    workspace: Workspace, command: str, gate: Gate
) -> None:
    fault_plan = workspace.fault_plan({"gate": gate})
    with cluster(fault_plan) as dask:
        run = started(workspace, fault_plan, command, dask.address)
        waiting_process(fault_plan, run)
        dask.kill_scheduler()
        result = run.result()
        assert "the scheduler or a" in require_one_line(result.err, result.code)
        assert result.code == 1
        assert not (workspace.run / "run.json").exists()
        resumed(workspace, fault_plan, command, dask)
    require_same(workspace.run, undisturbed(workspace, command))


@pytest.mark.parametrize(("command", "gate"), WAYS)
def test_a_new_worker_replaces_all_lost_ones(
    workspace: Workspace, command: str, gate: Gate
) -> None:
    """Data that all tasks need is lost with the workers; the same command sends it again."""
    fault_plan = workspace.fault_plan({"gate": gate})
    with cluster(fault_plan) as dask:
        run = started(workspace, fault_plan, command, dask.address)
        waiting_process(fault_plan, run)
        dask.kill_workers()
        dask.start_worker()
        result = run.result()
        if result.code:
            assert "or all workers were" in require_one_line(result.err, result.code)
            assert result.code == 1
            resumed(workspace, fault_plan, command, dask)
    require_same(workspace.run, undisturbed(workspace, command))


def test_the_scheduler_may_be_lost_while_a_result_is_fetched(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = Client._gather_remote
    with cluster(workspace.fault_plan({})) as dask, Client(dask.address, timeout=1) as client:

        async def fetch_and_lose(client: Client, *options: bool) -> object:
            await fetch(client, *options)
            if dask.scheduler is not None:
                dask.kill_scheduler()
            raise CommClosedError("as if the scheduler was lost before it answered")

        monkeypatch.setattr(Client, "_gather_remote", fetch_and_lose)
        (outcome,) = DaskCluster(client).run_calls(lambda _, number: number, {"part": (1,)}, None)
    assert str(outcome.error) == places.ALL_LOST


def test_a_client_that_lost_its_scheduler_before_sends_nothing(workspace: Workspace) -> None:
    """It must not take the missing scheduler for a worker that cannot load the data."""
    with cluster(workspace.fault_plan({})) as dask, Client(dask.address, timeout=1) as client:
        dask.kill_scheduler()
        wait(lambda: client.scheduler is None, "the client noticed the loss")
        with pytest.raises(Failed, match="the scheduler or a worker was lost"):
            list(DaskCluster(client).run_calls(lambda _, number: number, {"part": (1,)}, None))


def finished_parts(fault_plan: FaultPlan) -> list[tuple[str, str]]:
    """Return stage and name of each part whose task has saved its receipt.

    A task saves the sums of its part just before; one that is lost between the two is done again.
    """
    return [(stage, part) for stage, part, _ in fault_plan.finished_parts()]


def resumed(workspace: Workspace, fault_plan: FaultPlan, command: str, dask: Cluster) -> None:
    """Run the same command again on the same cluster; check that no finished part is done again."""
    dask.restart()
    before = finished_parts(fault_plan)
    result = started(workspace, fault_plan, command, dask.address).result()
    assert result.code == 0, result.err
    assert not set(before) & set(finished_parts(fault_plan)[len(before) :])


def test_a_run_without_workers_stops_with_a_message(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "NO_WORKER_SECONDS", 1)
    with cluster(workspace.fault_plan({}), workers=0) as dask:
        result = workspace.score("--cluster", dask.address)
        assert "no worker was connected" in require_one_line(result.err, result.code)
        assert result.code == 1
        dask.start_worker()
        monkeypatch.setattr(places, "NO_WORKER_SECONDS", 60)
        assert workspace.score("--cluster", dask.address).code == 0
    require_same(workspace.run, undisturbed(workspace, "score"))


def test_workers_without_free_memory_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask pauses a worker above 80% of its memory; it cannot free what a task has left behind."""
    monkeypatch.setattr(places, "NO_WORKER_SECONDS", 2)
    calls: dict[str, tuple[()]] = {"first": (), "second": ()}
    with executors.connect("processes", 1, memory=LIMIT) as executor:
        for _ in ("a task waits", "data that all tasks share waits"):
            with pytest.raises(Failed, match="1 of 1 workers use so much memory"):
                list(executor.run_calls(fill_memory, calls, None))


LIMIT = 800_000_000
LEFT_BEHIND: list[bytes] = []


def fill_memory(shared: None) -> None:
    """Fill 85% of the worker's memory, and wait until Dask has noticed."""
    left = int(0.85 * LIMIT) - psutil.Process().memory_info().rss
    LEFT_BEHIND.append(b"x" * max(0, left))
    wait(lambda: get_worker().status.name == "paused", "the worker was paused")
