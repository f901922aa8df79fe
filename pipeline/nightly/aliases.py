"""New names of systems and groups, by which the nights before are read, too.

`aliases = [{system = "alta-pro", was = "alta", since = 2026-11-02}]` in a settings file: nights
before that date have `alta`, which later ones see as `alta-pro`.  A key that is not `system` is an
attribute of the documents, such as `channel`.  What was published stays as it is.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.dates import read_date

SYSTEM = "system"
_WAS, _SINCE = "was", "since"
_FORM = '{system = "NEW", was = "OLD", since = 2026-01-31}'


class Alias(NamedTuple):
    """A new name.

    Attributes:
        what: `system`, or the attribute whose value has a new name.
        name: the new name.
        was: the old one.
        since: the first night with the new name.
    """

    what: str
    name: str
    was: str
    since: date

    @property
    def record(self) -> dict[str, str]:
        """The alias as a settings file has it."""
        return {self.what: self.name, _WAS: self.was, _SINCE: self.since.isoformat()}


Aliases = tuple[Alias, ...]


def read_aliases(option: str, text: str) -> Aliases:
    """Read aliases, which a settings file has as a list of tables, from JSON.

    Raises:
        Refused: they are malformed.
    """
    return aliases_of(read_tables(option, text, _FORM), option)


def read_tables(option: str, text: str, form: str) -> list[dict[str, str]]:
    """Read a list of tables with texts from JSON, as which a settings file gives it.

    Raises:
        Refused: it is something else.
    """
    try:
        listed = json.loads(text)
    except ValueError:
        listed = None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Refused(f"{option}: must be a list of tables in a settings file, such as [{form}]")
    return [{name: str(value) for name, value in one.items()} for one in listed]


def aliases_of(listed: Sequence[Mapping[str, Any]], option: str = "--aliases") -> Aliases:
    """Return aliases from tables, by date.

    Raises:
        Refused: a table has other keys, or no date.
    """
    return tuple(sorted((_read(one, option) for one in listed), key=lambda one: one.since))


def _read(one: Mapping[str, Any], option: str) -> Alias:
    about = [name for name in one if name not in (_WAS, _SINCE)]
    if len(about) != 1 or not {_WAS, _SINCE} <= {*one}:
        raise Refused(f"{option} {json.dumps(dict(one))}: must look like {_FORM}")
    return Alias(about[0], one[about[0]], one[_WAS], read_date(option, one[_SINCE]))


def valid_for(aliases: Aliases, night: date, seen_from: date) -> Aliases:
    """Return the aliases by which a night is read on a later one."""
    return tuple(alias for alias in aliases if night < alias.since <= seen_from)
