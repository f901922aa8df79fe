"""The names of hypotheses that a run makes itself."""

POINT = "point:"
"""The beginning of the names of reference points."""

CHANCE = f"{POINT}random-own:"
"""The beginning of the name of random boundaries at the density of a system, which follows it."""


def is_point(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point, which the run makes itself."""
    return hypothesis.startswith(POINT)
