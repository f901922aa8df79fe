"""Outcomes other than a new result; every message gives the problem, its place and a remedy."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

_COMPARED = 100_000
"""The most names that are searched for a similar one, which takes a second."""


class Refused(ValueError):  # noqa: N818
    """The input or the settings are wrong; raised before any work starts (exit code 2)."""


class Absent(Refused):
    """An input does not exist, or is still empty."""


class Failed(Exception):  # noqa: N818
    """The work started but could not be finished; nothing was published (exit code 1)."""


class TooManyUnpaired(Failed):
    """More hypotheses have no reference than the settings allow."""


@dataclass(frozen=True)
class Done:
    """The outcome of a command whose result exists already (exit code 0).

    Attributes:
        message: where the result is, and how to compute it again.
    """

    message: str


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a remark that names the known name most similar to one; empty if none is similar."""
    similar = get_close_matches(name, [*islice(known, _COMPARED)], n=1)
    return f"; the nearest is {similar[0]}" if similar else ""
