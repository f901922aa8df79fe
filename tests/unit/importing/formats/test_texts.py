"""Texts: Choi's files, wiki-727k, and paragraphs between blank lines."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.importing.formats import texts
from segscore.pipeline.importing.shapes import Sizes
from tests.support.reading import Reader, converted, refusal_of, shapes_of

RULE = "=" * 10
SEGMENTS = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=2, max_size=5)


def sizes_of(read: Reader, *lines: str, **options: Any) -> Sizes:
    """The segmentation of a text."""
    (shape,) = shapes_of(read, "\n".join(lines), **options)
    assert isinstance(shape, Sizes)
    assert (shape.unit, shape.document_id, shape.coder) == ("sentence", None, None)
    return shape


def lines_of(segments: list[list[int]]) -> list[str]:
    """Segments of lines with some numbers of words."""
    return ["\n".join("w " * words for words in lengths) for lengths in segments]


class TestChoi:
    """Segments between lines of ten '='."""

    def test_a_file(self) -> None:
        shape = sizes_of(
            texts.read_choi,
            RULE,
            "One two .",
            "three",
            RULE,
            "  four\tfive  ",
            RULE,
            "six",
            "7 8",
            RULE,
        )
        assert shape.sizes == [2, 1, 2]
        assert shape.unit_lengths == [3, 1, 2, 1, 2]

    @pytest.mark.parametrize("head", [[], [RULE], ["", RULE, "  "]])
    @pytest.mark.parametrize("tail", [[], [RULE], [RULE, ""]])
    def test_outer_separators_are_optional(self, head: list[str], tail: list[str]) -> None:
        shape = sizes_of(texts.read_choi, *head, "a", RULE, "b c", *tail)
        assert (shape.sizes, shape.unit_lengths, shape.attributes) == ([1, 1], [1, 2], {})

    @pytest.mark.parametrize(
        "lines",
        [
            ["a", RULE, RULE, "b"],
            ["a", RULE, " ", RULE, "b"],
            [RULE, RULE, "a", RULE, "b"],
            ["a", RULE, "b", RULE, RULE],
        ],
    )
    def test_a_doubled_separator_is_no_segment_but_an_attribute(self, lines: list[str]) -> None:
        shape = sizes_of(texts.read_choi, *lines)
        assert (shape.sizes, shape.attributes) == ([1, 1], {"doubled_separator": True})

    def test_line_ends_and_byte_order_mark(self) -> None:
        shape = sizes_of(texts.read_choi, f"\ufeff{RULE}\r", "a b\r", f"{RULE}\r", "\r", "c\r", "")
        assert (shape.sizes, shape.unit_lengths, shape.attributes) == ([1, 1], [2, 1], {})

    @pytest.mark.parametrize("length", [1, 8, 9, 11])
    def test_a_separator_of_another_length(self, length: int) -> None:
        message = refusal_of(texts.read_choi, f"a\n{'=' * length}\nb")
        assert message == f"f.x:2: a separator is \"{'=' * length}\"; expected exactly ten '='"

    @pytest.mark.parametrize("text", ["", "\n \n", f"{RULE}\n{RULE}"])
    def test_no_text(self, text: str) -> None:
        assert refusal_of(texts.read_choi, text).startswith("f.x:1: no line of text")

    def test_no_separator(self) -> None:
        message = refusal_of(texts.read_choi, "a\n\nb")
        assert message.startswith(
            f"f.x: no separator in the text; expected lines of ten '=' ({RULE}"
        )
        assert "--format choi" in message

    @pytest.mark.parametrize("lines", [["========,1,a."], ["b", RULE, "========,1,a."]])
    def test_a_separator_of_wiki_727k(self, lines: list[str]) -> None:
        message = refusal_of(texts.read_choi, "\n".join(lines))
        assert message == (
            f'f.x:{len(lines)}: a line is "========,1,a."; expected no separator but lines {RULE}, '
            "or --format wiki727k"
        )

    @given(SEGMENTS)
    def test_round_trip(self, segments: list[list[int]]) -> None:
        shape = sizes_of(texts.read_choi, f"\n{RULE}\n".join(lines_of(segments)))
        assert shape.unit_lengths == [words for lengths in segments for words in lengths]
        assert shape.sizes == [len(lengths) for lengths in segments]


class TestWiki:
    """Sections after lines ========,LEVEL,TITLE."""

    def test_titles_preface_and_text_before_it(self) -> None:
        shape = sizes_of(
            texts.read_wiki727k,
            "no section",
            "========,1,preface.",
            "a b",
            "***LIST***.",
            "========,2,Ships, e.g. tugs.",
            " c ",
            "========,12,",
            "d",
        )
        assert (shape.sizes, shape.levels) == ([1, 2, 1, 1], [1, 1, 2, 12])
        assert shape.unit_lengths == [2, 2, 1, 1, 1]
        assert shape.counted == {}

    def test_sections_without_text_are_counted(self) -> None:
        shape = sizes_of(
            texts.read_wiki727k,
            "========,1,a.",
            "========,2,b.",
            "x",
            "",
            "========,2,c.",
            "========,2,d",
        )
        assert (shape.sizes, shape.levels) == ([1], [2])
        assert shape.counted == {"empty_sections": 3}

    def test_deeper_sections_are_part_of_the_one_above(self) -> None:
        lines = ["========,1,a.", "x", "========,2,b.", "========,3,c.", "y", "========,3,d.", "z"]
        assert sizes_of(texts.read_wiki727k, *lines).sizes == [1, 1, 1]
        shape = sizes_of(texts.read_wiki727k, *lines, max_level=2)
        assert (shape.sizes, shape.levels) == ([1, 2], [1, 2])
        assert shape.counted == {"deeper": 2}

    @pytest.mark.parametrize(
        "line",
        [
            "========",
            RULE,
            "===",
            "========,0,a.",
            "========,two,a.",
            "========,1",
            "=========,1,a",
        ],
    )
    def test_a_malformed_separator(self, line: str) -> None:
        message = refusal_of(texts.read_wiki727k, f"========,1,a.\nx\n{line}\ny")
        assert message.startswith(f'f.x:3: a separator is "{line}"; expected lines ========,LEVEL,')

    def test_no_text_and_no_separator(self) -> None:
        assert refusal_of(texts.read_wiki727k, "========,1,a.").startswith("f.x:1: no line of text")
        assert refusal_of(texts.read_wiki727k, "a\n\nb").startswith("f.x: no separator in the text")

    @given(SEGMENTS, st.data())
    def test_round_trip(self, segments: list[list[int]], data: st.DataObject) -> None:
        levels = [data.draw(st.integers(1, 3)) for _ in segments]
        text = "\n".join(
            f"========,{level},t.\n{lines}"
            for level, lines in zip(levels, lines_of(segments), strict=True)
        )
        shape = sizes_of(texts.read_wiki727k, text)
        assert (shape.sizes, shape.levels) == ([len(lengths) for lengths in segments], levels)
        (row,) = converted(texts.read_wiki727k, text, coder="a", levels=True)
        assert row.row.boundary_types == tuple(levels[1:])


class TestParagraphs:
    """Blank lines between segments."""

    def test_any_number_of_blank_lines(self) -> None:
        shape = sizes_of(texts.read_paragraphs, "", "a b", "c", " \t", "", "d\r", "\r", "e", "", "")
        assert (shape.sizes, shape.unit_lengths) == ([2, 1, 1], [2, 1, 1, 1])

    @pytest.mark.parametrize("line", ["========,1,a.", RULE, "========"])
    def test_other_separators(self, line: str) -> None:
        message = refusal_of(texts.read_paragraphs, f"a\n\n{line}\nb")
        assert message.startswith(f'f.x:3: a line is "{line}"; expected text')

    def test_no_text_and_no_separator(self) -> None:
        assert refusal_of(texts.read_paragraphs, "\n\n").startswith("f.x:1: no line of text")
        assert refusal_of(texts.read_paragraphs, "\na\nb\n\n").startswith(
            "f.x: no separator in the text"
        )

    @given(SEGMENTS)
    def test_round_trip(self, segments: list[list[int]]) -> None:
        shape = sizes_of(texts.read_paragraphs, "\n\n".join(lines_of(segments)))
        assert shape.sizes == [len(lengths) for lengths in segments]
