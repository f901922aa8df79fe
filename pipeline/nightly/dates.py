"""The dates of nights: as options give them, in locations, and in the names of folders."""

import datetime
import re

from segscore.pipeline.errors import Refused

PLACEHOLDER = "{date}"
"""What a night's date replaces in locations."""

NIGHT = "date="
"""Prefix of the names of nights' folders."""

_RELATIVE = {"today": 0, "yesterday": 1}
"""Words for a date -> number of days before today."""

_ALTERNATIVES = {"--date": ", or today or yesterday"}
"""Option -> what it accepts besides a date."""


def folder_of(runs: str, night: datetime.date) -> str:
    """Return the folder of a night's run."""
    from segscore.pipeline import storage

    return storage.join(runs, f"{NIGHT}{night.isoformat()}")


def read_date(option: str, text: str) -> datetime.date:
    """Read a date.

    Raises:
        Refused: the text is not a date written as 2026-01-31.
    """
    if option == "--date" and text in _RELATIVE:
        return datetime.date.today() - datetime.timedelta(days=_RELATIVE[text])
    alternative = _ALTERNATIVES.get(option, "")
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return datetime.date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused(f"{option} {text}: must be a date such as 2026-01-31{alternative}")


def read_month(option: str, text: str) -> datetime.date:
    """Read a month; return its first day.

    Raises:
        Refused: the text is not a month written as 2026-01.
    """
    try:
        return read_date(option, f"{text}-01")
    except Refused:
        raise Refused(f"{option} {text}: must be a month such as 2026-01") from None


def insert_date(option: str, location: str, night: datetime.date) -> str:
    """Replace `{date}` in a location with a night's date.

    Raises:
        Refused: the location has another placeholder.
    """
    for name in re.findall(r"\{(\w*)\}", location):
        if f"{{{name}}}" != PLACEHOLDER:
            raise Refused(f"{option} {location}: unknown placeholder {{{name}}}; use {PLACEHOLDER}")
    return location.replace(PLACEHOLDER, night.isoformat())
