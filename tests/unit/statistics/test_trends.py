"""Trends and steps of series, compared with other programs and with slow implementations."""

import numpy as np
import pymannkendall
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.statistics import trends
from segscore.pipeline.statistics.trends import block_length, steps, theil_sen
from tests.oracles import naive_trends


def series(seed: int, n: int, dependence: float = 0.0, slope: float = 0.0) -> Floats:
    """Draw a series with serial dependence."""
    draw = np.random.default_rng(seed)
    values = draw.normal(size=n)
    for i in range(1, n):
        values[i] += dependence * values[i - 1]
    return np.asarray(values + slope * np.arange(n))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(10, 50),
    dependence=st.sampled_from([0.0, 0.4, 0.8]),
    slope=st.sampled_from([0.0, -0.05, 0.2]),
    ties=st.booleans(),
)
def test_trend_agrees_with_pymannkendall(
    seed: int, n: int, dependence: float, slope: float, ties: bool
) -> None:
    values = series(seed, n, dependence, slope)
    values = np.round(values) if ties else values
    found = theil_sen(np.arange(n), values)
    plain = pymannkendall.original_test(values)
    assert found.p_independent == pytest.approx(plain.p, rel=1e-9, abs=1e-15)
    assert found.slope == pytest.approx(plain.slope, abs=1e-12)
    with np.errstate(invalid="ignore"):
        corrected = pymannkendall.hamed_rao_modification_test(values)
    # With an odd number of slopes the median is that of one pair, whose residuals are tied: which
    # of the two has the higher rank depends on rounding there.
    if corrected.var_s > 0 and not ties and n * (n - 1) // 2 % 2 == 0:
        assert found.p == pytest.approx(corrected.p, rel=1e-6, abs=1e-12)


@given(seed=st.integers(0, 10**6), n=st.integers(10, 40))
def test_interval_agrees_with_scipy_where_nights_are_independent(seed: int, n: int) -> None:
    values = series(seed, n)
    time = np.cumsum(np.random.default_rng(seed).integers(1, 4, n))
    found = theil_sen(time, values)
    expected = stats.theilslopes(values, time)
    assert found.slope == pytest.approx(expected.slope)
    assert found.low <= expected.low_slope and found.high >= expected.high_slope
    if found.p == pytest.approx(found.p_independent) and found.p < 0.9:
        assert (found.low, found.high) == pytest.approx((expected.low_slope, expected.high_slope))


def test_a_constant_series_has_no_trend() -> None:
    found = theil_sen(np.arange(12), np.full(12, 0.5))
    assert (found.slope, found.p, found.p_independent) == (0, 1, 1)
    (step,) = steps(np.full((1, 12), 0.5), np.ones((1, 12)), seed=0)
    assert step is not None and (step.explained, step.p, step.p_adjusted) == (0, 1, 1)


@pytest.mark.parametrize("seed", range(4))
def test_steps_agree_with_the_slow_implementation(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trends, "ORDERS", 60)
    draw = np.random.default_rng(seed)
    n = 20
    values = np.stack([series(seed, n), series(seed + 100, n), series(seed + 200, n)])
    values[1, 8:] -= 2
    values[2, draw.choice(n, 4, replace=False)] = np.nan
    weights = draw.uniform(0.5, 2, (3, n))
    orders = trends._orders(n, block_length(values), 7).tolist()
    assert all(sorted(order) == list(range(n)) for order in orders)
    for found, row, weight in zip(steps(values, weights, 7), values, weights, strict=True):
        assert found is not None
        split, explained = naive_trends.best_split(row.tolist(), weight.tolist())
        assert found.explained == pytest.approx(explained)
        share = naive_trends.share_as_large(row.tolist(), weight.tolist(), orders)
        assert found.p == pytest.approx(share)
        known = ~np.isnan(row)
        before = known & (np.arange(n) < found.first)
        assert found.before == pytest.approx(np.average(row[before], weights=weight[before]))
        # A split beside a night without a value is the same split.
        assert known[min(split, found.first) : max(split, found.first)].sum() == 0
        assert found.p_adjusted >= found.p


def test_blocks_stay_together() -> None:
    for order in trends._orders(10, 3, 1)[:50].tolist():
        blocks = [[0], [1, 2, 3], [4, 5, 6], [7, 8, 9]]
        assert all(
            order[order.index(block[0]) : order.index(block[0]) + len(block)] == block
            for block in blocks
        )


@pytest.mark.parametrize("n", [30, 60, 120])
def test_blocks_are_longer_where_nights_resemble_the_one_before(n: int) -> None:
    def lengths(dependence: float, change: Floats) -> list[int]:
        return [block_length(series(seed, n, dependence)[None] + change) for seed in range(40)]

    time: Floats = np.arange(n, dtype=np.float64)
    changes = [0 * time, 4.0 * np.asarray(time > n / 2, np.float64), 0.3 * time]
    for change in changes:
        assert lengths(0.0, change).count(3) >= 36
        alike = lengths(0.8, change)
        assert max(alike) <= n // 4 and np.median(alike) >= 0.5 * min(n / 4, 2.7 * n ** (1 / 3))
    gap = series(3, n, 0.8)
    gap[4] = np.nan
    both = np.stack([gap, series(4, n)])
    assert block_length(both) == max(block_length(gap[None]), block_length(both[1:]))


def test_steps_of_nights_that_resemble_the_one_before_are_found_less_often_by_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 150 projects of five series with correlation .8, 60 nights: .26, with blocks of 3 .81."""
    monkeypatch.setattr(trends, "ORDERS", 199)
    found = 0
    for project in range(30):
        values = np.stack([series(10 * project + each, 60, 0.8) for each in range(5)])
        changes = steps(values, np.ones(values.shape), 0)
        found += any(step is not None and step.p_adjusted <= 0.05 for step in changes)
    assert found <= 15


def test_few_values_have_no_step() -> None:
    values = np.full((2, 12), np.nan)
    values[0] = np.arange(12)
    values[1, :9] = np.arange(9)
    known, few = steps(values, np.ones((2, 12)), seed=0)
    assert known is not None and few is None


def test_how_often_independent_nights_have_a_trend() -> None:
    """The larger of the two p is not liberal: .0047 of 3,000 series of 30 nights are below .01."""
    p = [
        (found.p, found.p_independent)
        for found in (theil_sen(np.arange(30), series(seed, 30)) for seed in range(1000))
    ]
    corrected, independent = np.array(p).T
    assert (np.maximum(corrected, independent) < 0.01).mean() <= 0.01
    assert (corrected < 0.01).mean() > 0.015  # the reason to take the larger one
