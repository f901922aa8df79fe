"""Which texts of an answer are quotes."""

from typing import Any

import pytest

from segscore.pipeline.importing.answers.forms import NoQuotes, quotes_at, quotes_in
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.tables.rows import RowPlace


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[Music] plays\nIn sport", ["[Music] plays", "In sport"]),
        ('a said ["b"] and ["c"]\nd', ['a said ["b"] and ["c"]', "d"]),
        ('{"segments": [{"first_words": "a"}, {"first_words": "b", "n": 2}]}', ["a", "b"]),
        ([{"first_words": "a"}, {"first_words": "b", "title": "T"}], ["a", "b"]),
        ('["a"]\n["b"]', ['["a"]', '["b"]']),
        ('["a", 1, "b"]', ["a", "b"]),
        (["a", 1, "b"], ["a", "b"]),
        ({"quotes": ["a"]}, ["a"]),
        ({"a": 1}, []),
        (None, []),
        ("[" * 100_000, ["[" * 100_000]),
        ('["a"' * 10_000, ['["a"' * 10_000]),
    ],
)
def test_quotes(answer: Any, expected: list[str]) -> None:
    assert quotes_in(answer) == expected


@pytest.mark.parametrize(
    ("answer", "paths"),
    [
        ('{"titles": ["x"], "quotes": ["y"]}', "quotes[] or titles[]"),
        ('{"s": [{"title": "x", "words": "y"}]}', "s[].title or s[].words"),
        ([{"title": "x", "words": ["y", "z"]}], "[].title or [].words[]"),
    ],
)
def test_texts_at_several_paths_are_not_quotes(answer: Any, paths: str) -> None:
    assert quotes_in(answer) == NoQuotes(f"several texts: name the quotes by --quotes {paths}")


SEGMENTS = [{"title": "x", "words": "a"}, {"title": "y", "words": "b"}]
NONE, SEVERAL = "no list", "several lists"


@pytest.mark.parametrize(
    ("answer", "path", "expected"),
    [
        ({"s": SEGMENTS}, "s[].words", ["a", "b"]),
        (SEGMENTS, "[].words", ["a", "b"]),
        ({"s": ["a", "b"], "t": ["c"]}, "s", ["a", "b"]),
        ({"s": ["a", "b"], "t": ["c"]}, "s[]", ["a", "b"]),
        ('As [you] asked: {"s": [{"title": "x", "words": "a"}]}, or [1]', "s[].words", ["a"]),
        ('{"s": ["a"]} or {"s": ["b"]}', "s", SEVERAL),
        ([{"words": "a"}, {"title": "y"}], "[].words", NONE),
        ([{"words": "a"}, {"words": None}], "[].words", NONE),
        ("a\nb", "s", NONE),
    ],
)
def test_a_path_names_the_quotes(answer: Any, path: str, expected: Any) -> None:
    found = quotes_at(answer, field_path("--quotes", path), RowPlace("answers", 1))
    if isinstance(expected, str):
        expected = NoQuotes(f"{expected} of texts at --quotes {path}")
    assert found == expected
