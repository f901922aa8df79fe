"""The gate of a night: whether a system got worse, beyond its limit and beyond noise.

For a rule that lets an average M fall by d, the null hypothesis is that the true average fell by at
most d.  The test statistic is the excess of the observed change over the limit, in standard errors
(``statistics.changes``); its p-value is from Student's t.  Holm's method (1979, "A simple
sequentially rejective multiple test procedure") corrects for the number of checks of the night.

A slow decline passes a comparison with the last good night every night.  A system can therefore be
compared also with the median of its averages in several good nights.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.choose import FEWEST_NIGHTS, ChosenNights
from segscore.pipeline.nightly.moved_documents import documents_moved
from segscore.pipeline.nightly.nights import Night, open_as_night, systems_of
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.rules import RULE_TABLES, GateRule
from segscore.pipeline.nightly.tallies import (
    NO_AVERAGE,
    Identity,
    NightAverage,
    Tally,
    documents,
    documents_of_systems,
    tally_night,
)
from segscore.pipeline.nightly.verdict import EVERY, FAILED, PASSED, UNDEFINED, Check, check_of
from segscore.pipeline.statistics.changes import change_of
from segscore.pipeline.statistics.jackknife import combine
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.shown_numbers import or_none, shown_attribute
from segscore.pipeline.statistics.sums import GroupKey

_EXAMPLES = 3
"""Number of documents that are named of those that a system lacks."""


class NightAverages:
    """The averages of a night and of those that it is compared with; each night is read once.

    A key is a system, followed by the values of the group-by columns, if any.  With `EVERY` in the
    place of the system, it is the mean of all systems of tonight.

    Attributes:
        night: the night.
        left_out: documents whose references were corrected between the nights.
        reused: ids that the nights use for different documents.
        documents: URL of a night -> the hashes of its other documents.
        resample_by: attribute of tonight's documents whose values are the resampling units of all
            nights; None for single documents.
    """

    def __init__(
        self,
        night: Night,
        others: Iterable[Night],
        rules: Sequence[GateRule],
        by: Sequence[str] = (),
        changes: ReferenceChanges | None = None,
    ) -> None:
        listed = [night, *others]
        self.night = night
        other = (changes or ReferenceChanges()).find(night, listed)
        self.left_out, self.reused = other.corrected, other.reused
        identities = {each.url: Identity(each.url, self.reused, self.left_out) for each in listed}
        hashes = hash_names(pa.array(self.left_out, pa.string())).hashes
        self.documents = {
            each.url: np.unique(identities[each.url](np.setdiff1d(documents(each), hashes)))
            for each in listed
        }
        self._tallies: dict[tuple[str, str], Tally | None] = {}
        self._known: dict[tuple[str, GroupKey, str], NightAverage] = {}
        in_all = max(map(len, self.documents.values()))
        self.resample_by = resample_by = night.score_settings().resample_by
        for table in RULE_TABLES:
            chosen = tuple(rule for rule in rules if rule.table == table)
            for each in listed if chosen else ():
                tally = tally_night(each, chosen, in_all, by, identities[each.url], resample_by)
                self._tallies[each.url, table] = tally

    def keys(self, rule: GateRule) -> list[GroupKey]:
        """Return the keys of tonight's averages, without those of the mean."""
        tally = self._tallies[self.night.url, rule.table]
        return [] if tally is None else [*tally.systems]

    def average(self, night: Night, key: GroupKey, rule: GateRule) -> NightAverage:
        """Return the average of a key in one of the nights."""
        known = night.url, key, rule.text
        if known not in self._known:
            tally = self._tallies[night.url, rule.table]
            average = NO_AVERAGE
            if key[0] == EVERY:
                average = self._mean(night, key, rule)
            elif tally is not None and key in tally.systems:
                average = tally.average(key, rule)
            self._known[known] = average
        return self._known[known]

    def _mean(self, night: Night, key: GroupKey, rule: GateRule) -> NightAverage:
        """Return the mean of tonight's systems in a group; unknown if the night lacks one."""
        members = [self.average(night, own, rule) for own in self.keys(rule) if own[1:] == key[1:]]
        if not members or any(np.isnan(member.estimate.error) for member in members):
            return NO_AVERAGE
        mean = combine(_mean_of_all, [member.estimate for member in members])
        return NightAverage(mean, max(member.documents for member in members))

    def check(self, rule: GateRule, key: GroupKey, other: Night) -> Check:
        """Compare a key with one night, without the correction for the other checks."""
        return self._check(rule, key, [self.average(other, key, rule)], [other])

    def check_median(self, rule: GateRule, key: GroupKey, others: Sequence[Night]) -> Check | None:
        """Compare a key with the median of several nights; None if too few can be compared."""
        known = [(other, self.average(other, key, rule)) for other in others]
        known = [(other, each) for other, each in known if not np.isnan(each.estimate.error)]
        now = self.average(self.night, key, rule).estimate
        if len(known) < FEWEST_NIGHTS or np.isnan(now.value):
            return None
        return self._check(
            rule, key, [before for _, before in known], [other for other, _ in known]
        )

    def _check(
        self, rule: GateRule, key: GroupKey, before: list[NightAverage], others: Sequence[Night]
    ) -> Check:
        """Compare a key with its average on another night, or with the median of several."""
        now = self.average(self.night, key, rule)
        hashes = [self.documents[other.url] for other in others]
        earlier = np.unique(np.concatenate(hashes))
        shared = len(np.intersect1d(self.documents[self.night.url], earlier))
        check = check_of(
            rule,
            str(key[0]),
            others[0].name,
            group=", ".join(map(shown_attribute, key[1:])) or None,
            value=or_none(now.estimate.value),
            before=or_none(float(np.median([each.estimate.value for each in before]))),
            documents=now.documents,
            documents_before=sum(each.documents for each in before),
            shared=shared,
            nights=len(others),
        )
        if check.value is None or check.before is None:
            newly_undefined = check.value is None and check.before is not None
            return replace(check, result=UNDEFINED) if newly_undefined else check
        apart = not shared and len(earlier) == sum(map(len, hashes))
        if self.resample_by is not None:
            apart = _are_apart([now, *before])
        change = change_of(now.estimate, [each.estimate for each in before], apart=apart)
        if change is None:
            return replace(check, change=check.value - check.before)
        return replace(
            check,
            change=change.change,
            standard_error=change.standard_error,
            p=change.p_beyond(rule.excess(change.change)),
        )


def _are_apart(averages: Sequence[NightAverage]) -> bool:
    """Return whether no resampling unit, such as a show, is in two averages."""
    units = [average.estimate.units for average in averages]
    return len(np.unique(np.concatenate(units))) == sum(map(len, units))


def _mean_of_all(*values: Any) -> Any:
    return np.mean(values, axis=0)


def judge_rules(
    night: Night,
    others: ChosenNights,
    rules: Sequence[GateRule],
    alpha: float,
    changes: ReferenceChanges | None = None,
) -> list[Check]:
    """Check all rules for all systems.

    Any check fails with the chance ``alpha`` if all true changes are at their limits.

    Returns:
        The checks, by rule, then by system; for a system, that against one night comes first.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    if not rules or not others.single:
        return []
    averages = NightAverages(night, others.nights(), rules, (), changes)
    checks, by_text = [], {rule.text: rule for rule in rules}
    for rule in rules:
        for system, other in others.single.items():
            checks.append(averages.check(rule, (system,), other))
            median = averages.check_median(rule, (system,), others.several.get(system, ()))
            checks += [median] if median is not None else []
    return [
        replace(
            check,
            moved=documents_moved(
                night,
                others.single[check.system],
                by_text[check.rule],
                check,
                left_out=averages.left_out,
                reused=averages.reused,
            ),
        )
        if check.fails
        else check
        for check in decide(checks, alpha)
    ]


def check_runs(run: str, other: str, rules: tuple[GateRule, ...], alpha: float) -> list[Check]:
    """Check all rules for the systems that two runs share.

    Raises:
        Refused: a folder has no finished scoring run, a run does not have a measure of the rules,
            or the runs share no system.
    """
    now, then = open_as_night(run), open_as_night(other)
    for night in (now, then):
        night.require([rule.measure for rule in rules])
        if night.by_level:
            raise Refused(
                f"--gate: {night.url} is by level, and the gate judges documents, not levels; omit "
                "--gate, or compare runs without --by-level"
            )
    other_systems = systems_of(then)
    shared = [system for system in systems_of(now) if system in other_systems]
    if not shared:
        raise Refused(f"{run}: shares no system with {other}, so there is nothing to compare")
    others = ChosenNights(dict.fromkeys(shared, then), {}, ())
    return judge_rules(now, others, rules, alpha)


@dataclass(frozen=True)
class Lacking:
    """Documents of another run on which a system was not scored.

    Attributes:
        system: the system.
        documents: number of its documents in the other run.
        lacking: how many of them it lacks.
        examples: the first of those by id.
    """

    system: str
    documents: int
    lacking: int
    examples: tuple[str, ...]


def lacking_documents(run: str, other: str) -> list[Lacking]:
    """Return the systems that were scored on fewer of the documents of another run, by name.

    Raises:
        Refused: a folder has no finished scoring run.
    """
    now, then = (documents_of_systems(open_as_night(url)) for url in (run, other))
    found = []
    for system in sorted(now.keys() & then.keys()):
        if lacked := then[system] - now[system]:
            examples = tuple(nsmallest(_EXAMPLES, lacked))
            found.append(Lacking(system, len(then[system]), len(lacked), examples))
    return found


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
