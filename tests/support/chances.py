"""A test of whether outcomes are equally likely."""

from collections import Counter


def evenness(outcomes: Counter[tuple[int, ...]], choices: int) -> float:
    """Standard deviations of chi-square from its mean under equal chances."""
    assert len(outcomes) <= choices
    expected = outcomes.total() / choices
    counts = [*outcomes.values(), *([0] * (choices - len(outcomes)))]
    square = sum((times - expected) ** 2 / expected for times in counts)
    return float((square - (choices - 1)) / (2 * (choices - 1)) ** 0.5)
