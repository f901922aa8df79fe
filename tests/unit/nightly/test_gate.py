"""The gate: rules, its test against a slow twin, its error rate and its power."""

import gc
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator
from scipy.stats import nct, t, ttest_ind
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS, PANELS
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.rules import parse_rule
from segscore.pipeline.nightly.gate.tallies import Tally
from segscore.pipeline.settings import signature
from segscore.pipeline.statistics.averages import Parameters
from segscore.pipeline.statistics.changes import BetweenNights, Change, change_of
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.resampling import assign_units
from segscore.pipeline.statistics.sums import CountedRows, sum_rows
from tests.oracles import naive_jackknife

PARAMETERS = {"n_t": 2, "type_range": 1, "constant_near_miss": 0.0, "constant_substitution": 0.0}
SYSTEM = "system"
ALPHA = 0.05
NIGHTS = 1000
DOCUMENTS = 60


def rule_of(text: str) -> GateRule:
    (rule,) = parse_rule(text)
    return rule


EQUAL = rule_of("boundary_similarity>=-0")
"""A limit at the difference of equal systems, so that the gate's rate is its alpha, not less."""


# --- Rules ---------------------------------------------------------------------------------------


def test_rules_are_read() -> None:
    rules = parse_rule(
        " boundary_similarity >= -0.01, macro:pk<=+2e-2,mult_window_diff<=+.5,b_tp>=-1 "
    )
    assert [(rule.text, rule.average, rule.measure, rule.limit) for rule in rules] == [
        ("boundary_similarity>=-0.01", "micro", "boundary_similarity", -0.01),
        ("macro:pk<=+2e-2", "macro", "pk", 0.02),
        ("mult_window_diff<=+.5", "micro", "mult_window_diff", 0.5),
        ("b_tp>=-1", "micro", "b_tp", -1),
    ]
    assert [rule.table for rule in rules] == ["scores", "scores", "panel_scores", "scores"]
    fall, rise = rules[:2]
    assert fall.excess(-0.03) == pytest.approx(0.02) and fall.excess(0.5) < 0
    assert rise.excess(0.03) == pytest.approx(0.01) and rise.excess(-0.5) < 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no comparison; put the rules in quotes"),
        ("pk", "has no comparison; put the rules in quotes"),
        ("pk<0.1", "must look like"),
        ("pk<=nan", "must look like"),
        ("pk<=1.2.3", "must look like"),
        ("median:pk<=0.1", "must look like"),
        ("pk<=1e999", "must look like"),
        ("pkk<=0.1", "no such measure; the nearest is pk"),
        ("pk>=-0.1", "lower is better for pk; write pk<=+0.1"),
        ("f1<=+0.1", "higher is better for f1; write f1>=-0.1"),
        ("pk<=-0.1", "the limit must be at least 0"),
        ("pk<=0.2", "needs a sign; write pk<=+0.2 to let pk rise by 0.2; for an upper"),
        ("f1>=.01", "a change and needs a sign; write f1>=-.01 to let f1 fall by .01; for"),
        ("f1>=+0.1", "the limit must be at most 0"),
        ("level:pk<=+0.1,level:pk<=+0.2", "a second rule for micro pk"),
        ("level:f1<=.5", "higher is better for f1"),
        ("level:level:f1>=-.5", "must look like"),
        ("common:f1>=.5", "needs a sign"),
        ("pk<=+0.1,pk<=+0.2", "a second rule for micro pk"),
        ("pkk<=0.1,f1<=+0.1", "nearest is pk; --gate f1<=+0.1: higher is better for f1"),
    ],
)
def test_an_invalid_rule_is_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=r"^--gate ") as refused:
        parse_rule(text)
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_a_measure_keeps_the_counts_that_its_formula_needs() -> None:
    for kind in (PAIRS, PANELS):
        for name in kind.measures:
            small = kind.only([name])
            counts = {count: np.array([float(3 + i)]) for i, count in enumerate(kind.counts)}
            parameters = {**PARAMETERS, "p_seg": 0.3, "beta": 1.0, "cost_miss": 0.5, "edges": 0}
            parameters |= {
                "cost_false_alarm": 0.5,
                "c_seg_cost_miss": 1,
                "c_seg_cost_false_alarm": 0.3,
            }
            parts = ("leading_miss", "trailing_miss", "leading_false_alarm", "trailing_false_alarm")
            parameters |= {f"weight_{part}": 1 for part in parts}
            whole = evaluate(kind.measures.values(), counts, parameters, rows=False)[name]
            fewer = {count: counts[count] for count in small.counts}
            assert small.values(fewer, parameters, rows=False)[name] == whole


# --- Signatures ----------------------------------------------------------------------------------


def test_signatures_are_parsed() -> None:
    old = "segscore|n_t:2|window:per-pair,half-even,min2|types:1,2|ci:jackknife,documents|v:0.2.0"
    new = "segscore|n_t:3|window:per-pair,half-even,min2|beta:2|ci:none|v:0.2.0"
    assert signature.fields(old)["window"] == "per-pair,half-even,min2"
    assert (
        signature.signature_differences(old, old.replace("ci:jackknife,documents", "ci:none")) == []
    )
    assert signature.signature_differences(old, new) == [
        "n_t was 2, is 3",
        "types was 1,2, is absent",
        "beta was absent, is 2",
    ]


# --- The statistical test ------------------------------------------------------------------------


def counts(
    draw: Generator, documents: int, ability: float, pot: Any = None
) -> dict[str, np.ndarray[Any, Any]]:
    """Draw edits of documents of different lengths and difficulty."""
    pot = draw.geometric(0.15, documents) + 1 if pot is None else pot
    abilities = draw.beta(6 * ability, 6 * (1 - ability), documents)
    matches = draw.binomial(pot, abilities)
    near = draw.binomial(pot - matches, 0.3)
    return {
        "matches": matches,
        "near_misses": near,
        "near_miss_span": near,
        "misses": pot - matches - near,
        "false_alarms": draw.poisson(pot * (1 - abilities) / 2),
    }


def tally(
    rule: GateRule,
    systems: Sequence[dict[str, np.ndarray[Any, Any]]],
    ids: Hashes,
) -> Tally:
    """Draw a night's documents, scored by some systems."""
    kind = PAIRS.only([rule.measure])
    n = len(ids)
    zero = np.zeros(n, np.int64)
    listed = [
        [system.get(name, zero).astype(np.int64) for name in kind.counts] for system in systems
    ]
    columns = [np.concatenate(parts) for parts in zip(*listed, strict=True)]
    by_name = dict(zip(kind.counts, columns, strict=True))
    values = evaluate(kind.measures.values(), by_name, PARAMETERS, rows=True)
    group = np.repeat(np.arange(len(systems)), n)
    document = np.tile(np.arange(n), len(systems))
    names: list[tuple[object, ...]] = [(f"{SYSTEM}{i}",) for i in range(len(systems))]
    valued = [values[name] for name in kind.measures]
    rows = CountedRows(document, columns, valued, one_each=True)
    sums = sum_rows(names, group, assign_units(ids), rows)
    return Tally(kind, sums, Parameters(PARAMETERS, None))


def p_value(rule: GateRule, change: Change) -> float:
    return change.p_beyond(rule.excess(change.change))


def new_ids(draw: Generator, documents: int) -> Hashes:
    return draw.integers(0, 2**63, documents, dtype=np.uint64)


def average(night: Tally, rule: GateRule, system: int = 0) -> Estimate:
    return night.average((f"{SYSTEM}{system}",), rule).estimate


def compare(
    now: Tally, before: Tally, rule: GateRule, *, apart: bool = True, system: int = 0
) -> Change:
    averages = [average(night, rule, system) for night in (now, before)]
    change = change_of(averages[0], averages[1:], apart=apart)
    assert change is not None
    return change


Counted = dict[str, np.ndarray[Any, Any]]


def edits(counted: Counted) -> Any:
    """What the similarity divides by, of each document."""
    return counted["misses"] + counted["false_alarms"] + counted["near_misses"] + counted["matches"]


def similarity(counted: Counted, chosen: Any = slice(None)) -> float:
    """Pooled boundary similarity of some documents, as in its paper."""
    wrong = counted["misses"] + counted["false_alarms"] + counted["near_miss_span"] / 2
    return float(1 - wrong[chosen].sum() / edits(counted)[chosen].sum())


class Twin:
    """A night once more: its average without each document, by the document's id."""

    def __init__(self, counted: Counted, ids: Hashes) -> None:
        every = np.arange(len(ids))
        self.value = similarity(counted)
        self.apart = {
            str(name): similarity(counted, every != number)
            for number, name in enumerate(ids.tolist())
        }
        self.variance = naive_jackknife.covariance(self.apart, self.apart)
        weights = dict(enumerate(edits(counted).tolist()))
        named = {str(name): weights[number] for number, name in enumerate(ids.tolist())}
        self.freedom = naive_jackknife.estimate(self.value, self.apart, named).freedom


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_standard_error_equals_the_twin(share: float) -> None:
    """Documents that both nights have are paired by their ids."""
    draw = np.random.default_rng(3)
    n, m = 12, 17
    both = int(n * share)
    ids = new_ids(draw, n + m)
    now_ids, before_ids = ids[:n], np.concatenate([ids[:both], ids[n : n + m - both]])
    now, before = counts(draw, n, 0.6), counts(draw, m, 0.7)
    comparison = compare(
        tally(EQUAL, [now], now_ids), tally(EQUAL, [before], before_ids), EQUAL, apart=not both
    )
    one, other = Twin(now, now_ids), Twin(before, before_ids)
    common = naive_jackknife.covariance(one.apart, other.apart)
    assert (common != 0) == (both > 0)
    assert comparison.change == pytest.approx(one.value - other.value)
    assert comparison.standard_error == pytest.approx(
        sqrt(one.variance + other.variance - 2 * common)
    )
    welch = naive_jackknife.satterthwaite(
        [(one.variance, one.freedom), (other.variance, other.freedom)]
    )
    least = min(one.freedom, other.freedom)
    assert comparison.freedom == pytest.approx(least if both else welch)
    rule = rule_of("boundary_similarity>=-0.05")
    expected = t.sf((-0.05 - comparison.change) / comparison.standard_error, comparison.freedom)
    assert p_value(rule, comparison) == pytest.approx(expected)


def test_the_test_of_means_is_welchs_test() -> None:
    """The macro average is a mean, so this is the test of means."""
    rule = rule_of("macro:boundary_similarity>=-0")
    draw = np.random.default_rng(8)
    now, before = counts(draw, 80, 0.62), counts(draw, 120, 0.66)
    columns = [
        evaluate(PAIRS.only([rule.measure]).measures.values(),
                 {"substitutions": np.zeros(len(night["misses"])),
                  "substitution_span": np.zeros(len(night["misses"])), **night},
                 PARAMETERS, rows=True)[rule.measure]
        for night in (now, before)
    ]  # fmt: skip
    comparison = compare(
        tally(rule, [now], new_ids(draw, 80)), tally(rule, [before], new_ids(draw, 120)), rule
    )
    welch = ttest_ind(*columns, equal_var=False, alternative="less")
    assert comparison.change / comparison.standard_error == pytest.approx(welch.statistic, rel=1e-5)
    assert p_value(rule, comparison) == pytest.approx(welch.pvalue, abs=1e-5)


def test_documents_that_both_nights_scored_are_paired() -> None:
    """With the same scores again, neither difference nor noise exists."""
    draw = np.random.default_rng(1)
    ids, counted = new_ids(draw, 30), counts(draw, 30, 0.7)
    same = tally(EQUAL, [counted], ids)
    comparison = compare(same, same, EQUAL, apart=False)
    assert comparison.change == 0 and comparison.standard_error < 1e-8
    apart = compare(same, tally(EQUAL, [counted], new_ids(draw, 30)), EQUAL)
    assert apart.standard_error > 0.01


@pytest.mark.parametrize("nights", [1, 7])
def test_the_spread_between_nights_is_on_both_sides(nights: int) -> None:
    draw = np.random.default_rng(5)
    tallies = [tally(EQUAL, [counts(draw, 30, 0.7)], new_ids(draw, 30)) for _ in range(nights + 1)]
    now, *before = (average(each, EQUAL) for each in tallies)
    plain = change_of(now, before, apart=True)
    between = BetweenNights(variance=0.0009, sampling=0.0004, freedom=20)
    change = change_of(now, before, apart=True, between=between)
    assert plain is not None
    assert change is not None
    times = 2.0 if nights == 1 else 1 + 0.4587**2
    variance = plain.standard_error**2 + times * 0.0005
    assert change.standard_error**2 == pytest.approx(variance, rel=0.02)
    parts = plain.standard_error**4 / plain.freedom + (times * 0.0009) ** 2 / 20
    assert change.freedom == pytest.approx(variance**2 / parts, rel=0.05)
    none = BetweenNights(variance=0.0003, sampling=0.0004, freedom=20)
    assert change_of(now, before, apart=True, between=none) == plain


def test_without_noise_the_limit_decides() -> None:
    rule = rule_of("pk<=+0.1")
    assert p_value(rule, Change(0.2, 0.0, 3)) == 0
    assert p_value(rule, Change(0.1, 0.0, 3)) == 1
    assert p_value(rule, Change(0.1, 0.02, 3)) == 0.5


def test_unknown_noise_gives_no_p_value() -> None:
    draw = np.random.default_rng(1)
    few, many = (tally(EQUAL, [counts(draw, n, 0.7)], new_ids(draw, n)) for n in (4, 9))
    assert change_of(average(few, EQUAL), [average(many, EQUAL)], apart=True) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_statsmodels(p_values: list[float]) -> None:
    gc.freeze()  # statsmodels collects garbage in every call, which takes a second after many tests
    expected = multipletests(p_values, method="holm")[1].tolist()
    assert holm(p_values) == pytest.approx(expected)


# --- Error rate and power ------------------------------------------------------------------------


def fails(
    draw: Generator, abilities: Sequence[float], then: Sequence[float], rule: GateRule
) -> bool:
    """Return whether the gate of a simulated night fails for any of its systems."""
    nights = []
    for night_abilities in (abilities, then):
        pot = draw.geometric(0.15, DOCUMENTS) + 1
        counted = [counts(draw, DOCUMENTS, ability, pot) for ability in night_abilities]
        nights.append(tally(rule, counted, new_ids(draw, DOCUMENTS)))
    now, before = nights
    p_values = [
        p_value(rule, compare(now, before, rule, system=system)) for system in range(len(abilities))
    ]
    return min(holm(p_values)) <= ALPHA


def share_failed(abilities: Sequence[float], then: Sequence[float], nights: int) -> float:
    draw = np.random.default_rng(5)
    return sum(fails(draw, abilities, then, EQUAL) for _ in range(nights)) / nights


def sampling_error(rate: float, nights: int) -> float:
    """Three standard errors of a share."""
    return 3 * sqrt(rate * (1 - rate) / nights)


@pytest.mark.long
def test_equal_systems_fail_at_the_stated_rate() -> None:
    """docs/method-nights.md states the rate."""
    assert abs(share_failed([0.7], [0.7], NIGHTS) - ALPHA) < sampling_error(ALPHA, NIGHTS)


@pytest.mark.long
def test_the_rate_is_that_of_a_night_however_many_systems() -> None:
    nights = 400
    rate = share_failed([0.7, 0.6, 0.8], [0.7, 0.6, 0.8], nights)
    assert abs(rate - ALPHA) < sampling_error(ALPHA, nights)


# --- The median of several nights ----------------------------------------------------------------


SAMPLES = 200_000


@pytest.mark.parametrize("apart", [True, False])
def test_the_noise_of_a_median_is_that_of_normal_averages(apart: bool) -> None:
    """The averages are drawn with the covariance of the twin, and the median of each sample."""
    draw = np.random.default_rng(9)
    sizes = [14, 9, 12, 11]
    every = new_ids(draw, sum(sizes))
    starts = np.cumsum([0, *sizes]) if apart else [0, 3, 5, 0]
    ids = [every[start : start + n] for start, n in zip(starts, sizes, strict=False)]
    counted = [counts(draw, n, 0.65) for n in sizes]
    nights = [
        average(tally(EQUAL, [night], night_ids), EQUAL)
        for night, night_ids in zip(counted, ids, strict=True)
    ]
    comparison = change_of(nights[0], nights[1:], apart=apart)
    assert comparison is not None
    twins = [Twin(night, night_ids) for night, night_ids in zip(counted, ids, strict=True)]
    covariance = [
        [naive_jackknife.covariance(one.apart, other.apart) for other in twins] for one in twins
    ]
    now, *before = draw.multivariate_normal([twin.value for twin in twins], covariance, SAMPLES).T
    noise = np.var(now - np.median(before, axis=0))
    assert comparison.change == pytest.approx(
        twins[0].value - sorted(twin.value for twin in twins[1:])[1]
    )
    assert comparison.standard_error == pytest.approx(sqrt(noise), rel=0.04)
    freedoms = [twin.freedom for twin in twins[1:]]
    own = twins[0].variance
    welch = naive_jackknife.satterthwaite(
        [(own, twins[0].freedom), (float(noise) - own, sum(freedoms))]
    )
    expected = welch if apart else min(twins[0].freedom, *freedoms)
    assert comparison.freedom == pytest.approx(expected, rel=0.04)


def median_p_values(draw: Generator, abilities: Sequence[float], documents: int) -> list[float]:
    """Simulate nights, the newest first; compare it with the next and the median of the others."""
    now, *before = (
        average(tally(EQUAL, [counts(draw, documents, ability)], new_ids(draw, documents)), EQUAL)
        for ability in abilities
    )
    changes = [change_of(now, others, apart=True) for others in (before[:1], before)]
    return [p_value(EQUAL, change) for change in changes if change is not None]


def median_rates(abilities: Sequence[float], documents: int, nights: int) -> list[float]:
    """Return how often fail: the check of one night, that of the median, and the night."""
    draw = np.random.default_rng(6)
    p_values = [median_p_values(draw, abilities, documents) for _ in range(nights)]
    failed = [[p[0] <= ALPHA, p[-1] <= ALPHA, min(holm(p)) <= ALPHA] for p in p_values]
    return [sum(column) / nights for column in zip(*failed, strict=True)]


@pytest.mark.long
def test_equal_systems_fail_no_more_often_with_a_median() -> None:
    """docs/claims.md states the rates."""
    nights = 300
    single, median, either = median_rates([0.7] * 8, 10, nights)
    for rate in (single, median):
        assert abs(rate - ALPHA) < sampling_error(ALPHA, nights)
    assert either < ALPHA + sampling_error(ALPHA, nights)


@pytest.mark.long
def test_a_slow_decline_is_noticed_by_the_median() -> None:
    """docs/claims.md states the rates."""
    single, median, either = median_rates([0.6 + 0.02 * night for night in range(8)], 60, 250)
    assert single < 0.25 and median > 0.5 and either > 0.4


@pytest.mark.long
def test_the_power_equals_the_theoretical_power() -> None:
    """Power is computed from the spread of a large sample, by linearisation."""
    draw = np.random.default_rng(2)
    drop, variance = 0.0, 0.0
    for ability, sign in ((0.6, 1), (0.7, -1)):
        large = counts(draw, 200_000, ability)
        true = similarity(large)
        right = large["matches"] + large["near_misses"] / 2
        pairs = edits(large)
        variance += np.var(right - true * pairs) / np.mean(pairs) ** 2 / DOCUMENTS
        drop += sign * true
    freedom = 2 * (DOCUMENTS - 1)
    power = nct.cdf(-t.ppf(1 - ALPHA, freedom), freedom, drop / sqrt(variance))
    nights = 600
    share = share_failed([0.6], [0.7], nights)
    print(f"drop {drop:.4f}, power {power:.3f}, found {share:.3f}")
    assert 0.5 < power < 0.99
    assert abs(share - power) < sampling_error(power, nights)
