"""Several jobs in one folder: exactly one publishes, whole, and the others say that they did not.

A second job on the same machine is refused, so each job here believes to be on another machine.
"""

import json

import pytest

from tests.support.driven import Gate, wait
from tests.support.killing import CommandResult
from tests.support.promises import Reader, require_one_line, require_same
from tests.support.resuming import Workspace
from tests.support.run_files import RECORD

OTHER = ("--n-t", 3)


def raced(
    workspace: Workspace, options: tuple[object, ...], first: int
) -> tuple[list[CommandResult], int]:
    """Run two jobs that stop before they write the record; return results and the winner.

    Args:
        workspace: corpus and folder of the run.
        options: of the second job, in addition to those of the first.
        first: number of the job that continues first; 2 for both at once.
    """
    gate = {"record": Gate("storage.write_new_text", "wait", RECORD)}
    jobs = []
    for number in (0, 1):
        fault_plan, command = workspace.start(
            gate, *(options if number else ()), host=f"host{number}"
        )
        jobs.append((fault_plan, command))
        wait(lambda fault_plan=fault_plan: fault_plan.reached("record"), "the record is next")  # type: ignore[misc]
    reader = Reader(workspace.run, alone=False)
    reader.start()
    for number in (first, 1 - first) if first < 2 else (0, 1):
        fault_plan, command = jobs[number]
        fault_plan.open("record")
        if first < 2:
            command.result()
    results = [command.result() for _, command in jobs]
    reader.end()
    won = [number for number, result in enumerate(results) if result.code == 0]
    assert len(won) == 1, results
    return results, won[0]


@pytest.mark.parametrize(
    ("options", "first"),
    [((), 0), ((), 1), ((), 2), (("--fresh",), 2), (("--fresh", *OTHER), 2)],
    ids=str,
)
def test_exactly_one_publishes(
    workspace: Workspace, options: tuple[object, ...], first: int
) -> None:
    expected = [workspace.undisturbed(), workspace.undisturbed(*options)]
    result, winner = raced(workspace, options, first)
    assert first == 2 or winner == first
    loser = result[1 - winner]
    assert "another job published a run here in the meantime" in require_one_line(
        loser.err, loser.code
    )
    assert loser.code == 1
    require_same(workspace.run, expected[winner])


@pytest.mark.parametrize(
    "options",
    [("--fresh",), ("--fresh", *OTHER)],
    ids=str,
)
def test_a_fresh_job_takes_over_the_folder(
    workspace: Workspace, options: tuple[object, ...]
) -> None:
    """The job that worked there until then says so, and leaves nothing."""
    fault_plan, command = workspace.start(
        {"publish": Gate("runs.publication.publish", "wait")}, host="host0"
    )
    wait(lambda: fault_plan.reached("publish"), "all parts are done")
    last, other = workspace.start(
        {"record": Gate("storage.write_new_text", "wait", RECORD)}, *options
    )
    wait(lambda: last.reached("record"), "the record is next")
    fault_plan.open("publish")
    result = command.result()
    assert "another job has claimed this folder" in require_one_line(result.err, result.code)
    last.open("record")
    assert other.result().code == 0
    require_same(workspace.run, workspace.undisturbed(*options))


def test_a_finished_run_is_replaced_by_one_of_two(workspace: Workspace) -> None:
    """Neither job leaves a file of the run before."""
    assert workspace.score().code == 0
    options = ("--fresh", *OTHER)
    fault_plan, command = workspace.start(
        {"publish": Gate("runs.publication.publish", "wait")}, "--fresh"
    )
    wait(lambda: fault_plan.reached("publish"), "all parts are done")
    _, other = workspace.start({}, *options, host="elsewhere")
    assert other.result().code == 0
    require_same(workspace.run, workspace.undisturbed(*options))
    fault_plan.open("publish")
    result = command.result()
    assert "another job published a run here" in require_one_line(result.err, result.code)
    require_same(workspace.run, workspace.undisturbed(*options))


def test_of_two_jobs_started_at_once_on_one_machine_one_publishes(workspace: Workspace) -> None:
    """In every case one run is in the folder at the end, and each job reports its outcome."""
    expected = workspace.undisturbed()
    commands = [workspace.start({})[1] for _ in range(2)]
    results = [command.result() for command in commands]
    assert 0 in [result.code for result in results], results
    for result in results:
        if result.code:
            require_one_line(result.err, result.code)
    assert workspace.score().code == 0
    require_same(workspace.run, expected)


def test_a_job_killed_after_publishing_leaves_a_complete_run(workspace: Workspace) -> None:
    """All files that its record names are complete; the next run removes the other job's copies."""
    gate = {"record": Gate("storage.write_new_text", "wait", RECORD)}
    fault_plan, command = workspace.start(gate, host="host0")
    wait(lambda: fault_plan.reached("record"), "the record is next")
    won = {"won": Gate("storage.write_new_text", "kill", RECORD, after=True)}
    options = ("--fresh", *OTHER)
    assert workspace.start(won, *options, host="host1")[1].result().code == -9
    command.kill()
    published = {path.name for path in (workspace.run / "scores").iterdir()}
    listed = json.loads((workspace.run / RECORD).read_text())["files"]["scores"]
    assert published >= set(listed)
    assert (workspace.run / "_unfinished").exists()
    assert workspace.score(*OTHER).code == 0
    require_same(workspace.run, workspace.undisturbed(*OTHER))


def test_a_run_that_is_being_replaced_says_so(workspace: Workspace) -> None:
    """It can be read until the new one is complete; then there is none until that is published."""
    assert workspace.score().code == 0
    gates = {
        "part": Gate("runs.receipts.keep", "wait", "scored/part-00003"),
        "record": Gate("storage.write_new_text", "wait", RECORD),
    }
    fault_plan, command = workspace.start(gates, "--fresh", *OTHER)
    measure = ("compare", workspace.run, "--measure", "pk")
    wait(lambda: fault_plan.reached("part"), "a part is done")
    assert workspace.segscore(*measure).code == 0
    fault_plan.open("part")
    wait(lambda: fault_plan.reached("record"), "the record is next")
    result = workspace.segscore(*measure)
    line = require_one_line(result.err, result.code)
    assert (result.code, "a run is being published here" in line) == (2, True)
    fault_plan.open("record")
    assert command.result().code == 0
    assert workspace.segscore(*measure).code == 0
