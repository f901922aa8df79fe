"""The ends of a bootstrap interval have the bits of `np.quantile`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.statistics.bootstrap import CONFIDENCE, interval

TAIL = (1 - CONFIDENCE) / 2
VALUES = st.one_of(
    st.floats(-1e300, 1e300),
    st.sampled_from([0.0, -0.0, 0.25, 1.0, 1 / 3, float("nan")]),
)


@given(st.lists(VALUES, min_size=1, max_size=300))
def test_the_ends_are_those_of_numpy(values: list[float]) -> None:
    replicates = np.array(values)
    before = replicates.copy()
    defined = replicates[~np.isnan(replicates)]
    expected = np.quantile(defined, [TAIL, 1 - TAIL]) if len(defined) else [np.nan, np.nan]
    found = np.array(interval(replicates))
    assert found.tobytes() == np.array(expected).tobytes()
    assert before.tobytes() == replicates.tobytes()


@pytest.mark.parametrize("n", [2, 3, 20, 41, 100, 1000, 10_000])
def test_many_replicates(n: int) -> None:
    replicates = np.random.default_rng(n).normal(size=n)
    assert interval(replicates) == tuple(np.quantile(replicates, [TAIL, 1 - TAIL]))
