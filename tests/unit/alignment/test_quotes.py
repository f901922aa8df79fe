"""Where quotes begin, compared with trying all places."""

from hypothesis import given, settings
from hypothesis import strategies as st

from segscore.pipeline.alignment.quotes import PlacedQuotes, place_quotes
from segscore.pipeline.alignment.tokens import Vocabulary
from tests.oracles import naive_alignment as naive
from tests.support.examples import examples


def placed(units: list[str], quotes: list[str]) -> PlacedQuotes:
    vocabulary = Vocabulary()
    return place_quotes(vocabulary.number(units), vocabulary.number(quotes))


letters = st.text("abc", max_size=6)


@settings(max_examples=examples(1000), deadline=None)
@given(
    st.lists(letters, min_size=1, max_size=4),
    st.lists(st.text("abc", min_size=1, max_size=7), min_size=1, max_size=4),
)
def test_places_are_those_of_the_slow_twin(units: list[str], quotes: list[str]) -> None:
    _, ways = naive.place_quotes(units, quotes)
    found = placed(units, quotes)
    way = {number: unit for number, unit in enumerate(found.units) if unit}
    assert way in ways
    latest = {number: unit for number, unit in enumerate(found.latest) if unit}
    assert latest in ways
    complete = [sorted(way.items()) for way in ways if len(way) == len(quotes)]
    if len(complete) == len(ways):  # the earliest units of all quotes are one way, and the latest
        assert sorted(way.items()) == min(complete)
        assert sorted(latest.items()) == max(complete)


def test_a_quote_at_its_limit_has_no_unit() -> None:
    # Two edits of five words are .4 of them, one edit is less.
    assert placed(["xxxxx", "abcde"], ["abxyz"]).units == [0]
    assert placed(["xxxxx", "abcde"], ["abcdx"]).units == [2]


def test_only_the_first_twenty_words_count() -> None:
    text = "abcdefghijklmnopqrst"
    assert placed(["x", text], [text + "x" * 30]).units == [2]


def test_the_earliest_unit_is_taken_and_the_other_counted() -> None:
    found = placed(["ab", "cd", "ab", "ef"], ["ab", "ef"])
    assert (found.units, found.boundaries, found.uncertain) == ([1, 4], [3], 1)


def test_a_quote_continues_in_the_next_unit() -> None:
    assert placed(["ab", "cd", "ef"], ["cdef"]).units == [2]


def test_an_invented_quote_displaces_nothing() -> None:
    found = placed(["abcd", "efgh"], ["abcd", "zzzz", "efgh"])
    assert (found.units, found.unplaced) == ([1, 0, 2], 1)
