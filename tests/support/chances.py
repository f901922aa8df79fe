"""A test of whether outcomes are equally likely."""

from collections import Counter


def evenness(found: Counter[tuple[int, ...]], choices: int) -> float:
    """Standard deviations of chi-square from its mean under equal chances."""
    assert len(found) <= choices
    expected = found.total() / choices
    seen = [*found.values(), *([0] * (choices - len(found)))]
    square = sum((times - expected) ** 2 / expected for times in seen)
    return float((square - (choices - 1)) / (2 * (choices - 1)) ** 0.5)
