"""Slow and obvious: boundaries of one transcript in the units of another, by trying all cuts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.oracles.naive_alignment import cheapest, tokens_of


@dataclass(frozen=True)
class NaiveProjection:
    """Boundaries with their types and scores, and how many of them are uncertain or collapsed."""

    boundaries: list[int]
    types: list[int] | None
    scores: list[float] | None
    uncertain: int
    collapsed: int


def project(
    source: Sequence[str],
    target: Sequence[str],
    boundaries: Sequence[int],
    types: Sequence[int] | None = None,
    scores: Sequence[float] | None = None,
    *,
    ties: str = "latest",
) -> NaiveProjection:
    """Carry boundaries from the units of one transcript to those of another."""
    positions = sorted(set(boundaries))
    edges = [0, *positions, len(source)]
    segments = [
        [word for unit in source[low:high] for word in tokens_of(unit)]
        for low, high in pairwise(edges)
    ]
    _, latest, earliest = cheapest([tokens_of(unit) for unit in target], segments)
    cuts = latest if ties == "latest" else earliest
    new: list[tuple[int, int, float]] = []
    for number, position in enumerate(boundaries):
        cut = cuts[positions.index(position)]
        kind = types[number] if types is not None else 0
        score = scores[number] if scores is not None else 0.0
        same = [one for one in new if one[:2] == (cut, kind)]
        if 0 < cut < len(target):
            new = [one for one in new if one not in same]
            new.append((cut, kind, max([score, *(one[2] for one in same)])))
    new.sort()
    kept = {cut for cut in cuts if 0 < cut < len(target)}
    return NaiveProjection(
        [cut for cut, _, _ in new],
        None if types is None else [kind for _, kind, _ in new],
        None if scores is None else [score for *_, score in new],
        sum(one != other for one, other in zip(latest, earliest, strict=True)),
        len(positions) - len(kept),
    )
