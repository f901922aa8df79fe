"""Adjust the p values of several tests for their number."""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats


def holm(p: Sequence[float] | Floats) -> Floats:
    """Adjust the p values of tests (Holm 1979), shape (tests,); NaN does not count as a test."""
    p_values = np.asarray(p, np.float64)
    order = np.argsort(p_values)  # NaN last
    tests = int(np.count_nonzero(~np.isnan(p_values)))
    factor = np.maximum(tests - np.arange(len(p_values)), 1)
    stepped = np.maximum.accumulate(p_values[order] * factor)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def holm_by_family(p: Sequence[float] | Floats, families: Sequence[object]) -> Floats:
    """Adjust the p values of each family of tests for the number of tests of that family.

    Args:
        p: p values, shape (tests,); NaN does not count as a test.
        families: the family of each test.
    """
    p_values = np.asarray(p, np.float64)
    adjusted = np.empty(len(p_values))
    for family in set(families):
        members = [test for test, each in enumerate(families) if each == family]
        adjusted[members] = holm(p_values[members])
    return adjusted


def holm_levels(p: Sequence[float] | Floats, families: Sequence[object], alpha: float) -> Floats:
    """Return the level of each test at its place in Holm's order, shape (tests,).

    A test is rejected by Holm's method where its p value is below its level, and only there. Tests
    after the first that is not rejected have the level of that one, and equal p values that of the
    first of them; NaN does not count as a test.

    >>> [f"{level:.4f}" for level in holm_levels([0.03, 0.01, 0.04], "aaa", 0.05)]
    ['0.0250', '0.0167', '0.0250']

    Args:
        p: p values, shape (tests,).
        families: the family of each test.
        alpha: level of all tests of a family together.
    """
    p_values = np.asarray(p, np.float64)
    levels = np.full(len(p_values), np.nan)
    for family in set(families):
        members = np.array([test for test, each in enumerate(families) if each == family])
        known = members[~np.isnan(p_values[members])]
        level = alpha / max(1, len(known))
        order = known[np.argsort(p_values[known], kind="stable")]
        for place, test in enumerate(order):
            tied = place > 0 and p_values[test] == p_values[order[place - 1]]
            levels[test] = levels[order[place - 1]] if tied else level
            if p_values[test] < levels[test] and place + 1 < len(known):
                level = alpha / (len(known) - place - 1)
    return levels


def benjamini_yekutieli(p: Sequence[float] | Floats) -> Floats:
    """Adjust p values so that few of those found are false (Benjamini & Yekutieli 2001).

    Of the tests whose adjusted p value is at most q, a share of at most q is expected to be false,
    however the tests depend on each other.  NaN does not count as a test.

    >>> benjamini_yekutieli([0.01, 0.04, float("nan")]).tolist()
    [0.03, 0.06, nan]
    """
    p_values = np.asarray(p, np.float64)
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    place = np.arange(1, len(order) + 1)
    scaled = p_values[order] * len(order) * (1 / place).sum() / place
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted
