"""`nightly --replay`: what rules would have said of past nights, without writing anything."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive

NIGHTS = (
    (DAYS[0], GOOD, 0),
    (DAYS[1], GOOD, 0),
    (DAYS[2], WORSE, 1),
    (DAYS[3], WORSE, 1),
    (DAYS[4], GOOD, 0),
    (DAYS[5], WORSE, 1),
)
RANGE = ("--from", DAYS[0], "--to", DAYS[9])


def contents(archive: Archive) -> dict[str, bytes]:
    """Return the contents of all files of the nights and the metrics, by path."""
    files = [*Path(archive.runs).rglob("*"), archive.metrics]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


@pytest.mark.long
def test_a_replay_says_what_judging_again_would_say_and_writes_nothing(archive: Archive) -> None:
    before = contents(archive)
    shutil.rmtree(f"{archive.folder}/references")  # it reads no input
    gates = ["boundary_similarity>=-0.02", "boundary_similarity>=-0.9", "level:pk<=.01"]
    for gate in gates:
        archive.settle(gate=gate)
        options = ("nightly", "--settings", archive.file, *RANGE)
        replayed = json.loads(archive.segscore(*options, "--replay", "--format", "json").out)
        assert contents(archive) == before
        copy = Path(archive.folder, "kept")
        shutil.copytree(archive.runs, copy)
        archive.segscore(*options, "--rejudge")
        rejudged = {day: archive.outcome(day) for day, *_ in NIGHTS}
        assert {each["date"]: each["outcome"] for each in replayed["replayed"]} == rejudged
        assert [each["recorded"] for each in replayed["replayed"]] == [
            {0: "passed", 1: "failed"}[code] for *_, code in NIGHTS
        ]
        assert replayed["alarms"] == {gates[0]: 2, gates[1]: 0, gates[2]: 1}[gate]
        shutil.rmtree(archive.runs)
        copy.rename(archive.runs)
        archive.metrics.write_bytes(before[str(archive.metrics)])


@pytest.mark.long
def test_nights_that_differ_are_shown(archive: Archive) -> None:
    printed = archive.run(DAYS[2], "--replay", "--gate", "boundary_similarity>=-0.9").out
    assert printed.splitlines()[-1] == "0 of 1 night would fail, in 0 alarms; 1 failed as recorded"
    assert printed.splitlines()[2].split() == [DAYS[2], "passed", "failed", "–"]
    whole = archive.segscore("nightly", "--settings", archive.file, *RANGE, "--replay")
    assert whole.code == 0
    assert "3 of 6 nights would fail, in 2 alarms; 3 failed as recorded" in whole.out
    assert f"{DAYS[3]}  failed   failed    other" in whole.out
    assert archive.run(DAYS[9], "--replay").code == 2
