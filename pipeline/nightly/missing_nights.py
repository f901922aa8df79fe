"""Find the dates on which a night is missing, from the dates of the nights that exist."""

from collections import Counter
from collections.abc import Collection
from datetime import date, timedelta
from itertools import pairwise

_LONGEST_STEP = timedelta(days=7)
"""Longest step that is regular in days; months, for example, differ in length."""


def missing_dates(nights: Collection[date]) -> list[date]:
    """Return the dates between the first and the last night that lack a night, ascending.

    The step is the most frequent time between two successive nights, the shortest of several that
    are as frequent.  A night is missing where a time is longer, one for each further step, but not
    on a day of the week that never has a night and was passed over at least twice, such as Sunday.
    If the step is longer than a week, no date is missing.
    """
    present = sorted(set(nights))
    gaps = Counter(later - earlier for earlier, later in pairwise(present))
    if not gaps:
        return []
    step = min(gaps, key=lambda gap: (-gaps[gap], gap))
    if step > _LONGEST_STEP:
        return []
    expected = [
        earlier + index * step
        for earlier, later in pairwise(present)
        for index in range(1, -((earlier - later) // step))
    ]
    workdays = {night.weekday() for night in present}
    passed_over = Counter(day.weekday() for day in expected)
    return [day for day in expected if day.weekday() in workdays or passed_over[day.weekday()] == 1]
