"""Kernels that no other quick test interprets: the same bits in both ways, and no number wraps.

An interpreted number that wraps around is an error in all tests (tests/support/kernels.py).
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, Distances
from segscore.pipeline.agreement.judging.permutations import permuted
from segscore.pipeline.agreement.pseudo_coders import segment, streams
from segscore.pipeline.arrays.ragged import Categorical, Ints, Ragged
from segscore.pipeline.comparison.boundary_outcomes import find_outcomes
from segscore.pipeline.measures.items import Items
from segscore.pipeline.scoring.boundaries import Labelled, side
from segscore.pipeline.scoring.counting import Pairs
from segscore.pipeline.scoring.label_confusion import count_labels
from segscore.pipeline.settings.measuring import MeasuringSettings
from tests.support import kernels
from tests.support.coded_pairs import random_pairs


def rows(*lists: list[int]) -> Ragged:
    """Return lists of positions."""
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return Ragged(offsets, np.array([each for some in lists for each in some], np.int32))


def permutations() -> Any:
    """Permute the names of six coders in a dozen documents."""
    pairs = random_pairs(1, documents=12)
    hashes = np.arange(12, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return permuted(pairs, hashes, np.ones(len(pairs.first), bool), (6, 2), (3, 4, 2))


def offsets_of_coders() -> Any:
    """Find by how much the second of two coders marks later."""
    draw = np.random.default_rng(3)
    distance = draw.integers(-3, 9, 40).astype(np.float64)
    fold, count = draw.integers(1, 3, 40), draw.integers(1, 4, 40)
    distances = Distances(np.zeros(40, np.int64), distance, fold, count)
    sums = {"offset_sum": (distance * count).sum(), "near_pairs": count.sum()}
    counts = {name: np.full((3, 1), number, np.int64) for name, number in sums.items()}
    one, other, shared = np.array([0]), np.array([1]), np.array([40, 40])
    known = CoderPairCounts(2, one, other, counts, distances, shared, np.array([1, 2]))
    return [known.offsets(10.0)]


def pseudo_segments() -> Any:
    """Draw the segments of four documents."""
    starts = streams(7, np.arange(4, dtype=np.uint64), np.zeros(1, np.uint64))
    units, boundaries = segment(starts, np.array([2, 5, 9]), 6, np.full(4, 30, np.int32))
    return [units, boundaries.offsets, boundaries.values]


def one_pair(ref: list[int], hyp: list[int]) -> Any:
    """Return the outcomes of the boundaries of two segmentations of 30 units."""
    document: Ints = np.zeros(1, np.int64)
    of_ref, of_hyp = (side(rows(each), document, None) for each in (ref, hyp))
    opened: Any = SimpleNamespace(
        settings=MeasuringSettings(n_t=3),
        references=SimpleNamespace(side=of_ref, size=np.array([30])),
        rule=SimpleNamespace(types=(1,)),
    )
    pairs = Pairs(np.zeros(1, np.int64), np.zeros(1, np.int64), one_to_one=True)
    found = find_outcomes(opened, of_hyp, pairs)
    return [found.boundary, found.kind, found.alarm_pair, found.alarm_position]


def outcomes() -> Any:
    """Find matches, near misses, misses and false alarms."""
    return one_pair([3, 9, 15, 22], [3, 10, 27])


def labels() -> Any:
    """Count the labels of the overlaps of two segmentations of ten units."""
    ref = Labelled(Items(rows([0, 4]), rows([4, 10])), np.array([0, 1]), ["news", "talk"])
    hyp = Labelled(Items(rows([0, 6]), rows([6, 10])), np.array([0, 1]), ["news", None])
    view: Any = SimpleNamespace(
        hypotheses=SimpleNamespace(
            side=SimpleNamespace(labels=hyp), system=Categorical(np.zeros(1, np.int64), ["a"])
        ),
        references=SimpleNamespace(side=SimpleNamespace(labels=ref)),
        pairs=Pairs(np.zeros(1, np.int64), np.zeros(1, np.int64), one_to_one=True),
    )
    return [np.array([*count_labels(view).values()])]


@pytest.mark.parametrize(
    "call", [permutations, offsets_of_coders, pseudo_segments, outcomes, labels]
)
def test_both_ways_give_the_same_bits(call: Callable[[], Any]) -> None:
    found = []
    for way in kernels.WAYS:
        with kernels.run(way):
            found.append(call())
    assert all(map(len, found[0]))
    for interpreted, compiled in zip(*found, strict=True):
        assert interpreted.dtype == compiled.dtype
        assert interpreted.tobytes() == compiled.tobytes()
