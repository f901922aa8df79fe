"""A message about a wrong name gives the most similar right one."""

from segscore.pipeline.errors import nearest


def test_the_most_similar_name_is_given() -> None:
    assert nearest("gnre", ["year", "genre", "gender"]) == "; the nearest is genre"


def test_nothing_is_said_without_a_similar_name() -> None:
    assert nearest("gnre", ["year", "programme"]) == ""
    assert nearest("gnre", []) == ""
