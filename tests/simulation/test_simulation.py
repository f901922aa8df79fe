"""Simulated nights keep all promises; a seed that once failed is here, with what was wrong."""

import warnings
from collections.abc import Iterator

import pytest

from tests.simulation import nights, plans, steps

QUICK, BATCH = 500, 25
"""Nights of the quick tests, and those of one test."""


@pytest.fixture(autouse=True)
def simulated() -> Iterator[None]:
    with warnings.catch_warnings(), nights.prepared():
        warnings.simplefilter("ignore")
        yield


def require_kept(seed: int) -> None:
    problem = nights.simulate(nights.planned(seed)).problem
    assert problem is None, f"{problem}; make simulate SEED={seed} shows how it came to this"


@pytest.mark.parametrize("first", range(0, QUICK, BATCH))
def test_nights_keep_all_promises(first: int) -> None:
    for seed in range(first, first + BATCH):
        require_kept(seed)


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_table_of_a_half_published_import_is_made_again(seed: int) -> None:
    """Each seed damages another file; rejects were published as they were."""
    job = plans.Job("import")
    _, publication, first_table, *_ = nights.alone(job, 8, False).changes
    for at in (publication, first_table):
        dies = plans.Event(0, at, plans.DIE_AFTER)
        night = nights.simulate(plans.Plan(seed, 8, False, False, True, (job,), (dies,)))
        assert night.problem is None, night.plan


@pytest.mark.parametrize("seed", range(7, 15))
def test_a_seed_gives_the_same_night_again(seed: int) -> None:
    """Also where all that its processes do is known, so that it is not done again."""
    plan = nights.planned(seed)
    steps.known.cache_clear()
    told = [nights.simulate(plan, telling=True).lines for _ in range(3)]
    assert told[0] == told[1] == told[2] and len(told[0]) > 100
