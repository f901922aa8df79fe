"""Intervals and p values of the jackknife, against the slow twin and by hand."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscore.pipeline.measures import Table
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.statistics import jackknife
from segscore.pipeline.statistics.jackknife import Estimate, UnitSums
from segscore.pipeline.statistics.multiple_tests import holm, holm_levels
from tests.oracles import naive_comparison, naive_jackknife

BOUNDS = {"share": (0.0, 1.0), "ratio": (0.0, None), "free": (None, None)}
KIND = Table.of(
    {"part": "", "whole": ""},
    [
        Measure(name, "part / whole", "this test", lower=lower, upper=upper)
        for name, (lower, upper) in BOUNDS.items()
    ],
)
Rows = list[tuple[int, int]]
"""Part and whole of each unit."""

ROWS = st.lists(
    st.integers(0, 30).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))),
    min_size=1,
    max_size=12,
)
LEVELS = st.sampled_from([0.95, 0.99, 0.9999])


def sums(rows: Rows, first: int = 0) -> UnitSums:
    """The sums of units that are numbered from a first one."""
    part, whole = np.array(rows).T
    with np.errstate(invalid="ignore"):
        values = np.nan_to_num(part / whole)
    return UnitSums(
        np.arange(first, first + len(rows)).astype(np.uint64),
        {"part": part, "whole": whole},
        dict.fromkeys(KIND.measures, values),
        dict.fromkeys(KIND.measures, (whole > 0).astype(np.int64)),
    )


def micro(rows: Rows, name: str = "share", first: int = 0) -> Estimate:
    return jackknife.micro_estimates(KIND, sums(rows, first), {}, None)[name]


def ratio(rows: dict[str, tuple[int, int]]) -> naive_jackknife.Average:
    """The micro average of named units, for the twin."""

    def average(units: Collection[str]) -> naive_jackknife.Number:
        part, whole = (sum(rows[unit][side] for unit in units if unit in rows) for side in (0, 1))
        return Fraction(part, whole) if whole else None

    return average


def named(rows: Rows, first: int = 0) -> dict[str, tuple[int, int]]:
    return {f"u{first + i:02d}": row for i, row in enumerate(rows)}


def weights(rows: dict[str, tuple[int, int]]) -> naive_jackknife.Weights:
    return {unit: whole for unit, (_, whole) in rows.items()}


def same(found: tuple[float, float], expected: naive_jackknife.Ends) -> bool:
    """Whether both ends are equal, and missing together."""
    return all(
        isnan(end) if other is None else end == pytest.approx(other, rel=1e-9, abs=1e-9)
        for end, other in zip(found, expected, strict=True)
    )


@given(ROWS, st.sampled_from([*BOUNDS]), LEVELS)
def test_intervals_of_micro_averages_equal_the_twin(rows: Rows, name: str, level: float) -> None:
    units = named(rows)
    twin = naive_jackknife.jackknife(ratio(units), weights(units))
    found = micro(rows, name)
    assert found.effective == pytest.approx(twin.effective)
    assert same(found.interval(level), naive_jackknife.interval(twin, *BOUNDS[name], level))


@given(ROWS)
def test_intervals_of_macro_averages_equal_the_twin(rows: Rows) -> None:
    values = {unit: [part / whole] if whole else [] for unit, (part, whole) in named(rows).items()}
    twin = naive_jackknife.macro(values)
    found = jackknife.macro_estimates(KIND, sums(rows))["share"]
    assert same(found.interval(), naive_jackknife.interval(twin, 0, 1))


@given(ROWS, ROWS, st.integers(0, 12))
def test_differences_equal_the_twin(first: Rows, second: Rows, apart: int) -> None:
    """Units that both averages share are paired; the others are independent."""
    one, other = named(first), named(second, apart)
    averages = ratio(one), ratio(other)

    def difference(units: Collection[str]) -> naive_jackknife.Number:
        minuend, subtrahend = (average(units) for average in averages)
        if minuend is None or subtrahend is None:
            return None
        return float(minuend) - float(subtrahend)

    shared = sorted({*one, *other})
    fewest = naive_jackknife.fewest_effective(weights(one), weights(other))
    twin = naive_jackknife.jackknife(difference, {unit: fewest.get(unit, 0) for unit in shared})
    found = jackknife.difference(micro(first), micro(second, first=apart))
    assert same(found.interval(0.99), naive_jackknife.interval(twin, None, None, 0.99))
    p = naive_jackknife.p_value(twin)
    assert isnan(found.p) if p is None else found.p == pytest.approx(p, abs=1e-9)


def test_the_mean_of_values_has_the_interval_of_students_t() -> None:
    """Of a mean, pseudo-values are the values themselves."""
    values = np.array([0.2, 0.5, 0.9, 0.4, 0.45, 0.7])
    n = len(values)
    units = UnitSums(
        np.arange(n).astype(np.uint64), {}, {"free": values}, {"free": np.ones(n, np.int64)}
    )
    (found,) = jackknife.macro_estimates(KIND.only(["free"]), units).values()
    assert found.pseudo_values == pytest.approx(values)
    assert found.error == pytest.approx(stats.sem(values))
    expected = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    assert found.interval() == pytest.approx(expected)
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


@pytest.mark.parametrize(("level", "end"), [(0.95, 0.025), (0.5, 0.25)])
def test_a_share_of_0_or_1_has_the_interval_of_clopper_and_pearson(
    level: float, end: float
) -> None:
    """Of as many trials as there are units of equal weight, not boundaries."""
    low, high = micro([(9, 9)] * 8).interval(level)
    assert low == pytest.approx(stats.beta.ppf(end, 8, 1)) and high == 1
    low, high = micro([(0, 9)] * 8).interval(level)
    assert low == 0 and high == pytest.approx(stats.beta.ppf(1 - end, 1, 8))
    low, high = micro([(0, 90), *[(0, 9)] * 7]).interval(level)
    assert low == 0 and high == pytest.approx(stats.beta.ppf(1 - end, 1, 3))
    assert micro([(0, 9)] * 8, "ratio").interval() == pytest.approx((np.nan, np.nan), nan_ok=True)


def test_units_that_are_all_alike_have_no_interval() -> None:
    """Rounding, which differs from unit to unit, is not taken for a tiny error."""
    alike = jackknife.macro_estimates(KIND, sums([(1, 10), (2, 20), (3, 30)] * 3))["share"]
    assert alike.error == 0 and all(map(isnan, alike.interval()))
    better = micro([(3, 10)] * 9)
    difference = jackknife.difference(better, alike)
    assert difference.p == 2**-8 and all(map(isnan, difference.interval()))
    few = jackknife.difference(micro([(9, 9)] * 5), micro([(0, 9)] * 5))
    assert few.value == 1 and isnan(few.p)
    assert jackknife.difference(better, better).p == 1


@pytest.mark.parametrize("units", [1, 4, 5])
def test_few_units_have_no_interval(units: int) -> None:
    found = micro([(1, 3), (2, 5), (1, 9), (3, 4), (2, 9)][:units])
    assert isnan(found.p) == isnan(found.interval()[0]) == (units < 5)


def test_units_without_weight_do_not_count() -> None:
    assert micro([(1, 3), (2, 5), (1, 9), (3, 4), (0, 0), (0, 0)]).number == 4
    assert isnan(micro([(1, 3), (2, 5), (1, 9), (3, 4), (0, 0), (0, 0)]).error)


def test_a_long_unit_leaves_few_degrees_of_freedom() -> None:
    rows = [(300, 1000), *[(3, 10)] * 20]
    rows[1:3] = [(9, 10), (1, 10)]
    found = micro(rows)
    assert found.effective == pytest.approx(1200**2 / (1000**2 + 20 * 10**2))
    assert found.freedom == 1.0
    low, high = found.interval()
    assert low < 0.2 and high > 0.4


def test_errors_on_few_units_leave_few_degrees_of_freedom() -> None:
    """Of 2 values of 1 among 20 of 0, the kurtosis is 8 + 1/9; shows are few anyway."""
    rows = [(1, 10)] * 2 + [(0, 10)] * 18
    assert micro(rows).freedom == pytest.approx(2 * 20 / (7 + 1 / 9) - 1)
    shows = replace(sums(rows), defined=dict.fromkeys(KIND.measures, np.full(20, 3)))
    assert jackknife.micro_estimates(KIND, shows, {}, None)["share"].freedom == 19


def test_intervals_end_where_their_values_do() -> None:
    found = replace(micro([(8, 10), (9, 10), (10, 10), (4, 10), (10, 10)]), bounds=(None, 1))
    assert found.interval(0.999)[1] == 1 and found.interval(0.999)[0] < 0.5


def test_equal_p_values_have_the_smaller_level() -> None:
    levels = holm_levels([0.01, 0.01, 0.04], [0] * 3, 0.05)
    assert levels.tolist() == pytest.approx([0.05 / 3, 0.05 / 3, 0.05])


def test_sums_beyond_64_bits_are_left_out_exactly() -> None:
    rows = [(1, 3), (2, 5), (1, 9), (3, 4), (2, 9), (1, 2)]
    large = sums(rows)
    scaled = {
        name: np.array([int(count) * 2**62 for count in counts], object)
        for name, counts in large.counts.items()
    }
    found = jackknife.micro_estimates(KIND, UnitSums(large.units, scaled, {}, {}), {}, None)
    assert found["share"].interval() == micro(rows).interval()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_levels_of_holm_equal_the_twin(p: list[float]) -> None:
    """A test is below its level where its adjusted p is below alpha."""
    levels = holm_levels(p, [0] * len(p), 0.05)
    assert levels.tolist() == pytest.approx(naive_jackknife.holm_levels(p))
    below = [each < level for each, level in zip(p, levels, strict=True)]
    assert below == (holm(p) < 0.05).tolist()
    assert below == [each < 0.05 for each in naive_comparison.holm(p)]


def test_undefined_tests_have_no_level_and_families_their_own() -> None:
    levels = holm_levels([0.01, np.nan, 0.2, 0.03], [1, 1, 1, 2], 0.05)
    assert levels[[0, 2, 3]].tolist() == [0.025, 0.05, 0.05] and isnan(levels[1])


def test_deviations_add_up_to_the_error() -> None:
    found = micro([(1, 3), (2, 5), (1, 9), (3, 4), (2, 9)])
    assert sqrt(np.square(found.deviations).sum()) == pytest.approx(found.error)
    assert found.error == pytest.approx(stats.sem(found.pseudo_values))


def estimates(values: Sequence[Sequence[float]]) -> list[Estimate]:
    """Macro averages of systems on the same units."""
    found = []
    for of_system in values:
        each = np.array(of_system)
        n = len(each)
        without = (each.sum() - each) / (n - 1)
        found.append(Estimate(each.mean(), np.arange(n).astype(np.uint64), without, np.ones(n)))
    return found


def test_a_combination_has_the_error_of_its_values() -> None:
    """Of the mean of three systems: the error of the documents' means."""
    values = np.random.default_rng(0).random((3, 9))
    mean = jackknife.combine(lambda *of: np.mean(of, axis=0), estimates(values.tolist()))
    assert mean.value == pytest.approx(values.mean())
    assert mean.error == pytest.approx(stats.sem(values.mean(axis=0)))
