"""The agreement index of `segscore agree` against the slow twin, by correlation, and by hand."""

from fractions import Fraction
from statistics import correlation, mean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore
from tests.oracles import naive_agreement
from tests.support import passes
from tests.support.strategies import panels


def found(n_units: int, codings: dict[str, list[int]], **settings: Any) -> dict[str, Any]:
    """The index of each coder."""
    given_codings = {
        name: {"d": segscore.Segmentation(positions, n_units)}
        for name, positions in codings.items()
    }
    tables = segscore.agree(given_codings, **settings)
    rows = tables.agreement_index.to_pylist()
    corpus = tables.table("corpus").to_pylist()[0]
    values = [row["agreement_index"] for row in rows if row["agreement_index"] is not None]
    expected = mean(values) if values else None
    assert corpus["agreement_index_mean"] == (expected and pytest.approx(expected, abs=1e-11))
    spread = stdev(values) if len(values) > 1 else None
    assert corpus["agreement_index_sd"] == (spread and pytest.approx(spread, abs=1e-7))
    return {row["coder"]: row["agreement_index"] for row in rows}


@pytest.mark.long
@given(panels(max_references=5), st.integers(1, 9))
def test_it_is_that_of_the_twin(panel: tuple[int, list[list[int]], list[int]], size: int) -> None:
    n_units, references, hypothesis = panel
    codings = {f"c{i}": side for i, side in enumerate([*references, hypothesis])}
    values = found(n_units, codings, bin=str(size))
    for name, value in values.items():
        exact = naive_agreement.agreement_index(n_units, codings, name, size)
        assert passes.close(value, exact), (name, exact)


def test_thirteen_of_twenty() -> None:
    """Marks of five others: 5, 4, 3 and 1 in the bins of the coder, and 5 in three further ones."""
    marks = {10: 5, 20: 4, 30: 3, 40: 1, 50: 5, 60: 5, 70: 5}
    others = {f"o{i}": [p for p, n in marks.items() if i < n] for i in range(5)}
    values = found(100, {"me": [10, 20, 30, 40], **others})
    assert values["me"] == 13 / 20
    assert naive_agreement.agreement_index(
        100, {"me": [10, 20, 30, 40], **others}, "me"
    ) == Fraction(13, 20)


def test_it_scales_the_correlation() -> None:
    """(r - r_min) / (r_max - r_min) of Pearson's r, with bins of 4 units of 20."""
    codings = {"a": [3, 9, 17], "b": [2, 10, 11], "c": [9, 13]}
    bins = range(5)
    others = [sum(any(p // 4 == b for p in codings[c]) for c in "bc") for b in bins]
    own = [int(any(p // 4 == b for p in codings["a"])) for b in bins]
    order = sorted(bins, key=lambda b: others[b])
    least = [int(b in order[: sum(own)]) for b in bins]
    most = [int(b in order[-sum(own) :]) for b in bins]
    r, low, high = (correlation(choice, others) for choice in (own, least, most))
    assert found(20, codings, bin="4")["a"] == pytest.approx((r - low) / (high - low))


def test_bins_are_seconds_where_the_unit_is_a_time() -> None:
    codings = {
        name: {"d": segscore.Segmentation.from_starts([0, *starts], duration=9.5, unit="ms")}
        for name, starts in {"a": [1.2, 4.9], "b": [1.7, 4.1], "c": [1.1, 7.5]}.items()
    }
    tables = segscore.agree(codings, bin="1s")
    assert [row["agreement_index"] for row in tables.agreement_index.to_pylist()] == [1, 1, 1 / 2]
    assert "|bin:1000|" in tables.signature


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("0", "bin 0: must be more than 0"),
        ("1.5", "bin 1.5: must be a whole number of units"),
        ("1s", "bin 1s: positions are not known to be times"),
        ("1m", "bin 1m: must be a number of units, or a time such as"),
    ],
)
def test_other_bins_are_refused(size: str, message: str) -> None:
    with pytest.raises(segscore.Refused, match=message):
        found(9, {"a": [3], "b": [4]}, bin=size)
