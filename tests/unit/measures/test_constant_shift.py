"""Exact matches of moved boundaries, against sets of positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import Ragged
from segscore.pipeline.measures.constant_shift import count_shifted
from segscore.pipeline.measures.segmentation_pairs import pair_rows

pytestmark = pytest.mark.quick
# Boundaries that are near each other, in one place of a document or all over a long one.
PLACES = st.tuples(st.sampled_from([0, 0, 0, 4070, 8140, 50_000]), st.integers(1, 30)).map(sum)
POSITIONS = st.lists(PLACES, max_size=12).map(sorted)


def ragged(rows: list[list[int]]) -> Ragged:
    lengths = [len(row) for row in rows]
    values = np.array([place for row in rows for place in row], np.int32)
    return Ragged(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), values)


@given(st.lists(st.tuples(POSITIONS, POSITIONS, st.integers(0, 1)), min_size=1, max_size=5))
def test_each_shift_counts_the_positions_that_both_sides_then_have(
    pairs: list[tuple[list[int], list[int], int]],
) -> None:
    references, hypotheses, systems = zip(*pairs, strict=True)
    rows = np.arange(len(pairs))
    sides = pair_rows(
        ragged([*references]), ragged([*hypotheses]), rows, rows, np.full(len(pairs), 60_000)
    )
    expected = [
        [
            sum(
                len({*reference} & {place + shift for place in hypothesis})
                for reference, hypothesis, owner in pairs
                if owner == system
            )
            for shift in range(-3, 4)
        ]
        for system in range(2)
    ]
    assert count_shifted(sides, np.array(systems), 2).tolist() == expected
