"""Formulas against the slow twin, and the laws that each measure declares."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.measures import PAIRS, PANELS
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC
from tests.oracles import naive
from tests.oracles.naive_denominators import DENOMINATORS
from tests.support import passes
from tests.support.strategies import pairs

Pair = tuple[int, list[int], list[int]]
COUNTS, MEASURES = PAIRS.counts, PAIRS.measures
PRIOR = Fraction(2, 5)
PRIORS = st.one_of(st.none(), st.fractions(0, 1, max_denominator=50))
NEAR = st.builds(
    passes.Near,
    st.integers(0, 70),
    st.integers(0, 2),
    st.fractions(0, Fraction(19, 20), max_denominator=20),
)
FROM_BOTH_ENDS = NEAR.filter(lambda near: near.edges != 1)


def test_the_twins_have_what_each_measure_divides_by() -> None:
    counted = {*COUNTS, *MEASURES}
    divide = {
        name
        for name, measure in MEASURES.items()
        if any(counted & {*divisor.co_names} for divisor in measure.divisors)
    }
    assert divide - DENOMINATORS.keys() == set()


@given(pairs(), st.integers(1, 40), st.integers(1, 5), PRIORS, st.booleans(), NEAR)
def test_values_equal_the_twin(
    pair: Pair, k: int, n_t: int, p_seg: Fraction | None, rows: bool, near: passes.Near
) -> None:
    counted = passes.counts(*pair, k, n_t, near)
    ours = passes.values(counted, n_t=n_t, p_seg=p_seg, rows=rows, edges=near.edges)
    exact = passes.twin_values(counted, n_t=n_t, p_seg=p_seg, rows=rows, edges=near.edges)
    for name in MEASURES:
        assert passes.close(ours[name], exact[name]), (name, ours[name], exact[name])


@given(st.lists(pairs(), min_size=2, max_size=6), st.integers(1, 12), NEAR)
def test_pooled_values_equal_the_twin_for_any_split(
    rows: list[Pair], k: int, near: passes.Near
) -> None:
    counted = [passes.counts(*row, k, 2, near) for row in rows]
    pooled = {name: sum(row[name] for row in counted) for name in COUNTS}
    prior = naive.p_seg(counted)
    ours = passes.values(pooled, p_seg=prior, rows=False, edges=near.edges)
    exact = passes.twin_values(pooled, p_seg=prior, rows=False, edges=near.edges)
    assert all(passes.close(ours[name], exact[name]) for name in MEASURES)


def test_every_measure_of_a_family_declares_its_laws() -> None:
    expected = passes.twin_values(passes.counts(9, [3], [4], 2, 2), p_seg=Fraction(1, 2))
    assert set(PAIRS.measures) == set(expected)
    for measure in (*MEASURES.values(), *PANELS.measures.values()):
        assert measure.laws, f"{measure.name} declares no law"
        assert measure.laws <= {IDENTITY, SYMMETRIC, REVERSIBLE}
        assert measure.source


def declaring(law: str) -> list[str]:
    return [name for name, measure in MEASURES.items() if law in measure.laws]


def same(one: float | None, other: float | None) -> bool:
    return one is other is None or (None not in (one, other) and one == pytest.approx(other))


@given(pairs(), st.integers(1, 30), st.integers(1, 5), NEAR)
def test_bounds(pair: Pair, k: int, n_t: int, near: passes.Near) -> None:
    counted = passes.counts(*pair, k, n_t, near)
    values = passes.values(counted, n_t=n_t, p_seg=PRIOR, edges=near.edges)
    for name, value in values.items():
        lower, upper = MEASURES[name].lower, MEASURES[name].upper
        assert value is None or lower is None or value >= lower - 1e-12, name
        assert value is None or upper is None or value <= upper + 1e-12, name


@given(pairs(), st.integers(1, 30), NEAR)
def test_identity(pair: Pair, k: int, near: passes.Near) -> None:
    n_units, reference, _ = pair
    counted = passes.counts(n_units, reference, reference, k, 2, near)
    values = passes.values(counted, p_seg=PRIOR, edges=near.edges)
    for name in declaring(IDENTITY):
        best = 1.0 if MEASURES[name].better == "higher" else 0.0
        assert values[name] in (None, best), name


@given(pairs(), st.integers(1, 30), st.integers(1, 5), NEAR)
def test_symmetry(pair: Pair, k: int, n_t: int, near: passes.Near) -> None:
    n_units, reference, hypothesis = pair
    one, other = (
        passes.values(passes.counts(n_units, *both, k, n_t, near), n_t=n_t, edges=near.edges)
        for both in ((reference, hypothesis), (hypothesis, reference))
    )
    for name in declaring(SYMMETRIC):
        assert same(one[name], other[name]), name


@given(pairs(), st.integers(1, 30), FROM_BOTH_ENDS)
def test_reversal(pair: Pair, k: int, near: passes.Near) -> None:
    n_units, reference, hypothesis = pair
    back, forth = ([n_units - p for p in reversed(side)] for side in (reference, hypothesis))
    one, other = (
        passes.values(passes.counts(n_units, *both, k, 2, near), p_seg=PRIOR, edges=near.edges)
        for both in ((reference, hypothesis), (back, forth))
    )
    for name in declaring(REVERSIBLE):
        assert same(one[name], other[name]), name


@given(pairs(), st.integers(1, 30))
def test_a_measure_that_is_not_symmetric_declares_so_for_a_reason(pair: Pair, k: int) -> None:
    """Misses become false alarms when the sides are exchanged."""
    n_units, reference, hypothesis = pair
    one = passes.counts(n_units, reference, hypothesis, k, 2)
    other = passes.counts(n_units, hypothesis, reference, k, 2)
    for misses, false_alarms in (
        ("pk_misses", "pk_false_alarms"),
        ("wd_misses", "wd_false_alarms"),
        ("misses", "false_alarms"),
    ):
        assert one[misses] == other[false_alarms]


def test_pr_error_of_no_boundaries_is_the_cost_of_a_miss() -> None:
    """G06: the blind system without boundaries costs C_miss, the one with all of them C_fa."""
    reference = [5, 11, 20, 26]
    nothing = passes.values(passes.counts(30, reference, [], 3, 2))
    everything = passes.values(passes.counts(30, reference, list(range(1, 30)), 3, 2))
    assert nothing["pr_error"] == 0.5
    assert everything["pr_error"] == 0.5
    assert everything["window_diff"] == 1
