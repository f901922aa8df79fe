"""The ways a job ends without its work; every message says what is wrong, where, what to do."""

from dataclasses import dataclass


class Refused(Exception):  # noqa: N818
    """Wrong input or settings, said before any work starts (exit code 2)."""


class Absent(Refused):
    """An input is not there, or holds nothing yet."""


class Failed(Exception):  # noqa: N818
    """Work started and could not be finished; nothing was published (exit code 1)."""


@dataclass(frozen=True)
class Done:
    """The outcome of a command whose result exists already (exit code 0).

    Attributes:
        message: where it is, and how to do it again.
    """

    message: str
