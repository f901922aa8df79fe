"""A worker whose host is cut off from all others in the middle of a run, and comes back later.

Hosts are of two kinds (``hosts``).  Where the system does not let a user make network namespaces,
the tests that need them are skipped with a message; the others run everywhere.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from tests.support import hosts
from tests.support.command_line import Segscore
from tests.support.driven import Gate, wait
from tests.support.holding import HELD, TRAVELLING, holder
from tests.support.hosts import Cluster, Namespaces, Network, Proxies
from tests.support.killing import Command
from tests.support.promises import UNFINISHED, require_quiet, require_same
from tests.support.resuming import ROWS, Desk
from tests.support.run_files import files

pytestmark = pytest.mark.long

QUICK = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1s",  # waits for ten heartbeats in any case: 5 s
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s",  # the least that Dask accepts
}
TABLES = {"score": ("references", "hypotheses"), "agree": ("references",)}


@pytest.fixture
def desk(segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A corpus of small parts; a cluster started now notices soon who is cut off."""
    limits = Limits(rows_per_part=ROWS, read_again=0.0)  # rows are shuffled
    monkeypatch.setattr(planning, "LIMITS", limits)
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    with Desk(tmp_path, segscore) as ready:
        yield ready


def arguments(desk: Desk, command: str, output: Path) -> tuple[object, ...]:
    """Return the arguments of the command line."""
    tables = (desk.folder / name for name in TABLES[command])
    return (command, *tables, "--replicates", 20, "--output", output)


def undisturbed(desk: Desk, command: str) -> dict[str, bytes]:
    """Return the files of the same run in this process."""
    output = desk.folder / "undisturbed"
    assert desk.segscore(*arguments(desk, command, output)).code == 0
    return files(output)


def start(desk: Desk, command: str, dask: Cluster) -> Command:
    """Start the run on the client's host."""
    options = ("--cluster", dask.address)
    run = Command(
        dask.drive, *arguments(desk, command, desk.run), *options, within=dask.client.within
    )
    desk.commands.append(run)
    return run


@pytest.mark.parametrize(
    ("kind", "command", "gate"),
    [
        pytest.param(Namespaces, "score", HELD, id="namespaces, score"),
        pytest.param(Namespaces, "agree", TRAVELLING, id="namespaces, rows of agree travel"),
        pytest.param(Proxies, "score", HELD, id="proxies, score"),
        pytest.param(Proxies, "agree", HELD, id="proxies, agree"),
    ],
)
def test_a_worker_that_is_cut_off_and_comes_back_changes_nothing(
    desk: Desk, kind: type[Network], command: str, gate: Gate
) -> None:
    """The other workers do its work; what it does later does not change a published run."""
    if kind is Namespaces and (refusal := hosts.refusal()):
        pytest.skip(f"no network namespaces here ({refusal}); proxies alone cut workers off")
    if (kind, command) == (Proxies, "agree") and not hosts.refusal():
        pytest.skip("network namespaces are there, and agree ran in them")
    drive = desk.drive({"gate": gate})
    with hosts.cluster(drive, kind) as dask:
        run = start(desk, command, dask)
        pid = holder(drive)
        if gate == HELD:
            wait(drive.done, "a part was done")
            assert not any(gate.match in part for _, part, _ in drive.done())
        dask.hosts[pid].cut()
        ended = run.ended()
        assert ended.code == 0, ended.err
        require_quiet(ended.err)
        expected = undisturbed(desk, command)
        require_same(desk.run, expected)
        assert dask.workers[pid].poll() is None, "who was cut off did not live on"
        dask.hosts[pid].mend()
        drive.open("gate")
        wait(lambda: dask.workers[pid].poll() is not None, "it learned that it is not missed")
    published = {
        name: content for name, content in files(desk.run).items() if UNFINISHED not in name
    }
    assert published == expected
    again = desk.segscore(*arguments(desk, command, desk.run))
    assert again.code == 0 and "finished" in again.out
    require_same(desk.run, expected)


@pytest.mark.parametrize("kind", [Namespaces, Proxies])
def test_networks_are_removed_after_an_error(kind: type[Network], tmp_path: Path) -> None:
    """Neither a process nor a link remains when the block ends with an error."""
    if kind is Namespaces and (refusal := hosts.refusal()):
        pytest.skip(f"no network namespaces here ({refusal})")
    before = hosts.links(), hosts.children()
    with pytest.raises(ZeroDivisionError):
        _fail_amid(kind, before[1])
    assert (hosts.links(), hosts.children()) == before


def _fail_amid(kind: type[Network], before: set[int]) -> None:
    with hosts.network(kind) as new_network:
        new_network.host().cut()
        assert kind is Proxies or hosts.children() > before
        raise ZeroDivisionError
