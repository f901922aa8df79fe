"""Permutations of names: against numpy, and what they keep."""

from collections import Counter

import numpy as np
import pytest

from segscore.pipeline.agreement.judging.by_document import fit_effects
from segscore.pipeline.agreement.judging.fits import spread
from segscore.pipeline.agreement.judging.permutations import leading, permuted, standardised
from tests.oracles.naive_judging import q_n
from tests.support.coded_pairs import random_pairs


def test_the_largest_eigenvalue_is_that_of_numpy() -> None:
    draw = np.random.default_rng(4)
    for size in (2, 5, 12):
        matrix = draw.standard_normal((size, size))
        matrix = matrix + matrix.T
        values, vectors = np.linalg.eigh(matrix)
        vector = np.zeros(size)
        found = leading(matrix, vector)
        assert abs(found - values[-1]) < 1e-3 * abs(values).max()
        assert abs(vector @ vectors[:, -1]) > 0.99


@pytest.mark.long
def test_permutations_depend_on_documents_and_seed_alone() -> None:
    pairs = random_pairs(1)
    hashes = np.arange(60, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    used = np.ones(len(pairs.first), bool)
    found = permuted(pairs, hashes, used, (6, 2), (3, 50, 5))
    again = permuted(pairs, hashes, used, (6, 2), (3, 50, 5))
    other = permuted(pairs, hashes, used, (6, 2), (4, 50, 5))
    assert np.array_equal(found[0], again[0]) and np.array_equal(found[1], again[1])
    assert Counter(found[0].tolist()).most_common(1)[0][1] == 1
    assert not np.array_equal(found[0], other[0])


@pytest.mark.long
def test_without_any_effect_the_data_are_like_a_permutation() -> None:
    """Of random data, the largest eigenvalue is above the median of permutations half the time."""
    hashes = np.arange(60, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    above = 0
    for seed in range(60):
        pairs = random_pairs(seed)
        used = np.ones(len(pairs.first), bool)
        effects = fit_effects(pairs, used, 6)
        value = leading(standardised(effects.residual, effects.weight), np.zeros(6))
        above += bool(value > np.median(permuted(pairs, hashes, used, (6, 2), (1, 41, 5))[0]))
    assert 18 <= above <= 42


def test_the_spread_is_that_of_the_twin() -> None:
    draw = np.random.default_rng(2)
    for size in (2, 3, 6, 13):
        values = draw.standard_normal(size)
        assert np.isclose(spread(values), q_n(values.tolist()))
    assert spread(np.array([1.0])) == 0
