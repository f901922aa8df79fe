"""The gate of a night: whether a system got worse, beyond its limit and beyond noise.

For a rule that lets an average M fall by d, the null hypothesis is that the true average fell by at
most d.  The test statistic is the excess of the observed change over the limit, in standard errors;
its p-value is from Student's t.  The standard error is that of the difference between both nights'
Poisson bootstrap replicates (``statistics.bootstrap``; Chamandy et al. 2012, "Estimating
uncertainty for massive data streams", 3).  Weights are a function of the document, so documents
that both nights scored are paired, and all others are independent, without further code.  Holm's
method (1979, "A simple sequentially rejective multiple test procedure") corrects for the number of
rules and systems of the night.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.moved_documents import documents_moved
from segscore.pipeline.nightly.nights import Night, open_as_night, systems_of
from segscore.pipeline.nightly.replicates import Replicated, Tally, documents, tally_replicates
from segscore.pipeline.nightly.rules import RULE_TABLES, GateRule
from segscore.pipeline.nightly.verdict import FAILED, PASSED, UNDEFINED, Check, check_of
from segscore.pipeline.statistics.multiple_tests import holm

FEWEST = 2
"""Smallest number of documents from which the noise of a night can be estimated."""


@dataclass(frozen=True)
class Change:
    """How an average moved between two nights.

    Attributes:
        change: tonight's average less the other night's, in the unit of the measure.
        standard_error: standard error of the change.
        freedom: degrees of freedom of the standard error.
    """

    change: float
    standard_error: float
    freedom: float


def change_of(now: Replicated, before: Replicated, shared: int) -> Change | None:
    """Compare two averages of a system.

    A bootstrap's variance is too small by a factor of (n - 1) / n, which is corrected.  Degrees of
    freedom are those of Welch and Satterthwaite if the nights share no document, else those of the
    smaller night.

    Args:
        now: tonight's average.
        before: the other night's average, with replicates from the same seed.
        shared: number of documents that both nights scored.

    Returns:
        The change, or None if the noise cannot be estimated because there are too few documents or
        most replicates are undefined.
    """
    sizes = np.array([now.documents, before.documents], np.float64)
    both = np.stack([now.replicates, before.replicates])
    defined = both[:, ~np.isnan(both).any(axis=0)]
    if sizes.min() < FEWEST or defined.shape[1] < both.shape[1] / 2:
        return None
    correction = np.sqrt(sizes / (sizes - 1))
    covariance = np.cov(defined) * np.outer(correction, correction)
    variances = np.diag(covariance)
    variance = max(float(variances.sum() - 2 * covariance[0, 1]), 0.0)
    freedom = float(sizes.min() - 1)
    if not shared and variances.any():
        freedom = float(variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum())
    return Change(now.value - before.value, float(np.sqrt(variance)), freedom)


def p_value(rule: GateRule, change: Change) -> float:
    """Return the chance of a change so far beyond the limit if the true change is at the limit."""
    from scipy.special import stdtr

    excess = rule.excess(change.change)
    if change.standard_error == 0:
        return 0.0 if excess > 0 else 1.0
    return float(stdtr(change.freedom, -excess / change.standard_error))


@dataclass(frozen=True)
class _ComparedNights:
    """Two nights to compare, in the measures of some rules.

    Attributes:
        other: the night that tonight is compared with.
        table: table that the counts are from.
        now, before: sums of tonight and of the other night; None if it has no such table.
        shared: number of documents that both nights scored.
    """

    other: Night
    table: str
    now: Tally | None
    before: Tally | None
    shared: int

    def check(self, rule: GateRule, system: str) -> Check:
        """Check one rule for one system, without the correction for the other checks."""
        now, before = (_average(tally, system, rule) for tally in (self.now, self.before))
        check = check_of(
            rule,
            system,
            self.other.name,
            value=_none_if_nan(now.value),
            before=_none_if_nan(before.value),
            documents=now.documents,
            documents_before=before.documents,
            shared=self.shared,
        )
        if check.value is None or check.before is None:
            newly_undefined = check.value is None and check.before is not None
            return replace(check, result=UNDEFINED) if newly_undefined else check
        change = change_of(now, before, self.shared)
        if change is None:
            return replace(check, change=check.value - check.before)
        return replace(
            check,
            change=change.change,
            standard_error=change.standard_error,
            p=p_value(rule, change),
        )


def _average(tally: Tally | None, system: str, rule: GateRule) -> Replicated:
    if tally is None or system not in tally.systems:
        return Replicated(np.nan, 0, np.empty(0))
    return tally.average(system, rule)


def _none_if_nan(value: float) -> float | None:
    return None if np.isnan(value) else value


def _compare(
    night: Night, other: Night, rules: tuple[GateRule, ...], seed: int
) -> list[_ComparedNights]:
    """Read two nights, once for each table that the rules are about."""
    ids, other_ids = documents(night), documents(other)
    shared = len(np.intersect1d(ids, other_ids, assume_unique=True))
    in_all = max(len(ids), len(other_ids))
    compared = []
    for table in RULE_TABLES:
        selected = tuple(rule for rule in rules if rule.table == table)
        if selected:
            now = tally_replicates(night, selected, seed, in_all)
            before = tally_replicates(other, selected, seed, in_all)
            compared.append(_ComparedNights(other, table, now, before, shared))
    return compared


def judge_rules(
    night: Night, others: dict[str, Night], rules: tuple[GateRule, ...], alpha: float
) -> list[Check]:
    """Check all rules for all systems.

    Args:
        night: tonight's run.
        others: system -> the night to compare it with.
        rules: rules of the gate.
        alpha: probability that any check of the night fails if all true changes are at their
            limits.

    Returns:
        The checks, by rule, then by system.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    seed = int(night.settings["seed"])
    checks: dict[tuple[str, str], Check] = {}
    for other in {other.url: other for other in others.values()}.values():
        for compared in _compare(night, other, rules, seed):
            for rule in rules:
                if rule.table == compared.table:
                    for system, assigned in others.items():
                        if assigned is other:
                            checks[rule.text, system] = compared.check(rule, system)
    in_order = [checks[rule.text, system] for rule in rules for system in others]
    by_text = {rule.text: rule for rule in rules}
    return [
        replace(
            check,
            moved=documents_moved(night, others[check.system], by_text[check.rule], check),
        )
        if check.fails
        else check
        for check in _decide(in_order, alpha)
    ]


def check_runs(run: str, other: str, rules: tuple[GateRule, ...], alpha: float) -> list[Check]:
    """Check all rules for the systems that two runs share.

    Args:
        run: folder of the run.
        other: folder of the run to compare with.
        rules: rules of the gate.
        alpha: as in ``judge_rules``.

    Raises:
        Refused: a folder has no finished scoring run, a run does not have a measure of the rules,
            or the runs share no system.
    """
    now, then = open_as_night(run), open_as_night(other)
    for night in (now, then):
        night.require([rule.measure for rule in rules])
    other_systems = systems_of(then)
    shared = [system for system in systems_of(now) if system in other_systems]
    if not shared:
        raise Refused(f"{run}: shares no system with {other}, so there is nothing to compare")
    return judge_rules(now, dict.fromkeys(shared, then), rules, alpha)


def _decide(checks: Sequence[Check], alpha: float) -> list[Check]:
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
