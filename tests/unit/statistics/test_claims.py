"""What is printed, measured: a small part of benchmarks/claims.py, with bounds of its own.

The bootstrap and the permutation test, which were used before, are outside of these bounds.
"""

import re
from collections.abc import Iterator

import pytest

from benchmarks import claims, simulated_documents
from benchmarks.claims import B, Corpus
from tests.support.paths import ROOT


@pytest.fixture(autouse=True, scope="module")
def small_pools() -> Iterator[None]:
    """Make pools of fewer documents, whose averages are the truth."""
    patch = pytest.MonkeyPatch()
    patch.setattr(simulated_documents, "DOCUMENTS", 1000)
    patch.setattr(claims, "DOCUMENTS", 1000)
    patch.setattr(simulated_documents, "SHOWS", 100)
    simulated_documents.pool.cache_clear()
    yield
    patch.undo()
    simulated_documents.pool.cache_clear()


@pytest.mark.parametrize("documents", [20, 50])
def test_equal_systems_of_different_density_differ_as_often_as_stated(documents: int) -> None:
    """A permutation test of micro averages finds a difference in 11 to 14 of 100."""
    found = claims.level(claims.DENSITY, Corpus(documents), 400)[B]
    assert found.corpora == 400 and 0.02 <= found.share <= 0.085, str(found)


def test_intervals_of_ten_documents_contain_the_truth() -> None:
    """A percentile bootstrap has .90."""
    found = claims.coverage(claims.ORDINARY, Corpus(10), 500)[B]
    assert found.share >= 0.925, str(found)


def test_documents_of_a_show_are_not_independent() -> None:
    """By documents, intervals of 6 shows of 10 contain the truth in 3 of 4; by shows in 95 %."""
    by_documents, by_shows = (
        claims.coverage(claims.IN_SHOWS, Corpus(60, 10, by_show), 200)[B]
        for by_show in (False, True)
    )
    assert by_documents.share < 0.87 and by_shows.share >= 0.9, (str(by_documents), str(by_shows))


def test_what_is_needed_is_enough() -> None:
    """The documents that a difference needs find it in about 80 of 100 corpora."""
    alpha = claims.LEVEL / 10
    need = claims.needed(claims.APART, alpha)
    found = claims.power(claims.APART, Corpus(need), alpha, 400)
    assert 0.73 <= found.share <= 0.87, (need, str(found))


def test_unequal_systems_are_seldom_called_equal() -> None:
    found = claims.called_equal(claims.APART, Corpus(60), 400)
    assert found.share <= 0.06, str(found)


def test_the_page_has_the_tables() -> None:
    page = (ROOT / "docs" / "claims.md").read_text("utf-8")
    measured = page.split(claims.START)[1].split(claims.END)[0]
    assert len(re.findall(r"\| \.\d{3} ", measured)) > 100
