"""Ends of intervals are quantiles, to the bit as NumPy computes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.statistics.bootstrap import CONFIDENCE, interval

NUMBERS = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 0.1, 0.2, 1.0])


@given(st.lists(NUMBERS | st.just(float("nan")), min_size=1, max_size=200))
def test_intervals_are_quantiles_of_numpy(values: list[float]) -> None:
    replicates = np.array(values)
    defined = replicates[~np.isnan(replicates)]
    ends = interval(replicates)
    if len(defined) == 0:
        assert np.isnan(ends).all()
        return
    tail = (1 - CONFIDENCE) / 2
    assert ends == tuple(np.quantile(defined, [tail, 1 - tail]).tolist())


@pytest.mark.parametrize("replicates", [999, 1000, 1001])
def test_intervals_of_many_replicates(replicates: int) -> None:
    drawn = np.random.default_rng(replicates).random(replicates)
    tail = (1 - CONFIDENCE) / 2
    assert interval(drawn) == tuple(np.quantile(drawn, [tail, 1 - tail]).tolist())
