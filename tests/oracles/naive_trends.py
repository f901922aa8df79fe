"""Steps of a series, split by split and order by order: slow and obvious."""

from collections.abc import Sequence
from math import isnan


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return a weighted mean."""
    return sum(w * v for v, w in zip(values, weights, strict=True)) / sum(weights)


def squares(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum of squares about the mean."""
    centre = mean(values, weights)
    return sum(w * (v - centre) ** 2 for v, w in zip(values, weights, strict=True))


def best_split(
    values: Sequence[float], weights: Sequence[float], fewest: int = 3
) -> tuple[int, float]:
    """Return the split that leaves the smallest sum of squares, and the share that it explains.

    Nights without a value count neither in the sums nor in the sizes of the two sides.
    """
    best = (0, 0.0)
    known = [i for i, value in enumerate(values) if not isnan(value)]
    whole = squares([values[i] for i in known], [weights[i] for i in known])
    for split in range(1, len(values)):
        sides = [[i for i in known if i < split], [i for i in known if i >= split]]
        if min(map(len, sides)) < fewest:
            continue
        left = sum(squares([values[i] for i in s], [weights[i] for i in s]) for s in sides)
        explained = 1 - left / whole
        if explained > best[1] + 1e-12:
            best = (split, explained)
    return best


def share_as_large(
    values: Sequence[float], weights: Sequence[float], orders: Sequence[Sequence[int]]
) -> float:
    """Return (c + 1) / (n + 1), where c of n orders explain as much as the series itself."""
    own = best_split(values, weights)[1]
    as_large = sum(
        best_split([values[i] for i in order], [weights[i] for i in order])[1] >= own - 1e-9
        for order in orders
    )
    return (as_large + 1) / (len(orders) + 1)
