"""How numbers, intervals and groups are written, also undefined ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.statistics import formatted_numbers
from segscore.pipeline.statistics.formatted_numbers import (
    format_p,
    number_in_words,
    percent,
    shown_attribute,
    shown_cell,
    shown_group,
    shown_rank,
)


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "–"), (0.0, "< 0.0001"), (4e-23, "< 0.0001"), (0.0499, "0.050"), (1.0, "1.00")],
)
def test_examples(p: float | None, text: str) -> None:
    assert format_p(p) == text


@given(st.floats(0, 1))
def test_a_number_is_close_and_never_0(p: float) -> None:
    text = format_p(p)
    if text.startswith("<"):
        assert p < 0.0001
    else:
        assert float(text) > 0 and float(text) == pytest.approx(p, rel=0.0506, abs=0.0000501)


@pytest.mark.parametrize(
    "name", ["shown_number", "shown_change", "shown_rank", "format_p", "percent"]
)
def test_a_number_may_be_undefined(name: str) -> None:
    assert getattr(formatted_numbers, name)(None) == "–"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shown_interval", "–"),
        ("shown_changes", "–"),
        ("short_interval", ""),
        ("interval_in_words", ""),
    ],
)
@pytest.mark.parametrize("ends", [(None, None), (0.1, None), (None, 0.2)])
def test_an_interval_may_be_undefined(
    name: str, text: str, ends: tuple[float | None, float | None]
) -> None:
    assert getattr(formatted_numbers, name)(*ends) == text


@pytest.mark.parametrize(
    ("share", "form", "text"),
    [
        (0.375, ".0f", "38 %"),
        (0.0, ".0f", "0 %"),
        (0.1234, ".1f", "12.3 %"),
        (1.2, ".2g", "1.2e+02 %"),
    ],
)
def test_a_share_is_a_percentage_with_a_space(share: float, form: str, text: str) -> None:
    assert percent(share, form) == text


def test_a_number_has_its_interval_if_there_is_one() -> None:
    assert number_in_words(0.5, 0.25, 0.75) == "0.500 (95 % 0.250 to 0.750)"
    assert number_in_words(0.5, None, None) == "0.500"
    assert number_in_words(None, None, None) == "–"


@pytest.mark.parametrize(("rank", "text"), [(1.0, "1"), (12.0, "12"), (1.5, "1.5"), (7.975, "8")])
def test_a_rank_has_a_decimal_only_if_it_needs_one(rank: float, text: str) -> None:
    assert shown_rank(rank) == text


def test_truth_values_are_those_of_json() -> None:
    assert shown_cell(True) == "true"
    assert shown_attribute(False) == "false"
    assert shown_group(["live", "month", "year"], [False, None, 2026]) == "live false, year 2026"
