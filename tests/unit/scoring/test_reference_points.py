"""Reference points: boundaries of exact number and probability, however the work is split."""

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ragged, from_lists
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS, windows
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.reference_points import (
    REFERENCE_POINTS,
    Codings,
    Points,
    points,
    sizes_in_units,
)
from segscore.pipeline.settings import reading
from tests.support import passes
from tests.support.chances import evenness
from tests.support.paths import DATA
from tests.support.strategies import panels

Document = tuple[str, int, list[list[int]]]
RANDOM = ("random-known", "random-unknown", "random-mean", "coin")
DOCUMENTS = st.lists(panels(max_references=4), min_size=1, max_size=5).map(
    lambda cases: [(f"d{i}", n_units, codings) for i, (n_units, codings, _) in enumerate(cases)]
)


def codings(documents: Sequence[Document], seed: int = 0, size: Fraction = Fraction(4)) -> Codings:
    """Make documents that reference points can be drawn for."""
    return Codings(
        hashes=hash_names(pa.array([name for name, _, _ in documents], pa.string())).hashes,
        n_units=np.array([n_units for _, n_units, _ in documents], np.int64),
        first=np.array([0, *np.cumsum([len(rows) for _, _, rows in documents])], np.int64),
        boundaries=from_lists([row for _, _, rows in documents for row in rows]),
        mean_size=size,
        seed=seed,
    )


def lists(rows: Ragged) -> list[list[int]]:
    return [
        rows.values[a:b].tolist() for a, b in zip(rows.offsets[:-1], rows.offsets[1:], strict=True)
    ]


def drawn_segmentations(name: str, documents: Sequence[Document], seed: int = 0) -> list[list[int]]:
    """Return the segmentations of one reference point."""
    return lists(points(name, codings(documents, seed)).boundaries)


def by_document(drawn: Points) -> dict[int, list[list[int]]]:
    rows: dict[int, list[list[int]]] = {}
    for document, row in zip(drawn.document.tolist(), lists(drawn.boundaries), strict=True):
        rows.setdefault(document, []).append(row)
    return rows


@given(DOCUMENTS, st.integers(0, 2**64 - 1))
def test_every_row_is_a_segmentation_with_the_right_number_of_boundaries(
    documents: list[Document], seed: int
) -> None:
    ready = codings(documents, seed)
    for name in REFERENCE_POINTS:
        drawn = points(name, ready)
        rows = by_document(drawn)
        assert len(drawn.document) == len(drawn.boundaries)
        for d, (_, n_units, references) in enumerate(documents):
            for row in rows[d]:
                assert row == sorted(set(row))
                assert not row or (row[0] >= 1 and row[-1] <= n_units - 1)
            sizes = [len(reference) for reference in references]
            expected = {
                "none": [0],
                "all": [n_units - 1],
                "regular": sizes,
                "random-known": sizes,
                "random-mean": [round(Fraction(sum(sizes), len(sizes)))],
                "human": sizes,
            }.get(name)
            assert expected is None or [len(row) for row in rows[d]] == expected, name


@given(DOCUMENTS)
def test_reference_points_are_paired_with_the_right_references(documents: list[Document]) -> None:
    ready = codings(documents)
    first = ready.first.tolist()
    for name, point in REFERENCE_POINTS.items():
        drawn = points(name, ready)
        pairs = list(zip(drawn.hyp_row.tolist(), drawn.ref_row.tolist(), strict=True))
        expected = []
        for hyp, d in enumerate(drawn.document.tolist()):
            for ref in range(first[d], first[d + 1]):
                mine = ref == hyp
                if {"all": True, "own": mine, "others": not mine}[point.scored_against]:
                    expected.append((hyp, ref))
        assert pairs == expected, name
    assert lists(points("human", ready).boundaries) == lists(ready.boundaries)


@given(DOCUMENTS, st.integers(0, 2**64 - 1))
def test_a_documents_draws_do_not_depend_on_other_documents(
    documents: list[Document], seed: int
) -> None:
    """The draws are the same alone, in another order of documents or coders, or in a slice."""
    whole = codings(documents, seed)
    turned = codings([(i, n, rows[::-1]) for i, n, rows in documents[::-1]], seed)
    last = len(documents) - 1
    for name in REFERENCE_POINTS:
        together = by_document(points(name, whole))
        backwards = by_document(points(name, turned))
        for d, document in enumerate(documents):
            assert lists(points(name, codings([document], seed)).boundaries) == together[d]
            assert backwards[last - d][::-1] == together[d]
            part = Codings(
                whole.hashes[d : d + 1],
                whole.n_units[d : d + 1],
                whole.first[d : d + 2],
                whole.boundaries,
                whole.mean_size,
                seed,
            )
            alone = points(name, part)
            assert lists(alone.boundaries) == together[d]
            assert set(alone.ref_row.tolist()) <= set(range(*whole.first[d : d + 2].tolist()))


def test_random_known_does_not_change_with_the_other_coders() -> None:
    one = drawn_segmentations("random-known", [("d", 50, [[3, 9, 20]])])
    more = drawn_segmentations(
        "random-known", [("d", 50, [[1], [4, 5, 6], [3, 9, 20], list(range(1, 40))])]
    )
    assert more[1] == more[2] == one[0]
    assert set(more[0]) < set(more[1]) < set(more[3])


def test_none_all_and_regular_are_exact() -> None:
    document = ("d", 10, [[], [1], [1, 2], [1, 2, 3], list(range(1, 10))])
    assert drawn_segmentations("none", [document]) == [[]]
    assert drawn_segmentations("all", [document]) == [list(range(1, 10))]
    # Multiples of 10/1, 10/2, 10/3, 10/4 (2.5 and 7.5 to even), 10/10.
    assert drawn_segmentations("regular", [document]) == [
        [],
        [5],
        [3, 7],
        [2, 5, 8],
        list(range(1, 10)),
    ]
    assert (
        drawn_segmentations("all", [("d", 1, [[]])])
        == drawn_segmentations("regular", [("d", 1, [[]])])
        == [[]]
    )


@given(DOCUMENTS)
def test_regular_segments_differ_by_at_most_one_unit(documents: list[Document]) -> None:
    ready = codings(documents)
    drawn = points("regular", ready)
    for d, row in zip(drawn.document.tolist(), lists(drawn.boundaries), strict=True):
        sizes = np.diff([0, *row, documents[d][1]])
        assert sizes.max() - sizes.min() <= 1


@given(DOCUMENTS, st.fractions(1, 30, max_denominator=50))
def test_regular_mean_size_follows_its_multiples(documents: list[Document], size: Fraction) -> None:
    drawn = lists(points("regular-mean-size", codings(documents, size=size)).boundaries)
    for row, (_, n_units, _) in zip(drawn, documents, strict=True):
        multiples = [round(j * size) for j in range(1, n_units + 1)]
        assert row == [place for place in multiples if place < n_units]


def test_the_mean_size_is_pooled_over_references() -> None:
    boundaries = from_lists([[5], [2, 4, 6], []])
    assert sizes_in_units(np.array([10, 10, 7]), boundaries) == (27, 2 + 4 + 1)


def many(n_units: int, reference: list[int], documents: int = 30_000) -> list[Document]:
    return [(f"doc-{i}", n_units, [reference]) for i in range(documents)]


@pytest.mark.first
@pytest.mark.parametrize("name", ["random-known", "random-mean"])
@pytest.mark.parametrize("marked", [1, 2, 3, 5, 6])
def test_all_sets_of_positions_are_equally_likely(name: str, marked: int) -> None:
    counts = Counter(map(tuple, drawn_segmentations(name, many(8, list(range(1, marked + 1))), 7)))
    assert set(counts) == set(combinations(range(1, 8), marked))
    assert abs(evenness(counts, comb(7, marked))) < 4


def test_random_unknown_has_any_number_of_boundaries_at_any_positions() -> None:
    rows = drawn_segmentations("random-unknown", many(6, []), 11)
    assert abs(evenness(Counter((len(row),) for row in rows), 6)) < 4
    pairs = Counter(tuple(row) for row in rows if len(row) == 2)
    assert abs(evenness(pairs, comb(5, 2))) < 4


def test_a_coin_makes_all_segmentations_equally_likely() -> None:
    assert abs(evenness(Counter(map(tuple, drawn_segmentations("coin", many(7, [])))), 2**6)) < 4
    long = np.array([len(row) for row in drawn_segmentations("coin", many(1001, [], 2000))])
    assert abs(long.mean() - 500) < 4 * (250 / 2000) ** 0.5
    places = Counter(
        place for row in drawn_segmentations("coin", many(200, [], 2000)) for place in row
    )
    assert set(places) == set(range(1, 200))
    assert all(abs(times - 1000) < 5 * 500**0.5 for times in places.values())


@pytest.mark.parametrize("name", RANDOM)
def test_seeds_documents_and_points_differ(name: str) -> None:
    documents = many(60, list(range(10, 20)), 200)
    rows = drawn_segmentations(name, documents, 1)
    assert rows == drawn_segmentations(name, documents, 1)
    assert (
        sum(a == b for a, b in zip(rows, drawn_segmentations(name, documents, 2), strict=True)) < 20
    )
    assert sum(a == b for a, b in pairwise(rows)) < 20
    others = [drawn_segmentations(other, documents, 1) for other in RANDOM if other != name]
    assert all(sum(map(list.__eq__, rows, other)) < 20 for other in others)


def test_the_draws_do_not_change_between_versions() -> None:
    """The same seed and ids give the same numbers in every version."""
    document = ("doc", 30, [[4, 9], [9]])
    drawn = {name: drawn_segmentations(name, [document]) for name in RANDOM}
    assert drawn == {
        "random-known": [[3, 9], [9]],
        "random-unknown": [[11, 28]],
        "random-mean": [[1, 26]],
        "coin": [[1, 3, 4, 5, 6, 9, 11, 17, 18, 19, 24, 25]],
    }


def test_huge_documents() -> None:
    rows = drawn_segmentations("random-known", [("d", 5_000_000, [[1, 2, 3]]), ("e", 2, [[1]])])
    assert len(rows[0]) == 3
    assert rows[0][-1] < 5_000_000
    assert rows[1] == [1]


def test_names_of_points_are_read_and_unknown_ones_refused() -> None:
    assert tuple(REFERENCE_POINTS) == reading.POINT_NAMES
    assert reading.parse_points("none,all,human") == ("none", "all", "human")
    with pytest.raises(Refused, match="--reference-points some: must be one of none, all, regul"):
        reading.parse_points("none,some")
    with pytest.raises(Refused, match="none,none: names a reference point twice"):
        reading.parse_points("none,none")
    with pytest.raises(Refused, match="--reference-points : must be one of"):
        reading.parse_points("")


def test_all_is_no_worse_than_none_by_pr_error_alone() -> None:
    """G06 5.2 and figure 3, on meetings: by Pk and WindowDiff All is far worse, not by Pr_error."""
    lines = (DATA / "qmsum.jsonl").read_text().splitlines()
    documents = [
        (row["document_id"], row["n_units"], [row["boundaries"]]) for row in map(json.loads, lines)
    ]
    nothing, everything = (pooled(name, documents) for name in ("none", "all"))
    assert nothing["pr_error"] == pytest.approx(0.5)
    assert everything["pr_error"] == pytest.approx(0.5, abs=0.001)
    assert everything["window_diff"] > 0.99
    for name in ("window_diff", "pk"):
        assert everything[name] - nothing[name] > 0.1, name


def pooled(name: str, documents: Sequence[Document]) -> dict[str, float]:
    """Window measures of a reference point, over the summed counts of a corpus."""
    ready = codings(documents)
    drawn = points(name, ready)
    n_units = ready.n_units[drawn.document[drawn.hyp_row]]
    segments = ready.boundaries.lengths[drawn.ref_row] + 1
    size = windows.window_size(n_units, segments)
    rows = drawn.ref_row, drawn.hyp_row, n_units
    counted = windows.count(pair_rows(ready.boundaries, drawn.boundaries, *rows), size)
    summed = dict(zip(windows.COUNTS, counted.sum(axis=1, keepdims=True), strict=True))
    chosen = [PAIRS.measures[name] for name in ("pk", "window_diff", "pr_miss", "pr_false_alarm")]
    values = evaluate(
        [*chosen, PAIRS.measures["pr_error"]],
        summed,
        passes.SETTINGS.parameters(float("nan")),
        rows=False,
    )
    return {name: float(value[0]) for name, value in values.items()}
