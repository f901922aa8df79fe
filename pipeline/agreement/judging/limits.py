"""Thresholds for flagging coders."""

from collections.abc import Mapping
from dataclasses import dataclass

FEWEST_JUDGED = 4
FEWEST_DOCUMENTS = 10
"""With fewer coders who each share this many documents with others, nobody is named."""

FEWEST_COPYING = 6
"""With fewer coders, no pair is said to have copied: the others are too few to compare with."""

CHANGE_P = 0.05
"""Agreement differs between two groups if the p value is below this."""


@dataclass(frozen=True)
class Judging:
    """How coders are judged.

    Attributes:
        similarity: how similar two coders are: one of ``coefficients.SIMILARITIES``.
        n_t: near misses lie 1..n_t-1 positions apart.
        limits: beyond which coders are named, by name (``steps.LIMITS``).
        seed: of the permutations of names.
    """

    similarity: str
    n_t: int
    limits: Mapping[str, float]
    seed: int = 0
