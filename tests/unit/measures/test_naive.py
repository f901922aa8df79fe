"""Is the slow twin right? Against other code, published figures, hand calculations and laws."""

import importlib
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.oracles import families, naive
from tests.support.notations import mask, masses, type_sets
from tests.support.strategies import Typed, lengths, pairs, panels, segmentations, typed_pairs

# Both are unannotated, and both are needed: if one is missing, this must fail, not skip.
segeval: Any = importlib.import_module("segeval")
nltk: Any = importlib.import_module("nltk.metrics.segmentation")

Pair = tuple[int, list[int], list[int]]
TypedPair = tuple[int, Typed, Typed, tuple[int, ...]]
Panel = tuple[int, list[list[int]], list[int]]

HALF = Fraction(1, 2)
WINDOWS = st.integers(1, 12)
N_T = st.integers(1, 6)


def reversed_boundaries(n_units: int, boundaries: Sequence[int]) -> list[int]:
    """The same segmentation of the text read backwards."""
    return sorted(n_units - position for position in boundaries)


def cost(counts: dict[str, int], n_t: int, types: Sequence[int] = (1,)) -> Fraction:
    """What boundary edit distance minimises."""
    return (
        counts["misses"]
        + counts["false_alarms"]
        + Fraction(counts["near_miss_span"], n_t)
        + Fraction(counts["substitution_span"], max(types) - min(types) + 1)
    )


def segeval_counts(reference: object, hypothesis: object, n_t: int) -> dict[str, int]:
    """Return segeval's edits between two boundary strings, under our names."""
    additions, substitutions, near = segeval.boundary_edit_distance(reference, hypothesis, n_t=n_t)
    return {
        "near_misses": len(near),
        "near_miss_span": sum(abs(start - end) for start, end, _ in near),
        "misses": sum(side == "a" for _, side in additions),
        "false_alarms": sum(side == "b" for _, side in additions),
        "substitutions": len(substitutions),
        "substitution_span": sum(abs(a - b) for a, b in substitutions),
    }


# --- Window measures -----------------------------------------------------------------------------


@given(pairs(), WINDOWS)
def test_pk_equals_segeval(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    errors, measured = segeval.pk(
        masses(n_units, hypothesis), masses(n_units, reference), window_size=k, return_parts=True
    )
    counts = naive.window_counts(n_units, reference, hypothesis, k)
    assert counts["pk_misses"] + counts["pk_false_alarms"] == errors
    assert counts["windows"] == measured


@given(pairs(), WINDOWS)
def test_window_diff_equals_segeval(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    assume(n_units > k)
    errors, measured = segeval.window_diff(
        masses(n_units, hypothesis), masses(n_units, reference), window_size=k, return_parts=True
    )
    counts = naive.window_counts(n_units, reference, hypothesis, k)
    assert counts["wd_misses"] + counts["wd_false_alarms"] == errors
    assert counts["windows"] == measured


@given(pairs(), WINDOWS)
def test_edge_errors_equal_segeval(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    errors, one_too_many = segeval.window_diff(
        masses(n_units, hypothesis),
        masses(n_units, reference),
        window_size=k,
        return_parts=True,
        lamprier_et_al_2007_fix=True,
    )
    counts = naive.window_counts(n_units, reference, hypothesis, k)
    assert counts["edge_errors"] == errors
    assert counts["edge_windows"] == n_units + k == one_too_many - 1


@given(segmentations())
def test_window_size_equals_segeval(segmentation: tuple[int, list[int]]) -> None:
    n_units, boundaries = segmentation
    expected = segeval.compute_window_size(masses(n_units, boundaries))
    assert naive.window_size(n_units, len(boundaries) + 1) == expected


@given(pairs(), WINDOWS)
def test_windows_equal_nltk(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    assume(n_units > k)
    r, h = mask(n_units, reference), mask(n_units, hypothesis)
    values = families.values(naive.window_counts(n_units, reference, hypothesis, k), per_row=True)
    assert values["pk"] == pytest.approx(nltk.pk(r, h, k))
    assert values["window_diff"] == pytest.approx(nltk.windowdiff(r, h, k))
    weighted = nltk.windowdiff(r, h, k, weighted=True)
    assert values["window_diff_weighted"] == pytest.approx(weighted)


@given(st.integers(1, 10_000), st.integers(1, 500))
def test_window_size_in_integers(n_units: int, segments: int) -> None:
    q, r = divmod(n_units, 2 * segments)
    half_even = max(2, q + (r > segments or (r == segments and q % 2 == 1)))
    half_up = max(2, q + (r >= segments))
    assert naive.window_size(n_units, segments) == half_even
    assert naive.window_size(n_units, segments, "half-up") == half_up


@pytest.mark.parametrize(
    ("n_units", "segments", "half_even", "half_up"),
    [(5, 1, 2, 3), (7, 1, 4, 4), (9, 1, 4, 5), (18, 2, 4, 5), (11, 3, 2, 2), (1, 1, 2, 2)],
)
def test_window_size_by_hand(n_units: int, segments: int, half_even: int, half_up: int) -> None:
    assert naive.window_size(n_units, segments) == half_even
    assert naive.window_size(n_units, segments, "half-up") == half_up


def test_window_counts_by_hand() -> None:
    # r: 1 2 1 0 0 0 and h: 0 1 1 1 1 1 in the windows 12, 23, 34, 45, 56, 67.
    assert naive.window_counts(8, [2, 3], [3, 5, 7], 2) == {
        "windows": 6,
        "reference_windows": 3,
        "pk_misses": 1,
        "pk_false_alarms": 3,
        "wd_misses": 2,
        "wd_false_alarms": 3,
        "pk_prime_misses": 2,
        "pk_prime_false_alarms": 3,
        "wd_absolute": 5,
        # Further windows: 1 (0, 0), 7 (0, 1), and one phantom window on either side.
        "edge_windows": 10,
        "edge_errors": 6,
    }


def test_window_values_by_hand() -> None:
    counts = naive.window_counts(8, [2, 3], [3, 5, 7], 2)
    values = families.values(counts, p_seg=Fraction(1, 4), cost_miss=Fraction(3, 4), per_row=True)
    assert values == {
        "pk": Fraction(4, 6),
        "pk_miss_rate": Fraction(1, 3),
        "pk_false_alarm_rate": 1,
        "pk_prior": Fraction(1, 3) * Fraction(1, 4) + Fraction(3, 4),
        "pk_prime": Fraction(2, 3) * Fraction(1, 4) + Fraction(3, 4),
        "pk_prime_miss_rate": Fraction(2, 3),
        "pk_prime_false_alarm_rate": 1,
        "window_diff": Fraction(5, 6),
        "window_diff_miss": Fraction(2, 6),
        "window_diff_false_alarm": Fraction(3, 6),
        "window_diff_weighted": Fraction(5, 6),
        "pr_miss": Fraction(2, 3),
        "pr_false_alarm": Fraction(3, 6),
        "pr_error": Fraction(3, 4) * Fraction(2, 3) + Fraction(1, 4) * Fraction(3, 6),
        "c_seg": Fraction(1, 4) * Fraction(1, 3) + Fraction(3, 10) * Fraction(3, 4),
        "c_seg_normalised": (Fraction(1, 12) + Fraction(9, 40)) / Fraction(9, 40),
        "window_diff_edges": Fraction(6, 10),
    }


def test_without_a_prior_its_formulas_are_undefined() -> None:
    values = families.values(naive.window_counts(8, [2, 3], [3, 5, 7], 2), per_row=True)
    undefined = {name for name, value in values.items() if value is None}
    assert undefined == {"pk_prior", "pk_prime", "c_seg", "c_seg_normalised"}


def test_without_a_reference_boundary_a_miss_rate_is_undefined_even_at_no_weight() -> None:
    counts = naive.window_counts(8, [], [3, 5], 2)
    values = families.values(counts, p_seg=Fraction(0), cost_miss=Fraction(0), per_row=True)
    undefined = {name for name, value in values.items() if value is None}
    assert undefined == {
        *("pk_miss_rate", "pk_prior", "pk_prime_miss_rate", "pk_prime"),
        *("pr_miss", "pr_error", "c_seg", "c_seg_normalised"),
    }
    assert values["pr_false_alarm"] == Fraction(4, 6)


def test_no_window_fits_and_only_the_edge_corrected_value_is_defined() -> None:
    values = families.values(naive.window_counts(3, [1], [2], 3), p_seg=HALF, per_row=True)
    assert {name for name, value in values.items() if value is not None} == {"window_diff_edges"}
    assert values["window_diff_edges"] == Fraction(2, 6)


@hypothesis_settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(pairs(), WINDOWS)
def test_a_prior_from_the_same_document_gives_pk_and_window_diff(pair: Pair, k: int) -> None:
    counts = naive.window_counts(*pair, k)
    values = families.values(counts, p_seg=naive.p_seg([counts]), per_row=True)
    assume(0 < counts["reference_windows"] < counts["windows"])
    assert values["pk_prior"] == values["pk"]
    assert values["pk_prime"] == values["window_diff"]


@hypothesis_settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(segmentations(), WINDOWS, st.fractions(0, 1))
def test_pr_error_of_the_two_blind_systems(
    segmentation: tuple[int, list[int]], k: int, cost_miss: Fraction
) -> None:
    n_units, reference = segmentation
    counts = naive.window_counts(n_units, reference, [], k)
    assume(counts["reference_windows"] > 0)
    assert families.values(counts, cost_miss=cost_miss, per_row=True)["pr_error"] == cost_miss
    assume(all(r < k for r, _ in naive.windows(n_units, reference, [], k)))
    everywhere = naive.window_counts(n_units, reference, range(1, n_units), k)
    values = families.values(everywhere, cost_miss=cost_miss, per_row=True)
    assert values["pr_error"] == 1 - cost_miss
    assert values["window_diff"] == 1


def test_p_seg_is_pooled_and_not_a_mean_of_means() -> None:
    rows = [naive.window_counts(8, [2, 3], [], 2), naive.window_counts(12, [], [], 2)]
    assert naive.p_seg(rows) == Fraction(3 + 0, 6 + 10)
    assert naive.p_seg([naive.window_counts(1, [], [], 2)]) is None


def test_words_by_hand() -> None:
    # The positions become 0, 2, 2 and 5 of 5 words, so only one boundary remains.
    assert naive.in_words(5, [1, 2, 3, 4], [0, 2, 0, 3, 0]) == (5, [2], 3)
    assert naive.in_words(3, [1, 2], [4, 1, 2]) == (7, [4, 5], 0)


@given(segmentations(), st.data())
def test_words_are_the_units_repeated(
    segmentation: tuple[int, list[int]], data: st.DataObject
) -> None:
    n_units, boundaries = segmentation
    words = data.draw(lengths(n_units))
    total, mapped, collapsed = naive.in_words(n_units, boundaries, words)
    segment_numbers = [
        number
        for number, segment in enumerate(naive.segments(n_units, boundaries))
        for unit in segment
        for _ in range(words[unit])
    ]
    changes = [w for w in range(1, total) if segment_numbers[w - 1] != segment_numbers[w]]
    assert (total, mapped) == (len(segment_numbers), changes)
    assert collapsed == len(boundaries) - len(changes)


# --- Edit measures -------------------------------------------------------------------------------


@given(pairs(), N_T)
def test_edit_counts_equal_segeval(pair: Pair, n_t: int) -> None:
    n_units, reference, hypothesis = pair
    expected = segeval_counts(
        segeval.boundary_string_from_masses(masses(n_units, reference)),
        segeval.boundary_string_from_masses(masses(n_units, hypothesis)),
        n_t,
    )
    assert naive.edit_counts(n_units, reference, hypothesis, n_t) == expected | {
        "matches": len(set(reference) & set(hypothesis)),
        "potential_boundaries": n_units - 1,
    }


@given(pairs(), N_T)
def test_similarities_equal_segeval(pair: Pair, n_t: int) -> None:
    n_units, reference, hypothesis = pair
    # segeval raises ValueError where neither has a boundary.
    assume(reference or hypothesis)
    values = families.values(
        naive.edit_counts(n_units, reference, hypothesis, n_t), n_t=n_t, per_row=True
    )
    both = masses(n_units, hypothesis), masses(n_units, reference)
    b, s = values["boundary_similarity"], values["segmentation_similarity"]
    assert b == pytest.approx(Fraction(segeval.boundary_similarity(*both, n_t=n_t)))
    assert s == pytest.approx(Fraction(segeval.segmentation_similarity(*both, n_t=n_t)))


@given(typed_pairs(), N_T)
def test_typed_edit_counts_equal_segeval(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, types = pair
    expected = segeval_counts(type_sets(n_units, reference), type_sets(n_units, hypothesis), n_t)
    assert naive.typed_edit_counts(n_units, reference, hypothesis, types, n_t) == expected | {
        "matches": len(set(reference) & set(hypothesis)),
        "potential_boundaries": (n_units - 1) * len(types),
    }


@given(typed_pairs(), N_T)
def test_typed_boundary_similarity_equals_segeval(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, _ = pair
    # segeval weighs a substitution by the types of the pair, so these are declared here.
    types = sorted({t for _, t in [*reference, *hypothesis]})
    assume(types)
    counts = naive.typed_edit_counts(n_units, reference, hypothesis, types, n_t)
    values = families.values(counts, n_t=n_t, types=types, per_row=True)
    expected = segeval.boundary_similarity(
        type_sets(n_units, hypothesis),
        type_sets(n_units, reference),
        n_t=n_t,
        boundary_format=segeval.BoundaryFormat.sets,
    )
    assert values["boundary_similarity"] == pytest.approx(Fraction(expected))


@given(pairs(), N_T)
def test_one_type_is_the_untyped_measure(pair: Pair, n_t: int) -> None:
    n_units, reference, hypothesis = pair
    typed = [(p, 1) for p in reference], [(p, 1) for p in hypothesis]
    assert naive.typed_edits(n_units, *typed, (1,), n_t) == naive.edits(*pair, n_t)


@given(typed_pairs(), N_T)
def test_every_boundary_is_in_exactly_one_edit(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, types = pair
    for pairing in (naive.typed_edits, naive.typed_optimal_edits):
        edits = pairing(n_units, reference, hypothesis, types, n_t)
        ends = [(e.position, e.type) for e in edits if e.position is not None]
        other_ends = [(e.other_position, e.other_type) for e in edits if e.other_type is not None]
        assert sorted(ends) == reference
        assert sorted(other_ends) == hypothesis
        assert all(1 <= e.span < n_t for e in edits if e.kind == "near_miss")
        assert all(e.span == 0 < e.type_span for e in edits if e.kind == "substitution")


def test_the_greedy_order_by_hand() -> None:
    # Distance 1 first: 4 and 5 are paired, which leaves 3 and 6 at distance 3, across them.
    crossed = [
        naive.Edit("near_miss", 3, 6, 1, 1),
        naive.Edit("near_miss", 4, 5, 1, 1),
    ]
    assert naive.edits(9, [3, 4], [5, 6], 4) == crossed
    assert naive.edits(9, [3, 4], [5, 6], 3) == [
        naive.Edit("miss", 3, None, 1, None),
        crossed[1],
        naive.Edit("false_alarm", None, 6, None, 1),
    ]
    # From left to right: 4 is paired with the 3 before it, not with the 5 after it.
    assert naive.edits(9, [4], [3, 5], 2)[0] == naive.Edit("near_miss", 4, 3, 1, 1)


def test_the_optimal_pairing_by_hand() -> None:
    assert naive.optimal_edits(9, [3, 4], [5, 6], 3) == [
        naive.Edit("near_miss", 3, 5, 1, 1),
        naive.Edit("near_miss", 4, 6, 1, 1),
    ]
    # 3-5 with 4-6 and 3-6 with 4-5 cost the same; the leftmost pair ends further left.
    assert naive.optimal_edits(9, [3, 4], [5, 6], 4)[0] == naive.Edit("near_miss", 3, 5, 1, 1)
    assert naive.optimal_edits(9, [4], [3, 5], 2)[0] == naive.Edit("near_miss", 4, 3, 1, 1)


def test_two_substitutions_go_before_a_near_miss() -> None:
    reference, hypothesis = [(3, 2), (4, 1)], [(3, 1), (4, 2)]
    assert naive.typed_edits(6, reference, hypothesis, (1, 2)) == [
        naive.Edit("substitution", 3, 3, 2, 1),
        naive.Edit("substitution", 4, 4, 1, 2),
    ]
    # One substitution alone does not refuse it: the other end is unambiguous.
    assert naive.typed_edits(6, [(3, 2)], [(3, 1), (4, 2)], (1, 2)) == [
        naive.Edit("false_alarm", None, 3, None, 1),
        naive.Edit("near_miss", 3, 4, 2, 2),
    ]


def test_a_type_used_by_a_near_miss_cannot_be_substituted() -> None:
    # At 3 types 1 and 2 could be confused, until the near miss at 2-3 has used type 1.
    reference, hypothesis = [(3, 1), (4, 2)], [(2, 1), (3, 2), (4, 3)]
    assert naive.typed_edits(6, reference, hypothesis, (1, 2, 3)) == [
        naive.Edit("near_miss", 3, 2, 1, 1),
        naive.Edit("near_miss", 4, 3, 2, 2),
        naive.Edit("false_alarm", None, 4, None, 3),
    ]


def test_substitutions_differ_as_little_as_possible() -> None:
    assert naive.least_substitutions(frozenset({1, 4}), frozenset({3})) == [(4, 3)]
    assert naive.least_substitutions(frozenset({1, 3}), frozenset({2})) == [(1, 2)]
    assert naive.least_substitutions(frozenset({1, 2}), frozenset({3, 4})) == [(1, 3), (2, 4)]
    assert naive.least_substitutions(frozenset(), frozenset({3})) == []


@given(typed_pairs(max_units=6), N_T)
def test_optimal_is_the_best_of_all_sets_of_pairs(pair: TypedPair, n_t: int) -> None:
    n_units, all_reference, all_hypothesis, types = pair
    reference, hypothesis = all_reference[:5], all_hypothesis[:5]
    unmatched = [end for end in reference if end not in hypothesis]
    right = [end for end in hypothesis if end not in reference]
    near = {(a, b) for a in unmatched for b in right if a[1] == b[1] and abs(a[0] - b[0]) < n_t}
    possible = [(a, b) for a in unmatched for b in right if (a, b) in near or a[0] == b[0]]
    type_range = types[-1] - types[0] + 1

    def price(chosen: tuple[tuple[tuple[int, int], tuple[int, int]], ...]) -> tuple[Fraction, int]:
        alone = len(unmatched) + len(right) - 2 * len(chosen)
        distances = sum(abs(a[0] - b[0]) for a, b in chosen)
        types_apart = sum(abs(a[1] - b[1]) for a, b in chosen)
        paired = Fraction(distances, n_t) + Fraction(types_apart, type_range)
        return alone + paired, sum(both in near for both in chosen)

    best = min(
        price(chosen)
        for size in range(min(len(unmatched), len(right)) + 1)
        for chosen in combinations(possible, size)
        if len({a for a, _ in chosen}) == len({b for _, b in chosen}) == size
    )
    counts = naive.typed_optimal_edit_counts(n_units, reference, hypothesis, types, n_t)
    assert (cost(counts, n_t, types), counts["near_misses"]) == best


def test_two_full_misses_can_be_cheaper_than_three_far_near_misses() -> None:
    # 5/6 three times, or 1/6 twice and two unpaired boundaries.
    assert naive.optimal_edits(20, [1, 7, 13], [6, 12, 18], 6) == [
        naive.Edit("miss", 1, None, 1, None),
        naive.Edit("near_miss", 7, 6, 1, 1),
        naive.Edit("near_miss", 13, 12, 1, 1),
        naive.Edit("false_alarm", None, 18, None, 1),
    ]


@given(pairs(max_units=30), N_T)
def test_optimal_reads_the_same_backwards_and_greedy_equals_it_at_two(pair: Pair, n_t: int) -> None:
    n_units, reference, hypothesis = pair
    optimal = naive.optimal_edit_counts(n_units, reference, hypothesis, n_t)
    reference_backwards = reversed_boundaries(n_units, reference)
    hypothesis_backwards = reversed_boundaries(n_units, hypothesis)
    assert optimal == naive.optimal_edit_counts(
        n_units, reference_backwards, hypothesis_backwards, n_t
    )
    greedy = naive.edit_counts(n_units, reference, hypothesis, n_t)
    assert cost(optimal, n_t) <= cost(greedy, n_t)
    if n_t <= 2:
        assert optimal == greedy


@given(typed_pairs(), N_T)
def test_typed_optimal_is_never_dearer_than_greedy(pair: TypedPair, n_t: int) -> None:
    *_, types = pair
    optimal = naive.typed_optimal_edit_counts(*pair, n_t)
    greedy = naive.typed_edit_counts(*pair, n_t)
    assert optimal["matches"] == greedy["matches"]
    assert cost(optimal, n_t, types) <= cost(greedy, n_t, types)


def test_typed_optimal_weighs_pairs_that_greedy_forbids() -> None:
    # Greedy makes two substitutions of weight 2/3 each, the best are two near misses of 1/2.
    reference, hypothesis = [(3, 3), (4, 1)], [(3, 1), (4, 3)]
    assert [e.kind for e in naive.typed_edits(6, reference, hypothesis, (1, 2, 3))] == [
        "substitution",
        "substitution",
    ]
    assert naive.typed_optimal_edits(6, reference, hypothesis, (1, 2, 3)) == [
        naive.Edit("near_miss", 4, 3, 1, 1),
        naive.Edit("near_miss", 3, 4, 3, 3),
    ]


def test_optimal_takes_the_fewest_near_misses_where_costs_are_equal() -> None:
    # Two near misses and two substitutions cost 1/2 each, all four.
    assert naive.typed_optimal_edits(6, [(3, 2), (4, 1)], [(3, 1), (4, 2)], (1, 2)) == [
        naive.Edit("substitution", 3, 3, 2, 1),
        naive.Edit("substitution", 4, 4, 1, 2),
    ]
    # 3/4 four times, or 1/4, 1/4 and 2/4 and two unpaired boundaries.
    counts = naive.optimal_edit_counts(20, [1, 5, 9, 14], [4, 8, 12, 17], 4)
    assert (counts["near_misses"], counts["near_miss_span"]) == (3, 4)


def test_near_misses_reach_both_ends_of_the_text() -> None:
    assert naive.edit_counts(5, [1, 4], [2, 3])["near_misses"] == 2
    assert naive.edit_counts(3, [1], [2])["near_misses"] == 1
    ends = naive.typed_edit_counts(5, [(1, 1), (4, 1)], [(2, 1), (3, 1)], (1,))
    assert ends["near_misses"] == 2


@given(typed_pairs(), N_T)
def test_the_class_confusion_adds_up_to_the_two_class_one(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, types = pair
    edits = naive.typed_edits(n_units, reference, hypothesis, types, n_t)
    matrix = naive.class_confusion(edits, n_t=n_t, types=types)
    counts = naive.typed_edit_counts(n_units, reference, hypothesis, types, n_t)
    values = families.values(counts, n_t=n_t, types=types, per_row=True)
    sums = dict.fromkeys(("b_tp", "b_fp", "b_fn"), Fraction(0))
    for (actual, predicted), credit in matrix.items():
        name = "b_fp" if actual is None else "b_fn" if predicted is None else "b_tp"
        sums[name] += credit
    assert sums.items() <= values.items()
    assert values["b_tn"] == counts["potential_boundaries"] - sum(sums.values())


@given(pairs(), N_T)
def test_exact_scores_are_b_scores_without_near_misses(pair: Pair, n_t: int) -> None:
    values = families.values(naive.edit_counts(*pair, n_t), n_t=n_t, per_row=True)
    strict = families.values(naive.edit_counts(*pair, 1), n_t=1, per_row=True)
    for name in ("precision", "recall", "f1"):
        assert values[name] == strict[name] == strict[f"b_{name}"]


def test_similarity_of_a_row_without_decisions_is_1() -> None:
    one_unit = naive.edit_counts(1, [], [])
    row = families.values(one_unit, per_row=True)
    pooled = families.values(one_unit, per_row=False)
    for name in ("boundary_similarity", "segmentation_similarity"):
        assert row[name] == 1
        assert pooled[name] is None
    no_boundary = naive.edit_counts(5, [], [])
    assert families.values(no_boundary, per_row=True)["boundary_similarity"] == 1
    pooled = families.values(no_boundary, per_row=False)
    assert pooled["segmentation_similarity"] == 1
    undefined = {name for name, value in pooled.items() if value is None}
    assert undefined == {
        *("boundary_similarity", "b_precision", "b_recall", "b_f1"),
        *("precision", "recall", "f1"),
    }


def test_precision_and_recall_need_something_to_divide_by() -> None:
    for prefix in ("", "b_"):
        silent = families.values(naive.edit_counts(9, [3, 6], []), per_row=True)
        assert silent[f"{prefix}precision"] is None
        assert silent[f"{prefix}recall"] == silent[f"{prefix}f1"] == 0
        unasked = families.values(naive.edit_counts(9, [], [3, 6]), per_row=True)
        assert unasked[f"{prefix}recall"] is None
        assert unasked[f"{prefix}precision"] == unasked[f"{prefix}f1"] == 0
        assert unasked["b_tn"] == 6


def test_f_beta_leans_to_recall_as_beta_grows() -> None:
    tp, fp, fn = Fraction(2), Fraction(1), Fraction(4)
    assert naive.f_beta(tp, fp, fn) == Fraction(4, 9)
    assert naive.f_beta(tp, fp, fn, Fraction(2)) == Fraction(10, 27)


def test_the_additive_constants_of_fournier() -> None:
    counts = naive.edit_counts(11, [2, 5], [2, 4])
    values = naive.edit_values(counts, per_row=True, w_t=Fraction(1, 4))
    assert values["boundary_similarity"] == 1 - Fraction(3, 4) / 2


@given(pairs())
def test_ghd_equals_nltk(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    expected = nltk.ghd(mask(n_units, reference), mask(n_units, hypothesis))
    assert naive.ghd(n_units, reference, hypothesis) == expected


def test_ghd_by_hand() -> None:
    assert naive.ghd(20, [5, 10], [6, 10]) == 1
    assert naive.ghd(20, [5, 10], [9]) == 1 + 2
    assert naive.ghd(20, [5], [15]) == 4
    assert naive.ghd(1, [], []) == 0


# --- Published figures ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hypothesis", "s", "b", "one_minus_wd"),
    [
        ([5], "0.9000", "0.5000", "0.7778"),
        ([2, 4], "0.9500", "0.7500", "0.7778"),
        ([2, 5, 8], "0.9000", "0.6667", "0.7778"),
        ([1, 2, 5, 6], "0.8000", "0.5000", "0.6667"),
    ],
)
def test_kubla_khan(hypothesis: list[int], s: str, b: str, one_minus_wd: str) -> None:
    """Fournier 2013, figures 5 to 8: 11 lines, the manual segmentation 2, 3, 6."""
    reference = [2, 5]
    k = naive.window_size(11, 3)
    assert k == 2
    counts = naive.window_counts(11, reference, hypothesis, k)
    counts |= naive.edit_counts(11, reference, hypothesis)
    values = families.values(counts, per_row=True)
    assert printed(values["segmentation_similarity"]) == s
    assert printed(values["boundary_similarity"]) == b
    assert printed(values["window_diff"], one_minus=True) == one_minus_wd


@pytest.mark.parametrize(
    ("n", "tp", "fp", "fn", "b", "precision", "recall", "f1", "tn"),
    [
        (1057, "279.0", 420, 318, "0.2640", "0.3991", "0.4673", "0.4306", "4236.0"),
        (841, "444.5", 204, 153, "0.5285", "0.6854", "0.7439", "0.7135", "4451.5"),
        (964, "361.0", 327, 219, "0.3745", "0.5247", "0.6224", "0.5694", "4346.0"),
        (738, "212.0", 101, 411, "0.2873", "0.6773", "0.3403", "0.4530", "4529.0"),
        (871, "215.0", 234, 400, "0.2468", "0.4788", "0.3496", "0.4041", "4404.0"),
    ],
    ids=["Random", "Human", "BayesSeg", "APS", "MinCut"],
)
def test_moonstone_segmenters(
    n: int, tp: str, fp: int, fn: int, b: str, precision: str, recall: str, f1: str, tn: str
) -> None:
    """Fournier 2013, table 2: n pairs, of which TP = matches + near misses / 2 at n_t = 2."""
    near_misses = int(2 * (n - fp - fn - Fraction(tp)))
    counts = {
        "matches": n - fp - fn - near_misses,
        "near_misses": near_misses,
        "near_miss_span": near_misses,
        "misses": fn,
        "false_alarms": fp,
        "substitutions": 0,
        "substitution_span": 0,
        "potential_boundaries": 5253,
    }
    values = families.values(counts, per_row=False)
    assert values["b_tp"] == Fraction(tp)
    assert values["b_tn"] == Fraction(tn)
    assert printed(values["boundary_similarity"]) == b
    assert printed(values["b_precision"]) == precision
    assert printed(values["b_recall"]) == recall
    assert printed(values["b_f1"]) == f1


# Hearst 1997: 21 paragraphs of "Stargazers look for life" (Baker 1990), as divided by 7 readers.
STARGAZER = (
    [2, 5, 8, 9, 12, 18],
    [2, 10, 12, 16, 18],
    [2, 3, 5, 8, 9, 12, 13, 16, 18, 20],
    [2, 3, 7, 8, 9, 12, 13, 17, 20],
    [3, 5, 9, 12, 17],
    [2, 5, 9, 11, 13, 18],
    [2, 5, 7, 9, 12, 13, 16, 18],
)


def test_stargazer_coder_pairs() -> None:
    """The 21 pairs of coders at n_t = 2; B pooled, and pi* over it (Fournier 2013, 3.4)."""
    pooled: Counter[str] = Counter()
    for reference, hypothesis in combinations(STARGAZER, 2):
        pooled.update(naive.edit_counts(21, reference, hypothesis))
    assert pooled["misses"] + pooled["false_alarms"] == 72
    assert pooled["near_misses"] == pooled["near_miss_span"] == 28
    assert pooled["matches"] == 83
    values = families.values(pooled, per_row=False)
    expected = Fraction(sum(map(len, STARGAZER)), 20 * len(STARGAZER)) ** 2
    b, s = values["boundary_similarity"], values["segmentation_similarity"]
    assert b == Fraction(97, 183)
    assert s is not None
    assert printed((b - expected) / (1 - expected), digits=6) == "0.464450"
    assert printed((s - expected) / (1 - expected), digits=6) == "0.766653"


def printed(value: Fraction | None, digits: int = 4, one_minus: bool = False) -> str:
    """Round a value as a paper prints it."""
    assert value is not None
    return f"{float(1 - value if one_minus else value):.{digits}f}"


# --- Content measures ----------------------------------------------------------------------------


def test_content_by_hand() -> None:
    # Reference ab|cd, hypothesis a|bcd. Misses b, a, -, -; spurious -, cd, b, b.
    counts = naive.content_counts(4, [2], [1])
    assert counts == {"content_miss": 2, "content_false_alarm": 4, "content_size": 4}
    values = families.values(counts, per_row=True)
    assert values == {"r_miss": HALF, "r_false_alarm": 1}
    parts = naive.content_parts(4, [2], [1])
    assert parts == {
        "content_leading_miss": 1,
        "content_trailing_miss": 1,
        "content_leading_false_alarm": 2,
        "content_trailing_false_alarm": 2,
    }
    assert naive.weighted_parts(
        parts, leading_miss=Fraction(3), trailing_false_alarm=Fraction(1, 4)
    ) == {"content_miss": 4, "content_false_alarm": Fraction(5, 2)}
    assert naive.story_fractions(4, [2], [1]) == [(HALF, Fraction(1, 3)), (0, Fraction(1, 3))]
    assert naive.story_values(4, [2], [1]) == {
        "story_miss": Fraction(1, 4),
        "story_false_alarm": Fraction(1, 3),
        "stories": 2,
    }
    # Weights 1, 10, 100, 1000: misses 10, 1, 0, 0; spurious 0, 1100, 10, 10.
    weights = [1, 10, 100, 1000]
    assert naive.weighted_content_counts(4, [2], [1], weights) == {
        "content_miss": 11,
        "content_false_alarm": 1120,
        "content_size": 4,
    }
    assert naive.weighted_content_counts(4, [2], [1], weights, [5, 1, 0, 2]) == {
        "content_miss": 5 * 10 + 1,
        "content_false_alarm": 1100 + 2 * 10,
        "content_size": 8,
    }


@given(pairs(max_units=40))
def test_content_is_the_sum_over_overlaps(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    miss = false_alarm = leading = trailing = leading_spurious = trailing_spurious = 0
    stories: list[tuple[Fraction, Fraction]] = []
    for a in naive.segments(n_units, reference):
        story_miss = story_false_alarm = Fraction(0)
        for b in naive.segments(n_units, hypothesis):
            overlap = max(0, min(a.stop, b.stop) - max(a.start, b.start))
            miss += overlap * (len(a) - overlap)
            false_alarm += overlap * (len(b) - overlap)
            leading += overlap * max(0, b.start - a.start)
            trailing += overlap * max(0, a.stop - b.stop)
            leading_spurious += overlap * max(0, a.start - b.start)
            trailing_spurious += overlap * max(0, b.stop - a.stop)
            story_miss += Fraction(overlap * (len(a) - overlap), len(a) ** 2)
            story_false_alarm += Fraction(overlap * (len(b) - overlap), len(a) * len(b))
        stories.append((story_miss, story_false_alarm))
    counts = naive.content_counts(n_units, reference, hypothesis)
    parts = naive.content_parts(n_units, reference, hypothesis)
    assert counts == {
        "content_miss": miss,
        "content_false_alarm": false_alarm,
        "content_size": n_units,
    }
    assert list(parts.values()) == [leading, trailing, leading_spurious, trailing_spurious]
    assert naive.weighted_parts(parts).items() <= counts.items()
    assert naive.story_fractions(n_units, reference, hypothesis) == stories


@given(pairs(max_units=25), st.data())
def test_content_in_words_is_content_in_units_that_weigh_their_words(
    pair: Pair, data: st.DataObject
) -> None:
    n_units, reference, hypothesis = pair
    words = data.draw(lengths(n_units, max_length=4))
    total, reference_in_words, _ = naive.in_words(n_units, reference, words)
    _, hypothesis_in_words, _ = naive.in_words(n_units, hypothesis, words)
    in_words = naive.content_counts(total, reference_in_words, hypothesis_in_words)
    assert naive.weighted_content_counts(n_units, reference, hypothesis, words, words) == in_words


@given(pairs(max_units=30))
def test_exchanged_sides_turn_misses_into_false_alarms(pair: Pair) -> None:
    n_units, reference, hypothesis = pair
    counts = naive.content_counts(n_units, reference, hypothesis)
    mirrored = naive.content_counts(n_units, hypothesis, reference)
    assert counts["content_miss"] == mirrored["content_false_alarm"]
    assert naive.content_counts(n_units, reference, reference)["content_miss"] == 0


# --- Several references --------------------------------------------------------------------------


def test_panel_by_hand() -> None:
    # Window 12: opinions 1, 1, 0 against 1; window 23: 0, 1, 0 against 1; 2 does not occur.
    assert naive.panel(4, [[1], [2], []], [2], 2) == {
        "references": 3,
        "window": 2,
        "windows": 2,
        "opinions": 6,
        "penalty": 1 + 2,
        "best": 1 + 1,
        "worst": 3 + 3,
        "win_diff_prime": HALF,
        "mult_window_diff": Fraction(1, 4),
        "best_case": Fraction(1, 3),
        "worst_case": 1,
    }


def test_panel_where_every_opinion_has_a_supporter() -> None:
    counts = naive.panel(4, [[1], [1], []], [1], 1)
    assert (counts["best"], counts["worst"]) == (1 + 0 + 0, 2 + 3 + 3)
    split = naive.panel(2, [[1], []], [1], 1)
    assert (split["best"], split["worst"], split["mult_window_diff"]) == (1, 1, None)


def test_panel_without_windows_is_undefined() -> None:
    counts = naive.panel(2, [[1], []], [1], 2)
    assert (counts["windows"], counts["opinions"]) == (0, 0)
    undefined = {name for name, value in counts.items() if value is None}
    assert undefined == {"win_diff_prime", "mult_window_diff", "best_case", "worst_case"}


@given(panels(), WINDOWS)
def test_panel_lies_between_its_bounds_and_pools_window_diff(panel: Panel, k: int) -> None:
    n_units, references, hypothesis = panel
    counts = naive.panel_counts(n_units, references, hypothesis, k)
    assert 0 <= counts["best"] <= counts["penalty"] <= counts["worst"] <= counts["opinions"]
    rows = [naive.window_counts(n_units, reference, hypothesis, k) for reference in references]
    assert counts["penalty"] == sum(row["wd_misses"] + row["wd_false_alarms"] for row in rows)
    assert counts["opinions"] == sum(row["windows"] for row in rows)


@given(pairs(), WINDOWS)
def test_a_panel_of_one_is_window_diff(pair: Pair, k: int) -> None:
    n_units, reference, hypothesis = pair
    counts = naive.window_counts(n_units, reference, hypothesis, k)
    expected = families.values(counts, per_row=True)["window_diff"]
    assert naive.panel(n_units, [reference], hypothesis, k)["mult_window_diff"] == expected


def test_consensus_by_exact_share() -> None:
    codings = [[1, 4], [1, 5], [4], [1, 4], [7]]
    assert naive.consensus(codings, Fraction(0)) == [1, 4, 5, 7]
    assert naive.consensus(codings, Fraction(3, 5)) == [1, 4]
    assert naive.consensus(codings, Fraction(61, 100)) == []
    assert naive.consensus([[], []], HALF) == []
