"""Days without a night, and days of another kind."""

import json
from datetime import date
from pathlib import Path

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.calendar import read_calendar
from tests.support.nights import DAYS, GOOD, Archive
from tests.support.run_files import everything

THURSDAY, FRIDAY, SATURDAY, SUNDAY, MONDAY = DAYS[:5]
NIGHTS = ((THURSDAY, GOOD, 0), (FRIDAY, GOOD, 0))
NEXT = "segscore_nightly_next_date_timestamp_seconds"
OFF = 'calendar = ["sunday=off", "2026-01-03=off"]'


def start(day: str) -> float:
    """Return when a date begins, in seconds."""
    return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86400.0


@pytest.mark.long
def test_nothing_is_done_on_a_day_that_is_off(archive: Archive) -> None:
    archive.settle(OFF)
    assert archive.run(FRIDAY).code == 0
    metrics = archive.metrics.read_text()
    values = dict(line.split() for line in metrics.splitlines() if line.startswith(NEXT))
    assert float(values[NEXT]) == start(MONDAY)
    before = everything(Path(archive.folder))
    for night in (SATURDAY, SUNDAY):  # has no input
        result = archive.run(night)
        assert (result.code, result.out, result.err) == (0, f"{night}: off\n", "")
    result = archive.run(SUNDAY, "--log-format", "json")
    line = json.loads(result.err)
    assert (line["date"], line["outcome"], line["exit_code"]) == (SUNDAY, "off", 0)
    assert everything(Path(archive.folder)) == before
    assert archive.metrics.read_text() == metrics
    for night in (SUNDAY, MONDAY):
        archive.deliver(night)
    dates = ("--from", FRIDAY, "--to", MONDAY)
    result = archive.segscore("nightly", "--settings", archive.file, *dates)
    assert result.code == 0 and result.out == f"{FRIDAY}: passed\n{MONDAY}: passed\n"
    assert archive.read(MONDAY, "night.json")["asked"]["calendar"] == [
        "sunday=off",
        f"{SATURDAY}=off",
    ]
    assert archive.run(SUNDAY, "--calendar", "").out.startswith(f"{SUNDAY}: passed\n")


def test_no_night_is_missing_on_a_day_that_is_off(archive: Archive) -> None:
    archive.deliver(MONDAY)
    assert archive.run(MONDAY).code == 0
    missing = f"no finished night: {SATURDAY} to {SUNDAY}"
    assert missing in archive.segscore("trend", "--table", archive.runs).out
    with_saturday = archive.segscore(
        "trend", "--table", archive.runs, "--calendar", "sunday=off"
    ).out
    assert f"no finished night: {SATURDAY}\n" in with_saturday
    archive.settle(OFF)
    of_settings = archive.segscore("trend", "--table", "--settings", archive.file)
    assert of_settings.code == 0 and "no finished night" not in of_settings.out


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["sunday"], "--calendar sunday: must be a day, = and one of off, workday, weekend"),
        (["sunday=of"], "the nearest is off"),
        (["sundy=off"], "the nearest is sunday"),
        (["2026-13-01=off"], "--calendar 2026-13-01: must be a date such as 2026-01-31"),
        (["2026-01-04=off", "2026-01-04=weekend"], "2026-01-04 was of another kind before"),
        ([f"{day}day=off" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")],
         "no day of the week has a night"),
    ],
)  # fmt: skip
def test_wrong_calendars_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(Refused) as refused:
        read_calendar(texts)
    assert message in str(refused.value)


def test_dates_have_precedence_over_days_of_the_week() -> None:
    calendar = read_calendar(["Sunday=off", "2026-01-04 = workday", "saturday=workday"])
    kinds = {day: calendar.kind(date.fromisoformat(day)) for day in DAYS[:11]}
    assert kinds[SUNDAY] == "workday" and kinds[DAYS[10]] == "off" and kinds[SATURDAY] == "workday"
    assert calendar.next_night(date.fromisoformat(DAYS[9])) == date.fromisoformat(DAYS[11])
