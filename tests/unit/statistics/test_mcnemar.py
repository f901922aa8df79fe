"""The clustered test of McNemar, compared with all signs and with the binomial test."""

from itertools import product
from random import Random

import pytest
from scipy.stats import binomtest

from segscore.pipeline.statistics import mcnemar
from segscore.pipeline.statistics.mcnemar import clustered_mcnemar


def all_signs(differences: list[int]) -> float:
    sizes = [abs(each) for each in differences if each]
    signs = [*product((1, -1), repeat=len(sizes))]
    sums = [abs(sum(s * n for s, n in zip(row, sizes, strict=True))) for row in signs]
    return sum(each >= abs(sum(differences)) for each in sums) / len(sums)


def test_all_signs_are_counted() -> None:
    chance = Random(5)  # noqa: S311
    for _ in range(60):
        differences = [chance.randint(-4, 4) for _ in range(chance.randint(1, 10))]
        if any(differences):
            assert clustered_mcnemar(differences) == pytest.approx(all_signs(differences))
    assert clustered_mcnemar([]) is None
    assert clustered_mcnemar([0, 0]) is None


@pytest.mark.parametrize(("better", "worse"), [(9, 1), (5, 5), (1, 0), (14, 4)])
def test_single_decisions_are_tested_as_mcnemar_did(better: int, worse: int) -> None:
    expected = binomtest(better, better + worse, 0.5).pvalue
    assert clustered_mcnemar([1] * better + [-1] * worse) == pytest.approx(expected)


def test_many_decisions_have_the_normal_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(6)  # noqa: S311
    differences = [chance.randint(-3, 4) for _ in range(300)]
    exact = clustered_mcnemar(differences)
    monkeypatch.setattr(mcnemar, "_EXACT", 0)
    assert clustered_mcnemar(differences) == pytest.approx(exact, abs=0.005)
