"""The gate by group: whether a system, or all systems together, got worse in a group.

If all systems get worse in one group, the reason is probably not in the systems, but in the
recordings or the references of the group.
"""

from collections.abc import Sequence
from dataclasses import replace

from segscore.pipeline.nightly.chosen import ChosenNights
from segscore.pipeline.nightly.common_cause import shared_in_words
from segscore.pipeline.nightly.compared import NightAverages
from segscore.pipeline.nightly.gate import ComparedFamily, GateFamily, compare_families
from segscore.pipeline.nightly.kinds.results import RuleResults
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.verdict import Check

_CAUSE = "; its recordings or references may have changed"


def judge_groups(
    averages: NightAverages, others: ChosenNights, rules: Sequence[GateRule], alpha: float
) -> RuleResults:
    """Check rules about two nights for all systems in all groups of documents.

    A system is compared with the median of the last good nights, or the last good night if there
    are too few. The checks of the means of all systems come last.

    Args:
        averages: the averages by group of the night and of the others.
        others: the nights that the systems are compared with.
        rules: the rules.
        alpha: probability that any check fails by chance.
    """
    families = []
    for rule in rules:
        keys = sorted((key for key in averages.keys(rule) if key[0] in others.single), key=str)
        for group in dict.fromkeys(key[1:] for key in keys):
            nights = {
                key: averages.known(rule, key, others.several.get(str(key[0]), ()))
                or (others.single[str(key[0])],)
                for key in keys
                if key[1:] == group
            }
            families.append(GateFamily(rule, nights))
    compared = compare_families(averages, families, alpha)
    checks = [check for each in compared for check in each.checks]
    # The mean is a check of its own only where the systems agree.
    means = [
        each.mean
        for each in compared
        if each.mean is not None and (each.is_shared or not each.mean.fails)
    ]
    return RuleResults((*_in_order(checks, rules), *means), tuple(_common(compared)))


def _in_order(checks: Sequence[Check], rules: Sequence[GateRule]) -> list[Check]:
    """Return checks by rule, system and group."""
    texts = [rule.text for rule in rules]
    return sorted(
        checks, key=lambda check: (texts.index(check.rule), check.system, check.group or "")
    )


def _common(compared: Sequence[ComparedFamily]) -> list[str]:
    """Say in which groups all systems got worse: each group, or all of them at once."""
    sentences = []
    for rule in dict.fromkeys(each.rule for each in compared):
        shared = [each for each in compared if each.rule == rule and each.is_shared and each.mean]
        groups = sum(each.rule == rule for each in compared)
        if len(shared) >= max(2, groups - 1) and groups > 2:
            worst = max(shared, key=lambda each: _excess(rule, each.mean))
            everywhere = f"all {groups}" if len(shared) == groups else f"{len(shared)} of {groups}"
            assert worst.mean is not None
            place = f" in {everywhere} groups, most in {worst.mean.group}"
            mean = replace(worst.mean, group=None)
            sentences.append(shared_in_words(mean, worst.checks, rule, place))
        else:
            sentences += [
                shared_in_words(each.mean, each.checks, rule) + _CAUSE
                for each in shared
                if each.mean
            ]
    return sentences


def _excess(rule: GateRule, mean: Check | None) -> float:
    return 0.0 if mean is None or mean.change is None else rule.excess(mean.change)
