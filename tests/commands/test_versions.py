"""A system that became worse on the night on which its version changed."""

import json

import pytest

from tests.support.night_metrics import WORSE
from tests.support.nights import DAYS, GOOD, Archive, rows

FIRST, SECOND, THIRD = DAYS[:3]
NIGHTS = ((FIRST, GOOD, 0),)


def deliver(archive: Archive, night: str, other: str, **more: str) -> None:
    """Deliver a night on which one system has a version, and other attributes that differ."""
    archive.deliver(night)
    systems = GOOD if night == FIRST else WORSE
    listed = rows(night, "hypothesis", systems)
    for number, row in enumerate(listed):
        row |= {"model_version": other if row["coder"] == "other" else "7", **more}
        row |= {"built": night, "build": f"{night} {number}"}
    archive.put(night, "hypothesis", listed)


def test_a_version_that_changed_on_the_night_of_a_fall_is_named(archive: Archive) -> None:
    deliver(archive, FIRST, "1.9")
    assert archive.run(FIRST).code == 0
    deliver(archive, SECOND, "2.0")
    result = archive.run(SECOND)
    assert result.code == 1
    cause = f"other: model_version is 2.0, was 1.9 on {FIRST}"
    assert f"Probable cause: {cause}" in result.err
    assert archive.read(SECOND, "night.json")["causes"] == [cause]
    # The same version is no cause, and neither is one of a system that did not fall.
    deliver(archive, SECOND, "1.9", commit="x")
    assert archive.run(SECOND).code == 1
    assert archive.read(SECOND, "night.json")["causes"] == []


@pytest.mark.long
def test_of_a_level_the_night_since_which_it_fell_counts(archive: Archive) -> None:
    """The third night finds a fall since the second."""
    archive.settle(gate="level:boundary_similarity>=-0.02")
    days = [*DAYS[:20]]
    for day in days:
        worse = day >= days[16]
        archive.deliver(day, {"steady": 0.9, "other": 0.4 if worse else 0.8})
        listed = rows(day, "hypothesis", {"steady": 0.9, "other": 0.4 if worse else 0.8})
        for row in listed:
            row["model_version"] = "2.0" if worse else "1.9"
        archive.put(day, "hypothesis", listed)
        archive.run(day)
    failed = [day for day in days if archive.outcome(day) == "failed"]
    assert failed and failed[0] > days[16]
    night = archive.read(failed[0], "night.json")
    (check,) = (check for check in night["checks"] if check["result"] == "failed")
    assert check["since"] == days[16]
    assert json.dumps(night["causes"]) == json.dumps(
        [f"other: model_version is 2.0 since {days[16]}, was 1.9 on {days[15]}"]
    )
