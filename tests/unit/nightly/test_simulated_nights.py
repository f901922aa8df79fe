"""Alarms of the gate on simulated nights, and how soon it notices a fall, as in `make nights`."""

import numpy as np
import pytest

from benchmarks import simulated_densities
from benchmarks.nights import CHANGES, SLOW, STEP, alarms, delays, levels, wrong_blame
from benchmarks.simulated_nights import Nights, simulate
from benchmarks.two_nights import two_nights

YEARS = 5


@pytest.fixture(scope="module")
def shared_nights() -> Nights:
    """Years of nights that share a difficulty, on which the gate failed 41 times a year."""
    return simulate("night sd .02", 600, YEARS)


def test_nights_that_are_hard_for_all_are_no_alarms(shared_nights: Nights) -> None:
    by_level = levels(shared_nights).own
    by_two, of_all = two_nights(shared_nights, 0.02)
    assert alarms(np.asarray((by_level | by_two).any(axis=2))).mean() <= 0.5
    assert alarms(of_all).mean() <= 2


@pytest.mark.first
@pytest.mark.parametrize(("fall", "most"), [(STEP, 10), (SLOW, 25)], ids=["step", "slow"])
def test_a_fall_is_noticed(fall: np.ndarray[tuple[int], np.dtype[np.float64]], most: int) -> None:
    """A step of .05 at 60 documents was never found in four of five years."""
    nights = simulate("night sd .02", 60, YEARS).with_fall(fall)
    assert np.median(delays(levels(nights))) < most


@pytest.mark.first
@pytest.mark.parametrize("change", CHANGES)
def test_those_that_did_not_change_are_not_blamed(change: str) -> None:
    """In every year, the others were blamed for an improvement, and the best for references."""
    by_rule = wrong_blame(simulate("night sd .01", 60, YEARS), change)
    assert max(years.sum() for years in by_rule.values()) <= 1


def test_densities_are_seldom_said_to_differ_without_a_reason() -> None:
    found = simulated_densities.row("desk sd .05", 600, YEARS)
    assert found.alarms.mean() <= 1
    assert np.median(simulated_densities.row("independent documents", 60, YEARS).delays) <= 2
