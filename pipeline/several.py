"""Several locations that make one input table, written as one: `{sys/a.jsonl,sys/b.jsonl}`."""

import re
from collections.abc import Sequence

from segscore.pipeline.errors import Refused

_LIST = re.compile(r"\{([^{}]+,[^{}]+)\}")
_SEPARATOR = re.compile(r"[{},]")


def join_locations(name: str, locations: Sequence[str]) -> str:
    """Write one or several locations as one, in the order of their names.

    Args:
        name: the argument that gives them, for messages.
        locations: files, folders, globs or URLs.

    Raises:
        Refused: one of several is blank or contains a comma or a brace, so that they cannot be
            written as a list.

    Examples:
        >>> join_locations("HYPOTHESES", ["sys/b.jsonl", "sys/a.jsonl"])
        '{sys/a.jsonl,sys/b.jsonl}'
        >>> join_locations("HYPOTHESES", ["sys"])
        'sys'
    """
    if len(locations) == 1:
        return locations[0]
    for location in locations:
        if not location.strip():
            raise Refused(f"{name}: is empty; name a file or folder")
        if _SEPARATOR.search(location):
            raise Refused(
                f"{name} {location}: the name of one of several tables cannot contain a comma or "
                "a brace; name the folder of the tables, or quote a glob, such as 'sys/*.jsonl'"
            )
    distinct = sorted({*locations})
    return distinct[0] if len(distinct) == 1 else f"{{{','.join(distinct)}}}"


def split_locations(location: str) -> tuple[str, ...]:
    """Return the locations that ``join_locations`` wrote as one.

    Examples:
        >>> split_locations("{sys/a.jsonl,sys/b.jsonl}")
        ('sys/a.jsonl', 'sys/b.jsonl')
        >>> split_locations("sys/{date}.jsonl")
        ('sys/{date}.jsonl',)
    """
    several = _LIST.fullmatch(location)
    return tuple(several[1].split(",")) if several else (location,)
