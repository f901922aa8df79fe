"""The names of hypotheses that a run makes itself."""

POINT = "point:"
"""What the names of reference points begin with."""

CHANCE = f"{POINT}random-own:"
"""What the name of a system follows in the name of random boundaries at its own density."""
