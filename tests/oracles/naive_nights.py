"""Which nights are missing, day by day: slow and obvious."""

from datetime import date, timedelta

DAY = timedelta(days=1)


def missing_nights(nights: list[date]) -> list[date]:
    """Walk from the first night to the last, as docs/operations.md describes it."""
    if len(nights) < 2:
        return []
    present = sorted(nights)
    waits = [(present[i + 1] - present[i]).days for i in range(len(present) - 1)]
    step = next(wait for wait in sorted(waits) if waits.count(wait) == max(map(waits.count, waits)))
    if step > 7:
        return []
    lacking, since = [], 0
    day = present[0]
    while day < present[-1]:
        day, since = day + DAY, since + 1
        if day in present:
            since = 0
        elif since % step == 0:
            lacking.append(day)
    days_off = [
        weekday
        for weekday in range(7)
        if weekday not in [night.weekday() for night in present]
        and len([day for day in lacking if day.weekday() == weekday]) >= 2
    ]
    return [day for day in lacking if day.weekday() not in days_off]
