"""Deviations from the median, contested documents, and sentences of an audit."""

from collections.abc import Sequence
from math import isnan, nan, sqrt
from statistics import median

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.agreement.contested import describe_contested, describe_contested_without
from segscore.pipeline.agreement.documents import contested_in, contested_share, most_contested
from segscore.pipeline.agreement.findings import describe_audit
from segscore.pipeline.agreement.outliers import BEYOND, deviations, deviations_of_pairs
from segscore.schemas.rows import CoderRow, DocumentRow

SHARES = st.lists(
    st.tuples(
        st.one_of(st.just(nan), st.integers(0, 20).map(lambda n: n / 20)), st.integers(0, 40)
    ),
    max_size=9,
)


def naive_deviation(values: Sequence[tuple[float, int]], place: int, fewest: int) -> float | None:
    """Compute the deviation of a share as schemas/agreement.py defines it."""
    known = [share for share, _ in values if not isnan(share)]
    share, size = values[place]
    if isnan(share) or len(known) < fewest or size == 0:
        return None
    middle = median(known)
    mad = median(abs(other - middle) for other in known)
    spread = sqrt((1.4826 * mad) ** 2 + middle * (1 - middle) / size)
    return (share - middle) / spread if spread else None


@given(SHARES)
def test_deviations_equal_the_twin(values: list[tuple[float, int]]) -> None:
    shares, sizes = (np.array([value[i] for value in values], np.float64) for i in (0, 1))
    for compared, fewest in (
        (deviations(shares, sizes), 5),
        (deviations_of_pairs(shares, sizes, np.ones(len(values), bool)), 10),
        (deviations(shares, sizes, 1), 1),
    ):
        expected = [naive_deviation(values, place, fewest) for place in range(len(values))]
        actual = [None if isnan(value) else value for value in compared.deviation.tolist()]
        assert actual == pytest.approx(expected)
        marks = {"above": compared.above(), "below": compared.below(), "apart": compared.apart()}
        for place, value in enumerate(actual):
            marked = [None] * 3 if value is None else [value > 3.5, value < -3.5, abs(value) > 3.5]
            assert [marks[name][place] for name in marks] == marked


def test_two_outliers_do_not_hide_each_other() -> None:
    """With the mean and the standard deviation they do: neither is as far as 3 from it."""
    shares = np.array([0.54, 0.55, 0.56, 0.53, 0.57, 0.55, 0.54, 0.56, 0.55, 0.53, 0.31, 0.30])
    assert (np.abs(shares - shares.mean()) / shares.std(ddof=1)).max() < 3
    assert deviations(shares, np.full(12, 500)).below() == [False] * 10 + [True, True]


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=10, max_size=16))
def test_pairs_are_compared_with_ordinary_pairs(values: list[tuple[int, bool]]) -> None:
    shares = np.array([share / 20 for share, _ in values])
    ordinary = np.array([flag for _, flag in values])
    compared = deviations_of_pairs(shares, np.full(len(values), 30), ordinary)
    chosen = shares[ordinary] if ordinary.sum() >= 10 else shares
    assert compared.median == median(chosen.tolist())
    assert compared.mad == median(abs(share - compared.median) for share in chosen.tolist())
    spread = sqrt((1.4826 * compared.mad) ** 2 + compared.median * (1 - compared.median) / 30)
    if spread:
        assert compared.deviation == pytest.approx((shares - compared.median) / spread)


def test_a_careless_coder_does_not_hide_a_copier() -> None:
    """Of seven coders, one is careless, in six pairs, and two of the others copied."""
    shares = np.array([*np.linspace(0.68, 0.78, 14), 0.96, *[0.35] * 6])
    ordinary = np.array([True] * 15 + [False] * 6)
    assert not any(deviations(shares, np.full(21, 150)).above())
    compared = deviations_of_pairs(shares, np.full(21, 150), ordinary)
    assert [place for place, high in enumerate(compared.above()) if high] == [14]


def test_values_that_rest_on_little_do_not_stand_out() -> None:
    shares = np.array([0.54, 0.55, 0.56, 0.53, 0.57, 0.0])
    assert deviations(shares, np.array([500] * 5 + [2])).below()[-1] is False
    assert deviations(shares, np.full(6, 500)).below()[-1] is True


def test_equal_coders_seldom_stand_out() -> None:
    """The share of audits in which a coder is marked, of coders who differ only by chance."""
    draw = np.random.default_rng(4)
    for coders in (5, 12, 40):
        marked = 0
        for _ in range(400):
            shares = draw.binomial(200, 0.6, coders) / 200
            marked += any(deviations(shares, np.full(coders, 200)).below())
        assert marked / 400 < 0.05
    assert BEYOND == 3.5


# --- Contested documents -------------------------------------------------------------------------


def test_contested_documents_are_weighed_by_coders_and_size() -> None:
    """Two coders who differ in their only boundary are less sure a sign than seven in many."""
    table = pa.table(
        {
            "document_id": ["pair", "panel", "same", "also a pair", "large pair", "empty"],
            "boundary_similarity": [0.0, 0.2, 1.0, 0.0, 0.0, 1.0],
            "codings": [2, 7, 3, 2, 2, 2],
            "segments_mean": [2.0, 9.0, 4.0, 2.0, 20.0, 1.0],
            "window_diff_mean": [0.5, 0.4, 0.0, None, 0.6, 0.0],
        }
    )
    rows = most_contested(table, 10)
    assert [row["document_id"] for row in rows] == ["large pair", "panel", "pair", "also a pair"]
    assert most_contested(table, 1) == rows[:1]


def test_equally_contested_documents_are_ordered_by_window_diff() -> None:
    """Parts are ordered as the whole table is, whichever part a document is in."""
    table = pa.table(
        {
            "document_id": ["d", "c", "b", "a"],
            "boundary_similarity": [0.0] * 4,
            "codings": [2] * 4,
            "segments_mean": [2.0] * 4,
            "window_diff_mean": [0.5, None, 0.7, 0.5],
        }
    )
    assert [row["document_id"] for row in most_contested(table, 4)] == ["b", "a", "d", "c"]
    for cut in range(5):
        parts = [table.slice(0, cut), table.slice(cut)]
        assert contested_in(parts, 4) == most_contested(table, 4)


@given(st.floats(0, 1), st.integers(0, 400))
def test_the_contested_share_is_wilsons(similarity: float, boundaries: int) -> None:
    """It is the smallest share from which the observed one is at most 1.96 standard errors."""
    (lower,) = contested_share(np.array([similarity]), np.array([boundaries])).tolist()
    if not boundaries:
        assert isnan(lower)
        return
    observed = 1 - similarity
    assert 0 <= lower <= observed + 1e-12
    error = sqrt(lower * (1 - lower) / boundaries)
    assert observed - lower == pytest.approx(1.96 * error, abs=1e-7)


# --- Sentences -----------------------------------------------------------------------------------


def test_nothing_stands_out() -> None:
    coders: list[CoderRow] = [{"coder": str(i), "low_agreement": False} for i in range(6)]
    assert describe_audit([], coders, []) == [
        "Agreement above chance is undefined.",
        "No coder and no pair of coders stands out.",
    ]
    unknown: list[CoderRow] = [{"coder": str(i), "low_agreement": None} for i in range(3)]
    assert "it cannot be said who stands out" in describe_audit([], unknown, [])[1]
    mixed = describe_audit([], [*coders, *unknown[:1]], [])
    assert mixed[2].startswith("1 of 7 coders is not judged, for want of 10 documents")


def test_the_most_extreme_come_first_and_the_others_are_counted() -> None:
    coders: list[CoderRow] = [
        {
            "coder": f"c{i}",
            "low_agreement": True,
            "agreement_effect": -0.1 - i,
            "agreement_p": 0.001,
            "peer_boundary_similarity": 0.3,
            "peer_median": 0.5,
            "without_pi_boundary_similarity": None,
        }
        for i in range(7)
    ]
    sentences = describe_audit([], coders, [])[1:]
    assert [sentence.split()[0] for sentence in sentences] == ["c6", "c5", "c4", "c3", "c2", "2"]
    assert sentences[-1] == "2 more are marked in the column low_agreement of the table coders."


@pytest.mark.parametrize(
    ("unit", "offset", "error", "words"),
    [
        (None, 1.4, 0.05, "lea marks 1.4 units later than the others (1.3 to 1.5)."),
        ("millisecond", -1250, 100, "lea marks 1.2 s earlier than the others (1.0 to 1.5)."),
    ],
)
def test_an_offset_is_in_units_or_seconds(
    unit: str | None, offset: float, error: float, words: str
) -> None:
    row: CoderRow = {
        "coder": "lea",
        "low_agreement": False,
        "shifted": True,
        "boundary_offset": offset,
        "boundary_offset_error": error,
    }
    assert describe_audit([], [row], [], unit)[1] == words


@pytest.mark.parametrize(
    ("unit", "rate", "ratio", "words"),
    [
        (None, 0.12, 1.93, "about twice as many boundaries as the others: 12.0 per 100 units, "
         "where they would mark 6.2."),
        (None, 0.067, 0.754, "0.75 times as many boundaries as the others: 6.7 per 100 units, "
         "where they would mark 8.9."),
        ("millisecond", 2.5e-5, 2.5, "2.5 times as many boundaries as the others: 1.50 a minute, "
         "where they would mark 0.60."),
        (None, 0.0, 0.004, "no boundaries, where the others do."),
    ],
)  # fmt: skip
def test_a_sentence_about_a_rate_has_one_ratio(
    unit: str | None, rate: float, ratio: float, words: str
) -> None:
    """The median rate of other documents gave another one: 6.7 of 9.3 are not 0.75."""
    row: CoderRow = {
        "coder": "max",
        "outlying_rate": True,
        "low_agreement": False,
        "rate": rate,
        "rate_median": 0.093,
        "rate_ratio": ratio,
    }
    assert describe_audit([], [row], [], unit)[1] == f"max marks {words}"
    alike = describe_audit([], [{**row, "reading": "other"}], [], unit)[1]
    assert ("as the others who read alike: " in alike) is (rate > 0)


def test_coders_of_most_contested_documents_are_named() -> None:
    both: DocumentRow = {"coders": ["lea", "max"]}
    contested: list[DocumentRow] = [*[both] * 4, {"coders": ["ann"]}]
    assert describe_contested(contested, {"lea": 50, "max": 350}, 400) == [
        "lea, who stands out, coded 4 of the 5 most contested documents, but 12 % of all: what lea "
        "did may be why they are contested."
    ]


def test_contested_documents_are_listed_without_who_stands_out() -> None:
    contested: list[DocumentRow] = [*[DocumentRow(coders=["lea", "max"])] * 2, {"coders": ["lea"]}]
    asked: list[Sequence[str]] = []

    def without(coders: Sequence[str]) -> list[DocumentRow]:
        asked.append(coders)
        return [{"document_id": f"d{i}"} for i in range(len(coders))]

    (both,) = describe_contested_without(contested, ["max", "lea", "ann"], without)
    assert both == "Here are the 2 most contested documents without lea and max: d0, d1."
    assert asked == [["max", "lea"]]
    (one,) = describe_contested_without(contested, ["lea"], without)
    assert one == "Without lea, only d0 is contested."
    (none,) = describe_contested_without(contested, ["lea"], lambda _: [])
    assert none == "Without lea, no document is contested."
    assert [*describe_contested_without(contested, ["ann"], without)] == []
    assert [*describe_contested_without([], ["lea"], without)] == []


def test_who_coded_everything_coded_the_contested_documents_too() -> None:
    contested: list[DocumentRow] = [{"coders": ["lea", "max"]}] * 10
    assert describe_contested(contested, {"lea": 200, "max": 150}, 200) == []
    assert describe_contested([], {"lea": 3}, 3) == []
