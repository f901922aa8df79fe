"""Exact expectations of measures for random boundaries at a given density, as fractions.

Random boundaries: h different positions among 1..N-1, all choices equally likely.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb


def chance_of(inside: int, positions: int, drawn: int, window: int) -> Fraction:
    """Return the probability that exactly ``inside`` of the drawn positions lie in a window."""
    ways = comb(window, inside) * comb(positions - window, drawn - inside)
    return Fraction(ways, comb(positions, drawn))


def in_windows(reference: Sequence[int], n_units: int, window: int) -> list[int]:
    """Return the number of reference boundaries in each window of ``window`` positions."""
    return [
        sum(start < position <= start + window for position in reference)
        for start in range(n_units - window)
    ]


def expected_pk(reference: Sequence[int], n_units: int, drawn: int, window: int) -> Fraction:
    """Return E[Pk] of ``drawn`` random boundaries."""
    none = chance_of(0, n_units - 1, drawn, window)
    windows = in_windows(reference, n_units, window)
    wrong = [none if inside else 1 - none for inside in windows]
    return Fraction(sum(wrong)) / len(windows)


def expected_window_diff(
    reference: Sequence[int], n_units: int, drawn: int, window: int
) -> Fraction:
    """Return E[WindowDiff] of ``drawn`` random boundaries."""
    windows = in_windows(reference, n_units, window)
    wrong = [
        1 - (chance_of(inside, n_units - 1, drawn, window) if inside <= drawn else 0)
        for inside in windows
    ]
    return Fraction(sum(wrong)) / len(windows)


def expected_matches(reference: Sequence[int], n_units: int, drawn: int) -> Fraction:
    """Return the expected number of random boundaries that are at reference boundaries."""
    return Fraction(drawn * len(reference), n_units - 1)
