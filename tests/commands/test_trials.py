"""Systems on trial and systems that left: judged and shown, and no night fails because of them."""

from pathlib import Path

import pytest

from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive, rows

FIRST, SECOND, THIRD = DAYS[:3]
NIGHTS = ((FIRST, GOOD, 0), (SECOND, WORSE, 1))


def test_a_system_on_trial_is_judged_and_shown_and_does_not_fail(archive: Archive) -> None:
    archive.settle('trial = ["other"]')
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    assert "would fail, on trial" in result.out
    assert "on trial, so that the night does not fail: other got worse: " in " ".join(
        result.err.split()
    )
    night = archive.read(SECOND, "night.json")
    assert night["outcome"] == "passed" and night["good_systems"] == ["steady"]
    assert {check["system"]: check["result"] for check in night["checks"]} == {
        "other": "on_trial",
        "steady": "passed",
    }
    # The fall is not the standard of later nights.
    archive.deliver(THIRD, WORSE)
    assert archive.run(THIRD).code == 0
    against = archive.read(THIRD, "night.json")["against"]
    assert {system: night["date"] for system, night in against.items()} == {
        "other": FIRST,
        "steady": SECOND,
    }
    archive.settle()
    assert archive.run(THIRD).code == 1


@pytest.mark.parametrize("key", ["trial", "retired"])
def test_a_system_that_is_not_there_is_not_missed(archive: Archive, key: str) -> None:
    archive.deliver(THIRD, {"steady": 0.9})
    assert archive.run(THIRD).code == 1 and archive.outcome(THIRD) == "incomplete"
    archive.settle(f'{key} = ["other"]')
    assert archive.run(THIRD).code == 0
    night = archive.read(THIRD, "night.json")
    assert (night["missing"], night["expected"]) == ([], ["steady"])


def test_other_systems_still_fail(archive: Archive) -> None:
    archive.settle('trial = ["steady", "othr"]\nretired = ["steady"]')
    result = archive.run(SECOND)
    assert result.code == 1
    assert "--trial othr: the night has no such system; the nearest is other" in result.err


def test_verdicts_without_trials_stay_as_they_were(archive: Archive) -> None:
    file = Path(archive.folder_of(FIRST), "night.json")
    before = file.read_bytes()
    archive.settle()
    assert archive.run(FIRST).code == 0
    assert file.read_bytes() == before and "trial" not in archive.read(FIRST, "night.json")["asked"]


def test_few_duplicate_rows_lose_no_night(archive: Archive) -> None:
    """The hour that the end of summer time repeats; another limit of the night takes precedence."""
    archive.deliver(THIRD)
    listed = rows(THIRD, "hypothesis", GOOD)
    again = [{**row, "boundaries": []} for row in listed[:8]]
    archive.put(THIRD, "hypothesis", [*listed, *again])
    archive.settle("max-rejects = 0.3", score="max-rejects = 0.05")
    assert archive.run(THIRD, "--max-rejects", 0.1).code == 1
    assert archive.run(THIRD, "--max-rejects", 2).code == 2
    assert archive.outcome(THIRD) is None
    assert archive.run(THIRD).code == 0 and archive.outcome(THIRD) == "passed"
    assert archive.read(THIRD, "run.json")["rows"]["hypotheses"]["rejected"] == 16


def test_what_a_system_did_that_there_is_not_is_not_accepted(archive: Archive) -> None:
    before = archive.read(FIRST, "night.json")
    result = archive.run(FIRST, "--accept", "meant", "--system", "othr")
    assert result.code == 1 and "--system othr: the night has no such system; the n" in result.err
    assert archive.read(FIRST, "night.json") == before
    assert archive.run(FIRST, "--accept", "meant", "--system", "other").code == 0
