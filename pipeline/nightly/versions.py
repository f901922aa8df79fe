"""Name the version of a system that changed on the night on which it became worse.

A version is an attribute such as `model_version`, `model` or `commit` with one value in all rows of
a system.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from segscore.pipeline.nightly.gate.tallies import tables
from segscore.pipeline.nightly.input_checks import InputWarning
from segscore.pipeline.nightly.nights import Night, Nights
from segscore.pipeline.nightly.verdict import Check
from segscore.pipeline.statistics.formatted_numbers import shown_attribute

_VERSION = re.compile(
    r"(.*[_\W])?(version|model|checkpoint|revision|commit|build|release)([_\W].*)?", re.IGNORECASE
)
"""Names of attributes that say which version of a system wrote a row."""


def warn_of_versions(
    night: Night, checks: Iterable[Check], others: Mapping[str, Night], earlier: Nights
) -> Iterator[InputWarning]:
    """Yield a warning for each version that changed when a system became worse.

    Args:
        night: the night that is judged.
        checks: the checks that say who became worse.
        others: the night that each system is compared with.
        earlier: the nights before.
    """
    pairs = {
        (check.system, now.url, before.url): (now, before)
        for check in checks
        for now, before in _pairs(night, check, others, earlier)
    }
    known: dict[str, Mapping[tuple[str, str], str]] = {}
    for (system, *_), both in pairs.items():
        now, before = both
        known |= {each.url: _versions(each) for each in both if each.url not in known}
        values = [known[each.url] for each in both]
        for key in sorted(values[0].keys() & values[1].keys()):
            if key[0] == system and values[0][key] != values[1][key]:
                when = "" if now.url == night.url else f" since {now.name}"
                yield InputWarning(
                    f"{system}: {key[1]} is {values[0][key]}{when}, was {values[1][key]} on "
                    f"{before.name}",
                    frozenset({system}),
                )


def _pairs(
    night: Night, check: Check, others: Mapping[str, Night], earlier: Nights
) -> Iterator[tuple[Night, Night]]:
    """Yield the nights between which the system of a check became worse, the later one first."""
    if check.since is not None:
        day = date.fromisoformat(check.since)
        begun = night if day == night.date else earlier.find(day)
        before = next(earlier.newest_first(day), None)
        if begun is not None and before is not None:
            yield begun, before
    elif check.system in others:
        yield night, others[check.system]


def _versions(night: Night) -> dict[tuple[str, str], str]:
    """Return the versions of a night: (system, attribute) -> its one value, in words."""
    columns = {name for piece in night.table_files("scores") for name in piece.columns}
    names = sorted(name for name in columns if _VERSION.fullmatch(name))
    found: dict[tuple[str, str], set[str]] = {}
    if not names:
        return {}
    for part in tables(night, "scores", ["hypothesis", *names]):
        rows = part.select(["hypothesis", *names])
        for row in rows.group_by(rows.column_names).aggregate([]).to_pylist():
            for name in names:
                if row[name] is not None:
                    key = row["hypothesis"], name
                    found.setdefault(key, set()).add(shown_attribute(row[name]))
    return {key: next(iter(values)) for key, values in found.items() if len(values) == 1}
