"""Which texts of an answer are quotes."""

from typing import Any

import pytest

from segscore.pipeline.importing.answers.forms import quotes_in


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[Music] plays\nIn sport", ["[Music] plays", "In sport"]),
        ('a said ["b"] and ["c"]\nd', ['a said ["b"] and ["c"]', "d"]),
        ('{"titles": ["x"], "quotes": ["y"]}', ['{"titles": ["x"], "quotes": ["y"]}']),
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
