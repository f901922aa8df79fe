"""The mean of a month and its interval."""

import numpy as np
import pytest

from segscore.pipeline.statistics.night_levels import mean_of_nights


def _nights(correlation: float, years: int) -> np.ndarray:
    draw = np.random.default_rng(7)
    nights = draw.normal(0.5, 0.02, (years, 60))
    for night in range(1, 60):
        fresh = np.sqrt(1 - correlation**2) * (nights[:, night] - 0.5)
        nights[:, night] = 0.5 + correlation * (nights[:, night - 1] - 0.5) + fresh
    return nights[:, 30:]


@pytest.mark.parametrize(("correlation", "least"), [(0.0, 0.94), (0.5, 0.91)])
def test_intervals_have_the_mean_in_95_of_100_months(correlation: float, least: float) -> None:
    months = _nights(correlation, 1000)
    found = [mean_of_nights(month) for month in months]
    assert least <= np.mean([low <= 0.5 <= high for _, low, high in found]) <= 0.98


def test_nights_without_a_value_do_not_count() -> None:
    some = np.array([0.5, np.nan, 0.6, 0.7])
    assert mean_of_nights(some) == mean_of_nights(np.array([0.5, 0.6, 0.7]))
    assert mean_of_nights(some)[0] == pytest.approx(0.6)
    assert np.isnan(mean_of_nights(np.array([0.5, 0.6]))[1])
