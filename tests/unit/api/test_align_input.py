"""What is no text is refused by `align` and `Segmentation.from_text`."""

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
    with pytest.raises(segscore.Refused, match="is no text"):
        segscore.Segmentation.from_text(units, text)
