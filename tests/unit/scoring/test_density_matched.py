"""Reference points at a system's own density: the right boundaries, with the right chances."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb, sqrt
from statistics import fmean, stdev

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.scoring.density_matched import OWN_POINTS, OwnDraw, draw
from segscore.pipeline.settings import reading
from tests.oracles import naive_chance
from tests.support.chances import evenness

Typed = list[tuple[int, int]]
Hypothesis = tuple[str, str, int, Typed]
"""A document, a coder, N, and the pairs of a position and a type."""


@st.composite
def hypotheses(draw: st.DrawFn) -> list[Hypothesis]:
    rows = []
    for number in range(draw(st.integers(1, 5))):
        n_units = draw(st.integers(1, 12))
        places = st.tuples(st.integers(1, n_units - 1), st.integers(1, 3))
        typed = draw(st.sets(places, max_size=14)) if n_units > 1 else set()
        rows.append((f"d{number % 3}", f"c{number}", n_units, sorted(typed)))
    return rows


def drawing(rows: Sequence[Hypothesis], *, typed: bool, seed: int, number: int) -> OwnDraw:
    """Make hypotheses that points can be drawn for."""
    places = [
        [place for place, _ in row] if typed else sorted({place for place, _ in row})
        for *_, row in rows
    ]
    types = np.array([kind for *_, row in rows for _, kind in row], np.int32)
    return OwnDraw(
        documents=hash_names(pa.array([name for name, *_ in rows], pa.string())).hashes,
        coders=hash_names(pa.array([coder for _, coder, *_ in rows], pa.string())).hashes,
        n_units=np.array([n_units for _, _, n_units, _ in rows], np.int64),
        boundaries=from_lists(places),
        types=types if typed else None,
        seed=seed,
        number=number,
    )


def drawn_rows(
    name: str, rows: Sequence[Hypothesis], *, typed: bool, seed: int = 0, draws: int = 1
) -> list[Typed]:
    """Return all draws of the first row, then of the second; the type is 0 without types."""
    drawn = [_drawn(name, drawing(rows, typed=typed, seed=seed, number=n)) for n in range(draws)]
    return [one[row] for row in range(len(rows)) for one in drawn]


def _drawn(name: str, source: OwnDraw) -> list[Typed]:
    positions, types = draw(name, source)
    kinds = np.zeros(len(positions.values), int) if types is None else types
    ends = zip(positions.offsets[:-1], positions.offsets[1:], strict=True)
    return [
        sorted(zip(positions.values[a:b].tolist(), kinds[a:b].tolist(), strict=True))
        for a, b in ends
    ]


def kinds_of(row: Typed) -> Counter[tuple[int, ...]]:
    """Count the sets of types that boundaries have."""
    places = {place for place, _ in row}
    return Counter(tuple(kind for at, kind in row if at == place) for place in places)


def masses(row: Typed, n_units: int) -> list[int]:
    return sorted(b - a for a, b in pairwise([0, *sorted({place for place, _ in row}), n_units]))


@given(hypotheses(), st.booleans(), st.integers(0, 2**64 - 1), st.integers(1, 3))
def test_a_draw_keeps_the_number_the_types_and_when_shuffled_the_masses(
    rows: list[Hypothesis], typed: bool, seed: int, draws: int
) -> None:
    for name in OWN_POINTS:
        drawn = drawn_rows(name, rows, typed=typed, seed=seed, draws=draws)
        assert len(drawn) == draws * len(rows)
        for number, result in enumerate(drawn):
            *_, n_units, own = rows[number // draws]
            own = own if typed else [(place, 0) for place in sorted({p for p, _ in own})]
            assert len(set(result)) == len(result) == len(own)
            assert all(1 <= place < n_units for place, _ in result)
            assert kinds_of(result) == kinds_of(own)
            if name == "shuffled-own":
                assert masses(result, n_units) == masses(own, n_units)


@given(hypotheses(), st.booleans())
def test_a_draw_depends_on_its_hypothesis_alone(rows: list[Hypothesis], typed: bool) -> None:
    for name in OWN_POINTS:
        together = drawn_rows(name, rows, typed=typed, draws=2)
        backwards = drawn_rows(name, rows[::-1], typed=typed, draws=2)
        for number, row in enumerate(rows):
            alone = drawn_rows(name, [row], typed=typed, draws=2)
            assert alone == together[2 * number : 2 * number + 2]
            mirrored = 2 * (len(rows) - 1 - number)
            assert alone == backwards[mirrored : mirrored + 2]
            assert alone[:1] == drawn_rows(name, [row], typed=typed)


@pytest.mark.first
@pytest.mark.parametrize("marked", [1, 3, 6])
def test_all_sets_of_positions_are_equally_likely(marked: int) -> None:
    own = [(place, 1) for place in range(1, marked + 1)]
    rows: list[Hypothesis] = [(f"d{i}", "c", 8, own) for i in range(100)]
    drawn = drawn_rows("random-own", rows, typed=False, draws=200)
    counts = Counter(tuple(place for place, _ in row) for row in drawn)
    assert set(counts) == set(combinations(range(1, 8), marked))
    assert abs(evenness(counts, comb(7, marked))) < 4


def test_all_orders_of_segments_and_of_types_are_equally_likely() -> None:
    own = [(1, 1), (3, 2), (7, 3)]
    documents: list[Hypothesis] = [(f"d{i}", "c", 15, own) for i in range(100)]
    for name, places in (("shuffled-own", 24), ("random-own", comb(14, 3))):
        rows = drawn_rows(name, documents, typed=True, draws=300)
        orders = Counter(tuple(kind for _, kind in row) for row in rows)
        assert abs(evenness(orders, 6)) < 4
        positions = Counter(tuple(place for place, _ in row) for row in rows)
        assert len(positions) == places
        assert abs(evenness(positions, places)) < 4


def test_seeds_documents_coders_and_points_differ() -> None:
    own = [(place, 1) for place in range(10, 20)]
    rows: list[Hypothesis] = [(f"d{i % 100}", f"c{i // 100}", 60, own) for i in range(200)]
    one = drawn_rows("random-own", rows, typed=False, seed=1)
    other_seed = drawn_rows("random-own", rows, typed=False, seed=2)
    shuffled = drawn_rows("shuffled-own", rows, typed=False, seed=1)
    for others in (other_seed, shuffled, one[100:] + one[:100], one[1:] + one[:1]):
        assert sum(map(list.__eq__, one, others)) < 20


def test_the_draws_do_not_change_between_versions() -> None:
    own = [(4, 1), (9, 2), (9, 3)]
    rows: list[Hypothesis] = [("doc", "system", 30, own)]
    assert {name: drawn_rows(name, rows, typed=True) for name in OWN_POINTS} == PINNED


PINNED = {
    "random-own": [[(12, 1), (17, 2), (17, 3)]],
    "shuffled-own": [[(4, 2), (4, 3), (25, 1)]],
}


def test_names_are_those_of_the_option() -> None:
    assert tuple(OWN_POINTS) == reading.OWN_POINT_NAMES
    assert reading.parse_points("none,random-own") == ("none", "random-own")


def test_the_expectations_of_a_published_case() -> None:
    """Enumeration of all 8,855 choices gives the same."""
    reference = [5, 12, 13]
    assert naive_chance.expected_pk(reference, 24, 4, 3) == Fraction(2573, 5313)
    assert naive_chance.expected_window_diff(reference, 24, 4, 3) == Fraction(6659, 12397)
    wrong, differ, hits = 0, 0, 0
    for choice in combinations(range(1, 24), 4):
        expected = naive_chance.in_windows(reference, 24, 3)
        found = naive_chance.in_windows(choice, 24, 3)
        wrong += sum(bool(a) != bool(b) for a, b in zip(expected, found, strict=True))
        differ += sum(a != b for a, b in zip(expected, found, strict=True))
        hits += len(set(choice) & set(reference))
    choices = comb(23, 4)
    assert choices == 8855
    assert Fraction(wrong, 21 * choices) == Fraction(2573, 5313)
    assert Fraction(differ, 21 * choices) == Fraction(6659, 12397)
    assert Fraction(hits, choices) == naive_chance.expected_matches(reference, 24, 4)


@pytest.mark.parametrize(
    ("reference", "n_units", "drawn", "window"),
    [([5, 12, 13], 24, 4, 3), ([2, 9, 20, 31], 40, 9, 5), ([7], 12, 1, 4)],
)
def test_sampled_means_are_at_the_exact_expectations(
    reference: list[int], n_units: int, drawn: int, window: int
) -> None:
    documents = [f"d{i}" for i in range(100)]
    own = list(range(1, drawn + 1))
    evaluation = segscore.evaluate(
        [
            {"document_id": d, "coder": "r", "n_units": n_units, "boundaries": reference}
            for d in documents
        ],
        [
            {"document_id": d, "coder": "s", "n_units": n_units, "boundaries": own}
            for d in documents
        ],
        window=window,
        reference_points="random-own",
    )
    rows = [
        row for row in evaluation.scores.to_pylist() if row["hypothesis"] == "point:random-own:s"
    ]
    assert len(rows) == len(documents)
    expected = {
        "pk": naive_chance.expected_pk(reference, n_units, drawn, window),
        "window_diff": naive_chance.expected_window_diff(reference, n_units, drawn, window),
        "matches": 64 * naive_chance.expected_matches(reference, n_units, drawn),
    }
    for name, value in expected.items():
        sample = [row[name] for row in rows]
        error = stdev(sample) / sqrt(len(sample))
        assert abs(fmean(sample) - float(value)) < 4 * error, name
