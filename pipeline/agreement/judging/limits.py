"""The limits beyond which a coder or a pair of coders is named."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite

from segscore.pipeline.errors import Refused, nearest

FEWEST_JUDGED = 4
FEWEST_DOCUMENTS = 10
"""With fewer coders who each share this many documents with others, nobody is named."""

FEWEST_COPYING = 6
"""With fewer coders, no pair is said to have copied: the others are too few to compare with."""

CHANGE_P = 0.05
"""Agreement differs between two groups if the p value is below this."""


@dataclass(frozen=True)
class NamingLimits:
    """Beyond these limits, a coder or a pair of coders is named (docs/jobs/agree.md).

    Attributes:
        effect: least fall of a coder's similarity to the others, compared with the middle coder.
        effect_errors: the same in standard errors.
        effect_spread: the same in units of how much the other coders differ.
        copies: has no effect any more: permutations of names decide instead.
        copies_residual: least residual of a pair's similarity, and of two groups who read alike.
        exact_errors: a pair is said to have copied only if the share of exact ones among their
            shared boundaries exceeds that of the other pairs by more than so many standard errors.
        offset: least offset of a coder's boundaries, in units, or in seconds if the unit is a time.
        offset_errors: the same in standard errors.
        within: largest distance of two boundaries that are paired to measure offsets, likewise.
        rate: least ratio of a coder's number of boundaries to that of the others, or the inverse.
        rate_deviation: least distance of its logarithm from the median, in units of the spread.
        group_effect: least fall of a coder's similarity to the others in one group of documents,
            compared with the other groups.
        group_errors: the same in standard errors.
        fall: least fall of the relative similarity from the first date to the last.
        fall_p: p below which a fall is named, after Holm's correction.
    """

    effect: float = 0.05
    effect_errors: float = 3.5
    effect_spread: float = 3.5
    copies: float = 8.0
    copies_residual: float = 0.1
    exact_errors: float = 4.0
    offset: float = 0.3
    offset_errors: float = 4.0
    within: float = 5.0
    rate: float = 1.25
    rate_deviation: float = 3.5
    group_effect: float = 0.1
    group_errors: float = 4.0
    fall: float = 0.15
    fall_p: float = 0.01


@dataclass(frozen=True)
class Judging:
    """How coders are judged.

    Attributes:
        similarity: how similar two coders are: one of ``coefficients.SIMILARITIES``.
        n_t: near misses lie 1..n_t-1 positions apart.
        limits: beyond which coders are named.
        seed: of the permutations of names.
    """

    similarity: str = "boundary_similarity"
    n_t: int = 2
    limits: NamingLimits = field(default_factory=NamingLimits)
    seed: int = 0


TIME_LIMITS = {"offset": 0.5, "within": 5.0}
"""Defaults where the unit is a time, in seconds."""

_NAMES = [each.name for each in fields(NamingLimits)]


def read_limits(texts: Sequence[str], unit_per_second: int | None = None) -> NamingLimits:
    """Return the default limits, changed by texts such as ``effect=0.1``.

    Args:
        texts: changes, each a name, ``=`` and a number above 0.
        unit_per_second: units per second if the unit is a time; the limits ``offset`` and
            ``within`` are then in seconds, and are returned in units.

    Raises:
        Refused: a text is not a limit.
    """
    given: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in _NAMES:
            raise Refused(
                f"--limits {text}: write NAME=NUMBER; the names are {', '.join(_NAMES)}"
                f"{nearest(name, _NAMES)}"
            )
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and value > 0):
            raise Refused(f"--limits {text}: must be a number above 0")
        given[name] = value
    if unit_per_second is None:
        return replace(NamingLimits(), **given)
    chosen = replace(NamingLimits(), **{**TIME_LIMITS, **given})
    return replace(
        chosen, offset=chosen.offset * unit_per_second, within=chosen.within * unit_per_second
    )
