"""Spans of characters become segments of lines, tokens or characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.text_units import TextUnits, text_units
from segscore.pipeline.tables.rows import RowPlace
from tests.support.reading import import_settings

PLACE = RowPlace("show.x", 3)
TEXT = "One two.\n  Three four.  \n\nFive."


def units(kind: str | None, text: str = TEXT) -> TextUnits:
    return text_units(text, import_settings(text_units=kind), PLACE)


def segments(kind: str, *spans: tuple[int, int]) -> tuple[list[tuple[int, int]], int]:
    """Start and end of the segments, and the number of edges that moved."""
    made, counted = units(kind).segments(spans, PLACE)
    ends = [segment.end for segment in made]
    return [
        (int(segment.start.exact), int(end.exact))
        for segment, end in zip(made, ends, strict=True)
        if end is not None
    ], counted["moved"]


@pytest.mark.parametrize(("kind", "length"), [("lines", 3), ("tokens", 5), ("characters", 31)])
def test_lines_and_tokens_without_text_are_no_units(kind: str, length: int) -> None:
    assert units(kind).length == length
    assert units(kind).unit == kind.removesuffix("s")


def test_white_space_at_the_edges_of_a_span_does_not_count() -> None:
    assert segments("lines", (0, 9), (9, 26), (26, 31)) == ([(0, 1), (1, 2), (2, 3)], 0)
    assert segments("lines", (0, 8), (11, 22)) == ([(0, 1), (1, 2)], 0)
    assert segments("tokens", (0, 4), (3, 9)) == ([(0, 1), (1, 2)], 0)


def test_edges_go_to_the_nearest_edge_of_a_unit_and_are_counted() -> None:
    assert segments("lines", (0, 6), (7, 30)) == ([(0, 1), (1, 3)], 3)
    assert segments("lines", (1, 18)) == ([(0, 2)], 2)
    assert segments("tokens", (1, 6)) == ([(0, 1)], 2)  # in the middle: the earlier


def test_a_span_of_white_space_is_empty() -> None:
    (made,), _ = segments("lines", (24, 26))
    assert made[0] == made[1]


def test_characters_are_code_points_and_nothing_moves() -> None:
    made, counted = units("characters", "a😀b").segments([(0, 2), (2, 3)], PLACE)
    assert [segment.start.exact for segment in made] == [0, 2]
    assert not counted


def test_only_a_line_feed_ends_a_line() -> None:
    assert units("lines", "one\u2028still one\rstill one\r\ntwo").length == 2


def test_the_unit_has_to_be_named() -> None:
    with pytest.raises(Refused, match=r"show.x:3: .*--text-units lines, characters or tokens"):
        units(None)


@pytest.mark.parametrize(
    ("kind", "text"), [("lines", " \n "), ("tokens", "\t"), ("characters", "")]
)
def test_a_text_without_a_unit_is_refused(kind: str, text: str) -> None:
    with pytest.raises(Refused, match=r"show.x:3: the text has no"):
        units(kind, text)


@pytest.mark.parametrize(
    ("span", "message"),
    [((5, 2), "ends at 2, before its start 5"), ((5, 40), "from 5 to 40 .* 31 characters")],
)
def test_a_span_outside_the_text_is_refused(span: tuple[int, int], message: str) -> None:
    with pytest.raises(Refused, match=f"show.x:3: .*{message}"):
        segments("lines", span)


@pytest.mark.parametrize("tokens", [[(0, 40)], [(0, 5), (4, 8)], [(5, 2)]])
def test_tokens_of_the_file_are_in_order_and_inside_the_text(tokens: list[tuple[int, int]]) -> None:
    with pytest.raises(Refused, match=r"show.x:3: a token from"):
        text_units(TEXT, import_settings(text_units="tokens"), PLACE, tokens)


@given(st.text(" \na😀", min_size=1), st.data())
def test_an_edge_is_never_nearer_to_another_unit(text: str, data: st.DataObject) -> None:
    if not text.strip():
        return
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for kind in ("lines", "tokens"):
        made = units(kind, text)
        (segment,), _ = made.segments([(start, end)], PLACE)
        assert made.places is not None
        assert segment.end is not None
        assert 0 <= segment.start.exact <= segment.end.exact <= made.length
        inside = text[start:end].strip()
        if inside:
            first = text.index(inside, start)
            edges = {p: k for k, places in enumerate(made.places) for p in places[:1]}
            edges_of_ends = {places[1]: k + 1 for k, places in enumerate(made.places)}
            near = min(abs(first - edge) for edge in (*edges, *edges_of_ends))
            offset = int(segment.start.exact)
            unit_edges = [
                edge for edge, k in (*edges.items(), *edges_of_ends.items()) if k == offset
            ]
            assert min(abs(first - edge) for edge in unit_edges) == near
