"""The search: published numbers as printed, the order of what fits, and fits by chance."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.conventions.convention import Answer, Program, Question, conventions
from segscore.pipeline.conventions.published import (
    Published,
    published_rows,
    read_published,
    read_published_table,
)
from segscore.pipeline.conventions.search import Search, chance_fit, search_conventions
from segscore.pipeline.errors import Refused

COLOR = Question("color", tuple(Answer(name, name, "nobody") for name in ("red", "blue", "green")))
SIZE = Question("size", tuple(Answer(name, name, "nobody") for name in ("small", "large")))
PROGRAMS = (Program("plain", "plain()", {}), Program("other", "other()", {"color": "blue"}))


def published(text: object, **row: Any) -> Published:
    """Return a published Pk."""
    return read_published({"measure": "pk", "value": text, **row})


@pytest.mark.parametrize(
    ("text", "value", "explained", "other"),
    [
        (".312", 0.312, [0.3115, 0.3124999, 0.3125], [0.3114, 0.3126]),
        ("0.310", 0.31, [0.3104], [0.3106]),
        ("31.2%", 0.312, [0.3115, 0.3124], [0.3126]),
        ("31 %", 0.31, [0.3149], [0.3151]),
        (0.25, 0.25, [0.2549], [0.2551]),
        (1, 1.0, [0.6], [0.4]),
        ("0.123456789012345", 0.123456789012345, [0.1234567890124], [0.1234568]),
    ],
)
def test_a_number_is_read_as_printed(
    text: object, value: float, explained: Sequence[float], other: Sequence[float]
) -> None:
    number = published(text)
    assert number.value == pytest.approx(value, abs=1e-15)
    assert all(number.explained_by(one) for one in explained)
    assert not any(number.explained_by(one) for one in other)
    assert not number.explained_by(float("nan"))


@pytest.mark.parametrize("text", ["", "about .3", "nan", "inf", "3,1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"must be a number such as 0\.312"):
        published(text)


def test_rows_need_a_measure_and_a_value() -> None:
    with pytest.raises(Refused, match=r"table row 2: lacks measure, value"):
        published_rows([{"measure": "pk", "value": ".3"}, {"system": "a"}], None, "table")
    with pytest.raises(Refused, match="table: has no rows"):
        published_rows([], None, "table")


def test_a_table_of_numbers_is_read(tmp_path: Any) -> None:
    file = tmp_path / "paper.csv"
    file.write_text("system,measure,value,document_id\na,pk,.31,\nb,f1,40%,d1\n", "utf-8")
    first, second = read_published_table(str(file), 0.01)
    assert (first.system, first.document, first.measure, first.title) == (
        "a",
        None,
        "pk",
        "pk of a",
    )
    assert (second.system, second.document, second.value) == ("b", "d1", 0.4)
    assert second.explained_by(0.41) and not second.explained_by(0.411)


def found(
    numbers: Sequence[Published], values: Mapping[tuple[str, str], Sequence[float]]
) -> Search:
    """Search two questions with given values."""
    questions = (COLOR, SIZE)
    grid = conventions(questions, PROGRAMS, lambda _answers: True)
    return search_conventions(
        numbers, questions, grid, lambda answers: values[answers["color"], answers["size"]]
    )


VALUES: dict[tuple[str, str], Sequence[float]] = {
    ("red", "small"): [0.5],
    ("blue", "small"): [0.31],
    ("green", "small"): [0.301],
    ("red", "large"): [0.304],
    ("blue", "large"): [float("nan")],
    ("green", "large"): [0.30],
}


def test_what_fits_comes_first_by_changes_then_by_distance() -> None:
    result = found([published(".30")], VALUES)
    tried = [(one.convention.name, one.fits, len(one.convention.changed)) for one in result.tried]
    assert tried == [
        ("plain, but color green", True, 1),
        ("plain, but size large", True, 1),
        ("plain, but color green; size large", True, 2),
        ("other", False, 0),
        ("plain", False, 0),
        ("other, but size large", False, 1),
    ]
    assert [one.convention.name for one in result.simplest] == [name for name, _, _ in tried[:2]]
    assert result.agreed_answers() == {}
    assert result.default.convention.name == "plain"


def test_several_numbers_must_fit_at_once() -> None:
    values = {key: [*value, 2 * value[0]] for key, value in VALUES.items()}
    result = found([published(".30"), published(".602")], values)
    assert [one.convention.name for one in result.fitting] == ["plain, but color green"]
    assert result.agreed_answers() == {"color": "green", "size": "small"}
    assert result.tried[1].explained == 1


def test_nothing_fits() -> None:
    result = found([published(".7")], VALUES)
    assert result.fitting == () and result.chance is None and result.changes is None


def test_chance_counts_only_conventions_that_are_as_simple() -> None:
    # Without a change: .5 and .31, in a range of .19 + .01, of which the two prints cover .02.
    assert found([published(".31")], VALUES).chance == pytest.approx(0.02 / 0.2)
    # With one change: .5, .31, .301 and .304; [.296, .315] and [.495, .505] of .199 + .01.
    assert found([published(".30")], VALUES).chance == pytest.approx((0.019 + 0.01) / 0.209)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(1, 6))
def test_chance_of_one_number_is_the_share_of_the_range_that_is_covered(
    places: list[int], half: int
) -> None:
    """Values and prints are whole numbers, so that the range can be looked at one by one."""
    low, high = min(places) - half, max(places) + half
    covered = [any(abs(2 * x + 1 - 2 * p) < 2 * half for p in places) for x in range(low, high)]
    share = sum(covered) / len(covered)
    values = np.array(places, float)[:, None]
    assert chance_fit(values, np.array([float(half)])) == pytest.approx(share)


def test_chance_of_several_numbers_falls() -> None:
    values = np.array([[0.1, 0.7], [0.5, 0.2], [0.3, 0.9], [0.9, 0.4]])
    both = chance_fit(values, np.array([0.01, 0.01]))
    # One by one: four prints of .02 in ranges of .82 and .72; together: four conventions.
    expected = min((0.08 / 0.82) * (0.08 / 0.72), 4 * (0.02 / 0.82) * (0.02 / 0.72))
    assert both == pytest.approx(expected)
