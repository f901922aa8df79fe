"""Consensus references: shares compared exactly, and how ``--consensus`` is read."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import Ragged, from_lists
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.settings.reading import parse_share, parse_shares
from tests.oracles import naive
from tests.support.strategies import panels

Panel = tuple[int, list[list[int]], list[int]]
SHARES = st.one_of(
    st.sampled_from([Fraction(a, b) for b in range(1, 7) for a in range(b + 1)]),
    st.fractions(0, 1, max_denominator=10**20),
)


def lists(rows: Ragged) -> list[list[int]]:
    return [
        rows.values[a:b].tolist() for a, b in zip(rows.offsets[:-1], rows.offsets[1:], strict=True)
    ]


def agreed(documents: list[list[list[int]]], share: Fraction) -> list[list[int]]:
    """Return the consensus of some documents' codings."""
    first = np.array([0, *np.cumsum([len(codings) for codings in documents])], np.int64)
    references = from_lists([coding for codings in documents for coding in codings])
    return lists(consensus(references, first, share))


@given(st.lists(panels(max_references=6), max_size=5), SHARES)
def test_consensus_equals_the_twin(cases: list[Panel], share: Fraction) -> None:
    documents = [case[1] for case in cases]
    assert agreed(documents, share) == [naive.consensus(codings, share) for codings in documents]


def test_shares_are_exact() -> None:
    three = [[1, 4], [1, 5], [1]]
    assert agreed([three], Fraction(1, 3)) == [[1, 4, 5]]
    assert agreed([three], Fraction(1, 3) + Fraction(1, 10**30)) == [[1]]
    assert agreed([[[3], [3], [], []]], Fraction(1, 2)) == [[3]]
    ten = [[7]] * 3 + [[8]] * 7
    assert agreed([ten], Fraction(3, 10)) == [[7, 8]]
    assert agreed([ten], Fraction(1)) == [[]]
    assert 0.1 * 3 > 3 / 10  # as floats would compute it


def test_any_is_the_union_and_one_coder_agrees_with_themself() -> None:
    union = parse_share("any")[1]
    assert agreed([[[2, 9], [], [1, 9]], [[]]], union) == [[1, 2, 9], []]
    assert agreed([[[2, 9]]], Fraction(1)) == [[2, 9]]


def test_some_documents_of_a_table_and_thousands_of_positions() -> None:
    draw = random.Random(4)  # noqa: S311
    codings = [sorted(draw.sample(range(1, 5000), 2000)) for _ in range(9)]
    references = from_lists(codings)
    for share in (Fraction(1, 2), Fraction(2, 3), Fraction(0)):
        rows = lists(consensus(references, np.array([3, 5, 9]), share))
        assert rows == [naive.consensus(codings[a:b], share) for a, b in ((3, 5), (5, 9))]


@pytest.mark.parametrize(
    ("text", "label", "share"),
    [
        ("0.5", "consensus:0.5", Fraction(1, 2)),
        ("0.3", "consensus:0.3", Fraction(3, 10)),
        (".30", "consensus:0.3", Fraction(3, 10)),
        ("1", "consensus:1", Fraction(1)),
        ("01.0", "consensus:1", Fraction(1)),
        ("0.3333333333333333333333", "consensus:0.3333333333333333333333", None),
        ("any", "consensus:any", Fraction(0)),
    ],
)
def test_a_share_is_read_exactly(text: str, label: str, share: Fraction | None) -> None:
    assert parse_share(text) == (label, Fraction(text) if share is None else share)


NO_SHARES = (
    *("0", "0.0", "1.01", "-0.5", "2", "half", "", ".", "nan", "1e-1", "50%", "1/2", " 0.5", "Any"),
    *("\u0660.\u0665", "0.5\n", "0." + "1" * 5000, "1" * 5000),
)


@pytest.mark.parametrize("text", NO_SHARES)
def test_an_invalid_share_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_share(text)
    message = str(refused.value)
    assert message.startswith(f"--consensus {text[:99]}")
    assert "must be any, or a share in (0, 1]" in message


def test_several_shares_keep_their_order_and_may_not_repeat() -> None:
    assert list(parse_shares("0.5,0.3,any").items()) == [
        ("consensus:0.5", Fraction(1, 2)),
        ("consensus:0.3", Fraction(3, 10)),
        ("consensus:any", Fraction(0)),
    ]
    with pytest.raises(Refused, match=r"--consensus 0\.5,\.50: names a share twice"):
        parse_shares("0.5,.50")
    with pytest.raises(Refused, match="--consensus 7: "):
        parse_shares("0.5,7")
