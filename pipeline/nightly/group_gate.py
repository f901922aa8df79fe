"""The gate by group: whether a system, or all systems together, got worse in a group.

If all systems get worse in one group, the reason is probably not in the systems, but in the
recordings or the references of the group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from segscore.pipeline.nightly.choose import ChosenNights
from segscore.pipeline.nightly.failures import when_before
from segscore.pipeline.nightly.gate import NightAverages, decide
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.rules import GateRule
from segscore.pipeline.nightly.verdict import EVERY, Check
from segscore.pipeline.nightly.words import short
from segscore.pipeline.statistics.shown_numbers import shown_p
from segscore.pipeline.statistics.sums import GroupKey

_FEWEST_SYSTEMS = 3
"""Fewest systems whose common fall says something about the recordings or references."""


@dataclass(frozen=True)
class GroupVerdict:
    """The results of the rules by group; those of the mean of all systems come last."""

    checks: tuple[Check, ...] = ()
    common: tuple[str, ...] = ()


def judge_groups(
    night: Night,
    others: ChosenNights,
    rules: Sequence[GateRule],
    by: Sequence[str],
    alpha: float,
    changes: ReferenceChanges | None = None,
) -> GroupVerdict:
    """Check all rules for all systems in all groups of documents.

    A system is compared with the median of the last good nights, or the last good night if there
    are too few.  Holm's method covers the systems in all groups, and apart from them the means:
    any check of each kind fails with the chance ``alpha`` if all true changes are at their limits.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    if not rules or not by or not others.single:
        return GroupVerdict()
    averages = NightAverages(night, others.nights(), rules, by, changes)
    systems: list[Check] = []
    means: list[Check] = []
    for rule in rules:
        keys = sorted((key for key in averages.keys(rule) if key[0] in others.single), key=str)
        systems += [_check(averages, rule, key, others, str(key[0])) for key in keys]
        for group in dict.fromkeys(key[1:] for key in keys):
            members = [str(key[0]) for key in keys if key[1:] == group]
            every = sum(key[1:] == group for key in averages.keys(rule))
            if len(members) == every >= _FEWEST_SYSTEMS:
                means.append(_check(averages, rule, (EVERY, *group), others, members[0]))
    decided, decided_means = decide(systems, alpha), decide(means, alpha)
    by_text = {rule.text: rule for rule in rules}
    common = {mean: _common(mean, decided, by_text[mean.rule]) for mean in decided_means}
    # The mean is a check of its own only where the systems agree.
    shown = [mean for mean in decided_means if common[mean] or not mean.fails]
    return GroupVerdict((*decided, *shown), tuple(text for text in common.values() if text))


def _check(
    averages: NightAverages, rule: GateRule, key: GroupKey, others: ChosenNights, system: str
) -> Check:
    """Compare a key with the median of the nights of a system, or with its one night."""
    median = averages.check_median(rule, key, others.several.get(system, ()))
    return median or averages.check(rule, key, others.single[system])


def _common(mean: Check, systems: Sequence[Check], rule: GateRule) -> str:
    """Say that all systems, or all but one, got worse in a group beyond the limit; else nothing."""
    if not mean.fails or mean.value is None or mean.before is None:
        return ""
    members = [each for each in systems if (each.rule, each.group) == (mean.rule, mean.group)]
    worse = [each for each in members if each.change is not None and rule.excess(each.change) > 0]
    if len(worse) < max(_FEWEST_SYSTEMS, len(members) - 1):
        return ""
    who = f"all {len(members)}" if len(worse) == len(members) else f"{len(worse)} of {len(members)}"
    verb = "fell" if mean.value < mean.before else "rose"
    return (
        f"{mean.group} {verb} for {who} systems: {mean.measure} {short(mean.value)} on average, "
        f"was {short(mean.before)} {when_before(mean)} (p {shown_p(mean.p_adjusted)}); its "
        "recordings or references may have changed"
    )
