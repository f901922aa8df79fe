"""Find coders who agree less with the others in one group of documents than in the others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.by_document import ByDocument, CodedPairs, fit_effects
from segscore.pipeline.agreement.judging.drift import day_of
from segscore.pipeline.agreement.judging.fits import jackknife_p, median, spread, standard_error
from segscore.pipeline.agreement.judging.limits import FEWEST_DOCUMENTS, FEWEST_JUDGED
from segscore.pipeline.agreement.judging.pair_counts import pooled
from segscore.pipeline.agreement.judging.step import (
    MOST,
    AuditRows,
    Kind,
    Limit,
    Part,
    Row,
    Step,
    StepColumn,
)
from segscore.pipeline.agreement.judging.view import View
from segscore.pipeline.agreement.sentences import IN_WORDS, PEER_SHOWN
from segscore.pipeline.arrays.ragged import Flags, Floats, add_up
from segscore.pipeline.statistics.formatted_numbers import shown_as, shown_attribute
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.schemas.rows import group_of

_P, _SPREADS = 0.05, 2.0
"""A coder is named only if p is below this, and the fall is so many spreads of all coders'."""

_MOST_GROUPS = 24
"""With more groups, they are not compared."""


class WeakGroup(Step):
    """Coders whose effect is far lower in one group than elsewhere, unless groups are dates."""

    columns = (
        StepColumn(
            "group_difference",
            Kind.NUMBER,
            "agreement_effect in this group of documents less that in all other groups, by fits to "
            "both; null over all documents, and where the groups are dates",
        ),
        StepColumn(
            "elsewhere_similarity", Kind.SHARE, "similarity to the others in all other groups"
        ),
        StepColumn(
            "weaker_in_group",
            Kind.MARK,
            "the coder agrees less with the others in this group",
        ),
    )
    limits = (
        Limit("group_effect", 0.1),
        Limit("group_errors", 4.0),
    )
    mark, order = "weaker_in_group", "group_difference"
    part = Part.GROUPS

    def compare(
        self, by: Sequence[str], groups: Mapping[tuple[object, ...], Group], whole: View
    ) -> Mapping[tuple[tuple[object, ...], str], Row]:
        """Return the columns in the rows of each group."""
        keys = [key for key in groups if None not in key]
        if not 1 < len(keys) <= _MOST_GROUPS:
            return {}
        if len(by) == 1 and all(day_of(key[0]) is not None for key in keys):
            return {}
        difference, weaker = group_effects(whole, len(keys))
        elsewhere = {key: _elsewhere(whole, groups[key]) for key in keys}
        return {
            (key, coder): {
                "group_difference": difference[g, x],
                "elsewhere_similarity": elsewhere[key][x],
                "weaker_in_group": bool(weaker[g, x]),
            }
            for g, key in enumerate(keys)
            for x, coder in enumerate(whole.evidence.group.coders)
            if not np.isnan(difference[g, x])
        }

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Yield a sentence about each coder who is weak in one group, the largest fall first."""
        named = [row for row in audit.by_group if row.get(self.mark)]
        named.sort(key=lambda row: row.get(self.order) or 0)
        yield from (self.sentence(row, audit) for row in named[:MOST])
        if len(named) > MOST:
            left = len(named) - MOST
            yield f"{left} more are marked in the column {self.mark} of the table coders."

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a coder who agrees less in one group."""
        own = group_of(row, audit.by)
        others = [" ".join(map(shown_attribute, each)) for each in audit.groups if each != own]
        there = f"in {others[0]}" if len(others) == 1 else "elsewhere"
        old = any("guideline" in name.lower() for name in audit.by)
        return (
            f"{row['coder']} agrees less in {' '.join(audit.by)} "
            f"{' '.join(map(shown_attribute, own))}: "
            f"{IN_WORDS} {shown_as(row[PEER_SHOWN], '.2f')}, {there} "
            f"{shown_as(row.get('elsewhere_similarity'), '.2f')}"
            f"{'; perhaps by the guidelines of another version' * old}."
        )


def _elsewhere(whole: View, group: Group) -> Floats:
    """Return how similar each coder is to the others outside a group, shape (coders,)."""
    evidence = whole.evidence
    coders, judging = evidence.group.coders, evidence.judging
    inside = group.pair_counts_among(coders, evidence.pairs.folds)
    sums = {name: np.zeros(len(coders), np.int64) for name in PAIR_COUNTS}
    for pairs, sign in ((evidence.pairs, 1), (inside, -1)):
        for name in PAIR_COUNTS:
            for coder in (pairs.first, pairs.second):
                sums[name] += sign * add_up(pairs.counts[name][0], coder, len(coders))
    return pooled(sums, judging.similarity, judging.n_t)


def group_effects(view: View, groups: int) -> tuple[Floats, Flags]:
    """Compare the effects of each coder in each group with those in all others.

    Args:
        view: all documents; the groups are the strata from 1 on.
        groups: number of groups.

    Returns:
        The effect in the group less that in the others, NaN where undefined, and whether the coder
        is named for it, shape (groups, coders) each.
    """
    coded, pairs = view.evidence.coded, view.evidence.similarities
    readings, standard = view.readings, view.standard
    used = readings.alike(pairs.first, pairs.second)
    used &= standard[pairs.first] | standard[pairs.second]
    stratum, fold = coded.stratum[coded.document], coded.folds[coded.document]
    tables = []
    for group in range(1, 1 + groups):
        inside, outside = used & (stratum == group), used & (stratum > 0) & (stratum != group)
        known = _coded_enough(pairs, inside, coded) & _coded_enough(pairs, outside, coded)
        known &= ~np.isnan(view["agreement_effect"]) & readings.judged(known)
        left_out = [np.ones(len(fold), bool), *(fold != f for f in np.unique(fold))]
        values = np.stack(
            [
                _effects(pairs, inside & kept, known) - _effects(pairs, outside & kept, known)
                for kept in left_out
            ]
        )
        tables.append(values if np.count_nonzero(known) >= FEWEST_JUDGED else values * np.nan)
    found = np.stack(tables, axis=1)
    difference, error = found[0], standard_error(found)
    p = jackknife_p(difference, error, len(found) - 1)
    adjusted = holm(p.ravel()).reshape(p.shape)
    weaker = difference <= -view.limits["group_effect"]
    weaker &= difference <= -view.limits["group_errors"] * error
    for row, values in zip(weaker, difference, strict=True):
        row &= values <= -_SPREADS * spread(values[~np.isnan(values)])
    return difference, weaker & (adjusted < _P)


def _effects(pairs: CodedPairs, used: Flags, known: Flags) -> Floats:
    """Return the effects of known coders, median 0; NaN of others."""
    effects = np.where(known, fit_effects(pairs, used, len(known)).coder, np.nan)
    return np.asarray(effects - median(effects))


def _coded_enough(pairs: CodedPairs, used: Flags, coded: ByDocument) -> Flags:
    """Return which coders have enough of the documents that are used, shape (coders,)."""
    document, coder = np.tile(coded.document[used], 2), [pairs.first[used], pairs.second[used]]
    shared = np.unique(document * coded.coders + np.concatenate(coder))
    return np.bincount(shared % coded.coders, minlength=coded.coders) >= FEWEST_DOCUMENTS
