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

from pipeline.measures import edits, windows
from pipeline.segmentations import from_lists
from tests import naive, passes
from tests.strategies import pairs, segmentations

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
def test_window_counts_are_those_of_the_twin(pair: Pair, k: int) -> None:
    assert passes.window_counts(*pair, k) == naive.window_counts(*pair, k)


@given(pairs(), st.integers(1, 7))
def test_edit_counts_are_those_of_the_twin(pair: Pair, n_t: int) -> None:
    twin = naive.edit_counts(*pair, n_t) | {"ghd": naive.ghd(*pair)}
    assert passes.edit_counts(*pair, n_t) == twin


def test_a_batch_counts_each_pair_as_if_it_were_alone() -> None:
    chosen = list(random_pairs(5))[:200]
    rows = np.array([i for i in range(200) for _ in range(2)])
    other = np.roll(rows, 3)
    units = np.array([80] * 400)
    k = np.arange(400) % 9 + 1
    references = from_lists([pair[1] for pair in chosen])
    hypotheses = from_lists([pair[2] for pair in chosen])
    window = windows.count(references, hypotheses, rows, other, units, k)
    edit = edits.count(references, hypotheses, rows, other, units, 4)
    for i in range(400):
        pair = 80, chosen[rows[i]][1], chosen[other[i]][2]
        assert window[:, i].tolist() == list(passes.window_counts(*pair, int(k[i])).values())
        assert edit[:, i].tolist() == list(passes.edit_counts(*pair, 4).values())


@given(segmentations(), st.integers(1, 20))
def test_reference_windows_alone_are_those_of_a_pair(
    segmentation: tuple[int, list[int]], k: int
) -> None:
    n_units, reference = segmentation
    alone = windows.reference_windows(from_lists([reference]), np.array([n_units]), np.array([k]))
    assert alone[0] == naive.window_counts(n_units, reference, [], k)["reference_windows"]


@given(st.integers(1, 500), st.integers(1, 40), st.sampled_from(["half-even", "half-up"]))
def test_window_size_is_that_of_the_twin(n_units: int, segments: int, rounding: str) -> None:
    size = windows.window_size(np.array([n_units]), np.array([segments]), rounding)
    assert size[0] == naive.window_size(n_units, segments, rounding)


@pytest.mark.parametrize("seed", [1, 2])
def test_thousands_of_pairs_have_the_windows_of_segeval(seed: int) -> None:
    compared = 0
    for n_units, reference, hypothesis in random_pairs(seed):
        k = naive.window_size(n_units, len(reference) + 1)
        if n_units <= k or not (reference or hypothesis):
            continue  # docs/measures.md: segeval has 0, an exception or no answer there
        sides = masses(n_units, hypothesis), masses(n_units, reference)
        ours = passes.values(passes.counts(n_units, reference, hypothesis, k, 2))
        assert ours["pk"] == pytest.approx(float(segeval.pk(*sides)), abs=1e-12)
        assert ours["window_diff"] == pytest.approx(float(segeval.window_diff(*sides)), abs=1e-12)
        compared += 1
    assert compared > RANDOM_PAIRS // 2


@pytest.mark.parametrize("n_t", range(1, 7))
def test_thousands_of_pairs_have_the_edits_of_segeval(n_t: int) -> None:
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
        taken = passes.values(passes.counts(n_units, reference, hypothesis, 2, n_t), n_t=n_t)
        for name in ("boundary_similarity", "segmentation_similarity"):
            theirs_value = similarity(name)(*sides, n_t=n_t)
            assert taken[name] == pytest.approx(float(theirs_value), abs=1e-12)
        compared += 1
    assert compared > RANDOM_PAIRS // 4


def similarity(name: str) -> Callable[..., Decimal]:
    found: Callable[..., Decimal] = getattr(segeval, name)
    return found


def test_thousands_of_pairs_have_the_windows_of_nltk() -> None:
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
