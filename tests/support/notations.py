"""Segmentations as segeval and NLTK write them."""

from collections.abc import Sequence

from tests.oracles import naive
from tests.support.strategies import Typed


def masses(n_units: int, boundaries: Sequence[int]) -> tuple[int, ...]:
    """Segment sizes, the only form that segeval handles correctly."""
    return tuple(len(segment) for segment in naive.segments(n_units, boundaries))


def mask(n_units: int, boundaries: Sequence[int]) -> str:
    """NLTK's form: a flag for each of the N-1 potential boundaries."""
    return "".join("1" if position in boundaries else "0" for position in range(1, n_units))


def type_sets(n_units: int, boundaries: Typed) -> tuple[frozenset[int], ...]:
    """Segeval's boundary string: the set of types at each potential boundary."""
    return tuple(
        frozenset(t for p, t in boundaries if p == position) for position in range(1, n_units)
    )
