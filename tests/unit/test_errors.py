"""A message about a wrong name gives the most similar right one."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import _distance, nearest


def test_the_most_similar_name_is_given() -> None:
    assert nearest("gnre", ["year", "genre", "gender"]) == "; the nearest is genre"


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("lecture-3", ["lecture-13", "lecture-03"], "lecture-03"),
        ("lecture-3", ["lecture-13", "lecture-33", "lecture-4"], "lecture-4"),
        ("lecture-3", [f"lecture-{n}" for n in range(10, 3000)] + ["lectures-3"], "lectures-3"),
        ("take-07b", ["take-7", "take-70b", "take-7b"], "take-7b"),
        ("equiseg", ["EquiSeg", "EquiSeg2"], "EquiSeg"),
        ("show-00123", ["show-00132", "show-99123"], "show-00132"),
    ],
)
def test_numbers_come_before_edits_and_edits_before_length(
    name: str, known: list[str], expected: str
) -> None:
    assert nearest(name, known) == f"; the nearest is {expected}"
    assert nearest(name, known[::-1]) == f"; the nearest is {expected}"


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("--out", ["--n-t", "--cut", "--output"], "--output"),
        ("--group", ["--groups-of", "--group-by", "--grouq"], "--group-by"),
        ("Sys", ["synth", "system_a"], "system_a"),
        ("nltkk", ["segeval", "nltk-n-flags", "nltk-n-1-flags"], "nltk-n-flags"),
        ("choii", ["tiage", "choi-3-5"], "choi-3-5"),
        ("--n", ["--n-t", "--name-of-it"], "--n-t"),
        ("take-1", ["take-12", "take-2"], "take-2"),
    ],
)
def test_names_that_begin_with_the_name_come_first(
    name: str, known: list[str], expected: str
) -> None:
    assert nearest(name, known) == f"; the nearest is {expected}"
    assert nearest(name, known[::-1]) == f"; the nearest is {expected}"


@pytest.mark.parametrize("name", ["--figure", "--average", "--ci", "--csv", "--quiet", "--foo"])
def test_a_name_of_which_more_than_half_is_edited_is_not_similar(name: str) -> None:
    known = ["--fresh", "--edges", "--join", "--set", "--unit", "--unit-weights", "--format"]
    assert nearest(name, [*known, "--window"]) == ""


def test_a_name_with_very_different_numbers_is_not_similar() -> None:
    assert nearest("meeting-2024-01-05", ["meeting-2019-11-23"]) == ""


@given(st.text("ab1", max_size=6), st.text("ab1", max_size=6))
def test_edits_are_those_of_the_definition(name: str, other: str) -> None:
    @cache
    def edits(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        replaced = edits(i - 1, j - 1) + (name[i - 1] != other[j - 1])
        return min(replaced, edits(i - 1, j) + 1, edits(i, j - 1) + 1)

    assert _distance(name, other)[1] == edits(len(name), len(other))


def test_nothing_is_said_without_a_similar_name() -> None:
    assert nearest("gnre", ["year", "programme"]) == ""
    assert nearest("gnre", []) == ""
