"""The names of hypotheses that a run makes itself."""

POINT = "point:"
"""With what the name of a reference point begins."""


def is_point(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point, which the run makes itself."""
    return hypothesis.startswith(POINT)
