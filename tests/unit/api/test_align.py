"""The breaks of a text in the units of another, from Python."""

import pytest

import segscore

UNITS = ["ab", "cd", "ef"]


@pytest.mark.parametrize(
    ("segments", "boundaries", "uncertain"),
    [(["abc", "def"], (2,), (2,)), (["xyz", "ab", "cdef"], (1,), ()), (["ab", "c"], (1,), ())],
)
def test_worked_cases(
    segments: list[str], boundaries: tuple[int, ...], uncertain: tuple[int, ...]
) -> None:
    found = segscore.align(UNITS, segments, tokens="characters")
    assert (found.boundaries, found.uncertain) == (boundaries, uncertain)


def test_another_order_is_refused() -> None:
    with pytest.raises(segscore.Refused, match="of the 4 tokens"):
        segscore.align(["ab", "cd"], ["cd", "ab"], tokens="characters")
    assert (
        segscore.align(["ab", "cd"], ["cd", "ab"], tokens="characters", max_edits=None).edits == 4
    )


def test_a_text_becomes_a_segmentation() -> None:
    text = "# One\na b\n# Two\nc d"
    found = segscore.Segmentation.from_text(["a b", "c d"], text, breaks="heading")
    assert found == segscore.Segmentation([1], 2)
    assert segscore.Segmentation.from_text(["a b", "c d"], text) == found
    with pytest.raises(segscore.Refused, match="empty"):
        segscore.Segmentation.from_text(["a b"], "...")
