"""What is not a text is refused by `align` and `Segmentation.from_text`."""

from typing import Any

import pytest

import segscore


@pytest.mark.parametrize(
    ("units", "segments", "message"),
    [
        ("a b", ["a b"], "units: must be a list of texts, not str"),
        (["a b"], "a b", "segments: must be a list of texts, not str"),
        (["a", None], ["a"], "units: null is neither a text nor a list of tokens"),
        (["a"], [5], "segments: 5 is neither a text nor a list of tokens"),
        (["a"], None, "segments: must be a list of texts, not NoneType"),
    ],
)
def test_align_refuses_what_is_no_text(units: Any, segments: Any, message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        segscore.align(units, segments)


@pytest.mark.parametrize(("units", "text"), [(["a"], None), (["a"], b"a"), (["a", 5], "a")])
def test_from_text_refuses_what_is_no_text(units: Any, text: Any) -> None:
    with pytest.raises(segscore.Refused, match="must be a text"):
        segscore.Segmentation.from_text(units, text)


def test_a_text_without_a_break_is_one_segment_with_a_warning() -> None:
    units = ["a b", "c d"]
    with pytest.warns(UserWarning, match=r"contains no break .*; breaks names another kind"):
        assert segscore.Segmentation.from_text(units, "a b <SEP> c d").boundaries == ()
    found = segscore.Segmentation.from_text(units, "a b <SEP> c d", breaks="pattern:<SEP>")
    assert found.boundaries == (1,)
    with pytest.raises(segscore.Refused, match=r"^breaks <SEP>: must be one of auto"):
        segscore.Segmentation.from_text(units, "a b", breaks="<SEP>")


def test_chunks_that_overlap_are_refused() -> None:
    words = [f"word{number}" for number in range(40)]
    chunks = [" ".join(words[start : start + 20]) for start in range(0, 40, 10)]
    with pytest.raises(segscore.Refused, match=r"segments: 3 of 4 begin with the end of the one"):
        segscore.align([" ".join(words[i : i + 4]) for i in range(0, 40, 4)], chunks)
