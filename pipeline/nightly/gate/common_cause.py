"""Detect declines that all systems share: report them once, and fail no system for them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.formatting import short, when_before
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.verdict import COMMON_CAUSE, FAILED, Check
from segscore.pipeline.statistics.formatted_numbers import format_p
from segscore.pipeline.statistics.night_levels import FEWEST_SYSTEMS, OF_COMMON, collapsed

_ONE = 0.05
"""Largest p, of a single test, at which a system counts as worse than the others."""


def is_shared(mean: Check, systems: Sequence[Check], rule: GateRule) -> bool:
    """Return whether the mean fails, and all systems, or all but one, are beyond the limit.

    Of three systems, two are enough: neither of them stands out against the median of all three, so
    that a night on which both got worse would pass if nothing were shared.
    """
    several = len(systems) >= FEWEST_SYSTEMS
    return mean.fails and several and len(_worse(systems, rule)) >= len(systems) - 1


def is_collapse(systems: Sequence[Check], rule: GateRule) -> bool:
    """Return whether all systems lost at least half of their value, and end at about one."""
    pairs = [(each.value, each.before) for each in systems]
    known = [
        (rule.goodness(now), rule.goodness(then))
        for now, then in pairs
        if now is not None and then is not None
    ]
    return bool(known) and bool(collapsed(*np.array(known).T))


def lost_half(check: Check, rule: GateRule) -> bool:
    """Return whether an average lost at least half of its distance from the worst possible one."""
    if check.value is None or check.before is None:
        return False
    return rule.goodness(check.value) <= rule.goodness(check.before) / 2


def beyond_common(rule: GateRule, mean: Check) -> GateRule:
    """Return a rule that also allows a system a share of what all of them did."""
    further = OF_COMMON * abs(mean.change or 0.0)
    return replace(rule, limit=rule.limit - further if rule.falls else rule.limit + further)


def clear_common_failures(
    rule: GateRule, systems: Sequence[Check], own: Sequence[Check], mean: Check | None, alpha: float
) -> list[Check]:
    """Return the checks of systems; only those that got worse than the others did still fail.

    Args:
        rule: the rule.
        systems: the checks of the systems.
        own: checks of the change of each against the median of the others, of those that are
            compared with the same nights.
        mean: the check of the mean, if all got worse; otherwise a single test is enough.
        alpha: largest adjusted p of a system that stands out, where all got worse.
    """

    def falls_with_others(check: Check) -> bool:
        if mean is None or mean.change is None or check.change is None:
            return False
        return rule.excess(check.change - mean.change) <= 0

    members = {each.system for each in own}
    stands_out = {
        each.system
        for each in own
        if each.p is not None
        and each.p_adjusted is not None
        and (each.p_adjusted <= alpha if mean is not None else each.p <= _ONE)
    }
    stands_out |= {
        check.system
        for check in systems
        if check.system not in members and not falls_with_others(check)
    }
    return [
        replace(check, result=COMMON_CAUSE)
        if check.result == FAILED and check.system not in stands_out
        else check
        for check in systems
    ]


def relative_to_peers(value: Floats, *others: Floats) -> Floats:
    """Return a value less the median of at least two others; of two, of all three values."""
    compared = [value, *others] if len(others) < FEWEST_SYSTEMS else [*others]
    return np.asarray(value - np.median(np.broadcast_arrays(*compared), axis=0))


def shared_in_words(mean: Check, systems: Sequence[Check], rule: GateRule, place: str = "") -> str:
    """Say that all systems, or all but one, got worse, in all documents or in some groups."""
    assert mean.value is not None
    assert mean.before is not None
    worse, every = len(_worse(systems, rule)), len(systems)
    who = f"all {every} systems" if worse == every else f"{worse} of {every} systems"
    if is_collapse(systems, rule):
        place = f" in {mean.group}" if mean.group else place
        return (
            f"all {every} systems got worse at once{place}, to about the same {mean.measure}: "
            f"{short(mean.value)} on average, was {short(mean.before)} {when_before(mean)}; look "
            "at the references"
        )
    verb = "fell" if mean.value < mean.before else "rose"
    subject = f"{mean.group} {verb} for {who}" if mean.group else f"{who} {verb}{place}"
    return (
        f"{subject}: {mean.measure} {short(mean.value)} on average, was {short(mean.before)} "
        f"{when_before(mean)} (p {format_p(mean.p_adjusted)})"
    )


def _worse(systems: Sequence[Check], rule: GateRule) -> list[Check]:
    return [each for each in systems if each.change is not None and rule.excess(each.change) > 0]
