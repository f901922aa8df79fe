"""Adjust the p values of several tests for their number."""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats


def holm(p: Sequence[float] | Floats) -> Floats:
    """Adjust the p values of tests (Holm 1979), shape (tests,); NaN does not count as a test."""
    given = np.asarray(p, np.float64)
    order = np.argsort(given)  # NaN last
    tests = int(np.count_nonzero(~np.isnan(given)))
    factor = np.maximum(tests - np.arange(len(given)), 1)
    stepped = np.maximum.accumulate(given[order] * factor)
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
