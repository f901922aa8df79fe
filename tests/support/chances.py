"""Whether chances are equal."""

from collections import Counter


def evenness(found: Counter[tuple[int, ...]], choices: int) -> float:
    """Chi-square against equal chances, in standard deviations from what chance makes of it."""
    assert len(found) <= choices
    expected = found.total() / choices
    seen = [*found.values(), *([0] * (choices - len(found)))]
    square = sum((times - expected) ** 2 / expected for times in seen)
    return float((square - (choices - 1)) / (2 * (choices - 1)) ** 0.5)
