"""The ways a job ends without its work; every message says what is wrong, where, what to do."""


class Refused(Exception):  # noqa: N818
    """Wrong input or settings, said before any work starts (exit code 2)."""


class Absent(Refused):
    """An input is not there, or holds nothing yet."""


class Failed(Exception):  # noqa: N818
    """Work started and could not be finished; nothing was published (exit code 1)."""


class Done(Exception):  # noqa: N818
    """What was asked for is there already (exit code 0)."""
