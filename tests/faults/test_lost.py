"""Workers and schedulers lost at a known moment: the run is complete, or stops with one message."""

import sys

import pytest
from distributed import Client  # noqa: TID251
from distributed.comm import CommClosedError  # noqa: TID251

from segscore.pipeline.runs import cluster as places
from segscore.pipeline.runs.connecting import import_frames
from segscore.pipeline.scoring.part import SUMS
from tests.support.driven import Drive, Gate
from tests.support.holding import HELD, TRAVELLING, holder
from tests.support.killing import Cluster, Command, cluster, kill, spawned
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Desk
from tests.support.run_files import files

WAYS = [
    pytest.param("score", HELD, id="score"),
    pytest.param("agree", HELD, id="agree", marks=pytest.mark.long),
    pytest.param("agree", TRAVELLING, id="rows travel", marks=pytest.mark.long),
]


def started(desk: Desk, drive: Drive, command: str, where: str) -> Command:
    """Start `score` or `agree` in a process of its own at some gates."""
    options = ("--cluster", where, "--workers", 2)
    if command == "score":
        return desk.command(drive, *options)
    agree = ("agree", desk.folder / "references", "--replicates", 20, "--output", desk.run)
    desk.commands.append(Command(drive, *agree, *options))
    return desk.commands[-1]


def undisturbed(desk: Desk, command: str) -> dict[str, bytes]:
    """Return the files of the same run elsewhere."""
    if command == "score":
        return desk.undisturbed()
    output = desk.folder / "undisturbed"
    agree = ("agree", desk.folder / "references", "--replicates", 20, "--output", output)
    assert desk.segscore(*agree).code == 0
    return files(output)


@pytest.mark.parametrize("command", ["score", pytest.param("agree", marks=pytest.mark.long)])
def test_a_task_of_a_lost_worker_is_repeated(desk: Desk, command: str) -> None:
    drive = desk.drive({"gate": HELD})
    with cluster(drive) as dask:
        run = started(desk, drive, command, dask.address)
        pid = holder(drive)
        assert pid in [worker.pid for worker in dask.workers]
        kill(pid)
        ended = run.ended()
    assert ended.code == 0, ended.err
    require_same(desk.run, undisturbed(desk, command))


@pytest.mark.long
def test_a_worker_may_be_lost_during_a_shuffle(desk: Desk) -> None:
    drive = desk.drive({"gate": TRAVELLING})
    with cluster(drive) as dask:
        run = started(desk, drive, "agree", dask.address)
        kill(holder(drive))
        ended = run.ended()
    assert ended.code == 0, ended.err
    require_same(desk.run, undisturbed(desk, "agree"))


def test_a_task_of_a_lost_local_process_is_repeated(desk: Desk) -> None:
    drive = desk.drive({"gate": HELD})
    run = started(desk, drive, "score", "processes")
    pid = holder(drive)
    assert pid in spawned(run.process.pid)
    kill(pid)
    ended = run.ended()
    assert ended.code == 0, ended.err
    require_same(desk.run, undisturbed(desk, "score"))


@pytest.mark.parametrize(("command", "gate"), WAYS)
def test_a_run_with_a_lost_scheduler_can_be_resumed(desk: Desk, command: str, gate: Gate) -> None:
    drive = desk.drive({"gate": gate})
    with cluster(drive) as dask:
        run = started(desk, drive, command, dask.address)
        holder(drive)
        dask.kill_scheduler()
        ended = run.ended()
        assert "the scheduler or a" in require_one_line(ended.err, ended.code)
        assert ended.code == 1
        assert not (desk.run / "run.json").exists()
        resumed(desk, drive, command, dask)
    require_same(desk.run, undisturbed(desk, command))


@pytest.mark.parametrize(("command", "gate"), WAYS)
def test_a_new_worker_replaces_all_lost_ones(desk: Desk, command: str, gate: Gate) -> None:
    """Data that all tasks need is lost with the workers; the same command sends it again."""
    drive = desk.drive({"gate": gate})
    with cluster(drive) as dask:
        run = started(desk, drive, command, dask.address)
        holder(drive)
        dask.kill_workers()
        dask.start_worker()
        ended = run.ended()
        if ended.code:
            assert "or all workers were" in require_one_line(ended.err, ended.code)
            assert ended.code == 1
            resumed(desk, drive, command, dask)
    require_same(desk.run, undisturbed(desk, command))


def test_the_scheduler_may_be_lost_while_a_result_is_fetched(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = Client._gather_remote
    with cluster(desk.drive({})) as dask, Client(dask.address, timeout=1) as client:

        async def fetch_and_lose(client: Client, *options: bool) -> object:
            await fetch(client, *options)
            if dask.scheduler is not None:
                dask.kill_scheduler()
            raise CommClosedError("as if the scheduler was lost before it answered")

        monkeypatch.setattr(Client, "_gather_remote", fetch_and_lose)
        (outcome,) = places.run_calls(client, lambda _, number: number, {"part": (1,)}, None)
    assert str(outcome.error) == places.ALL_LOST


def test_a_worker_that_joins_late_imports_data_frames(desk: Desk) -> None:
    """Two of its threads that import them at the same moment can fail."""
    with cluster(desk.drive({}), workers=1) as dask, Client(dask.address) as client:
        import_frames(client)
        dask.start_worker()
        client.wait_for_workers(2)
        imported = client.run(lambda: "dask.dataframe" in sys.modules)
    assert list(imported.values()) == [True, True]


def finished_parts(drive: Drive) -> list[tuple[str, str]]:
    """Return stage and name of each part whose task has saved its receipt.

    A task saves the sums of its part just before; one that is lost between the two is done again.
    """
    return [(stage, part) for stage, part, _ in drive.done() if stage != SUMS]


def resumed(desk: Desk, drive: Drive, command: str, dask: Cluster) -> None:
    """Run the same command again on the same cluster; check that no finished part is done again."""
    dask.mend()
    before = finished_parts(drive)
    ended = started(desk, drive, command, dask.address).ended()
    assert ended.code == 0, ended.err
    assert not set(before) & set(finished_parts(drive)[len(before) :])


def test_a_run_without_workers_stops_with_a_message(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "NO_WORKER_SECONDS", 1)
    with cluster(desk.drive({}), workers=0) as dask:
        ended = desk.score("--cluster", dask.address)
        assert "no worker was connected" in require_one_line(ended.err, ended.code)
        assert ended.code == 1
        dask.start_worker()
        monkeypatch.setattr(places, "NO_WORKER_SECONDS", 60)
        assert desk.score("--cluster", dask.address).code == 0
    require_same(desk.run, undisturbed(desk, "score"))
