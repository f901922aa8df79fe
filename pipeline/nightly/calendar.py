"""The calendar of nights: days without a night, and days that are like weekends or workdays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.nightly.dates import read_date
from segscore.pipeline.settings.options import Option, Panel
from segscore.pipeline.settings.reading import read_names

OFF, WORKDAY, WEEKEND = "off", "workday", "weekend"
DAY_KINDS = (OFF, WORKDAY, WEEKEND)
"""What a day may be."""

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SATURDAY = 5
_OPTION = "--calendar"
_MOST_DAYS_OFF = 366

CalendarOption = Annotated[
    tuple[str, ...],
    Option(
        "Days of another kind, such as sunday=off. They are separated by commas: sunday=off or "
        "2026-12-25=off has no night, 2026-12-24=weekend is like a weekend, saturday=workday is "
        "not.",
        Panel.INPUTS,
        read_names,
    ),
]


@dataclass(frozen=True)
class Calendar:
    """The kinds of days; ``dates`` have precedence over ``weekdays``, by number from Monday."""

    dates: Mapping[date, str]
    weekdays: Mapping[int, str]

    def kind(self, day: date) -> str:
        """Return whether a day is a workday or like a weekend, or has no night."""
        usual = WEEKEND if day.weekday() >= _SATURDAY else WORKDAY
        return self.dates.get(day) or self.weekdays.get(day.weekday(), usual)

    def is_off(self, day: date) -> bool:
        """Return whether there is no night."""
        return self.kind(day) == OFF

    def is_weekend(self, day: date) -> bool:
        """Return whether a day is like a weekend."""
        return self.kind(day) == WEEKEND

    def next_night(self, day: date) -> date | None:
        """Return the date of the next night after a day; None if there is none in a year."""
        later = (day + timedelta(days=number) for number in range(1, _MOST_DAYS_OFF + 1))
        return next((each for each in later if not self.is_off(each)), None)


USUAL_CALENDAR = Calendar({}, {})
"""The calendar in which every day has a night."""


def read_calendar(texts: Sequence[str]) -> Calendar:
    """Read the kinds of days, such as `sunday=off` and `2026-12-24=weekend`.

    Raises:
        Refused: a text is malformed, or two are about the same day.
    """
    dates: dict[date, str] = {}
    weekdays: dict[int, str] = {}
    for text in texts:
        name, _, kind = (part.strip().lower() for part in text.partition("="))
        if kind not in DAY_KINDS:
            raise Refused(
                f"{_OPTION} {text}: must be a day, = and one of {', '.join(DAY_KINDS)}, such as "
                f"sunday=off or 2026-12-25=off{nearest(kind, DAY_KINDS)}"
            )
        if name not in _DAYS and not name[:1].isdigit():
            raise Refused(
                f"{_OPTION} {text}: must begin with a date such as 2026-12-25, or one of "
                f"{', '.join(_DAYS)}{nearest(name, _DAYS)}"
            )
        if name in _DAYS:
            is_new = weekdays.setdefault(_DAYS.index(name), kind) == kind
        else:
            is_new = dates.setdefault(read_date(_OPTION, name), kind) == kind
        if not is_new:
            raise Refused(f"{_OPTION} {text}: {name} was of another kind before; give one")
    if len({day for day, kind in weekdays.items() if kind == OFF}) == len(_DAYS):
        raise Refused(f"{_OPTION}: no day of the week has a night; leave some of them out")
    return Calendar(dates, weekdays)
