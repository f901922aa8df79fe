"""Whether agreement changed between groups: what is said and its interval agree."""

import numpy as np
import pytest

from segscore.pipeline.agreement.judging.limits import CHANGE_P
from segscore.pipeline.agreement.results import intervals_of_changes
from segscore.pipeline.statistics.multiple_tests import holm


@pytest.mark.parametrize("changes", [1, 2, 6])
def test_an_interval_excludes_0_only_if_the_change_is_sure(changes: int) -> None:
    draw, sure = np.random.default_rng(changes), 0
    for _ in range(500):
        change = draw.normal(0, 2.5, changes)
        value, low, high, p = intervals_of_changes(change, np.ones(changes))
        assert value.tolist() == change.tolist()
        assert ((low > 0) | (high < 0)).tolist() == (p < CHANGE_P).tolist()
        sure += int(np.count_nonzero(p < CHANGE_P))
    assert 0 < sure < 500 * changes


def test_one_change_has_an_ordinary_interval() -> None:
    _, low, high, p = intervals_of_changes(np.array([0.1]), np.array([0.05]))
    assert (low[0], high[0]) == pytest.approx((0.1 - 1.959964 * 0.05, 0.1 + 1.959964 * 0.05))
    assert p[0] == pytest.approx(0.0455, abs=1e-4)


def test_changes_without_an_error_are_not_tested() -> None:
    change, low, high, p = intervals_of_changes(np.array([0.1, 0.2]), np.array([np.nan, 0.01]))
    assert np.isnan([low[0], high[0], p[0]]).all()
    assert change[0] == 0.1
    assert p[1] == holm([p[1]])[0] < CHANGE_P
