"""Power of the paired t test: equal to statsmodels, and consistent with itself."""

import importlib
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.statistics.power import PairedTest, documents_needed, smallest_effect

ALPHAS = (0.01, 0.05, 0.1)
POWERS = (0.5, 0.8, 0.95)


@pytest.fixture(scope="module")
def statsmodels() -> Any:
    return importlib.import_module("statsmodels.stats.power").TTestPower()


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("documents", [10, 42, 227, 711])
def test_the_smallest_effect_is_that_of_statsmodels(
    statsmodels: Any, alpha: float, power: float, documents: int
) -> None:
    expected = statsmodels.solve_power(None, documents, alpha, power)
    assert smallest_effect(documents, PairedTest(alpha, power)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("power", POWERS)
def test_documents_needed_are_those_of_statsmodels(
    statsmodels: Any, alpha: float, power: float
) -> None:
    effects = np.array([1.0, 0.5, 0.28, 0.1, 0.02])
    found = documents_needed(effects, PairedTest(alpha, power))
    for effect, number in zip(effects.tolist(), found.tolist(), strict=True):
        expected = ceil(statsmodels.solve_power(effect, None, alpha, power))
        assert number == pytest.approx(expected, abs=1 if number < 1000 else number / 1000)


@given(st.floats(1e-4, 50), st.sampled_from(ALPHAS), st.sampled_from(POWERS))
def test_the_needed_documents_are_the_least_that_suffice(
    effect: float, alpha: float, power: float
) -> None:
    test = PairedTest(alpha, power)
    (number,) = documents_needed(np.array([effect]), test)
    assert number >= 2
    assert test.finds(np.array([effect]), np.array([number]))[0] >= power
    if number > 2:
        assert test.finds(np.array([effect]), np.array([number - 1]))[0] < power


@given(st.integers(2, 10**6), st.sampled_from(ALPHAS), st.sampled_from(POWERS))
def test_the_smallest_effect_needs_just_these_documents(
    documents: int, alpha: float, power: float
) -> None:
    effect = smallest_effect(documents, PairedTest(alpha, power))
    (number,) = documents_needed(np.array([effect * (1 + 1e-9)]), PairedTest(alpha, power))
    assert number == documents


def test_effects_of_any_size_have_an_answer() -> None:
    tiny, huge = documents_needed(np.array([1e-300, 1e300]), PairedTest())
    assert tiny == 2**52
    assert huge == 2
