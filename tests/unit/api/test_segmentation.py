"""Segmentations from any notation, and back."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore
from segscore import Refused, Segmentation
from tests.support.notations import mask as mask_of
from tests.support.strategies import segmentations


@given(segmentations())
def test_notations_go_there_and_back(drawn: tuple[int, list[int]]) -> None:
    n_units, boundaries = drawn
    made = Segmentation(boundaries, n_units)
    assert Segmentation.from_masses(made.masses) == made
    assert Segmentation.from_mask(made.mask) == made
    assert Segmentation.from_mask([flag == "1" for flag in made.mask]) == made
    labels = [sum(boundary <= unit for boundary in boundaries) for unit in range(n_units)]
    assert Segmentation.from_labels(labels) == made
    assert Segmentation.from_labels(np.array(labels)) == made
    assert Segmentation.from_starts([0, *boundaries], duration=n_units, unit="s") == made
    ends = [0, *boundaries, n_units]
    intervals = list(pairwise(ends))
    assert Segmentation.from_intervals(intervals, unit="s") == made
    assert sum(made.masses) == n_units
    assert made.mask == mask_of(n_units, boundaries)
    assert hash(made) == hash(Segmentation(tuple(boundaries), n_units))


@given(
    st.lists(st.integers(1, 10**7), max_size=8), st.sampled_from((1000, 25, Fraction(30000, 1001)))
)
def test_times_are_rounded_half_up(micros: list[int], rate: Any) -> None:
    """Written from the rule: u = floor(s * rate + 1/2), in exact arithmetic."""
    starts = [Fraction(micro, 10**6) for micro in micros]
    expected = [int(start * rate + Fraction(1, 2)) for start in starts]
    length = int(Fraction(11) * rate + Fraction(1, 2))
    kept = sorted({unit for unit in expected if unit > 0})
    made = Segmentation.from_starts(starts, duration=11, unit=rate)
    assert (list(made.boundaries), made.n_units) == (kept, length)
    assert made.collapsed == len(expected) - len(kept)


def test_floats_are_the_decimals_that_they_read_as() -> None:
    assert Segmentation.from_starts([1.0005], duration=2).boundaries == (1001,)
    made = Segmentation.from_starts([0, 30.0005, 30.0009, 45.5, 60.0], duration=60)
    assert (made.boundaries, made.n_units, made.collapsed) == ((30001, 45500), 60000, 2)


def test_gaps_and_overlaps_of_intervals() -> None:
    with pytest.warns(UserWarning, match="1 of the intervals begin before the one before them"):
        made = Segmentation.from_intervals([(1, 3), (5, 6), (4, 5.5), (7, 7)], duration=9, unit="s")
    assert made.boundaries == (4, 5)


def test_whole_numbers_are_taken_for_seconds_only_if_that_is_said() -> None:
    for make in (
        partial(Segmentation.from_starts, [1, 5, 8], duration=12),
        partial(Segmentation.from_intervals, [(0, 1), (1, 5), (5, 8), (8, 12)]),
    ):
        with pytest.raises(Refused, match="unit: all times are whole numbers; say"):
            make()
        assert make(unit="units") == Segmentation([1, 5, 8], 12)
        assert make(unit="ms") == Segmentation([1000, 5000, 8000], 12000)
    assert Segmentation.from_starts([1.0, 5.0], duration=12).n_units == 12000
    with pytest.raises(Refused, match="numbers of units must be whole"):
        Segmentation.from_starts([1.5], duration=12, unit="units")


def test_whole_floats_are_positions_as_in_tables() -> None:
    assert Segmentation([4.0], 9.0) == Segmentation([4], 9)  # type: ignore[list-item,arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Segmentation([2], 0), "n_units_positive: n_units must be at least 1"),
        (lambda: Segmentation([2, 2], 9), "boundaries_ascending"),
        (lambda: Segmentation([0], 9), "boundaries_in_range"),
        (lambda: Segmentation([True, 2], 9), r"boundaries\[0\] is true; expected a whole number"),
        (lambda: Segmentation(5, 9), "boundaries is 5; expected a list"),  # type: ignore[arg-type]
        (lambda: Segmentation({2: 1}, 9), "expected a list"),  # type: ignore[arg-type]
        (lambda: Segmentation([], 2**31), "^segmentation: n_units is 2147483648; expected a value"),
        (lambda: Segmentation([2], 9.5), "n_units is 9.5; expected a whole"),  # type: ignore[arg-type]
        (lambda: Segmentation([2], 9, types=[]), "boundary_types_parallel"),
        (lambda: Segmentation([2], 9, types=[0]), "boundary_types_positive"),
        (lambda: Segmentation([2, 2], 9, types=[2, 1]), "boundaries_ascending"),
        (lambda: Segmentation.from_masses([]), "one segment or more"),
        (lambda: Segmentation.from_masses([3, 0]), "each >= 1"),
        (lambda: Segmentation.from_mask("012"), "character 3 of the mask is '2'; expected 0 or 1"),
        (lambda: Segmentation.from_mask(None), "mask is null; expected a list"),  # type: ignore[arg-type]
        (lambda: Segmentation.from_labels([]), "labels is empty"),
        (lambda: Segmentation.from_labels([np.zeros(2), np.ones(2)]), "two of them cannot be comp"),  # type: ignore[list-item]
        (lambda: Segmentation.from_starts([-1], duration=9), "start is -1; expected"),
        (lambda: Segmentation.from_starts([10.0], duration=9), "boundaries_in_range"),
        (lambda: Segmentation.from_starts([1], duration=9, unit="h"), "unit h: must be one of ms"),
        (lambda: Segmentation.from_starts(["1/0"], duration=9), "start is '1/0'"),  # type: ignore[list-item]
        (lambda: Segmentation.from_starts(5, duration=9), "starts is 5; expected a list"),  # type: ignore[arg-type]
        (lambda: Segmentation.from_starts([1], duration=float("nan")), "duration is nan"),
        (lambda: Segmentation.from_intervals([]), "intervals is empty"),
        (
            lambda: Segmentation.from_intervals([(1,)]),
            r"interval is \[1\]; expected a start and an",
        ),
        (lambda: Segmentation.from_intervals([1, 2]), "interval is 1; expected a list"),  # type: ignore[list-item]
        (lambda: Segmentation.from_intervals([(3, 2)]), "interval 3 to 2: ends before it starts"),
    ],
)
def test_what_is_no_segmentation_is_refused(make: Any, message: str) -> None:
    with pytest.raises(Refused, match=message):
        make()


@pytest.mark.parametrize(
    "mask",
    ["0100", b"0100", [0, 1, 0, 0], [False, True], np.array([False, True]), [0, 0]],
    ids=repr,
)
def test_a_mask_given_as_boundaries_names_from_mask(mask: Any) -> None:
    message = r"not positions: .*; for a flag per .* use segscore\.Segmentation\.from_mask"
    for call in (
        lambda: Segmentation(mask, 5),
        lambda: segscore.pk(reference=mask, hypothesis=[2], n_units=5),
        lambda: segscore.pk(reference=[2], hypothesis=mask, n_units=5),
        lambda: segscore.Metric("pk").update(reference=mask, hypothesis=mask),
    ):
        with pytest.raises(Refused, match=message):
            call()


@pytest.mark.parametrize("boundaries", [[0], [0, 2], [1], [1, 1]])
def test_positions_are_not_taken_for_a_mask(boundaries: list[int]) -> None:
    if boundaries == [1]:
        assert Segmentation(boundaries, 5).boundaries == (1,)
        return
    with pytest.raises(Refused, match="boundaries_"):
        Segmentation(boundaries, 5)


def test_a_set_has_no_order() -> None:
    given: Any = {2, 5}
    for call in (
        lambda: Segmentation(given, 9),
        lambda: Segmentation.from_masses(given),
        lambda: Segmentation.from_labels(given),
        lambda: segscore.pk(reference=given, hypothesis=[2], n_units=9),
    ):
        with pytest.raises(Refused, match="is a set, which has no order; give a list"):
            call()
    assert Segmentation.from_starts(given, duration=9, unit="s").boundaries == (2, 5)


def test_a_long_document_is_drawn_to_scale() -> None:
    drawn = repr(Segmentation([500], 1000))
    assert drawn == f"Segmentation([500], n_units=1000)  {'─' * 30}│{'─' * 29}"
