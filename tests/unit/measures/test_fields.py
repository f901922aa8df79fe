"""Tolerance, WinPR, overlap and the dialogue Score: the passes against the slow twin, and laws."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures import PAIR_FAMILIES, overlap, tolerance, winpr
from segscore.pipeline.measures.prefetch import AT_ONCE
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from tests.oracles import families, naive, naive_fields
from tests.support import passes
from tests.support.passes import Near
from tests.support.strategies import pairs

Pair = tuple[int, list[int], list[int]]
TOLERANCES = st.one_of(st.integers(0, 70), st.just(2**31 - 1))
IOU = st.fractions(0, 1).filter(lambda iou: iou < 1)
F = Fraction


def valued(pair: Pair, near: Near = passes.PLAIN, k: int = 2) -> dict[str, float | None]:
    """All values of one pair."""
    return passes.values(passes.counts(*pair, k, 2, near), edges=near.edges)


def check(found: dict[str, float | None], **expected: Fraction | int | None) -> None:
    """Compare values with exact ones."""
    for name, exact in expected.items():
        assert passes.close(found[name], None if exact is None else F(exact)), name


# --- The passes and the twin ---------------------------------------------------------------------


@given(pairs(), TOLERANCES, st.integers(0, 2))
def test_tolerance_counts_are_those_of_the_twin(pair: Pair, reach: int, edges: int) -> None:
    twin = naive_fields.tolerance_counts(*pair, reach, edges)
    assert passes.tolerance_counts(*pair, Near(reach, edges)) == twin
    assert tuple(tolerance.COUNTS) == naive_fields.TOLERANCE_COUNTS


@given(pairs(), st.integers(1, 70))
def test_winpr_counts_are_those_of_the_twin(pair: Pair, k: int) -> None:
    assert passes.winpr_counts(*pair, k) == naive_fields.winpr_counts(*pair, k)
    assert tuple(winpr.COUNTS) == naive_fields.WINPR_COUNTS


@given(pairs(max_units=30), IOU, st.booleans())
def test_overlap_counts_are_those_of_the_twin(pair: Pair, iou: Fraction, reached: bool) -> None:
    near = Near(tiou=1 - iou if reached else iou, reached=reached)
    twin = naive_fields.overlap_counts(*pair, near.tiou, reached=reached)
    assert passes.overlap_counts(*pair, near) == twin
    assert tuple(overlap.COUNTS) == naive_fields.OVERLAP_COUNTS


def test_a_batch_counts_each_pair_as_if_it_were_alone() -> None:
    """More pairs than are copied at once, in any order."""
    draw = np.random.default_rng(18)
    size = 2 * AT_ONCE + 7
    sides = [sorted(draw.choice(39, draw.integers(0, 39), replace=False) + 1) for _ in range(40)]
    row, other = draw.integers(0, 40, size), draw.integers(0, 40, size)
    both = from_lists(sides), from_lists(sides[::-1])
    batch = pair_rows(*both, row, other, np.full(size, 40))
    k = np.arange(size) % 9 + 1
    counted = tolerance.count(batch, 2, 1), winpr.count(batch, k), overlap.count(batch, F(1, 3))
    near = Near(2, 1, F(1, 3))
    for i in range(0, size, 9):
        pair = 40, sides[row[i]], sides[::-1][other[i]]
        assert counted[0][:, i].tolist() == [*passes.tolerance_counts(*pair, near).values()]
        assert counted[1][:, i].tolist() == [*passes.winpr_counts(*pair, int(k[i])).values()]
        assert counted[2][:, i].tolist() == [*passes.overlap_counts(*pair, near).values()]


# --- Worked examples -----------------------------------------------------------------------------


def test_the_largest_number_of_pairs() -> None:
    pair = 12, [5, 7], [7, 9]
    assert passes.tolerance_counts(*pair, Near(2))["tolerant_matches"] == 2
    check(valued(pair, Near(2)), tolerant_precision=1, tolerant_recall=1, tolerant_f1=1, f1=F(1, 2))


def test_one_to_one_and_in_reach() -> None:
    found = valued((60, [30], list(range(26, 36))), Near(5))
    check(found, tolerant_precision=F(1, 10), tolerant_recall=1, tolerant_f1=F(2, 11))
    check(found, reach_precision=1, reach_recall=1, reach_f1=1)
    check(found, over_segmentation=9, count_error=9, perfect_share=0)
    assert found["r_value"] == pytest.approx(1 - (9 + 9 / sqrt(2)) / 2, abs=1e-12)


def test_edges() -> None:
    pair = 30, [2], [15]
    tolerant = ("tolerant_precision", "tolerant_recall", "tolerant_f1")
    reach = ("reach_precision", "reach_recall", "reach_f1")
    expected: list[tuple[list[Fraction], list[Fraction]]] = [
        ([F(0)] * 3, [F(0)] * 3),
        ([F(1, 2)] * 3, [F(1, 2), F(1), F(2, 3)]),
        ([F(2, 3)] * 3, [F(2, 3), F(1), F(4, 5)]),
    ]
    for edges, (paired, near) in enumerate(expected):
        found = valued(pair, Near(3, edges))
        check(found, **dict(zip(tolerant, paired, strict=True)))
        check(found, **dict(zip(reach, near, strict=True)))


def test_winpr_and_the_dialogue_score() -> None:
    third = F(2, 3)
    one = valued((12, [6], [5]), k=3)
    check(one, winpr_precision=third, winpr_recall=third, winpr_f1=third)
    assert passes.winpr_counts(12, [6], [], 3) == dict(zip(winpr.COUNTS, (0, 0, 3), strict=True))
    check(valued((12, [6], []), k=3), winpr_precision=None, winpr_recall=0, winpr_f1=0)
    kubla = 11, [2, 5], [2, 4]
    assert [*passes.winpr_counts(*kubla, 2).values()] == [3, 1, 1]
    quarter = F(3, 4)
    check(valued(kubla), winpr_precision=quarter, winpr_recall=quarter, winpr_f1=quarter)
    check(valued(kubla), dialseg_score=F(23, 36))
    check(valued((11, [], [])), dialseg_score=F(1, 2))
    check(valued((2, [1], [1])), dialseg_score=None)


def test_overlaps() -> None:
    kubla = 11, [2, 5], [2, 4]
    found = valued(kubla)
    counted = passes.overlap_counts(*kubla)
    assert counted["tiou_hits"] == 22
    assert [counted[name] for name in naive_fields.PAIRS_OF_UNITS] == [17, 2, 6, 30]
    check(found, coverage=F(10, 11), purity=F(10, 11), tiou_mean_f1=F(11, 15))
    assert found["alignment"] == pytest.approx(float(F(53, 63)), abs=2.0**-40)
    check(found, pair_precision=F(17, 23), pair_recall=F(17, 19), pair_f1=F(17, 21))
    check(found, rand=F(47, 55), adjusted_rand=F(249, 359))


def test_overlaps_with_no_hypothesis_boundary() -> None:
    pair: Pair = 12, [4, 8], []
    found = valued(pair)
    check(found, coverage=1, purity=F(1, 3), purity_coverage_f1=F(1, 2), tiou_f1=0)
    lower = Near(tiou=F(3, 10))
    check(valued(pair, lower), tiou_precision=1, tiou_recall=1, tiou_f1=1)
    counted = passes.overlap_counts(*pair, lower)
    assert (counted["tiou_references"], counted["tiou_hypotheses"]) == (3, 1)
    assert [counted[name] for name in naive_fields.PAIRS_OF_UNITS] == [18, 0, 48, 0]
    assert found["alignment"] == pytest.approx(1 / 3, abs=2.0**-40)
    check(found, pair_precision=F(3, 11), pair_recall=1, pair_f1=F(3, 7))
    check(found, rand=F(3, 11), adjusted_rand=0)


def test_alignment_takes_the_leftmost_and_is_not_reversible() -> None:
    forwards, backwards = valued((6, [1, 3], [2, 4])), valued((6, [3, 5], [2, 4]))
    assert forwards["alignment"] == pytest.approx(11 / 24, abs=2.0**-40)
    assert backwards["alignment"] == pytest.approx(1 / 2, abs=2.0**-40)


@pytest.mark.parametrize(
    ("pair", "name", "undefined"),
    [
        ((9, [3], []), "tolerant_precision", True),
        ((9, [3], []), "tolerant_f1", False),
        ((9, [], [3]), "r_value", True),
        ((9, [], [3]), "reach_f1", False),
        ((9, [], []), "tolerant_f1", True),
        ((9, [], []), "reach_f1", True),
        ((9, [], []), "winpr_f1", True),
        ((1, [], []), "rand", True),
        ((1, [], []), "adjusted_rand", False),
        ((3, [1, 2], [1, 2]), "pair_f1", True),
        ((3, [1, 2], [1, 2]), "adjusted_rand", False),
    ],
)
def test_where_a_value_is_undefined(pair: Pair, name: str, undefined: bool) -> None:
    assert (valued(pair)[name] is None) == undefined


# --- Laws ----------------------------------------------------------------------------------------


@given(pairs())
def test_without_tolerance_the_values_are_those_of_exact_matches(pair: Pair) -> None:
    found = valued(pair)
    for name in ("precision", "recall", "f1"):
        exact = found[name]
        assert passes.close(found[f"tolerant_{name}"], None if exact is None else F(exact))


@given(pairs(), st.integers(1, 7))
def test_no_pairing_of_edits_has_more_pairs(pair: Pair, n_t: int) -> None:
    tolerant = passes.tolerance_counts(*pair, Near(n_t - 1))["tolerant_matches"]
    for found in (naive.edit_counts(*pair, n_t), naive.optimal_edit_counts(*pair, n_t)):
        assert found["matches"] + found["near_misses"] <= tolerant


@given(pairs(), st.integers(0, 60), st.integers(0, 2))
def test_counts_grow_with_the_tolerance(pair: Pair, reach: int, edges: int) -> None:
    names = ("tolerant_matches", "references_in_reach", "hypotheses_in_reach")
    one, more = (passes.tolerance_counts(*pair, Near(t, edges)) for t in (reach, reach + 1))
    assert all(one[name] <= more[name] for name in names)
    matches, *in_reach = (one[name] for name in names)
    assert matches <= min(in_reach)
    assert (in_reach[0] == 0) == (in_reach[1] == 0)
    without = passes.tolerance_counts(*pair, Near(reach))["tolerant_matches"]
    assert matches == without + edges


@given(pairs(), st.integers(0, 2))
def test_a_tolerance_as_long_as_the_document_pairs_all_it_can(pair: Pair, edges: int) -> None:
    n_units, reference, hypothesis = pair
    found = passes.tolerance_counts(*pair, Near(n_units, edges))
    assert found["tolerant_matches"] == min(len(reference), len(hypothesis)) + edges


@given(pairs(), st.integers(1, 70))
def test_winpr_weighs_each_boundary_k_times(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    found = passes.winpr_counts(*pair, k)
    assert found["winpr_tp"] + found["winpr_fn"] == k * len(reference)
    assert found["winpr_tp"] + found["winpr_fp"] == k * len(hypothesis)
    apart = sum(abs(r - h) for r, h in naive.edge_windows(n_units, reference, hypothesis, k))
    assert found["winpr_fp"] + found["winpr_fn"] == apart


@given(pairs(max_units=30), st.fractions(F(1, 2), F(99, 100)))
def test_from_one_half_on_partners_are_one_to_one(pair: Pair, iou: Fraction) -> None:
    found = passes.overlap_counts(*pair, Near(tiou=iou))
    assert found["tiou_references"] == found["tiou_hypotheses"]


@given(pairs(max_units=30))
def test_the_other_way_round_coverage_is_purity(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    other = passes.overlap_counts(n_units, hypothesis, reference)
    assert passes.overlap_counts(*pair)["coverage_overlap"] == other["purity_overlap"]


@given(pairs(max_units=30))
def test_mean_tiou_is_the_mean_over_thresholds(pair: Pair) -> None:
    over = [valued(pair, Near(tiou=t))["tiou_f1"] or 0 for t in naive_fields.TIOU_THRESHOLDS]
    assert valued(pair)["tiou_mean_f1"] == pytest.approx(sum(over) / 10, abs=1e-12)


# --- Large numbers -------------------------------------------------------------------------------


def test_the_longest_documents() -> None:
    """Pairs of units are below 2^61, and their products do not wrap around."""
    n_units = 2**31 - 1
    half = n_units // 2
    found = valued((n_units, [half], [half + 1]), Near(n_units, 2), k=2**31 - 1)
    check(found, tolerant_f1=1, reach_f1=1)
    one, other = half, n_units - half
    a = one * (one - 1) // 2 + (other - 1) * (other - 2) // 2
    pairs_of_units = [a, other - 1, one, n_units * (n_units - 1) // 2 - a - other + 1 - one]
    counted = passes.overlap_counts(n_units, [half], [half + 1])
    assert [counted[name] for name in naive_fields.PAIRS_OF_UNITS] == pairs_of_units
    exact = naive_fields.adjusted_rand(*pairs_of_units, per_row=True)
    assert passes.close(found["adjusted_rand"], exact)


def test_a_boundary_at_the_first_of_many_units() -> None:
    """Where the usual form of the adjusted Rand index loses its digits."""
    n_units = 10**9
    counted = passes.overlap_counts(n_units, [1], [2])
    a, b, c, d = (counted[name] for name in naive_fields.PAIRS_OF_UNITS)
    exact = naive_fields.adjusted_rand(a, b, c, d, per_row=True)
    assert exact is not None
    found = valued((n_units, [1], [2]))["adjusted_rand"]
    assert found == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("reached", [False, True])
@given(
    st.one_of(st.fractions(0, 1, max_denominator=10**40), st.fractions(0, 1, max_denominator=9)),
    st.integers(1, 2**31 - 1),
    st.data(),
)
def test_thresholds_in_64_bits_pass_the_same_values(
    reached: bool, iou: Fraction, union: int, data: st.DataObject
) -> None:
    if reached and iou == 0:
        return  # not a threshold that can be chosen
    numerator, denominator = overlap.threshold_of(iou, reached=reached)
    assert 0 <= numerator <= denominator < 2**31
    near = int(iou * union)
    for shared in (near - 1, near, near + 1, data.draw(st.integers(0, union))):
        value = F(shared, union)
        passes_it = value > iou or (reached and value == iou)
        assert passes_it == (denominator * shared > numerator * union)


def test_covering_exact_segments_and_b_cubed_by_hand() -> None:
    """N 12: segments 4, 4, 4 against 4, 6, 2, whose overlaps are 4, 4, 2 and 2."""
    found = valued((12, [4, 8], [4, 10]))
    check(
        found,
        covering=F(4 + 4 * F(4, 6) + 4 * F(2, 4), 12),
        exact_precision=F(1, 3),
        exact_recall=F(1, 3),
        exact_f1=F(1, 3),
    )
    precision = F(4 + F(16, 6) + F(4, 6) + 2, 12)
    recall = F(4 + 4 + 1 + 1, 12)
    f1 = 2 * precision * recall / (precision + recall)
    check(found, bcubed_precision=precision, bcubed_recall=recall, bcubed_f1=f1)


@given(pairs(max_units=30))
def test_the_other_way_round_recall_is_precision(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    found, other = valued(pair), valued((n_units, hypothesis, reference))
    for name in ("exact", "bcubed"):
        assert found[f"{name}_recall"] == other[f"{name}_precision"]
        assert found[f"{name}_f1"] == pytest.approx(other[f"{name}_f1"], abs=1e-12)


@given(pairs(max_units=30))
def test_exact_segments_are_those_with_an_iou_that_reaches_1(pair: Pair) -> None:
    found = passes.overlap_counts(*pair, Near(tiou=F(1), reached=True))
    assert found["exact_segments"] == found["tiou_references"] == found["tiou_hypotheses"]


def test_the_longest_documents_do_not_overflow() -> None:
    found = valued((2**31 - 1, [2**30], [2**30 + 1, 2**31 - 2]))
    check(found, exact_f1=0)
    for name in ("covering", "bcubed_f1"):
        value = found[name]
        assert value is not None
        assert value == pytest.approx(1, abs=1e-8)
        assert value < 1


@given(pairs(max_units=25), st.integers(1, 9), st.integers(1, 5))
def test_every_family_has_a_twin_that_counts_alike(pair: Pair, k: int, n_t: int) -> None:
    counting = families.Counting(k, n_t, tolerance=1, tiou=F(1, 3))
    for family, module in PAIR_FAMILIES.items():
        exact = families.TWINS[family].count(pair, counting)
        counted = passes.family_counts(family, pair, counting)
        assert list(counted) == list(module.COUNTS)
        assert counted.keys() >= exact.keys()
        for name, count in exact.items():
            slack = len(pair[1]) + 1 if name.startswith("story_") else 0
            assert abs(counted[name] - count) <= slack, name
