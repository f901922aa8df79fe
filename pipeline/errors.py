"""The two ways a job ends badly; every message says what is wrong, where, and what to do."""


class Refused(Exception):  # noqa: N818
    """Wrong input or settings, said before any work starts (exit code 2)."""


class Failed(Exception):  # noqa: N818
    """Work started and could not be finished; nothing was published (exit code 1)."""
