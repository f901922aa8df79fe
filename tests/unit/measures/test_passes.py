"""The compiled passes against the slow twin, segeval and NLTK."""

import random
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures import content, edits, windows
from segscore.pipeline.measures.prefetch import AT_ONCE, COPY_SIZE
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.sliding import LONGEST, dense
from segscore.pipeline.measures.type_confusion import no_decisions
from segscore.pipeline.measures.words import BIT_WORDS, LARGEST_WINDOW, few_words
from tests.oracles import naive
from tests.support import passes
from tests.support.strategies import pairs, segmentations

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import segeval

Pair = tuple[int, list[int], list[int]]
RANDOM_PAIRS = 2_000


def random_pairs(seed: int, least_units: int = 2) -> Iterator[Pair]:
    """Thousands of pairs: any density, half of them jittered copies."""
    draw = random.Random(seed)  # noqa: S311
    for _ in range(RANDOM_PAIRS):
        n_units = draw.randint(least_units, 80)
        density = draw.random() ** 2
        reference = [p for p in range(1, n_units) if draw.random() < density]
        if draw.random() < 0.5:
            moved = {p + draw.choice((-3, -2, -1, 0, 0, 1, 2, 4)) for p in reference}
            hypothesis = sorted(p for p in moved if 1 <= p < n_units)
        else:
            hypothesis = [p for p in range(1, n_units) if draw.random() < density]
        yield n_units, reference, hypothesis


def masses(n_units: int, boundaries: list[int]) -> tuple[int, ...]:
    ends = [0, *boundaries, n_units]
    return tuple(b - a for a, b in pairwise(ends))


def mask(n_units: int, boundaries: list[int]) -> str:
    return "".join("1" if p in boundaries else "0" for p in range(1, n_units))


@given(pairs(), st.integers(1, 70))
def test_window_counts_equal_the_twin(pair: Pair, k: int) -> None:
    assert passes.window_counts(*pair, k) == naive.window_counts(*pair, k)


@pytest.mark.parametrize("by", ["boundary", "unit"])
@given(pair=pairs(), k=st.integers(1, 70))
def test_both_sliding_algorithms_equal_the_twin(pair: Pair, k: int, by: passes.Sliding) -> None:
    assert passes.sliding_counts(*pair, k, by) == naive.window_counts(*pair, k)


@given(pairs(), st.integers(1, LARGEST_WINDOW))
def test_windows_counted_by_words_equal_the_twin(pair: Pair, k: int) -> None:
    assert passes.sliding_counts(*pair, k, "word") == naive.window_counts(*pair, k)


@pytest.mark.parametrize("k", [1, 2, 3, LARGEST_WINDOW])
def test_the_longest_documents_counted_by_words(k: int) -> None:
    """Boundaries everywhere give the largest counts, and the last word is used."""
    n_units = 64 * (BIT_WORDS - 8)
    everywhere = list(range(1, n_units))
    assert few_words(2 * len(everywhere), n_units, k)
    assert not few_words(2 * len(everywhere), n_units + 1, k)
    for reference, hypothesis in ((everywhere, everywhere[::3]), ([], everywhere), ([1], [2])):
        by_word = passes.sliding_counts(n_units, reference, hypothesis, k, "word")
        assert by_word == passes.sliding_counts(n_units, reference, hypothesis, k, "boundary")


@pytest.mark.first
@pytest.mark.parametrize("k", [2, 40, 9_000])
def test_the_longest_dense_documents(k: int) -> None:
    """Boundaries everywhere give the largest numbers that share 32 bits."""
    n_units = LONGEST - 1 - 2 * k
    everywhere = list(range(1, n_units))
    assert dense(2 * len(everywhere), n_units, k)
    assert not dense(2 * len(everywhere), n_units + 1, k)
    for reference, hypothesis in ((everywhere, everywhere[::3]), (everywhere[::2], everywhere)):
        by_unit = passes.sliding_counts(n_units, reference, hypothesis, k, "unit")
        assert by_unit == passes.sliding_counts(n_units, reference, hypothesis, k, "boundary")
        assert by_unit == passes.window_counts(n_units, reference, hypothesis, k)


@given(pairs(), st.integers(1, 2))
def test_neighbouring_near_misses_are_counted_and_listed(pair: Pair, n_t: int) -> None:
    """When edits are listed, near misses of neighbouring positions are listed too."""
    n_units, reference, hypothesis = pair
    sides = from_lists([reference]), from_lists([hypothesis])
    one = pair_rows(*sides, passes.ONE, passes.ONE, np.array([n_units]))
    paired = edits.count(one, n_t, decided=no_decisions((1,)))
    assert passes.edit_counts(*pair, n_t) == dict(
        zip(edits.COUNTS, paired[:, 0].tolist(), strict=True)
    )


@given(pairs(), st.integers(1, 7))
def test_edit_counts_equal_the_twin(pair: Pair, n_t: int) -> None:
    twin = naive.edit_counts(*pair, n_t) | {"ghd": naive.ghd(*pair)}
    assert passes.edit_counts(*pair, n_t) == twin


@pytest.mark.first
def test_a_pair_in_a_batch_is_counted_like_a_single_one() -> None:
    """There are more pairs than a block has, in any order, dense and sparse ones."""
    documents, size = 300, 4 * AT_ONCE + 7
    chosen = list(random_pairs(5))[:documents]
    draw = np.random.default_rng(5)
    rows, other = draw.integers(0, documents, size), draw.integers(0, documents, size)
    longest = np.array([pair[0] for pair in chosen])
    units = np.maximum(longest[rows], longest[other])
    k = np.arange(size) % 25 + 1
    sides = from_lists([pair[1] for pair in chosen]), from_lists([pair[2] for pair in chosen])
    by_words = dense_ones = 0
    batch = pair_rows(*sides, rows, other, units)
    window = windows.count(batch, k)
    content_counts = content.count(batch)
    edit = {n_t: edits.count(batch, n_t) for n_t in (2, 4)}
    for i in range(size):
        pair = int(units[i]), chosen[rows[i]][1], chosen[other[i]][2]
        boundaries = len(pair[1]) + len(pair[2])
        dense_ones += dense(boundaries, pair[0], int(k[i]))
        by_words += few_words(boundaries, pair[0], int(k[i]))
        assert window[:, i].tolist() == list(passes.window_counts(*pair, int(k[i])).values())
        assert content_counts[:, i].tolist() == list(passes.content_counts(*pair).values())
        for n_t, counted in edit.items():
            assert counted[:, i].tolist() == list(passes.edit_counts(*pair, n_t).values())
    assert size // 10 < dense_ones < size * 9 // 10
    assert size // 10 < by_words < size * 9 // 10


def test_references_larger_than_a_block() -> None:
    """One is larger than a block, two do not fit into one, and small ones surround them."""
    n_units = 3 * COPY_SIZE
    sides = [
        [1, 5],
        list(range(1, COPY_SIZE)),
        list(range(2, 2 * COPY_SIZE + 2)),
        [],
        list(range(1, COPY_SIZE)),
    ]
    rows = np.array([0, 1, 4, 3, 2, 2, 0, 1, 0])
    both = from_lists(sides), from_lists([[1, 9]])
    units, k = np.full(len(rows), n_units), np.full(len(rows), 50)
    counted = windows.count(pair_rows(*both, rows, np.zeros_like(rows), units), k)
    for i, row in enumerate(rows):
        alone = passes.sliding_counts(n_units, sides[row], [1, 9], 50, "boundary")
        assert counted[:, i].tolist() == list(alone.values())


@given(segmentations(), st.integers(1, 20))
def test_reference_windows_equal_those_of_a_pair(
    segmentation: tuple[int, list[int]], k: int
) -> None:
    n_units, reference = segmentation
    alone = windows.reference_windows(from_lists([reference]), np.array([n_units]), np.array([k]))
    assert alone[0] == naive.window_counts(n_units, reference, [], k)["reference_windows"]


@given(st.integers(1, 500), st.integers(1, 40), st.sampled_from(["half-even", "half-up"]))
def test_window_size_equals_the_twin(n_units: int, segments: int, rounding: str) -> None:
    size = windows.window_size(np.array([n_units]), np.array([segments]), rounding)
    assert size[0] == naive.window_size(n_units, segments, rounding)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_windows_of_thousands_of_pairs_equal_segeval(seed: int) -> None:
    compared = 0
    for n_units, reference, hypothesis in random_pairs(seed):
        k = naive.window_size(n_units, len(reference) + 1)
        if n_units <= k or not (reference or hypothesis):
            continue  # docs/measures.md: segeval returns 0, an exception or nothing there
        sides = masses(n_units, hypothesis), masses(n_units, reference)
        ours = passes.values(passes.counts(n_units, reference, hypothesis, k, 2))
        assert ours["pk"] == pytest.approx(float(segeval.pk(*sides)), abs=1e-12)
        assert ours["window_diff"] == pytest.approx(float(segeval.window_diff(*sides)), abs=1e-12)
        compared += 1
    assert compared > RANDOM_PAIRS // 2


@pytest.mark.long
@pytest.mark.parametrize("n_t", [1, 2, 3, 4, 5, 6])
def test_edits_of_thousands_of_pairs_equal_segeval(n_t: int) -> None:
    compared = 0
    for n_units, reference, hypothesis in list(random_pairs(10 + n_t))[: RANDOM_PAIRS // 2]:
        if not (reference or hypothesis):
            continue
        sides = masses(n_units, reference), masses(n_units, hypothesis)
        theirs = segeval.boundary_statistics(*sides, n_t=n_t)
        ours = passes.edit_counts(n_units, reference, hypothesis, n_t)
        assert ours["matches"] == len(theirs["matches"])
        assert ours["near_misses"] == len(theirs["transpositions"])
        assert ours["misses"] + ours["false_alarms"] == len(theirs["additions"])
        values = passes.values(passes.counts(n_units, reference, hypothesis, 2, n_t), n_t=n_t)
        for name in ("boundary_similarity", "segmentation_similarity"):
            theirs_value = similarity(name)(*sides, n_t=n_t)
            assert values[name] == pytest.approx(float(theirs_value), abs=1e-12)
        compared += 1
    assert compared > RANDOM_PAIRS // 4


def similarity(name: str) -> Callable[..., Decimal]:
    function: Callable[..., Decimal] = getattr(segeval, name)
    return function


@pytest.mark.long
def test_windows_of_thousands_of_pairs_equal_nltk() -> None:
    for n_units, reference, hypothesis in random_pairs(3, least_units=4):
        k = min(naive.window_size(n_units, len(reference) + 1), n_units - 1)
        flags = mask(n_units, reference), mask(n_units, hypothesis)
        ours = passes.values(passes.counts(n_units, reference, hypothesis, k, 2))
        assert ours["pk"] == pytest.approx(nltk_pk(*flags, k=k), abs=1e-12)
        assert ours["window_diff"] == pytest.approx(nltk_windowdiff(*flags, k=k), abs=1e-12)
        weighted = nltk_windowdiff(*flags, k=k, weighted=True)
        assert ours["window_diff_weighted"] == pytest.approx(weighted, abs=1e-12)


def test_windows_of_256_and_more() -> None:
    """docs/measures.md: segeval stops with an AssertionError."""
    n_units, reference, hypothesis = 3000, [700, 1500, 2900], [690, 1501]
    for k in (255, 256, 257, 1000, 2999):
        expected = naive.window_counts(n_units, reference, hypothesis, k)
        assert passes.window_counts(n_units, reference, hypothesis, k) == expected


def test_no_boundary_anywhere_is_agreement() -> None:
    """docs/measures.md: segeval raises ValueError."""
    ours = passes.values(passes.counts(10, [], [], 5, 2))
    assert ours["boundary_similarity"] == ours["segmentation_similarity"] == 1
    assert ours["pk"] == ours["window_diff"] == 0
    assert ours["b_precision"] is ours["b_recall"] is ours["b_f1"] is ours["pr_error"] is None


@pytest.mark.parametrize("k", [5, 6, 40])
def test_a_window_as_long_as_the_document_is_undefined(k: int) -> None:
    """docs/measures.md: segeval finds Pk perfect and raises for WindowDiff."""
    ours = passes.values(passes.counts(5, [2], [3], k, 2))
    assert ours["pk"] is ours["window_diff"] is ours["window_diff_weighted"] is None
    assert ours["window_diff_edges"] is not None
