"""What is printed, measured: a small part of benchmarks/claims.py, with bounds of its own.

The bootstrap and the permutation test, which were used before, are outside of these bounds.
"""

import pytest

from benchmarks import claims

B = "boundary_similarity", "micro"
DENSITY = claims.Kind(systems=(claims.SPARSE, claims.DENSE))
SHOWS = claims.Kind(by_show=0.8)


@pytest.fixture(autouse=True, scope="module")
def small_pools() -> object:
    """Make pools of fewer documents, whose averages are the truth."""
    patch = pytest.MonkeyPatch()
    patch.setattr(claims, "POOL", 1000)
    patch.setattr(claims, "SHOWS", 100)
    claims.pool.cache_clear()
    yield
    patch.undo()
    claims.pool.cache_clear()


@pytest.mark.parametrize("documents", [20, 50])
def test_equal_systems_of_different_density_differ_as_often_as_stated(documents: int) -> None:
    """A permutation test of micro averages finds a difference in 11 to 14 of 100."""
    found = claims.level(DENSITY, B, documents, 400)
    assert found.number == 400 and 0.02 <= found.share <= 0.085, str(found)


def test_intervals_of_ten_documents_contain_the_truth() -> None:
    """A percentile bootstrap has .90."""
    found = claims.coverage(claims.Kind(), B, 10, 500)
    assert found.share >= 0.925, str(found)


def test_documents_of_a_show_are_not_independent() -> None:
    """By documents, intervals of 6 shows of 10 contain the truth in 3 of 4; by shows in 95 %."""
    by_documents = claims.coverage(SHOWS, B, 60, 200, of_show=10)
    by_shows = claims.coverage(SHOWS, B, 60, 200, of_show=10, by_show=True)
    assert by_documents.share < 0.87 and by_shows.share >= 0.9, (str(by_documents), str(by_shows))
