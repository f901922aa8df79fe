"""The documents' shares of averages, against sums in fractions and the jackknife."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.comparison.spread import ratio_of_sums, shares
from segscore.pipeline.measures import ALL, PAIRS, PANELS
from segscore.pipeline.statistics.power import PairedTest
from segscore.pipeline.statistics.simulated_power import power_curve

NO_RATIOS = {
    *("pk_prior", "pk_prime", "pr_error", "c_seg", "c_seg_normalised", "r_value"),
    *("reach_f1", "tiou_f1", "purity_coverage_f1", "adjusted_rand", "dialseg_score"),
    *("over_segmentation", "b_tp", "b_fp", "b_fn", "b_tn"),
}
PARAMETERS = {
    "n_t": 2.0,
    "type_range": 1.0,
    "beta": 1.0,
    "p_seg": 0.3,
    "edges": 0.0,
    "constant_near_miss": 0.0,
    "constant_substitution": 0.0,
    "cost_miss": 0.5,
    "cost_false_alarm": 0.5,
}
ROWS = st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=2, max_size=12).filter(
    lambda rows: any(row[2] for row in rows)
)


def sample_of(measure: str, rows: list[dict[str, int]]) -> Sample:
    counts = {name: np.array([[row[name] for row in rows]]) for name in rows[0]}
    return Sample(
        key=(),
        table=PAIRS,
        measures=[ALL[measure]],
        systems=[System("s", 0, "s")],
        documents=pa.array([f"d{i}" for i in range(len(rows))]),
        counts=counts,
        values={},
        parameters=[PARAMETERS],
    )


def test_which_measures_are_ratios_of_sums() -> None:
    tables = [(PAIRS, name) for name in PAIRS.measures] + [
        (PANELS, name) for name in PANELS.measures
    ]
    found = {name for table, name in tables if ratio_of_sums(table, ALL[name]) is None}
    assert found == NO_RATIOS


@given(ROWS)
def test_the_share_in_a_ratio_is_linear(rows: list[tuple[int, int, int]]) -> None:
    named = [{"pk_misses": a, "pk_false_alarms": b, "windows": a + b + c} for a, b, c in rows]
    (found,) = shares(sample_of("pk", named), ALL["pk"], "micro")
    windows = sum(row["windows"] for row in named)
    value = Fraction(sum(row["pk_misses"] + row["pk_false_alarms"] for row in named), windows)
    mean = Fraction(windows, len(named))
    expected = [
        (row["pk_misses"] + row["pk_false_alarms"] - value * row["windows"]) / mean for row in named
    ]
    assert found == pytest.approx(list(map(float, expected)), abs=1e-12)


def test_a_constant_before_the_ratio_turns_the_sign_alone() -> None:
    edits = ("misses", "false_alarms", "near_misses", "near_miss_span", "substitutions")
    rows = [dict.fromkeys((*edits, "substitution_span"), 0) | {"matches": 1} for _ in range(4)]
    rows[0]["misses"] = 2
    (found,) = shares(sample_of("boundary_similarity", rows), ALL["boundary_similarity"], "micro")
    value, mean = Fraction(2, 6), Fraction(6, 4)
    expected = [-(row["misses"] - value * (row["misses"] + 1)) / mean for row in rows]
    assert found == pytest.approx(list(map(float, expected)))


@given(ROWS)
def test_the_share_in_another_formula_is_the_pseudo_value(rows: list[tuple[int, int, int]]) -> None:
    named = [
        {"wd_misses": a, "wd_false_alarms": b, "reference_windows": a + 1, "windows": a + b + c + 1}
        for a, b, c in rows
    ]
    (found,) = shares(sample_of("pr_error", named), ALL["pr_error"], "micro")

    def pr_error(chosen: list[dict[str, int]]) -> Fraction:
        total = {name: sum(row[name] for row in chosen) for name in named[0]}
        misses = Fraction(total["wd_misses"], total["reference_windows"])
        return (misses + Fraction(total["wd_false_alarms"], total["windows"])) / 2

    n = len(named)
    expected = [
        n * pr_error(named) - (n - 1) * pr_error(named[:i] + named[i + 1 :]) for i in range(n)
    ]
    assert found == pytest.approx(list(map(float, expected)), abs=1e-9)


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
