"""Power by resampling, against the formula of the t test."""

from itertools import islice

import numpy as np
import pytest

from segscore.pipeline.statistics.power import PairedTest
from segscore.pipeline.statistics.simulated_power import power_curve


def test_simulated_power_of_normal_differences_is_that_of_the_formula() -> None:
    values = np.random.default_rng(3).normal(size=5000)
    values = (values - values.mean()) / values.std()
    curve = {point.documents: point for point in power_curve(values, 0.5, PairedTest(), 0)}
    for documents in (15, 30, 50):
        expected = PairedTest().finds(np.array([0.5]), np.array([documents]))[0]
        assert curve[documents].power == pytest.approx(expected, abs=0.02)
    assert [point.power for point in curve.values()] == sorted(p.power for p in curve.values())
    assert curve[10].exaggeration > curve[50].exaggeration > 1
    again = [*islice(power_curve(values, 0.5, PairedTest(), 0), 2)]
    assert again == [*curve.values()][:2]


def test_a_difference_near_zero_is_found_as_often_as_the_level_says() -> None:
    values = np.random.default_rng(4).exponential(size=2000)
    points = [*power_curve(values, 1e-9, PairedTest(), 0)]
    assert all(point.power < 0.075 for point in points if point.documents >= 30)
    assert points[0].wrong_sign > 0.2
