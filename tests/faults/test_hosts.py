"""A worker whose host is cut off from all others in the middle of a run, and comes back later.

Hosts are of two kinds (``hosts``).  Where the system does not let a user make network namespaces,
the tests that need them are skipped with a message; the others run everywhere.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import hosts
from tests.support.command_line import Segscore
from tests.support.driven import Gate, wait
from tests.support.hosts import Cluster, Namespaces, Network, Proxies
from tests.support.killing import Command
from tests.support.promises import UNFINISHED, require_quiet, require_same
from tests.support.resuming import Workspace
from tests.support.run_files import files
from tests.support.waiting import WAIT_AT_PART, WAIT_IN_SHUFFLE, waiting_process

QUICK = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1s",  # waits for ten heartbeats in any case: 5 s
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s",  # the least that Dask accepts
}
TABLES = {"score": ("references", "hypotheses"), "agree": ("references",)}


@pytest.fixture
def workspace(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """A corpus of small parts; a cluster started now notices soon who is cut off."""
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    with Workspace(tmp_path, segscore) as ready:
        yield ready


def arguments(workspace: Workspace, command: str, output: Path) -> tuple[object, ...]:
    """Return the arguments of the command line."""
    tables = (workspace.folder / name for name in TABLES[command])
    return (command, *tables, "--output", output)


def undisturbed(workspace: Workspace, command: str) -> dict[str, bytes]:
    """Return the files of the same run in this process."""
    output = workspace.folder / "undisturbed"
    assert workspace.segscore(*arguments(workspace, command, output)).code == 0
    return files(output)


def start(workspace: Workspace, command: str, dask: Cluster) -> Command:
    """Start the run on the client's host."""
    options = ("--cluster", dask.address)
    run = Command(
        dask.fault_plan,
        *arguments(workspace, command, workspace.run),
        *options,
        within=dask.client.within,
    )
    workspace.commands.append(run)
    return run


@pytest.mark.parametrize(
    ("kind", "command", "gate"),
    [
        pytest.param(Namespaces, "score", WAIT_AT_PART, id="namespaces, score"),
        pytest.param(Namespaces, "agree", WAIT_IN_SHUFFLE, id="namespaces, shuffle of agree"),
        pytest.param(Proxies, "score", WAIT_AT_PART, id="proxies, score"),
        pytest.param(Proxies, "agree", WAIT_AT_PART, id="proxies, agree"),
    ],
)
def test_a_worker_that_is_cut_off_and_comes_back_changes_nothing(
    workspace: Workspace, kind: type[Network], command: str, gate: Gate
) -> None:
    """The other workers do its work; what it does later does not change a published run."""
    if kind is Namespaces and (refusal := hosts.refusal()):
        pytest.skip(f"no network namespaces here ({refusal}); proxies alone cut workers off")
    if (kind, command) == (Proxies, "agree") and not hosts.refusal():
        pytest.skip("network namespaces work, and agree ran in them")
    fault_plan = workspace.fault_plan({"gate": gate})
    with hosts.cluster(fault_plan, kind) as dask:
        run = start(workspace, command, dask)
        pid = waiting_process(fault_plan, run)
        if gate == WAIT_AT_PART:
            wait(fault_plan.finished_parts, "a part was done")
            done = [f"{stage}/{part}" for stage, part, _ in fault_plan.finished_parts()]
            assert not any(text in part for text in gate.match.split("|") for part in done)
        dask.hosts[pid].cut()
        result = run.result()
        assert result.code == 0, result.err
        require_quiet(result.err)
        expected = undisturbed(workspace, command)
        require_same(workspace.run, expected)
        assert dask.workers[pid].poll() is None, "who was cut off did not live on"
        dask.hosts[pid].restore()
        fault_plan.open("gate")
        wait(
            lambda: dask.workers[pid].poll() is not None, "the worker ended because it was replaced"
        )
    published = {
        name: content for name, content in files(workspace.run).items() if UNFINISHED not in name
    }
    assert published == expected
    again = workspace.segscore(*arguments(workspace, command, workspace.run))
    assert again.code == 0 and "finished" in again.out
    require_same(workspace.run, expected)


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
