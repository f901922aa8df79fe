"""Test the differences of all pairs of many averages at once."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.jackknife import (
    FEWEST,
    FEWEST_ALIKE,
    ROUNDING,
    Estimate,
    difference,
    effective_number,
    rests_on_few,
)


@dataclass(frozen=True)
class PairTests:
    """The tests of the differences of all pairs, in the order of ``itertools.combinations``.

    Attributes:
        p: the p values, NaN where a difference cannot be tested, shape (pairs,).
        alike: whether all units differ alike, shape (pairs,).
    """

    p: Floats
    alike: Flags


def pair_tests(averages: Sequence[Estimate]) -> PairTests:
    """Test the difference of each pair, as ``difference(...).p`` does one by one.

    Args:
        averages: averages over the same units; others are compared one by one.
    """
    units = averages[0].units
    if not all(np.array_equal(units, average.units) for average in averages):
        apart = [difference(*pair) for pair in combinations(averages, 2)]
        alike = np.array([each.error == 0 for each in apart], np.bool_)
        return PairTests(np.array([each.p for each in apart]), alike)
    value = np.array([average.value for average in averages])
    without = np.stack([average.without for average in averages])
    weights = np.array(
        [(average.effective, average.number, _second_bound(average)) for average in averages]
    )
    grouped = any(average.grouped for average in averages)
    tests = [PairTests(np.zeros(0), np.zeros(0, np.bool_))] + [
        _tests_beside(value[i:], without[i:], weights[i:], grouped=grouped)
        for i in range(len(averages) - 1)
    ]
    p, alike = (np.concatenate(parts) for parts in zip(*map(astuple, tests), strict=True))
    return PairTests(p, alike)


def _second_bound(average: Estimate) -> float:
    """Return the bound of the degrees of freedom of averages that rest on few units."""
    if not rests_on_few(average.effective, average.number):
        return np.inf
    return effective_number(np.square(average.weight))


def _tests_beside(value: Floats, without: Floats, weights: Floats, *, grouped: bool) -> PairTests:
    """Test the first average's differences from each of the others.

    Args:
        value: the averages, shape (averages,).
        without: the averages without each unit, shape (averages, units).
        weights: effective number, number and second bound of each, shape (averages, 3).
        grouped: whether a unit can be several documents.
    """
    from scipy.special import stdtr

    n = without.shape[1]
    apart, differences = value[0] - value[1:], without[0] - without[1:]
    fewer = np.where((weights[1:, 0] < weights[0, 0])[:, None], weights[1:], weights[0])
    effective, number, second_bound = fewer.T
    if n < FEWEST:
        return PairTests(np.full(len(apart), np.nan), np.zeros(len(apart), np.bool_))
    deviations = (differences - differences.mean(axis=1, keepdims=True)) * sqrt((n - 1) / n)
    squares = np.square(deviations)
    total = squares.sum(axis=1)
    error = np.sqrt(total)
    freedom = np.minimum(second_bound, effective - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if not grouped:
            kurtosis = n * np.square(squares / total[:, None]).sum(axis=1)
            of_kurtosis = np.where(kurtosis > 1, 2 * n / (kurtosis - 1), np.inf) - 1
            freedom = np.minimum(freedom, of_kurtosis)
        p = 2 * stdtr(np.maximum(freedom, 1.0), -np.abs(apart) / error)
    if_alike = np.where(number < FEWEST_ALIKE, np.nan, 2 ** (1 - effective))
    if_alike = np.where(np.abs(apart) <= ROUNDING, 1.0, if_alike)
    alike = error <= ROUNDING * np.maximum(1.0, np.abs(apart))
    untested = np.isnan(apart) | (number < FEWEST)
    return PairTests(np.where(untested, np.nan, np.where(alike, if_alike, p)), alike & ~untested)
