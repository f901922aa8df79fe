"""Open a run for a report, name its groups, and recognise groups that are dates."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from segscore.pipeline.reports.page import isolated
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.formatted_numbers import shown_attribute


def group_name(row: Mapping[str, object], by: Sequence[str]) -> str:
    """Return the name of a group: its value, or with several attributes each one and its value.

    An attribute that is null is left out: the group is over all its values.
    """
    if len(by) == 1:
        return shown_attribute(row[by[0]])
    known = [name for name in by if row[name] is not None]
    return ", ".join(f"{name} {isolated(shown_attribute(row[name]))}" for name in known)


ROW_COUNTS = ("in", "scored", "rejected", "unpaired")


def open_run(url: str) -> FinishedRun:
    """Open a run to report on.

    Raises:
        Refused: there is no run, it is not finished, or segscore did not write its record.
    """
    url = url.rstrip("/") or url
    return FinishedRun.open(url, "the run is not finished; `segscore show` shows its progress")


_DATE = re.compile(r"((?:18|19|20|21)\d\d)(?:-(\d\d)(?:-(\d\d)(?: 00:00:00)?)?)?")
"""A year, a month or a day, as a date or a time stamp without a time is written."""


def as_dates(by: Sequence[str], groups: Iterable[str]) -> Mapping[str, str]:
    """Return the first day of each group if the groups are years, months or days.

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
