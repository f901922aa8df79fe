"""Several jobs in one folder: exactly one publishes, whole, and the others say that they did not.

A second job on the same machine is refused, so each job here believes to be on another machine.
"""

import json

import pytest

from tests.support.driven import Gate, wait
from tests.support.killing import Ended
from tests.support.promises import Reader, require_one_line, require_same
from tests.support.resuming import Desk
from tests.support.run_files import RECORD

OTHER = ("--n-t", 3)


def raced(desk: Desk, options: tuple[object, ...], first: int) -> tuple[list[Ended], int]:
    """Two jobs that stop before they write the record; how they ended, and who won.

    Args:
        desk: what to run.
        options: of the second job, beside those of the first.
        first: number of the job that continues first; 2 for both at once.
    """
    gate = {"record": Gate("storage.write_new_text", "wait", RECORD)}
    jobs = []
    for number in (0, 1):
        drive, command = desk.start(gate, *(options if number else ()), host=f"host{number}")
        jobs.append((drive, command))
        wait(lambda drive=drive: drive.reached("record"), "the record is next")  # type: ignore[misc]
    reader = Reader(desk.run, alone=False)
    reader.start()
    for number in (first, 1 - first) if first < 2 else (0, 1):
        drive, command = jobs[number]
        drive.open("record")
        if first < 2:
            command.ended()
    ended = [command.ended() for _, command in jobs]
    reader.end()
    won = [number for number, result in enumerate(ended) if result.code == 0]
    assert len(won) == 1, ended
    return ended, won[0]


@pytest.mark.parametrize("first", [0, 1, 2], ids=["the first", "the second", "both at once"])
@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--fresh",), marks=pytest.mark.long),
        pytest.param(("--fresh", *OTHER), marks=pytest.mark.long),
    ],
    ids=str,
)
def test_exactly_one_publishes(desk: Desk, options: tuple[object, ...], first: int) -> None:
    expected = [desk.undisturbed(), desk.undisturbed(*options)]
    ended, winner = raced(desk, options, first)
    assert first == 2 or winner == first
    loser = ended[1 - winner]
    assert "another job published a run here in the meantime" in require_one_line(
        loser.err, loser.code
    )
    assert loser.code == 1
    require_same(desk.run, expected[winner])


@pytest.mark.parametrize(
    "options",
    [pytest.param(("--fresh",), marks=pytest.mark.long), ("--fresh", *OTHER)],
    ids=str,
)
def test_a_fresh_job_takes_over_the_folder(desk: Desk, options: tuple[object, ...]) -> None:
    """The job that worked there until then says so, and leaves nothing."""
    drive, command = desk.start({"publish": Gate("runs.publication.publish", "wait")}, host="host0")
    wait(lambda: drive.reached("publish"), "all parts are done")
    last, other = desk.start({"record": Gate("storage.write_new_text", "wait", RECORD)}, *options)
    wait(lambda: last.reached("record"), "the record is next")
    drive.open("publish")
    ended = command.ended()
    assert "another job has claimed this folder" in require_one_line(ended.err, ended.code)
    last.open("record")
    assert other.ended().code == 0
    require_same(desk.run, desk.undisturbed(*options))


def test_a_finished_run_is_replaced_by_one_of_two(desk: Desk) -> None:
    """Neither job leaves a file of the run before."""
    assert desk.score("--replicates", 30).code == 0
    options = ("--fresh", *OTHER)
    drive, command = desk.start({"publish": Gate("runs.publication.publish", "wait")}, "--fresh")
    wait(lambda: drive.reached("publish"), "all parts are done")
    _, other = desk.start({}, *options, host="elsewhere")
    assert other.ended().code == 0
    require_same(desk.run, desk.undisturbed(*options))
    drive.open("publish")
    ended = command.ended()
    assert "another job published a run here" in require_one_line(ended.err, ended.code)
    require_same(desk.run, desk.undisturbed(*options))


def test_of_two_jobs_started_at_once_on_one_machine_one_publishes(desk: Desk) -> None:
    """In every case one run is in the folder at the end, and each job reports its outcome."""
    expected = desk.undisturbed()
    commands = [desk.start({})[1] for _ in range(2)]
    ended = [command.ended() for command in commands]
    assert 0 in [result.code for result in ended], ended
    for result in ended:
        if result.code:
            require_one_line(result.err, result.code)
    assert desk.score().code == 0
    require_same(desk.run, expected)


def test_a_job_killed_after_publishing_leaves_a_complete_run(desk: Desk) -> None:
    """All files that its record names are complete; the next run removes the other job's copies."""
    gate = {"record": Gate("storage.write_new_text", "wait", RECORD)}
    drive, command = desk.start(gate, host="host0")
    wait(lambda: drive.reached("record"), "the record is next")
    won = {"won": Gate("storage.write_new_text", "kill", RECORD, after=True)}
    options = ("--fresh", *OTHER)
    assert desk.start(won, *options, host="host1")[1].ended().code == -9
    command.kill()
    published = {path.name for path in (desk.run / "scores").iterdir()}
    listed = json.loads((desk.run / RECORD).read_text())["files"]["scores"]
    assert published >= set(listed)
    assert (desk.run / "_unfinished").exists()
    assert desk.score(*OTHER).code == 0
    require_same(desk.run, desk.undisturbed(*OTHER))
