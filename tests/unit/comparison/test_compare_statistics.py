"""The statistics of a comparison: slow twins, scipy, published data, and simulations."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison import paired_tests
from segscore.pipeline.comparison.averages import Averages
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.statistics import rank_tests, resampling
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.multiple_tests import holm, holm_by_family
from segscore.pipeline.statistics.rank_tests import count_signs, wilcoxon
from tests.oracles import naive_comparison as naive
from tests.support.examples import examples

ROUNDING = [
    (5.40, 5.50, 5.55), (5.85, 5.70, 5.75), (5.20, 5.60, 5.50), (5.55, 5.50, 5.40),
    (5.90, 5.85, 5.70), (5.45, 5.55, 5.60), (5.40, 5.40, 5.35), (5.45, 5.50, 5.35),
    (5.25, 5.15, 5.00), (5.85, 5.80, 5.70), (5.25, 5.20, 5.10), (5.65, 5.55, 5.45),
    (5.60, 5.35, 5.45), (5.05, 5.00, 4.95), (5.50, 5.50, 5.40), (5.45, 5.55, 5.50),
    (5.55, 5.55, 5.35), (5.45, 5.50, 5.55), (5.50, 5.45, 5.25), (5.65, 5.60, 5.40),
    (5.70, 5.65, 5.55), (6.30, 6.30, 6.25),
]  # fmt: skip
"""Seconds to first base for three ways of rounding it (Hollander & Wolfe, Table 7.1)."""

tenths = st.integers(0, 10).map(lambda value: value / 10)


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    """Values of 3 to 5 systems on 2 to 12 documents, with many ties."""
    documents = draw(st.integers(2, 12))
    row = st.lists(tenths, min_size=documents, max_size=documents)
    return draw(st.lists(row, min_size=3, max_size=5))


def sample_of(errors: Ints, windows: Ints) -> Sample:
    """Make a sample of WindowDiff: errors of shape (systems, documents)."""
    systems, documents = errors.shape
    nothing = np.zeros_like(errors)
    return Sample(
        key=(),
        table=PAIRS,
        measures=[PAIRS.measures["window_diff"]],
        systems=[System(f"s{i}", 0, f"s{i}") for i in range(systems)],
        documents=pa.array([f"d{i:05d}" for i in range(documents)]),
        shows=None,
        counts={
            "windows": np.broadcast_to(windows, errors.shape),
            "wd_misses": errors,
            "wd_false_alarms": nothing,
        },
        values={"window_diff": errors / windows},
        parameters=[{}] * systems,
        p_seg_of=[None] * systems,
        draws=[1] * systems,
    )


def drawn(seed: int, documents: int, chances: Sequence[float]) -> Sample:
    """Draw errors of systems with these probabilities, on documents of which some are harder."""
    generator = np.random.default_rng(seed)
    windows = generator.integers(20, 200, documents)
    hard = generator.uniform(0.5, 1.5, documents)
    rates = (
        np.array(chances)[:, None] * hard * generator.uniform(0.5, 1.5, (len(chances), documents))
    )
    return sample_of(generator.binomial(windows, np.clip(rates, 0, 1)), windows)


def test_friedman_and_its_pairs_on_published_data() -> None:
    result = rank_tests.friedman(np.array(ROUNDING).T)
    assert result.statistic == pytest.approx(11.143, abs=5e-4)
    assert result.p == pytest.approx(0.003805, abs=5e-7)
    assert (result.mean_rank * 22).tolist() == [53.0, 47.0, 32.0]
    # The book's large-sample test separates rounding out and the wide angle, and no others at .01.
    assert result.pairwise[0, 2] < 0.01 < result.pairwise[1, 2] < result.pairwise[0, 1]


@given(tables())
def test_ranks_of_many_systems_equal_the_twin(values: list[list[float]]) -> None:
    array = np.array(values)
    if (array == array[0]).all():
        return
    result = rank_tests.friedman(array)
    assert result.statistic == pytest.approx(naive.friedman(values))
    assert result.p == pytest.approx(stats.chi2.sf(result.statistic, len(values) - 1))
    assert 0 <= result.effect <= 1


def test_nemenyi_equals_the_range_of_normal_variables() -> None:
    generator = np.random.default_rng(3)
    for systems in (3, 5):
        values = generator.random((systems, 9)).tolist()
        result = rank_tests.friedman(np.array(values)).pairwise
        for a, b in ((0, 1), (1, 2)):
            assert result[a, b] == pytest.approx(naive.nemenyi(values, a, b), abs=1e-5)


def test_documents_with_an_undefined_system_are_not_ranked() -> None:
    values = np.random.default_rng(1).random((3, 10))
    holed = np.hstack([values, [[np.nan], [0.5], [0.2]]])
    assert rank_tests.friedman(holed).statistic == rank_tests.friedman(values).statistic
    assert rank_tests.friedman(holed).documents == 10


def test_equal_systems_have_no_ranks_to_test() -> None:
    same = np.tile([0.1, 0.4, 0.4], (3, 1))
    result = rank_tests.friedman(same)
    assert np.isnan(result.statistic) and np.isnan(result.p)
    assert result.pairwise == pytest.approx(np.ones((3, 3)))


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=9, unique=True), st.data())
def test_signed_ranks_equal_the_twin(sizes: list[int], data: st.DataObject) -> None:
    differences = [size * data.draw(st.sampled_from([-1, 1])) / 8192 for size in sizes]
    nothing = np.zeros(len(differences))
    both = np.array(differences), nothing
    assert wilcoxon(*both) == pytest.approx(naive.wilcoxon_p(differences))
    higher = sum(d > 0 for d in differences)
    assert count_signs(*both) == (higher, len(differences) - higher)


def test_signed_ranks_with_ties_and_undefined_values() -> None:
    """Documents may be equally hard for both, equal but for rounding, or undefined."""
    first = np.array([0.3, 0.5, 0.5, 0.1, np.nan, 0.9])
    second = np.array([0.1 + 0.2, 0.5, 0.4, 0.2, 0.3, 0.7])
    assert count_signs(first, second) == (2, 1)
    assert wilcoxon(first, second) == pytest.approx(stats.wilcoxon([0.1, -0.1, 0.2]).pvalue)


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15),
    reason="SciPy before 1.15 has an exact p value of ties that is none",
)
@settings(max_examples=examples(20))
@given(st.lists(st.sampled_from([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3]), min_size=1, max_size=7))
@example([0.1, 0.1, 0.2, 0.2, 0.2, 0.3, -0.1, 0.2, 0.2, 0.3, -0.3])
def test_few_differences_with_ties_have_the_p_value_of_scipy(differences: list[float]) -> None:
    found = wilcoxon(np.array(differences), np.zeros(len(differences)))
    assert found == stats.wilcoxon(differences).pvalue


def test_equal_values_have_no_signed_ranks() -> None:
    same = np.full(4, 0.5)
    assert count_signs(same, same) == (0, 0)
    assert np.isnan(wilcoxon(same, same))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_the_twin(p: list[float]) -> None:
    assert holm(p).tolist() == pytest.approx(naive.holm(p))


def test_holm_by_hand() -> None:
    """Factors are 4, 3, 2, 1 in the order of size, and no value is below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_ignores_undefined_tests() -> None:
    adjusted = holm([0.02, float("nan"), 0.01])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.02])
    assert np.isnan(adjusted[1])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=12))
def test_families_are_adjusted_apart(tests: list[tuple[float, bool]]) -> None:
    adjusted = holm_by_family([p for p, _ in tests], [family for _, family in tests])
    for which in (True, False):
        own = [i for i, (_, family) in enumerate(tests) if family == which]
        assert adjusted[own].tolist() == pytest.approx(naive.holm([tests[i][0] for i in own]))


def test_equal_systems_share_a_rank() -> None:
    values = np.array([[0.5, 0.2, 0.5, np.nan], [0.1, 0.2, 0.3, 0.4]])
    lower = rank_tests.rank_systems(values, higher=False)
    assert lower[0, :3].tolist() == [2, 1, 2] and np.isnan(lower[0, 3])
    assert lower[1].tolist() == [1, 2, 3, 4]
    assert rank_tests.rank_systems(values[1], higher=True).tolist() == [4, 3, 2, 1]


def differences_of(sample: Sample) -> dict[str, Estimate]:
    """The difference of the first two systems, by average."""
    averages = Averages(sample)
    return {kind: averages.difference("window_diff", kind, 0) for kind in ("micro", "macro")}


def test_few_documents_give_no_significance() -> None:
    for documents in (1, 4):
        found = differences_of(drawn(0, documents, (0.1, 0.5))).values()
        assert all(np.isnan([each.p, *each.interval()]).all() for each in found)
    assert np.isnan(paired_tests.permutation_tests([*found], 0, 0)).all()


def test_equal_systems_have_p_1_and_no_interval() -> None:
    one = drawn(5, 20, (0.3,))
    twice = sample_of(np.repeat(one.counts["wd_misses"], 2, axis=0), one.counts["windows"][0])
    found = [*differences_of(twice).values()]
    assert paired_tests.permutation_tests(found, 0, 99).tolist() == [1.0, 1.0]
    assert [(each.value, each.p) for each in found] == [(0, 1), (0, 1)]
    assert all(np.isnan(each.interval()).all() for each in found)


def test_permutations_of_a_mean_equal_the_twin() -> None:
    """Of macro averages, flipped signs are systems that are exchanged on a document."""
    sample = drawn(1, 12, (0.3, 0.4))
    found = differences_of(sample)["macro"]
    flips = np.random.default_rng(3).integers(0, 2, (199, 12), dtype=np.int8)
    values = sample.values["window_diff"]
    order = np.argsort(sample.units.hashes[sample.units.index], kind="stable")
    apart = (values[0] - values[1])[order]
    moved = np.abs((np.where(flips, 1, -1) * apart).mean(axis=1))
    extreme = np.count_nonzero(moved >= abs(apart.mean()) * naive.NEARLY)
    (p,) = paired_tests.permutation_tests([found], 3, 199)
    assert p == pytest.approx((extreme + 1) / 200)


EXPERIMENTS, DOCUMENTS, PERMUTATIONS = 400, 40, 199


def outcomes(chances: Sequence[float]) -> dict[str, list[bool]]:
    """Repeat an experiment; kind -> whether the difference is found, or in the interval."""
    results: dict[str, list[bool]] = {}
    true = chances[0] - chances[1]
    for seed in range(EXPERIMENTS):
        sample = drawn(seed, DOCUMENTS, chances)
        for kind, difference in differences_of(sample).items():
            results.setdefault(kind, []).append(bool(difference.p <= 0.05))
            low, high = difference.interval()
            results.setdefault(f"{kind} interval", []).append(low <= true <= high)
        p = wilcoxon(*sample.values["window_diff"])
        results.setdefault("wilcoxon", []).append(p <= 0.05)
    return results


@pytest.mark.long
def test_equal_systems_differ_at_the_stated_error_rate() -> None:
    result = outcomes((0.3, 0.3))
    for kind in ("micro", "macro", "wilcoxon"):
        # 5 % of 400, within the range of chance in 999 of 1000 such tests.
        assert 9 <= sum(result[kind]) <= 36, kind
        if kind != "wilcoxon":
            assert np.mean(result[f"{kind} interval"]) == pytest.approx(0.95, abs=0.035)


@pytest.mark.long
def test_a_known_difference_is_found() -> None:
    result = outcomes((0.3, 0.4))
    for kind in ("micro", "macro", "wilcoxon"):
        assert np.mean(result[kind]) > 0.9, kind
    for kind in ("micro interval", "macro interval"):
        assert np.mean(result[kind]) == pytest.approx(0.95, abs=0.035)


def test_many_equal_systems_differ_at_the_stated_error_rate() -> None:
    """Friedman's test finds any, and Nemenyi's a pair, in 5 % of the experiments."""
    generator = np.random.default_rng(0)
    results = []
    for _ in range(EXPERIMENTS):
        values = generator.random((4, DOCUMENTS))
        test = rank_tests.friedman(values)
        results.append([test.p <= 0.05, test.pairwise.min() <= 0.05])
    rejected = np.sum(results, axis=0)
    assert (rejected >= 4).all() and (rejected <= 36).all()


def test_buckets_of_documents_are_left_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error rate and the power are the same."""
    monkeypatch.setattr(resampling, "BUCKETS", 32)
    rejected = {}
    for chances in ((0.3, 0.3), (0.3, 0.35)):
        results = []
        for seed in range(200):
            sample = drawn(seed, 300, chances)
            assert resampling.estimator(sample.units.hashes) == "jackknife,32-buckets"
            found = [*differences_of(sample).values()]
            assert all(len(each.units) == 32 for each in found)
            permuted = paired_tests.permutation_tests(found, seed, PERMUTATIONS)
            results.append([p <= 0.05 for p in (*(each.p for each in found), *permuted)])
        rejected[chances] = np.sum(results, axis=0)
    assert (rejected[0.3, 0.3] >= 2).all() and (rejected[0.3, 0.3] <= 22).all()
    assert (rejected[0.3, 0.35] > 180).all()
