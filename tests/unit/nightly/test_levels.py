"""Which systems and groups a trend names, on simulated averages of nights."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, product

import numpy as np
import pytest

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.trend.levels import Level, judge_levels
from segscore.pipeline.nightly.trend.ranking import PairOverNights
from segscore.pipeline.nightly.trend.sentences import describe_trend, ranking_in_words
from segscore.pipeline.nightly.trend.series import NightlySeries, Series, mean_of
from segscore.pipeline.nightly.trend.settings import TrendSettings

SYSTEMS = ("alpha", "beta", "delta", "gamma", "omega")
CHANNELS = ("drei", "eins", "kultur", "news", "regio", "sport")
SETTINGS = TrendSettings(runs="runs", measure="boundary_similarity", group_by=("channel",))
FEWER = TrendSettings(runs="runs", measure="pk", group_by=("channel",))

Fall = Callable[[str, str, Floats], Floats]
"""How much a system falls in a channel by night."""


def nights(seed: int, fall: Fall, n: int = 30, noise: float = 0.03) -> NightlySeries:
    """Draw the averages of nights; a third of the variance is common to the systems."""
    draw = np.random.default_rng(seed)
    at = np.arange(n, dtype=np.float64)
    difficulty = {channel: draw.normal(0, noise * 0.6, n) for channel in CHANNELS}
    values = {
        (system, channel): 0.8
        - 0.03 * SYSTEMS.index(system)
        + difficulty[channel]
        + draw.normal(0, noise * 0.8, n)
        - fall(system, channel, at)
        for system, channel in product(SYSTEMS, CHANNELS)
    }
    errors = np.full(n, noise)
    series = [
        Series(
            system,
            (None,),
            np.mean([values[system, channel] for channel in CHANNELS], axis=0),
            errors / 2.4,
        )
        for system in SYSTEMS
    ]
    series += [
        Series(system, (channel,), each, errors) for (system, channel), each in values.items()
    ]
    groups = list(dict.fromkeys(each.group for each in series))
    series += [mean for group in groups for mean in mean_of(series, group)]
    dates = [date(2026, 10, 1) + timedelta(days=day) for day in range(n)]
    return NightlySeries(dates, "segscore|v:1", series, [])


def named(levels: list[Level]) -> set[tuple[str | None, object]]:
    """Return the systems and groups that changed."""
    return {(level.system, level.group[0]) for level in levels if level.named}


def no_fall(_system: str, _channel: str, at: Floats) -> Floats:
    return np.zeros(len(at))


def slow(system: str, _channel: str, at: Floats) -> Floats:
    return at * 0.004 * (system == "beta")


def channel_falls(_system: str, channel: str, at: Floats) -> Floats:
    return np.where(at >= 12, 0.08, 0.0) * (channel == "regio")


def both(system: str, channel: str, at: Floats) -> Floats:
    return slow(system, channel, at) + channel_falls(system, channel, at)


def step(system: str, _channel: str, at: Floats) -> Floats:
    return np.where(at >= 15, 0.08, 0.0) * (system == "delta")


@pytest.mark.parametrize("seed", range(3))
def test_a_slow_decline_is_named_and_nothing_else(seed: int) -> None:
    levels = judge_levels(nights(seed, slow), SETTINGS)
    assert ("beta", None) in named(levels)
    assert {system for system, _ in named(levels)} == {"beta"}
    first = describe_trend(levels, [], SETTINGS)[0]
    assert first.startswith("beta got worse by ")


@pytest.mark.parametrize("seed", range(3))
def test_a_channel_that_falls_for_all_is_named_once(seed: int) -> None:
    levels = judge_levels(nights(seed, channel_falls), SETTINGS)
    assert named(levels) == {(None, "regio")}
    sentences = describe_trend(levels, [], SETTINGS)
    assert sentences[0].startswith("regio, for all 5 systems, fell on 2026-10-13: ")
    assert sentences[0].endswith("its references or recordings may have changed")
    assert sentences[1].startswith("alpha, beta, delta, gamma and omega show no change")


@pytest.mark.parametrize("seed", range(3))
def test_both_faults_are_told_apart(seed: int) -> None:
    levels = judge_levels(nights(seed, both), SETTINGS)
    assert {(None, "regio"), ("beta", None)} <= named(levels)
    assert {system for system, _ in named(levels)} == {None, "beta"}


@pytest.mark.parametrize("seed", range(3))
def test_a_step_has_its_date(seed: int) -> None:
    (found,) = (
        level
        for level in judge_levels(nights(seed, step, n=45, noise=0.02), SETTINGS)
        if (level.system, level.group) == ("delta", (None,))
    )
    assert found.kind == "step" and str(found.step_date) == "2026-10-16"
    assert found.jump == pytest.approx(-0.08, abs=0.02)


def test_a_level_that_is_held_in_a_group_alone_is_said_of_it() -> None:
    levels = judge_levels(nights(1, no_fall), SETTINGS)
    held = [
        replace(each, is_held=True, kind="line")
        if (each.system, each.group)
        in (("beta", ("regio",)), ("alpha", (None,)), ("alpha", ("regio",)))
        else each
        for each in levels
    ]
    said = [text for text in describe_trend(held, [], SETTINGS) if "held its level" in text]
    assert [text.partition(" (")[0] for text in said] == [
        "alpha held its level",
        "beta held its level in regio",
    ]


def test_a_general_change_is_not_said_of_each_group_and_system() -> None:
    levels = judge_levels(nights(1, lambda _s, _c, at: at * 0.006), SETTINGS)
    assert named(levels) == {(None, None)}
    said = "the average of all documents, for all 5 systems, fell"
    assert describe_trend(levels, [], SETTINGS)[0].startswith(said)


@pytest.mark.long
def test_steady_systems_are_rarely_named() -> None:
    """Two families, two kinds of test, each at .01: at most .04 of archives, here 40."""
    assert (
        sum(bool(named(judge_levels(nights(seed, no_fall), SETTINGS))) for seed in range(40)) <= 3
    )


def test_the_direction_of_the_measure_decides_what_is_worse() -> None:
    (first, *_) = describe_trend(judge_levels(nights(0, slow), FEWER), [], FEWER)
    assert first.startswith("beta got better by ")


def test_few_nights_are_said() -> None:
    nightly = nights(0, no_fall)
    series = [each for each in nightly.series if each.system is not None and each.group == (None,)]
    values = series[0].values.copy()
    values[:25] = np.nan
    short = Series("alpha", (None,), values, series[0].errors)
    levels = judge_levels(NightlySeries(nightly.dates, "", [short, *series[1:]], []), SETTINGS)
    assert levels[0].verdict == "too_few" and levels[0].nights == 5
    assert (
        describe_trend(levels, [], SETTINGS)[-1] == "alpha (5 nights): too few nights for a trend"
    )


def test_an_interval_on_both_sides_of_0_is_said_to_be() -> None:
    level = next(each for each in judge_levels(nights(0, slow), SETTINGS) if each.named)
    assert level.line is not None and level.change < 0
    line = replace(level.line, low=-0.004, high=0.001)
    (sentence, *_) = describe_trend([replace(level, line=line, kind="line")], [], SETTINGS)
    assert "per 30 nights (-0.030 to 0.120)" in sentence


def test_a_system_that_stays_where_it_is_did_not_get_better() -> None:
    """The median of the others falls, so that it is ahead of them; nothing else changed."""

    def others_fall(system: str, _channel: str, at: Floats) -> Floats:
        return np.where(at >= 12, 0.05, 0.0) * (system != "beta")

    found = nights(1, others_fall)
    levels = judge_levels(found, SETTINGS)
    said = describe_trend(levels, [], SETTINGS)
    held = "beta held its level (0.77"
    assert any(text.startswith(held) and text.endswith("systems got worse") for text in said)
    assert not any(text.startswith("beta got") for text in said)
    assert not any("beta" in text and "no change" in text for text in said)


@pytest.mark.parametrize(("wins", "ahead"), [(7, "on all 7"), (6, "on average")])
def test_few_nights_cannot_rank_systems(wins: int, ahead: str) -> None:
    """With ten pairs, Wilcoxon's smallest p on seven nights is 0.156 after Holm."""
    pairs = [
        PairOverNights(system, other, 7, 0.6, 0.3, 0.3, wins, 7 - wins, 1 / 64, 10 / 64, wins)
        for system, other in combinations(SYSTEMS, 2)
    ]
    assert [*ranking_in_words(pairs)] == [
        f"7 nights are too few to test which system is better; alpha was ahead {ahead}"
    ]
    more = [replace(pair, nights=9) for pair in pairs]
    assert "cannot be told apart over 9 nights" in next(ranking_in_words(more))
