"""The measures of neighbouring fields against mir_eval and pyannote.metrics."""

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import passes
from tests.support.passes import Near
from tests.support.programs import annotation, annotations, intervals, labels
from tests.support.strategies import pairs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mir_eval: Any = importlib.import_module("mir_eval.segment")
    pyannote: Any = importlib.import_module("pyannote.metrics.segmentation")

Pair = tuple[int, list[int], list[int]]
Value = float | None


def labelled(pair: Pair) -> list[Any]:
    """Intervals and labels of both sides."""
    n_units, *sides = pair
    segments = [intervals(n_units, side) for side in sides]
    return [both for side in segments for both in (side, labels(side))]


def of_pyannote(metric: Callable[..., Any], pair: Pair, **options: Any) -> float:
    """A metric of pyannote for one pair."""
    n_units, *sides = pair
    return float(metric(**options)(*(annotation(n_units, side) for side in sides)))


def ours(pair: Pair, near: Near = passes.PLAIN) -> dict[str, Value]:
    """All values of one pair."""
    return passes.values(passes.counts(*pair, 2, 2, near), edges=near.edges)


def same(found: Value, theirs: float) -> bool:
    """Whether a value is theirs, and undefined where theirs is not a number."""
    return bool(np.isnan(theirs)) if found is None else found == pytest.approx(theirs, abs=1e-12)


# --- Boundaries within a tolerance ---------------------------------------------------------------


@given(pairs(), st.integers(0, 70), st.booleans())
def test_tolerant_values_are_those_of_mir_eval(pair: Pair, tolerance: int, trim: bool) -> None:
    n_units, *sides = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about sides without a boundary
        theirs = mir_eval.detection(
            *(intervals(n_units, side) for side in sides), window=tolerance, trim=trim
        )
    found = ours(pair, Near(tolerance, 0 if trim else 2))
    for name, value in zip(("precision", "recall", "f1"), theirs, strict=True):
        # An empty side is 0 there, and here undefined unless it is that of the other value.
        assert (found[f"tolerant_{name}"] or 0.0) == pytest.approx(value, abs=1e-12)


@given(pairs(), st.integers(1, 70), st.integers(0, 70))
def test_ends_of_their_own_are_boundaries_of_a_longer_document(
    pair: Pair, further: int, tolerance: int
) -> None:
    """The recipe of docs/neighbouring-fields.md for outputs whose ends differ."""
    n_units, reference, hypothesis = pair
    ends = n_units, n_units + further
    theirs = mir_eval.detection(
        intervals(ends[0], reference), intervals(ends[1], hypothesis), window=tolerance
    )
    found = ours(
        (ends[1] + 1, [*reference, ends[0]], [*hypothesis, ends[1]]), Near(tolerance, edges=1)
    )
    for name, value in zip(("precision", "recall", "f1"), theirs, strict=True):
        assert found[f"tolerant_{name}"] == pytest.approx(value, abs=1e-12)


def test_by_default_mir_eval_counts_the_ends() -> None:
    sides = intervals(20, [10]), intervals(20, [3])
    assert mir_eval.detection(*sides, window=0)[2] == pytest.approx(2 / 3)
    assert ours((20, [10], [3]), Near(0, 2))["tolerant_f1"] == pytest.approx(2 / 3)
    assert ours((20, [10], [3]))["tolerant_f1"] == 0


@given(pairs(), st.integers(0, 70))
def test_pyannote_never_pairs_more(pair: Pair, tolerance: int) -> None:
    """It pairs the closest boundaries first."""
    found = ours(pair, Near(tolerance))
    for metric, name in (
        (pyannote.SegmentationPrecision, "tolerant_precision"),
        (pyannote.SegmentationRecall, "tolerant_recall"),
    ):
        value = found[name]
        if value is not None:
            assert of_pyannote(metric, pair, tolerance=tolerance) <= value + 1e-12


def test_pyannote_can_pair_fewer() -> None:
    pair = 60, [1, 30], [21, 59]
    assert of_pyannote(pyannote.SegmentationRecall, pair, tolerance=30) == 1 / 2
    assert ours(pair, Near(30))["tolerant_recall"] == 1
    assert of_pyannote(pyannote.SegmentationPrecision, (9, [3], []), tolerance=1) == 1
    assert ours((9, [3], []), Near(1))["tolerant_precision"] is None


# --- Overlap of segments -------------------------------------------------------------------------


@given(pairs(max_units=30))
def test_pairs_of_units_are_those_of_mir_eval(pair: Pair) -> None:
    sides = labelled(pair)
    found = ours(pair)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about 0 / 0
        theirs = mir_eval.pairwise(*sides, frame_size=1)
        rand = mir_eval.rand_index(*sides, frame_size=1)
        adjusted = mir_eval.ari(*sides, frame_size=1)
    for name, value in zip(("pair_precision", "pair_recall"), theirs, strict=False):
        assert same(found[name], value), name
    if found["pair_precision"] and found["pair_recall"]:
        assert same(found["pair_f1"], theirs[2])
    assert same(found["rand"], rand)
    assert same(found["adjusted_rand"], adjusted)


@given(pairs(max_units=30))
def test_purity_and_coverage_are_those_of_pyannote(pair: Pair) -> None:
    found = ours(pair)
    for metric, name in (
        (pyannote.SegmentationPurity, "purity"),
        (pyannote.SegmentationCoverage, "coverage"),
        (pyannote.SegmentationPurityCoverageFMeasure, "purity_coverage_f1"),
    ):
        assert same(found[name], of_pyannote(metric, pair, tolerance=0))


def test_pyannote_joins_neighbours_of_one_label() -> None:
    one = annotations.Annotation()
    one[annotations.Segment(0, 5)] = one[annotations.Segment(5, 10)] = "a"
    whole = annotation(10, [])
    assert pyannote.SegmentationPurity(tolerance=0)(one, whole) == 1
    assert ours((10, [5], []))["purity"] == 1 / 2
