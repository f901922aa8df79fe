"""The names of hypotheses that a run makes itself, and the command that explains a document."""

import shlex

from segscore.pipeline.settings.reading import OWN_POINT_NAMES, RANDOM_POINT_NAMES

POINT = "point:"
"""The beginning of the names of reference points."""

CHANCE = f"{POINT}random-own:"
"""The beginning of the name of random boundaries at the density of a system, which follows it."""


_RANDOM = tuple(
    f"{POINT}{name}" for name in (*RANDOM_POINT_NAMES, *(f"{own}:" for own in OWN_POINT_NAMES))
)


def explain_command(run: str, document: str, hypothesis: str | None = None) -> str:
    """Return the command that lists the edits of a document of a run, of one system or of all."""
    of_system = [] if hypothesis is None else ["--hypothesis", hypothesis]
    return shlex.join(["segscore", "explain", run, "--document", document, *of_system])


def is_random(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point that is drawn at random, several times."""
    return hypothesis.startswith(_RANDOM)


def is_own_point(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point at the density of a system."""
    return hypothesis.startswith(tuple(f"{POINT}{own}:" for own in OWN_POINT_NAMES))


def is_point(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point, which the run makes itself."""
    return hypothesis.startswith(POINT)


HUMAN = f"{POINT}human"
"""The name of the reference point of people, whose hypotheses are also named by the person."""


def system_name(hypothesis: str) -> str:
    """Return the system that a hypothesis belongs to: all held-out humans are one system."""
    return HUMAN if hypothesis.startswith(HUMAN + ":") else hypothesis


def is_artificial(hypothesis: str) -> bool:
    """Return whether a hypothesis is a reference point that people did not make."""
    return is_point(hypothesis) and not hypothesis.startswith(HUMAN)
