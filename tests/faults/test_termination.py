"""SIGTERM ends a command while its parts are worked on; finished parts are kept."""

import psutil  # type: ignore[import-untyped]
import pytest

from tests.support import hosts
from tests.support.driven import Gate, wait
from tests.support.killing import Command
from tests.support.promises import message_lines, require_same
from tests.support.resuming import Workspace

AT_PART = {"gate": Gate("runs.receipts.keep", "wait", "scored/part-00002")}
MESSAGE = "stopped by SIGTERM; finished parts of a run are kept: run the same command to resume"
NOBODY_READS = ("bash", "-c", 'exec "$@" 2> >(true)', "bash")
"""Standard error is a pipe whose reader has ended."""

FIRST_PROCESS = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")


def require_stopped(command: Command) -> None:
    """Check that a command stops although a part that it works on never ends."""
    result = command.result()
    assert result.code == 143
    assert message_lines(result.err) == [f"segscore: error: {MESSAGE}"]


@pytest.mark.parametrize("cluster", ["local", "processes"])
def test_a_stopped_run_is_resumed(workspace: Workspace, cluster: str) -> None:
    fault_plan, run = workspace.start(AT_PART, "--cluster", cluster)
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    workers = psutil.Process(run.process.pid).children(recursive=True)
    run.terminate()
    require_stopped(run)
    wait(lambda: not any(worker.is_running() for worker in workers), "its workers ended")
    kept = workspace.receipts
    assert kept
    again = workspace.command(fault_plan, "--cluster", cluster)
    assert again.result().code == 0
    stages = [(stage, part) for stage, part, _ in fault_plan.finished_parts()]
    assert len(stages) == len({*stages})  # no part was done twice
    require_same(workspace.run, workspace.undisturbed())


def test_a_run_stops_although_nobody_reads_its_messages(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan(AT_PART)
    run = Command(fault_plan, *workspace.arguments(workspace.run), within=NOBODY_READS)
    workspace.commands.append(run)
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    run.terminate()
    assert run.result().code == 143


@pytest.mark.skipif(hosts.refusal() is not None, reason=f"no namespaces here ({hosts.refusal()})")
def test_the_first_process_of_a_container_stops(workspace: Workspace) -> None:
    """By default, the kernel ignores signals to process 1."""
    fault_plan = workspace.fault_plan(AT_PART)
    run = Command(fault_plan, *workspace.arguments(workspace.run), within=FIRST_PROCESS)
    workspace.commands.append(run)
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    assert fault_plan.reached("gate") == [1]
    (first,) = psutil.Process(run.process.pid).children()
    first.terminate()
    require_stopped(run)
