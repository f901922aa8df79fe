"""What systems share on a night: how many of them must have got worse."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from segscore.pipeline.nightly.gate.common_cause import (
    clear_common_failures,
    is_collapse,
    is_shared,
    shared_in_words,
)
from segscore.pipeline.nightly.gate.families import GateFamily, compare_families
from segscore.pipeline.nightly.gate.rules import parse_rule
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, FAILED, Check

(RULE,) = parse_rule("boundary_similarity>=-0.02")
CHECK = Check(
    RULE.text, "mean", "boundary_similarity", "micro", -0.02, "2026-11-04", 0.413, 0.469, 40, 40, 0,
    change=-0.056, p_adjusted=0.0008, result=FAILED,
)  # fmt: skip


@pytest.mark.parametrize(
    ("worse", "every", "shared"),
    [(2, 2, False), (1, 3, False), (2, 3, True), (3, 3, True), (2, 4, False), (3, 4, True)],
)
def test_all_or_all_but_one_of_three_or_more(worse: int, every: int, shared: bool) -> None:
    """On a night on which two of three systems fall, neither stands out: it passed."""
    changes = [-0.5] * worse + [0.01] * (every - worse)
    systems = [replace(CHECK, system=str(n), change=each) for n, each in enumerate(changes)]
    assert is_shared(CHECK, systems, RULE) == shared
    if (worse, every) == (2, 3):
        assert shared_in_words(CHECK, systems, RULE).startswith("2 of 3 systems fell: ")


def test_systems_that_end_at_one_value_are_not_to_blame_for_what_they_lost() -> None:
    """The best system has most to lose, and was blamed for references that were 2.5 s late."""
    befores, nows = (0.527, 0.47, 0.4, 0.3), (0.11, 0.1, 0.09, 0.09)
    systems = [
        replace(CHECK, system=str(before), value=now, before=before, change=now - before)
        for now, before in zip(nows, befores, strict=True)
    ]
    assert is_collapse(systems, RULE)
    mean = replace(CHECK, value=0.097, before=0.424, group="sued")
    assert shared_in_words(mean, systems, RULE).endswith(
        "in sued, to about the same boundary_similarity: 0.097 on average, was 0.424 on "
        "2026-11-04; look at the references"
    )
    apart = [*systems[:3], replace(systems[3], value=0.2, change=-0.1)]
    assert not is_collapse(apart, RULE)
    lower_is_better = [
        replace(each, value=1 - (each.value or 0), before=1 - (each.before or 0))
        for each in systems
    ]
    assert is_collapse(lower_is_better, parse_rule("pk<=+0.02")[0])


class _Averages:
    """The averages of systems whose values are given, tonight and on every other night."""

    spread = None

    def __init__(self, now: dict[str, float], before: dict[str, float]) -> None:
        self.now, self.before = now, before
        self.mean_on: Sequence[str] = ()

    def check(self, _rule: object, key: tuple[str], _nights: object) -> Check:
        now, before = self.now[key[0]], self.before[key[0]]
        return replace(CHECK, system=key[0], value=now, before=before, change=now - before, p=1e-6)

    def check_mean(self, _rule: object, keys: Sequence[tuple[str]], nights: Sequence[Any]) -> Check:
        self.mean_on = [night.url for night in nights]
        now, before = (
            sum(of[key[0]] for key in keys) / len(keys) for of in (self.now, self.before)
        )
        return replace(CHECK, value=now, before=before, change=now - before, p=0.3)


@pytest.mark.parametrize(("worst", "nobody"), [(0.09, True), (0.25, False)])
def test_a_collapse_is_seen_although_each_system_has_good_nights_of_its_own(
    worst: float, nobody: bool
) -> None:
    """Two of three had failed on other nights, so that no mean was tested, and all were blamed."""
    nights = [SimpleNamespace(url=name) for name in "abc"]
    averages: Any = _Averages({"x": 0.11, "y": 0.1, "z": worst}, {"x": 0.53, "y": 0.47, "z": 0.4})
    own: Any = {("x",): nights, ("y",): nights[1:], ("z",): nights[::2]}
    (found,) = compare_families(averages, [GateFamily(RULE, own)], 0.01)
    results = {check.result for check in found.checks}
    assert results == ({COMMON_CAUSE} if nobody else {FAILED})
    assert (found.mean is not None) is found.is_shared is nobody
    if found.mean is not None:
        assert averages.mean_on == ["c"] and found.mean.fails


@pytest.mark.parametrize(("change", "result"), [(-0.25, COMMON_CAUSE), (-0.3, FAILED)])
def test_a_system_that_is_compared_with_another_night_falls_with_all(
    change: float, result: str
) -> None:
    """It had no good night when the others had one, and was blamed for late references."""
    mean = replace(CHECK, change=-0.248)
    late = replace(CHECK, system="late", change=change)
    own = [replace(CHECK, system=name, p=0.4, p_adjusted=1.0) for name in "xyz"]
    (found,) = clear_common_failures(RULE, [late], own, mean, 0.01)
    assert found.result == result
    (alone,) = clear_common_failures(RULE, [late], own, None, 0.01)
    assert alone.result == FAILED
