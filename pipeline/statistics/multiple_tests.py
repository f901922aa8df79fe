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
