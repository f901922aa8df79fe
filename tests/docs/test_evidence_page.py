"""docs/evidence.md is what `make evidence` writes."""

import re

import numpy as np
import pytest

from benchmarks import evidence


@pytest.mark.long
def test_the_page_is_what_the_command_writes() -> None:
    text = evidence.PAGE.read_text("utf-8")
    _, rest = text.split(evidence.START)
    results, _ = rest.split(evidence.END)
    assert results.strip() == "\n".join(evidence.report()).strip()


def test_the_page_has_every_directed_measure_for_every_corpus() -> None:
    text = evidence.PAGE.read_text("utf-8")
    for corpus in evidence.CORPORA:
        _, table, *_ = text.split(f"## {corpus.capitalize()}: ")[1].split("\n\n")
        assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(evidence.directed())


def test_a_preference_counts_ties_half_and_follows_the_direction() -> None:
    better, worse = np.array([0.5, 0.2, 0.3, np.nan]), np.array([0.4, 0.2, 0.4, 0.1])
    assert evidence.preference("pk", better, worse).share == pytest.approx(0.5)
    found = evidence.preference("f1", np.array([0.9, 0.5]), np.array([0.1, 0.5]))
    assert (found.share, found.documents) == (0.75, 2)


def test_the_same_boundaries_are_moved_near_and_far() -> None:
    """In the same directions, and only where both stay between their neighbours."""
    codings = evidence.double_codings("moonstone")
    made = evidence.moved(codings)
    found = 0
    for coding, near, far in zip(codings, made[evidence.NEAR], made[evidence.FAR], strict=True):
        assert len(near) == len(far) == len(coding.second)
        for place, one, other in zip(coding.second, near, far, strict=True):
            assert (one == place) == (other == place)
            if one != place:
                found += 1
                assert 2 <= abs(one - place) <= 3 and 6 <= abs(other - place) <= 10
                assert (one > place) == (other > place)
    assert found


def test_paired_shares_are_compared_document_by_document() -> None:
    nothing = np.array([np.nan, np.nan])
    values = {name: {"f1": np.array([0.2, 0.9]), "pk": nothing} for name in evidence.damages()}
    values[evidence.UNDAMAGED] = {"f1": np.array([0.5, 0.9]), "pk": nothing}
    assert evidence.wins(values, "f1").tolist() == [1, 0.5]
    assert np.isnan(evidence.wins(values, "pk")).all()


def test_the_page_has_no_undefined_numbers() -> None:
    assert "nan" not in evidence.PAGE.read_text("utf-8")
