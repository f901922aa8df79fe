"""Several tests made together: p values adjusted for how many there are."""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats


def holm(p: Sequence[float] | Floats) -> Floats:
    """Adjust p values of tests made together (Holm 1979), shape (tests,); NaN are no tests."""
    given = np.asarray(p, np.float64)
    order = np.argsort(given)  # NaN last
    tests = int(np.count_nonzero(~np.isnan(given)))
    factor = np.maximum(tests - np.arange(len(given)), 1)
    stepped = np.maximum.accumulate(given[order] * factor)
    adjusted = np.empty(len(given))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
