"""Rules about levels and averages: alarms and delays on simulated nights, blame, acceptance."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import numpy as np
import pytest

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.calendar import read_calendar
from segscore.pipeline.nightly.gate.floor import judge_floors
from segscore.pipeline.nightly.gate.level import judge_level_rules
from segscore.pipeline.nightly.gate.past import Past, PastAverage, PastNight
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.rules import parse_rule
from segscore.pipeline.nightly.gate.spread import Spread
from segscore.pipeline.nightly.sentences import failures_in_words, warnings_in_words
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, Check
from segscore.pipeline.statistics.night_levels import falls, fell_itself
from segscore.pipeline.statistics.sums import GroupKey
from tests.oracles import naive_nights

MONDAY = date(2026, 3, 2)
SYSTEMS = ("alpha", "beta", "delta", "gamma")
RULES = parse_rule("level:boundary_similarity>=-0.02, boundary_similarity>=-0.02")
LEVEL, TWO = RULES


def past_of(
    values: Floats,
    accepted: Mapping[int, str] | None = None,
    bad: Callable[[int, str], bool] = lambda *_: False,
    groups: Mapping[str, Floats] | None = None,
) -> Past:
    """Make nights of averages, shape (nights, systems); those of a group by its name."""
    listed: dict[GroupKey, Floats] = {(): values} | {
        (name,): of_group for name, of_group in (groups or {}).items()
    }
    chosen = {**(accepted or {})}

    def good(number: int) -> Callable[[str], bool]:
        return lambda system: not bad(number, system)

    def restarts(number: int) -> Callable[[str, GateRule], bool]:
        return lambda system, _: chosen.get(number) == system

    nights = []
    for number in range(len(values)):
        averages = {
            (system, "boundary_similarity", "micro", group): PastAverage(
                float(of_group[number, column]), 0.005,
                float(of_group[number, column]) - 0.01, float(of_group[number, column]) + 0.01,
            )
            for group, of_group in listed.items()
            for column, system in enumerate((*SYSTEMS, "omega")[: values.shape[1]])
            if not np.isnan(of_group[number, column])
        }  # fmt: skip
        day = MONDAY + timedelta(days=number)
        nights.append(PastNight(day, averages, good(number), restarts(number)))
    return Past(nights)


def stationary(nights: int, seed: int = 0, systems: int = 4, shared: float = 0.02) -> Floats:
    """Draw averages of nights that share a difficulty."""
    draw = np.random.default_rng(seed)
    values = 0.8 - 0.04 * np.arange(systems) + draw.normal(0, 0.01, (nights, systems))
    return values + draw.normal(0, shared, (nights, 1))


def level(past: Past, system: str) -> Check:
    systems = [name for name in SYSTEMS if past.average(LEVEL, name) is not None]
    return next(each for each in judge_level_rules(past, [LEVEL], systems) if each.system == system)


@pytest.mark.parametrize("nights", [20, 59, 75, 130])
@pytest.mark.parametrize("systems", [2, 3, 4])
def test_the_moving_average_is_that_of_its_definition(nights: int, systems: int) -> None:
    values = stationary(nights, nights, systems)
    values[nights // 2, 1] = np.nan
    values[-30:] += 0.03
    values[-nights // 5 :, 0] -= 0.15
    past = past_of(values, bad=lambda number, system: (number, system) == (5, "alpha"))
    for column, system in enumerate(SYSTEMS[:systems]):
        check = level(past, system)
        usable = np.ones(values.shape, bool)
        usable[5, 0] = False
        expected = naive_nights.level(values, usable, column)
        lacking = (system == "alpha") + (systems == 3 or system == "beta")
        assert check.nights == min(60, max(14, nights - 1 - lacking - 10))
        assert check.change == pytest.approx(-expected["fall"])
        assert check.standard_error == pytest.approx(expected["deviation"])
        assert check.p == pytest.approx(expected["p"])
        assert check.is_raw == (systems < 3)
        assert systems < 3 or check.fails == bool(expected["fails"])


def test_a_fall_is_that_of_the_system_and_a_dip_is_nobodys() -> None:
    values = stationary(100)
    values[85:, 2] -= 0.05
    past = past_of(values)
    assert {system: level(past, system).result for system in SYSTEMS} == {
        "alpha": "passed", "beta": "passed", "delta": "failed", "gamma": "passed",
    }  # fmt: skip
    check = level(past, "delta")
    assert abs((date.fromisoformat(check.since or "") - MONDAY).days - 85) <= 1
    assert "is lower since" in failures_in_words([check])[0]
    assert check.value == pytest.approx(values[85:, 2].mean(), abs=0.005)
    dip = stationary(100)
    dip[80:] -= 0.1
    checks = judge_level_rules(past_of(dip), [LEVEL], SYSTEMS)
    assert {check.system: check.result for check in checks} == {
        **dict.fromkeys(SYSTEMS, "passed"), ALL_SYSTEMS: "warned",
    }  # fmt: skip
    (sentence,) = warnings_in_words(checks)
    assert sentence.startswith("all systems: boundary_similarity is lower since 2026-05-21: 0.")
    assert sentence.endswith("no system failed")
    over = dip.copy()
    over[98:] = dip[:60].mean(axis=0)
    (sentence,) = warnings_in_words(judge_level_rules(past_of(over), [LEVEL], SYSTEMS))
    was = "all systems: boundary_similarity was lower from 2026-05-21 to 2026-06-07, and has been"
    assert sentence.startswith(f"{was} as before since: 0.") and "nights were harder" in sentence
    asked = parse_rule("common:boundary_similarity>=-0.02")
    (check,) = judge_level_rules(past_of(dip), asked, SYSTEMS)
    assert (check.system, check.result) == (ALL_SYSTEMS, "failed")


def test_an_improvement_of_one_system_is_no_fall_of_the_others() -> None:
    for systems in (3, 4):
        values = stationary(100, 1, systems)
        values[80:, 0] += 0.15
        results = {s: level(past_of(values), s).result for s in SYSTEMS[:systems]}
        assert set(results.values()) == {"passed"}


@pytest.mark.parametrize("rise", [(0.05, 0.05), (0.1, 0.0)])
def test_those_that_stay_where_they_are_are_not_blamed_for_improvements(
    rise: tuple[float, float],
) -> None:
    """They were said to have got worse, with averages that no night had."""
    values = stationary(130, 1)
    values[80:, :2] += rise
    checks = judge_level_rules(past_of(values), [LEVEL], SYSTEMS)
    assert not any(check.fails for check in checks)
    if rise[1]:
        assert [check.result for check in checks[2:4]] == ["warned", "warned"]
        said = next(iter(warnings_in_words(checks)))
        assert said.startswith("delta fell behind the other systems, which got better: its bound")
        assert f"{values[80:, 2].mean():.3f} on average since 2026-05-21" in said
        over = np.concatenate([values, stationary(1, 7)])
        after = judge_level_rules(past_of(over), [LEVEL], SYSTEMS)
        said = next(iter(warnings_in_words(after)))
        assert "was behind the other systems, which were better: its" in said
        assert "on average from 2026-05-" in said and " to 2026-07-09, " in said


def test_fewer_boundaries_in_the_references_are_nobodys_fault() -> None:
    """What is lost is proportional to the value, so that the best system lost most."""
    values = stationary(130, 1)
    values[80:] *= [0.8, 0.82, 0.83, 0.84]
    results = {
        each.system: each.result for each in judge_level_rules(past_of(values), [LEVEL], SYSTEMS)
    }
    assert results == {**dict.fromkeys(SYSTEMS, "passed"), ALL_SYSTEMS: "warned"}


def test_a_system_that_failed_the_night_before_does_not_hide_another() -> None:
    values = stationary(130, 1, 5)
    values[80:, 2] -= 0.05
    values[80:, 3] -= 0.03

    def failed(number: int, system: str) -> bool:
        return number >= 86 and system == "delta"

    hidden = level(past_of(values), "gamma").change
    alone = level(past_of(values, bad=failed), "gamma").change
    assert hidden is not None and alone is not None
    assert alone < hidden - 0.003


@pytest.mark.parametrize("nights", [1, 3, 10])
def test_references_that_break_are_no_fault_of_the_best_system(nights: int) -> None:
    values = stationary(100 + nights + 1, 1)
    values[100:-1] = 0.1 + 0.01 * np.arange(4)
    broken = judge_level_rules(past_of(values[:-1]), [LEVEL], SYSTEMS)
    assert {check.system: check.result for check in broken} == {
        **dict.fromkeys(SYSTEMS, "with_all"), ALL_SYSTEMS: "warned",
    }  # fmt: skip
    after = judge_level_rules(past_of(values), [LEVEL], SYSTEMS)
    assert not any(check.fails for check in after)


def test_a_system_that_is_discontinued_is_no_fall_of_the_others() -> None:
    values = stationary(100, 1)
    values[80:, 3] = np.nan
    assert {level(past_of(values), s).result for s in SYSTEMS[:3]} == {"passed"}


def test_a_system_that_has_recovered_passes_within_days() -> None:
    values = stationary(110, 3)
    values[85:100, 2] -= 0.05
    assert level(past_of(values[:100]), "delta").result == "failed"
    assert level(past_of(values[:104]), "delta").result == "passed"


@pytest.mark.parametrize(("systems", "later"), [(4, 0), (5, 0), (5, 1), (5, 5)])
def test_to_accept_what_a_system_did_changes_nothing_for_the_others(
    systems: int, later: int
) -> None:
    """Its level is unknown from then on; had it failed, it would not be compared with either."""
    values = stationary(101 + later, 5, systems)
    values[95:, 2] -= 0.1
    assert level(past_of(values[:101]), "delta").fails

    def bad(number: int, system: str) -> bool:
        return system == "delta" and number > 95

    usual = past_of(values, bad=bad)
    accepted = past_of(values, {100: "delta"}, lambda *of: bad(*of) and of[0] < 100)
    for name in {*SYSTEMS} - {"delta"}:
        assert level(accepted, name) == level(usual, name)


def test_what_was_accepted_is_the_level_of_that_system_alone() -> None:
    values = stationary(165, 4)
    values[80:, 2] -= 0.05
    values[80:, 1] -= 0.05
    past = past_of(values[:130], accepted={85: "delta"})
    assert level(past, "beta").result == "failed"
    check = level(past, "delta")
    assert (check.result, check.nights) == ("passed", 34)
    assert check.against == str(MONDAY + timedelta(days=85))
    few = past_of(values[:95], accepted={85: "delta"})
    assert level(few, "delta").result == "undecided" and level(few, "beta").result == "failed"
    values[150:, 2] -= 0.05
    assert level(past_of(values, accepted={85: "delta"}), "delta").result == "failed"


def test_the_baseline_does_not_follow_a_slow_decline() -> None:
    values = stationary(300, 5)
    values[60:, 0] -= 0.0003 * np.arange(240)
    assert level(past_of(values), "alpha").result == "failed"


def test_groups_are_judged_with_a_limit_for_their_number() -> None:
    names = [f"group{number}" for number in range(8)]
    groups = {name: stationary(100, seed) for seed, name in enumerate(names)}
    groups["group3"][80:, 1] -= 0.08
    past = past_of(stationary(100, 9), groups=groups)
    checks = judge_level_rules(past, [LEVEL], SYSTEMS, by_group=True)
    assert [(each.system, each.group) for each in checks if each.fails] == [("beta", "group3")]
    (failed,) = (each for each in checks if each.fails)
    assert failed.p is not None
    assert failed.p_adjusted == pytest.approx(8 * failed.p)


@pytest.mark.parametrize(
    ("rule", "value", "result"),
    [
        ("level:boundary_similarity>=.45", 0.43, "failed"),
        ("level:boundary_similarity>=.45", 0.441, "warned"),
        ("level:boundary_similarity>=.45", 0.459, "warned"),
        ("level:boundary_similarity>=.45", 0.47, "passed"),
        ("level:boundary_similarity>=.45", np.inf, "undefined"),
    ],
)
def test_a_floor_is_compared_with_the_interval(rule: str, value: float, result: str) -> None:
    past = past_of(np.array([[0.2], [value]]))
    if np.isinf(value):
        key = "alpha", "boundary_similarity", "micro", ()
        past.nights[-1].averages[key] = PastAverage(*[np.nan] * 4)  # type: ignore[index]
    (check,) = judge_floors(past, parse_rule(rule), ["alpha"])
    assert check.result == result
    if result == "failed":
        said = failures_in_words([check])[0]
        assert said == (
            "alpha: boundary_similarity 0.430 (0.420 to 0.440) is below the floor of 0.450"
        )
    if result == "warned":
        (said,) = warnings_in_words([check])
        assert "may be below the floor of 0.450" in said


def test_a_system_at_its_floor_hardly_ever_fails_and_one_below_soon_does() -> None:
    """By the moving average: by each night's interval, one at its floor failed ten times a year."""
    (rule,) = parse_rule("level:boundary_similarity>=.45")
    nights = np.random.default_rng(3).normal(0.45, 0.02, 250)
    results = [
        check.result
        for end in range(16, 251)
        for check in judge_floors(past_of(nights[:end, None]), [rule], ["alpha"])
    ]
    assert "failed" not in results
    assert 0.2 < results.count("warned") / len(results) < 0.8
    fallen = np.where(np.arange(100) >= 60, nights[:100] - 0.03, nights[:100] + 0.01)
    fails = [
        end - 60
        for end in range(16, 100)
        for check in judge_floors(past_of(fallen[:end, None]), [rule], ["alpha"])
        if check.fails
    ]
    assert 3 <= fails[0] <= 15
    (check,) = judge_floors(past_of(fallen[:99, None]), [rule], ["alpha"])
    assert "on average over the last nights" in failures_in_words([check])[0]


def test_floors_hold_in_groups() -> None:
    whole, low = np.array([[0.5], [0.5]]), np.array([[0.5], [0.3]])
    past = past_of(whole, groups={"west": whole, "regio": low})
    rules = parse_rule("level:boundary_similarity>=.45")
    checks = [*judge_floors(past, rules, ["alpha"], by_group=True)]
    assert [check.group for check in checks if check.fails] == ["regio"]


def test_the_spread_between_nights_is_that_of_a_slow_twin() -> None:
    values = stationary(40, 6)
    spread = Spread(past_of(values), RULES)
    found = spread.between(TWO, "beta")
    assert found is not None and spread.nights(TWO, "beta") == 28
    recent = values[11:39, 1]
    expected = naive_nights.variance_between(recent.tolist(), [0.005] * 28)
    assert float(found.beyond_sampling) == pytest.approx(expected, rel=0.05)


def test_weekends_that_differ_are_compared_with_weekends() -> None:
    values = stationary(60, 7, shared=0.005)
    assert Spread(past_of(values), RULES).comparable(MONDAY)
    weekend = np.arange(60) % 7 >= 5
    values[weekend] -= 0.05
    spread = Spread(past_of(values), RULES)  # the last night is a Thursday
    assert [spread.comparable(MONDAY + timedelta(days=day)) for day in (4, 5, 6, 7)] == [
        True, False, False, True,
    ]  # fmt: skip
    between = spread.between(TWO, "beta")
    assert between is not None and float(between.variance) < 0.015**2


def test_holidays_of_the_calendar_are_compared_with_weekends() -> None:
    values = stationary(60, 7, shared=0.005)
    calendar = read_calendar(["wednesday=weekend", "saturday=workday", "2026-03-17=weekend"])
    days = [MONDAY + timedelta(days=day) for day in range(60)]
    special = np.array([day.weekday() in (2, 6) or day == date(2026, 3, 17) for day in days])
    values[special] -= 0.05
    spread = Spread(past_of(values), RULES, calendar)  # the last night is a Thursday
    week = [spread.comparable(date(2026, 3, 16) + timedelta(days=day)) for day in range(7)]
    assert week == [True, False, False, True, True, True, False]
    assert Spread(past_of(values), RULES).comparable(date(2026, 3, 18))


def test_a_chance_dip_long_after_others_improved_is_no_fall() -> None:
    """The own part stays lower; over a year, every average is below the limit for some nights."""
    part, average = np.zeros(200), np.full(200, 0.6)
    part[80:] = -0.05
    average[-4:] -= 0.1
    assert falls(average, np.array(0.6)).moving[-1] > 0.02
    assert not fell_itself(part, average, (0.0, 0.6), 0.02)
    assert fell_itself(part, average - np.where(part < 0, 0.02, 0.0), (0.0, 0.6), 0.02)
