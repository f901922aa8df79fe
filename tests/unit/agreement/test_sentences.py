"""Contested documents, and sentences of an audit."""

from math import isnan, sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.agreement.documents import contested_in, contested_share, most_contested
from segscore.pipeline.agreement.findings import describe_audit
from segscore.pipeline.agreement.judging.step import AuditRows
from segscore.schemas.rows import CoderRow

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
    assert describe_audit([], AuditRows(coders)) == ["Agreement above chance is undefined."]
    for number, row in enumerate(coders):
        row |= {
            "agreement_effect": 0.01 - number / 100,
            "agreement_error": 0.01,
            "agreement_limit": 0.21,
        }
    quiet = (
        "Nobody is named for low agreement; a coder would be named from 0.21 below the median on. "
        "Lowest: 5 -0.04 ± 0.01, 4 -0.03 ± 0.01, 3 -0.02 ± 0.01."
    )
    assert describe_audit([], AuditRows(coders))[1] == quiet
    unknown: list[CoderRow] = [{"coder": str(i), "low_agreement": None} for i in range(3)]
    assert "Outlier analysis needs at least" in describe_audit([], AuditRows(unknown))[1]
    mixed = describe_audit([], AuditRows([*coders, *unknown[:1]]))
    assert mixed[2].startswith("1 of 7 coders is not judged, for want of 10 documents")


def test_the_most_extreme_come_first_and_the_others_are_counted() -> None:
    coders: list[CoderRow] = [
        {
            "coder": f"c{i}",
            "low_agreement": True,
            "agreement_effect": -0.1 - i,
            "documents": 12,
            "peer_boundary_similarity": 0.3,
            "others_boundary_similarity": 0.5,
        }
        for i in range(7)
    ]
    sentences = describe_audit([], AuditRows(coders))[1:]
    first = [sentence.split()[0] for sentence in sentences]
    assert first == ["c6's", "c5's", "c4's", "c3's", "c2's", "2"]
    assert sentences[0] == (
        "c6's boundaries agree with the others' by 0.30 in 12 documents, theirs with each other by "
        "0.50: 6.10 below the median coder."
    )
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
    assert describe_audit([], AuditRows([row], unit=unit))[1] == words


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
    """The median rate of other documents gave another ratio: 6.7 of 9.3 are not 0.75."""
    row: CoderRow = {
        "coder": "max",
        "outlying_rate": True,
        "low_agreement": False,
        "rate": rate,
        "rate_ratio": ratio,
    }
    assert describe_audit([], AuditRows([row], unit=unit))[1] == f"max marks {words}"
    alike = describe_audit([], AuditRows([{**row, "reading": "other"}], unit=unit))[1]
    assert ("as the others who read alike: " in alike) is (rate > 0)


def test_who_is_below_the_limit_and_not_named_is_said_to_be() -> None:
    """The quiet level never lists an effect beyond the limit as if it were within it."""
    coders: list[CoderRow] = [
        {
            "coder": f"c{number}",
            "low_agreement": False,
            "agreement_effect": effect,
            "agreement_error": 0.02,
            "agreement_limit": 0.15,
        }
        for number, effect in enumerate((0.02, -0.23, 0.0, -0.06, -0.2))
    ]
    below, quiet = describe_audit([], AuditRows(coders))[1:]
    assert below.startswith("c1 and c4 agree less than the limit of 0.15 allows, and are not named")
    assert quiet.endswith("Lowest: c3 -0.06 ± 0.02.")
