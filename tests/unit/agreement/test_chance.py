"""Agreement by chance: measured by random codings, not assumed."""

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline.agreement.chance import (
    DRAWS,
    MOST_DOCUMENTS,
    drawn_counts,
    first_by_hash,
)


def lengths(documents: int, coders: str, marks: int, places: int) -> pa.Table:
    """Return the boundaries and potential boundaries of each coding."""
    return pa.table(
        {
            "document": pa.array(np.repeat(np.arange(documents, dtype=np.uint64), len(coders))),
            "coder": pa.array([*coders] * documents),
            "marks": pa.array(np.full(documents * len(coders), marks)),
            "places": pa.array(np.full(documents * len(coders), places)),
        }
    )


def by_hand(marks: int, places: int, draws: int) -> float:
    """Return the pooled boundary similarity of random codings at n_t 1, pair by pair."""
    draw = Random(1)  # noqa: S311
    both = alone = 0
    for _ in range(draws):
        one, other = ({*draw.sample(range(1, places + 1), marks)} for _ in range(2))
        both += len(one & other)
        alone += len(one ^ other)
    return both / (both + alone)


def test_chance_is_that_of_random_codings() -> None:
    found = drawn_counts(lengths(40, "abc", 6, 30), 1, seed=0)
    similar, documents = found.similarities(None, 1)
    assert documents == 40
    assert similar["boundary_similarity"][0] == pytest.approx(by_hand(6, 30, 8000), abs=0.01)
    assert similar["exact"][0] == pytest.approx(similar["boundary_similarity"][0])
    # Near misses count for more than nothing, so that chance is higher with them.
    near = drawn_counts(lengths(40, "abc", 6, 30), 2, seed=0).similarities(None, 2)[0]
    assert near["boundary_similarity"][0] > similar["boundary_similarity"][0]
    assert found.counts["pair_places"].tolist() == [3 * 30 * DRAWS] * 40


def test_groups_take_their_documents_and_rows_may_come_in_any_order() -> None:
    table = lengths(9, "ab", 3, 12)
    found = drawn_counts(table, 2, seed=5)
    turned = drawn_counts(table.take(pa.array([*range(len(table))][::-1])), 2, seed=5)
    assert all((found.counts[name] == turned.counts[name]).all() for name in found.counts)
    part, documents = found.similarities(np.array([1, 4], np.uint64), 2)
    assert documents == 2 and 0 < part["boundary_similarity"][0] < 1
    nothing, documents = found.similarities(np.array([77], np.uint64), 2)
    assert documents == 0 and np.isnan(nothing["boundary_similarity"][0])


def test_the_cost_does_not_grow_with_the_archive() -> None:
    hashes = np.arange(MOST_DOCUMENTS + 10, dtype=np.uint64)[::-1].copy()
    coders = np.full(len(hashes), 2)
    coders[:5] = 1
    chosen = first_by_hash(hashes, coders)
    assert sorted(hashes[chosen].tolist()) == [*range(MOST_DOCUMENTS)]
