"""Edit measures: boundary types, both pairings, lists, classes, ghd, formulas."""

import random
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.segmentation import ghd as nltk_ghd

from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, from_lists
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.edit_list import Edit, list_edits
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.type_confusion import Decisions, class_confusion, no_decisions
from tests.oracles import naive
from tests.support import passes
from tests.support.strategies import Typed, pairs, typed_pairs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import segeval

Pair = tuple[int, list[int], list[int]]
TypedPair = tuple[int, Typed, Typed, tuple[int, ...]]
Twin = Callable[..., list[naive.Edit]]

N_T = st.integers(1, 6)
PAIRINGS = pytest.mark.parametrize("pairing", ["greedy", "optimal"])
TWINS: dict[str, Twin] = {"greedy": naive.typed_edits, "optimal": naive.typed_optimal_edits}
ONE = np.zeros(1, np.int64)


def positions(side: Typed) -> list[int]:
    return [position for position, _ in side]


def types_in(side: Typed) -> list[int]:
    return [kind for _, kind in side]


def columns(sides: Sequence[Typed]) -> tuple[Ragged, Positions]:
    """Return typed segmentations as columns of a table."""
    kinds = [kind for side in sides for kind in types_in(side)]
    return from_lists([positions(side) for side in sides]), np.array(kinds, np.int32)


def counts(pair: Pair, n_t: int, pairing: str = "greedy") -> dict[str, int]:
    """The compiled counts of one pair of one type."""
    n_units, reference, hypothesis = pair
    sides = from_lists([reference]), from_lists([hypothesis])
    one = pair_rows(*sides, ONE, ONE, np.array([n_units]))
    counted = edits.count(one, n_t, pairing=pairing)
    return dict(zip(edits.COUNTS, counted[:, 0].tolist(), strict=True))


def typed_counts(
    pair: TypedPair, n_t: int, pairing: str = "greedy", decided: Decisions | None = None
) -> dict[str, int]:
    """The compiled counts of one pair with types."""
    n_units, reference, hypothesis, types = pair
    (references, reference_types), (hypotheses, hypothesis_types) = (
        columns([side]) for side in (reference, hypothesis)
    )
    counted = edits.count(
        pair_rows(references, hypotheses, ONE, ONE, np.array([n_units])),
        n_t,
        pairing=pairing,
        types=TypedSides(types, reference_types, hypothesis_types),
        decided=decided,
    )
    return dict(zip(edits.COUNTS, counted[:, 0].tolist(), strict=True))


def typed_list(pair: TypedPair, n_t: int, pairing: str = "greedy") -> list[Edit]:
    """The compiled edits of one pair with types."""
    _, reference, hypothesis, types = pair
    return list_edits(
        positions(reference),
        positions(hypothesis),
        n_t,
        pairing=pairing,
        types=passes.typed_sides(types, types_in(reference), types_in(hypothesis)),
    )


def from_twin(edits_of_twin: Sequence[naive.Edit]) -> list[Edit]:
    return [Edit(*edit, edit.span) for edit in edits_of_twin]


def ghd_of(pair: TypedPair) -> int:
    """Generalised Hamming distance, each position once."""
    n_units, *sides, _ = pair
    return naive.ghd(n_units, *(sorted(set(positions(side))) for side in sides))


def cost(counted: dict[str, int], n_t: int, types: Sequence[int] = (1,)) -> Fraction:
    """What boundary edit distance minimises."""
    return (
        counted["misses"]
        + counted["false_alarms"]
        + Fraction(counted["near_miss_span"], n_t)
        + Fraction(counted["substitution_span"], max(types) - min(types) + 1)
    )


def random_typed_pair(draw: random.Random) -> TypedPair:
    """A pair in which near misses, substitutions and full misses compete."""
    n_units = draw.randint(1, 14)
    types = tuple(sorted(draw.sample(range(1, 7), draw.randint(1, 4))))
    places = [(position, kind) for position in range(1, n_units) for kind in types]
    reference = sorted(draw.sample(places, min(len(places), draw.randint(0, 8))))
    moved = {(p + draw.choice((0, 0, 1, -1, 2, 3)), draw.choice((t, *types))) for p, t in reference}
    other = set(draw.sample(places, min(len(places), draw.randint(0, 8))))
    hypothesis = sorted((moved if draw.random() < 0.5 else other) & set(places))
    return n_units, reference, hypothesis, types


# --- The twin ------------------------------------------------------------------------------------


@PAIRINGS
@given(pair=pairs(max_units=30), n_t=N_T)
def test_one_type_equals_the_twin(pair: Pair, n_t: int, pairing: str) -> None:
    twin = naive.edits if pairing == "greedy" else naive.optimal_edits
    by_twin = twin(*pair, n_t)
    expected = naive.counts_of(by_twin, pair[0] - 1) | {"ghd": naive.ghd(*pair)}
    assert counts(pair, n_t, pairing) == expected
    assert list_edits(*pair[1:], n_t, pairing=pairing) == from_twin(by_twin)


@PAIRINGS
@given(pair=typed_pairs(), n_t=N_T)
def test_types_equal_the_twin(pair: TypedPair, n_t: int, pairing: str) -> None:
    n_units, *_, types = pair
    by_twin = TWINS[pairing](*pair, n_t)
    expected = naive.counts_of(by_twin, (n_units - 1) * len(types)) | {"ghd": ghd_of(pair)}
    assert typed_counts(pair, n_t, pairing) == expected
    assert typed_list(pair, n_t, pairing) == from_twin(by_twin)


@pytest.mark.long
@PAIRINGS
def test_thousands_of_typed_pairs_equal_the_twin(pairing: str) -> None:
    draw = random.Random(7)  # noqa: S311
    for _ in range(3_000):
        pair, n_t = random_typed_pair(draw), draw.randint(1, 6)
        assert typed_list(pair, n_t, pairing) == from_twin(TWINS[pairing](*pair, n_t))


@PAIRINGS
def test_a_typed_pair_in_a_batch_is_counted_like_a_single_one(pairing: str) -> None:
    draw = random.Random(8)  # noqa: S311
    types = (1, 2, 3, 4, 5, 6)
    chosen = [random_typed_pair(draw) for _ in range(60)]
    references, reference_types = columns([pair[1] for pair in chosen])
    hypotheses, hypothesis_types = columns([pair[2] for pair in chosen])
    rows = np.arange(60)
    other = np.roll(rows, 7)
    counted = edits.count(
        pair_rows(references, hypotheses, rows, other, np.full(60, 14)),
        3,
        pairing=pairing,
        types=TypedSides(types, reference_types, hypothesis_types),
    )
    for i in rows:
        pair = 14, chosen[i][1], chosen[other[i]][2], types
        assert counted[:, i].tolist() == list(typed_counts(pair, 3, pairing).values())


# --- Segeval and NLTK ----------------------------------------------------------------------------


@given(typed_pairs(), N_T)
def test_types_equal_segeval(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, _ = pair
    strings = [
        tuple(frozenset(t for p, t in side if p == position) for position in range(1, n_units))
        for side in (reference, hypothesis)
    ]
    additions, substitutions, near_misses = segeval.boundary_edit_distance(*strings, n_t=n_t)
    ours = typed_counts(pair, n_t)
    assert ours["misses"] == sum(side == "a" for _, side in additions)
    assert ours["false_alarms"] == sum(side == "b" for _, side in additions)
    assert ours["near_misses"] == len(near_misses)
    assert ours["near_miss_span"] == sum(abs(start - end) for start, end, _ in near_misses)
    assert ours["substitutions"] == len(substitutions)
    assert ours["substitution_span"] == sum(abs(a - b) for a, b in substitutions)


@pytest.mark.first
def test_thousands_of_distances_equal_nltk() -> None:
    draw = random.Random(9)  # noqa: S311
    for _ in range(2_000):
        n_units, density = draw.randint(1, 40), draw.random()
        masks = ["".join("01"[draw.random() < density] for _ in range(n_units - 1)) for _ in "rh"]
        sides = [[p + 1 for p, flag in enumerate(mask) if flag == "1"] for mask in masks]
        ours = counts((n_units, sides[0], sides[1]), 2)["ghd"]
        assert ours == nltk_ghd(*masks) == naive.ghd(n_units, *sides)


# --- By hand -------------------------------------------------------------------------------------


def test_greedy_takes_the_nearest_first_and_crosses() -> None:
    assert list_edits([3, 4], [5, 6], 4) == [
        Edit("near_miss", 3, 6, 1, 1, 3),
        Edit("near_miss", 4, 5, 1, 1, 1),
    ]
    assert list_edits([3, 4], [5, 6], 4, pairing="optimal") == [
        Edit("near_miss", 3, 5, 1, 1, 2),
        Edit("near_miss", 4, 6, 1, 1, 2),
    ]


def test_optimal_finds_pairs_that_greedy_misses() -> None:
    # Greedy pairs 5 with 4, so that 2 and 7 remain unpaired.
    pair = 9, [2, 5], [4, 7]
    assert counts(pair, 3)["near_misses"] == 1
    assert counts(pair, 3, "optimal")["near_misses"] == 2
    # Two near misses of 1 and two unpaired boundaries are cheaper than three near misses of 5.
    assert list_edits([1, 7, 13], [6, 12, 18], 6, pairing="optimal") == [
        Edit("miss", 1, None, 1, None, 0),
        Edit("near_miss", 7, 6, 1, 1, 1),
        Edit("near_miss", 13, 12, 1, 1, 1),
        Edit("false_alarm", None, 18, None, 1, 0),
    ]


def test_a_near_miss_is_refused_where_two_substitutions_could_be_made() -> None:
    pair = 6, [(3, 2), (4, 1)], [(3, 1), (4, 2)], (1, 2)
    assert typed_list(pair, 2) == [
        Edit("substitution", 3, 3, 2, 1, 0),
        Edit("substitution", 4, 4, 1, 2, 0),
    ]
    one_end = 6, [(3, 2)], [(3, 1), (4, 2)], (1, 2)
    assert typed_list(one_end, 2) == [
        Edit("false_alarm", None, 3, None, 1, 0),
        Edit("near_miss", 3, 4, 2, 2, 1),
    ]
    assert typed_counts(one_end, 2)["potential_boundaries"] == 10


def test_substitutions_differ_as_little_as_possible() -> None:
    for reference, hypothesis, expected in (
        ([1, 4], [3], [(4, 3)]),
        ([1, 3], [2], [(1, 2)]),
        ([1, 2], [3, 4], [(1, 3), (2, 4)]),
        ([2], [1, 3], [(2, 1)]),
        ([1, 5, 6], [4, 7], [(5, 4), (6, 7)]),
    ):
        sides = [[(2, kind) for kind in side] for side in (reference, hypothesis)]
        listed = typed_list((4, sides[0], sides[1], tuple(range(1, 8))), 1)
        pairs_made = [
            (edit.type, edit.other_type) for edit in listed if edit.type and edit.other_type
        ]
        assert sorted(pairs_made) == expected


def test_optimal_weighs_near_misses_and_substitutions_by_the_declared_types() -> None:
    reference, hypothesis = [(3, 2), (4, 1)], [(3, 1), (4, 2)]
    # With 1 and 2 declared, both ways cost 1/2 twice: the fewest near misses win.
    of_two = typed_counts((6, reference, hypothesis, (1, 2)), 2, "optimal")
    assert (of_two["near_misses"], of_two["substitutions"]) == (0, 2)
    # A longer scale makes a substitution lighter, a larger n_t a near miss.
    assert typed_counts((6, reference, hypothesis, (1, 2, 9)), 2, "optimal")["substitutions"] == 2
    assert typed_counts((6, reference, hypothesis, (1, 2)), 3, "optimal")["near_misses"] == 2


def test_ghd_by_hand() -> None:
    assert counts((20, [5, 10], [6, 10]), 2)["ghd"] == 1
    assert counts((20, [5, 10], [9]), 2)["ghd"] == 1 + 2
    assert counts((20, [5], [9]), 2)["ghd"] == 4
    # Two shifts of 2 and two unpaired boundaries, rather than three shifts of 3.
    assert counts((20, [1, 2, 3], [4, 5, 6]), 2)["ghd"] == 8
    assert counts((1, [], []), 2)["ghd"] == 0
    # With types, a position counts once, and not at all where both sides have one.
    assert typed_counts((9, [(3, 1), (3, 2), (5, 1)], [(3, 2), (6, 2)], (1, 2)), 2)["ghd"] == 1


def test_no_boundary_on_either_side() -> None:
    assert list_edits([], []) == []
    assert counts((1, [], []), 2, "optimal") == dict.fromkeys(edits.COUNTS, 0)


# --- Laws ----------------------------------------------------------------------------------------


@given(pairs(), N_T)
def test_optimal_reads_the_same_backwards_and_is_symmetric(pair: Pair, n_t: int) -> None:
    n_units, reference, hypothesis = pair
    back = [[n_units - p for p in reversed(side)] for side in (reference, hypothesis)]
    ours = counts(pair, n_t, "optimal")
    assert counts((n_units, back[0], back[1]), n_t, "optimal") == ours
    other = counts((n_units, hypothesis, reference), n_t, "optimal")
    misses, false_alarms = ours["misses"], ours["false_alarms"]
    assert other == ours | {"misses": false_alarms, "false_alarms": misses}


@given(pairs(), N_T)
def test_optimal_is_never_dearer_and_the_same_at_two(pair: Pair, n_t: int) -> None:
    greedy, optimal = (counts(pair, n_t, pairing) for pairing in ("greedy", "optimal"))
    assert cost(optimal, n_t) <= cost(greedy, n_t)
    assert n_t > 2 or optimal == greedy


@PAIRINGS
@given(pair=typed_pairs(), n_t=N_T)
def test_types_are_symmetric(pair: TypedPair, n_t: int, pairing: str) -> None:
    n_units, reference, hypothesis, types = pair
    ours = typed_counts(pair, n_t, pairing)
    other = typed_counts((n_units, hypothesis, reference, types), n_t, pairing)
    misses, false_alarms = ours["misses"], ours["false_alarms"]
    assert other == ours | {"misses": false_alarms, "false_alarms": misses}


@given(typed_pairs(), N_T)
def test_typed_optimal_costs_the_same_backwards_and_never_more(pair: TypedPair, n_t: int) -> None:
    n_units, reference, hypothesis, types = pair
    back = [sorted((n_units - p, t) for p, t in side) for side in (reference, hypothesis)]
    ours = typed_counts(pair, n_t, "optimal")
    other = typed_counts((n_units, back[0], back[1], types), n_t, "optimal")
    assert cost(ours, n_t, types) == cost(other, n_t, types)
    assert ours["near_misses"] == other["near_misses"]
    assert cost(ours, n_t, types) <= cost(typed_counts(pair, n_t), n_t, types)


def test_long_documents_pair_the_same_by_both_exact_methods() -> None:
    """One type is aligned along the line, or assigned as the only used one of two."""
    draw = random.Random(10)  # noqa: S311
    for n_t in range(1, 9):
        sides = [sorted(draw.sample(range(1, 3000), 1200)) for _ in range(2)]
        typed = [[(position, 1) for position in side] for side in sides]
        aligned = list_edits(sides[0], sides[1], n_t, pairing="optimal")
        assert typed_list((3000, typed[0], typed[1], (1, 2)), n_t, "optimal") == aligned


# --- Classes and formulas ------------------------------------------------------------------------


@PAIRINGS
@given(pair=typed_pairs(), n_t=N_T)
def test_class_confusion_equals_the_twin(pair: TypedPair, n_t: int, pairing: str) -> None:
    *_, types = pair
    decided = no_decisions(types)
    for _ in range(2):  # is added to
        counted = typed_counts(pair, n_t, pairing, decided)
    expected = naive.class_confusion(TWINS[pairing](*pair, n_t), n_t=n_t, types=types)
    rows = class_confusion(decided, n_t).to_pylist()
    cells = {(row["reference_type"], row["hypothesis_type"]): row["amount"] for row in rows}
    assert cells == pytest.approx({cell: float(2 * credit) for cell, credit in expected.items()})
    credited = sum(amount for cell, amount in cells.items() if None not in cell)
    assert credited == pytest.approx(2 * values(counted, n_t, types)["b_tp"])


@given(pairs(max_units=30), N_T)
def test_class_confusion_of_one_type_has_the_constants(pair: Pair, n_t: int) -> None:
    decided = no_decisions([1])
    sides = from_lists([pair[1]]), from_lists([pair[2]])
    edits.count(pair_rows(*sides, ONE, ONE, np.array([pair[0]])), n_t, decided=decided)
    table = class_confusion(decided, n_t, constant_near_miss=0.25)
    credited = [row["amount"] for row in table.to_pylist() if None not in row.values()]
    expected = values(counts(pair, n_t), n_t, constant_near_miss=0.25)["b_tp"]
    assert sum(credited) == pytest.approx(expected)


def values(
    counted: dict[str, int],
    n_t: int,
    types: Sequence[int] = (1,),
    *,
    beta: float = 1,
    constant_near_miss: float = 0,
    constant_substitution: float = 0,
) -> dict[str, float]:
    """The values of one row, NaN where undefined."""
    parameters = {
        "n_t": n_t,
        "type_range": max(types) - min(types) + 1,
        "beta": beta,
        "constant_near_miss": constant_near_miss,
        "constant_substitution": constant_substitution,
    }
    arrays: dict[str, Ints] = {name: np.array([number]) for name, number in counted.items()}
    arrays_of_values = evaluate(edits.MEASURES, arrays, parameters, rows=True)
    return {name: float(value[0]) for name, value in arrays_of_values.items()}


@given(
    typed_pairs(),
    N_T,
    st.fractions(0, 1, max_denominator=9),
    st.fractions(0, 1, max_denominator=9),
    st.fractions(0, 4, max_denominator=9),
)
def test_formulas_with_constants_and_beta_equal_the_twin(
    pair: TypedPair, n_t: int, w_t: Fraction, w_s: Fraction, beta: Fraction
) -> None:
    *_, types = pair
    counted = typed_counts(pair, n_t)
    exact = naive.edit_values(counted, n_t=n_t, types=types, per_row=True, w_t=w_t, w_s=w_s)
    tp, fp, fn = (exact[name] or Fraction(0) for name in ("b_tp", "b_fp", "b_fn"))
    exact["b_f1"] = naive.f_beta(tp, fp, fn, beta)
    exact_tp = Fraction(counted["matches"])
    confused = counted["near_misses"] + counted["substitutions"]
    exact_fp, exact_fn = (Fraction(counted[n] + confused) for n in ("false_alarms", "misses"))
    exact["f1"] = naive.f_beta(exact_tp, exact_fp, exact_fn, beta)
    ours = values(
        counted,
        n_t,
        types,
        beta=float(beta),
        constant_near_miss=float(w_t),
        constant_substitution=float(w_s),
    )
    assert set(ours) == set(exact)
    for name, value in exact.items():
        expected = float("nan") if value is None else float(value)
        assert ours[name] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


# --- Refusals ------------------------------------------------------------------------------------


def test_an_unknown_pairing_is_refused() -> None:
    with pytest.raises(Refused, match="pairing best: must be one of greedy, optimal"):
        list_edits([3], [4], pairing="best")


@pytest.mark.parametrize(
    ("types", "message"),
    [
        (None, "has no boundary types"),
        ([1], "2 boundaries, 1 types"),
        ([1, 3], "a table has types from 1 to 3"),
        ([0, 1], "a table has types from 0 to 1"),
    ],
)
def test_undeclared_types_are_refused(types: list[int] | None, message: str) -> None:
    with pytest.raises(Refused, match=message):
        list_edits([3, 5], [], types=passes.typed_sides((1, 2), types, []))


def test_costs_that_cannot_be_exact_are_refused() -> None:
    reference = list(range(1, 40_001))
    with pytest.raises(Refused, match="choose a smaller --n-t"):
        list_edits(reference, [], 2**31 - 1, pairing="optimal")
    types = passes.typed_sides((1, 2), [1] * 40_000, [])
    with pytest.raises(Refused, match="choose a smaller --n-t"):
        list_edits(reference, [], 2**31 - 1, pairing="optimal", types=types)
