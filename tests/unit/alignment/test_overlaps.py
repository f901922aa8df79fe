"""Windows of a text that overlap are told from segments."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.alignment.overlaps import repeated_ends

WORDS = [f"word{number}" for number in range(60)]


def windows(size: int, step: int) -> list[list[str]]:
    return [WORDS[start : start + size] for start in range(0, len(WORDS), step)]


@pytest.mark.parametrize(("size", "step"), [(20, 10), (20, 15), (10, 5), (40, 30)])
def test_windows_that_overlap(size: int, step: int) -> None:
    shared = {"".join(one[step:]) for one, _ in pairwise(windows(size, step))}
    assert {*repeated_ends([WORDS], windows(size, step))} == shared


@given(st.sets(st.integers(1, 59), max_size=8))
def test_segments_do_not(cuts: set[int]) -> None:
    ends = [0, *sorted(cuts), len(WORDS)]
    assert repeated_ends([WORDS], [WORDS[a:b] for a, b in pairwise(ends)]) == []


def test_a_document_that_repeats_itself_is_not_an_overlap() -> None:
    song = ["la"] * 60
    assert repeated_ends([song], [song[:30], song[30:]]) == []


def test_a_sentence_that_a_system_repeats_once_is_not_an_overlap() -> None:
    segments = windows(20, 20)
    segments[1] = [*segments[0][-5:], *segments[1]]
    assert repeated_ends([WORDS], segments) == []


def test_windows_of_characters_cut_words() -> None:
    text = " ".join(WORDS)
    cut = [text[start : start + 100].split() for start in range(0, len(text), 70)]
    assert len(repeated_ends([WORDS], cut)) == len(cut) - 1
