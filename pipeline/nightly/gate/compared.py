"""The averages of the nights that are compared, and the test of how they changed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.nightly.gate.chosen import FEWEST_NIGHTS
from segscore.pipeline.nightly.gate.common_cause import relative_to_peers
from segscore.pipeline.nightly.gate.rule import RULE_TABLES, GateRule
from segscore.pipeline.nightly.gate.spread import Spread
from segscore.pipeline.nightly.gate.tallies import (
    NO_AVERAGE,
    Identity,
    NightAverage,
    Tally,
    documents,
    tally_night,
)
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.other_references import ReferenceChanges
from segscore.pipeline.nightly.verdict import ALL_SYSTEMS, UNDEFINED, Check, check_of
from segscore.pipeline.statistics.changes import change_of
from segscore.pipeline.statistics.formatted_numbers import or_none
from segscore.pipeline.statistics.jackknife import combine
from segscore.pipeline.statistics.sums import GroupKey


class NightAverages:
    """The averages of a night and of those that it is compared with; each night is read once.

    A key is a system, followed by the values of the group-by columns, if any.  With
    `ALL_SYSTEMS` in the place of the system, it is the mean of all systems of tonight.

    Attributes:
        night: the night.
        left_out: documents whose references were corrected between the nights.
        reused: ids that the nights use for different documents.
        documents: URL of a night -> the hashes of its other documents.
        resample_by: attribute of tonight's documents whose values are the resampling units of all
            nights; None for single documents.
        spread: how much nights vary; None for runs that are no nights.
    """

    def __init__(
        self,
        night: Night,
        others: Iterable[Night],
        rules: Sequence[GateRule],
        by: Sequence[str] = (),
        changes: ReferenceChanges | None = None,
        spread: Spread | None = None,
    ) -> None:
        listed = [night, *others]
        self.night, self.spread = night, spread
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
            has = tally is not None and key in tally.systems
            self._known[known] = tally.average(key, rule) if tally and has else NO_AVERAGE
        return self._known[known]

    def check(self, rule: GateRule, key: GroupKey, others: Sequence[Night]) -> Check:
        """Compare a key with one night, or with the median of several.

        The p value is not corrected for the other checks.
        """
        before = [self.average(other, key, rule) for other in others]
        return self._check(rule, key, [self.average(self.night, key, rule), *before], others)

    def known(self, rule: GateRule, key: GroupKey, others: Sequence[Night]) -> tuple[Night, ...]:
        """Return the nights of whose average of a key the error is known; none if they are few."""
        known = tuple(
            other for other in others if not np.isnan(self.average(other, key, rule).estimate.error)
        )
        now = self.average(self.night, key, rule).estimate
        return known if len(known) >= FEWEST_NIGHTS and not np.isnan(now.value) else ()

    def check_mean(
        self, rule: GateRule, members: Sequence[GroupKey], others: Sequence[Night]
    ) -> Check:
        """Compare the mean of several systems as ``check`` does each of them."""
        means = []
        for night in (self.night, *others):
            each = [self.average(night, key, rule) for key in members]
            estimates = [average.estimate for average in each]
            mean = combine(lambda *values: np.mean(values, axis=0), estimates)
            means.append(NightAverage(mean, max(average.documents for average in each)))
        return self._check(rule, (ALL_SYSTEMS, *members[0][1:]), means, others)

    def check_own(
        self, rule: GateRule, key: GroupKey, members: Sequence[GroupKey], others: Sequence[Night]
    ) -> Check:
        """Compare a key, less the median of the other systems, as ``check`` does."""
        listed = [key, *(member for member in members if member != key)]
        own = []
        for night in (self.night, *others):
            each = [self.average(night, member, rule).estimate for member in listed]
            own.append(NightAverage(combine(relative_to_peers, each), 0))
        return self._check(rule, key, own, others, is_own=True)

    def _check(
        self,
        rule: GateRule,
        key: GroupKey,
        averages: Sequence[NightAverage],
        others: Sequence[Night],
        *,
        is_own: bool = False,
    ) -> Check:
        """Compare an average with that of another night, or with the median of several."""
        now, *before = averages
        hashes = [self.documents[other.url] for other in others]
        earlier = np.unique(np.concatenate(hashes))
        shared = len(np.intersect1d(self.documents[self.night.url], earlier))
        check = check_of(
            rule,
            str(key[0]),
            others[0].name,
            key[1:],
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
        between = None
        if self.spread is not None:
            own = now.estimate.error if is_own or key[0] == ALL_SYSTEMS else None
            between = self.spread.between(rule, str(key[0]), key[1:], own=own)
        change = change_of(
            now.estimate, [each.estimate for each in before], apart=apart, between=between
        )
        calibrated = None if self.spread is None else self.spread.nights(rule, str(key[0]), key[1:])
        if change is None:
            return replace(check, change=check.value - check.before, calibrated=calibrated)
        return replace(
            check,
            calibrated=calibrated,
            between=None if between is None else float(np.sqrt(between.beyond_sampling)),
            change=change.change,
            standard_error=change.standard_error,
            p=change.p_beyond(rule.excess(change.change)),
        )


def _are_apart(averages: Sequence[NightAverage]) -> bool:
    """Return whether no resampling unit, such as a show, is in two averages."""
    units = [average.estimate.units for average in averages]
    return len(np.unique(np.concatenate(units))) == sum(map(len, units))
