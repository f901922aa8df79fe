"""Recognise groups of documents that are dates, so that they are drawn along an axis of time."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

_DATE = re.compile(r"((?:18|19|20|21)\d\d)(?:-(\d\d)(?:-(\d\d)(?: 00:00:00)?)?)?")
"""A year, a month or a day, as a date or a time stamp without a time is written."""


def as_dates(by: Sequence[str], groups: Iterable[str]) -> Mapping[str, str]:
    """Return the first day of each group if the groups are years, months or days.

    Args:
        by: the group-by columns.
        groups: names of the groups.

    Returns:
        Name of a group -> date, such as 2026-05-01; empty if there are several columns, or if the
        groups are not dates of one length.
    """
    names = list(groups)
    matches = [_DATE.fullmatch(name) for name in names]
    if len(by) != 1 or not all(matches) or len(set(map(len, names))) > 1:
        return {}
    try:
        days = [
            date(*[int(part or 1) for part in match.groups()])
            for match in matches
            if match is not None
        ]
    except ValueError:  # such as month 13
        return {}
    return {name: day.isoformat() for name, day in zip(names, days, strict=True)}
