"""Which dates lack a night, compared with a walk from day to day."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.nightly.history import missing_dates
from tests.oracles.naive_nights import missing_nights

MONDAY = date(2026, 3, 2)


def days(*numbers: int) -> list[date]:
    """Return the days that are so many days after a Monday."""
    return [MONDAY + timedelta(days=number) for number in numbers]


@given(
    st.sampled_from([1, 2, 7, 8]),
    st.sets(st.integers(0, 40), max_size=40),
    st.sets(st.integers(0, 6), max_size=3),
)
def test_missing_dates_are_those_of_a_walk(step: int, chosen: set[int], days_off: set[int]) -> None:
    dates = days(*(step * number for number in chosen))
    nights = [night for night in dates if night.weekday() not in days_off]
    assert missing_dates(nights) == missing_nights(nights)


def test_daily_and_weekly_nights() -> None:
    assert missing_dates([]) == missing_dates(days(0)) == missing_dates(days(0, 9)) == []
    assert missing_dates(days(0, 1, 2, 5, 6)) == days(3, 4)
    assert missing_dates(days(0, 7, 14, 28)) == days(21)


def test_weekends_are_days_off_once_they_were_passed_over_twice() -> None:
    weeks = [7 * week + day for week in range(3) for day in range(5)]
    assert missing_dates(days(*weeks[:10])) == days(5, 6)
    assert missing_dates(days(*weeks)) == []
    weeks.remove(8)
    assert missing_dates(days(*weeks)) == days(8)


def test_months_have_no_regular_step() -> None:
    assert missing_dates([date(2026, month, 1) for month in (1, 2, 3, 4, 6)]) == []
