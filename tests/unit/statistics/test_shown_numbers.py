"""How p values are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.statistics.shown_numbers import shown_p


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "–"), (0.0, "< .0001"), (4e-23, "< .0001"), (0.0499, "0.0499"), (1.0, "1.0000")],
)
def test_examples(p: float | None, text: str) -> None:
    assert shown_p(p) == text


@given(st.floats(0, 1))
def test_a_number_is_close_and_never_0(p: float) -> None:
    text = shown_p(p)
    if text.startswith("<"):
        assert p < 0.0001
    else:
        assert float(text) > 0 and float(text) == pytest.approx(p, abs=0.0000501)
