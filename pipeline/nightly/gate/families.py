"""Compare systems with earlier nights by rules; what they share is nobody's fault."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from segscore.pipeline.nightly.gate.common_cause import (
    beyond_common,
    clear_common_failures,
    is_collapse,
    is_shared,
    lost_half,
)
from segscore.pipeline.nightly.gate.compared import NightAverages
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, FAILED, PASSED, UNDECIDED, Check
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.night_levels import FEWEST_OF_BASELINE, FEWEST_SYSTEMS
from segscore.pipeline.statistics.sums import GroupKey

ALPHA = 0.01
"""Probability that a night fails by its rules about two nights if all changes are at the limits."""


class GateFamily(NamedTuple):
    """Systems that are compared by a rule, over all documents or in one group of them.

    Attributes:
        rule: the rule.
        nights: key of a system -> the night, or the nights of whose averages the median, that it is
            compared with.
    """

    rule: GateRule
    nights: dict[GroupKey, tuple[Night, ...]]


class ComparedFamily(NamedTuple):
    """The checks of a family; ``mean`` is that of all its systems, None if they are too few."""

    rule: GateRule
    checks: tuple[Check, ...]
    mean: Check | None
    is_shared: bool


def compare_families(
    averages: NightAverages, families: Sequence[GateFamily], alpha: float
) -> list[ComparedFamily]:
    """Check the systems of all families, and their means.

    Holm's method covers the systems of all families, and apart from them the means: any check of
    each kind fails with the chance ``alpha`` if all true changes are at their limits. Systems that
    fail as all others do are not blamed.
    """
    listed = [
        (averages.check(family.rule, key, nights), number)
        for number, family in enumerate(families)
        for key, nights in family.nights.items()
    ]
    decided = decide([check for check, _ in listed], alpha)
    by_family: list[list[Check]] = [[] for _ in families]
    for check, (_, number) in zip(decided, listed, strict=True):
        by_family[number].append(_if_begun(check, families[number].rule))
    members = [_members(family, checks) for family, checks in zip(families, by_family, strict=True)]
    shared = [(family, keys) for family, keys in zip(families, members, strict=True) if keys]
    tested = [
        averages.check_mean(family.rule, keys, family.nights[keys[0]]) for family, keys in shared
    ]
    means = (
        _if_begun(mean, family.rule)
        for mean, (family, _) in zip(decide(tested, alpha), shared, strict=True)
    )
    return [
        _share(averages, family, checks, keys, next(means) if keys else None, alpha)
        for family, checks, keys in zip(families, by_family, members, strict=True)
    ]


def _if_begun(check: Check, rule: GateRule) -> Check:
    """Leave undecided what fails before enough nights say how much nights vary.

    What lost half of its value fails in any case, and so does all between two runs, which are not
    nights.
    """
    begun = check.calibrated is None or check.calibrated >= FEWEST_OF_BASELINE
    if check.result != FAILED or begun or lost_half(check, rule):
        return check
    return replace(check, result=UNDECIDED)


def _members(family: GateFamily, checks: Sequence[Check]) -> list[GroupKey]:
    """Return the systems whose mean can be compared: those compared with the same nights."""
    known = [
        (key, tuple(night.url for night in nights))
        for (key, nights), check in zip(family.nights.items(), checks, strict=True)
        if check.p is not None
    ]
    if len(known) < FEWEST_SYSTEMS:
        return []
    (usual, number), *_ = Counter(urls for _, urls in known).most_common(1)
    return [key for key, urls in known if urls == usual] if number >= FEWEST_SYSTEMS else []


def _mean_of_collapse(averages: NightAverages, family: GateFamily) -> Check | None:
    """Return the mean of systems that have collapsed together, on the nights that all have.

    Each of them is compared with its own good nights, so that no three may have the same.
    """
    keys = [*family.nights]
    shared = set.intersection(*({night.url for night in family.nights[key]} for key in keys))
    nights = [night for night in family.nights[keys[0]] if night.url in shared]
    if not nights:
        return None
    mean = averages.check_mean(family.rule, keys, nights)
    return replace(mean, p_adjusted=mean.p, result=FAILED)


def _share(
    averages: NightAverages,
    family: GateFamily,
    checks: list[Check],
    members: Sequence[GroupKey],
    mean: Check | None,
    alpha: float,
) -> ComparedFamily:
    """Blame nobody for what the systems of a family share."""
    of_members = [check for key, check in zip(family.nights, checks, strict=True) if key in members]
    if mean is None and is_collapse(checks, family.rule):
        mean = _mean_of_collapse(averages, family)
        of_members = checks
    if mean is not None and is_collapse(of_members, family.rule):
        nobody = [
            replace(check, result=COMMON_CAUSE) if check.result == FAILED else check
            for check in checks
        ]
        return ComparedFamily(family.rule, tuple(nobody), mean, is_shared=True)
    shared = mean is not None and is_shared(mean, of_members, family.rule)
    if mean is None or averages.spread is None or not any(each.fails for each in of_members):
        return ComparedFamily(family.rule, tuple(checks), mean, shared)
    rule = beyond_common(family.rule, mean)
    own = decide(
        [averages.check_own(rule, key, members, family.nights[key]) for key in members], alpha
    )
    blamed = clear_common_failures(family.rule, checks, own, mean if shared else None, alpha)
    return ComparedFamily(family.rule, tuple(blamed), mean, shared)


def decide(checks: Sequence[Check], alpha: float) -> list[Check]:
    """Decide which checks fail, corrected for the number of checks."""
    decided = [check for check in checks if check.p is not None]
    adjusted = iter(holm([check.p for check in decided if check.p is not None]).tolist())
    results = []
    for check in checks:
        if check.p is not None:
            p = next(adjusted)
            check = replace(check, p_adjusted=p, result=FAILED if p <= alpha else PASSED)
        results.append(check)
    return results
