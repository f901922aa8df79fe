"""Find coders who agree less with the others in one group of documents than in the others."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.agreement.judging.by_document import ByDocument, CodedPairs, fit_effects
from segscore.pipeline.agreement.judging.fits import jackknife_p, median, spread, standard_error
from segscore.pipeline.agreement.judging.judge import Judgement
from segscore.pipeline.agreement.judging.limits import (
    FEWEST_DOCUMENTS,
    FEWEST_JUDGED,
    Judging,
)
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.multiple_tests import holm

_P, _SPREADS = 0.05, 1.5
"""A coder is named only if p is below this, and the fall is so many spreads of all coders'."""

MOST_GROUPS = 24
"""With more groups, they are not compared."""


@dataclass(frozen=True)
class GroupEffects:
    """How coders agree in each group, compared with all other groups, shape (groups, coders).

    Attributes:
        difference: effect of the coder in the group less that in the others; NaN where undefined.
        error: its standard error, by a jackknife.
        p: its p value, adjusted by Holm for all coders and groups.
        weaker: whether the coder is named.
    """

    difference: Floats
    error: Floats
    p: Floats
    weaker: Flags


def group_effects(
    coded: ByDocument, judgement: Judgement, groups: int, judging: Judging
) -> GroupEffects:
    """Compare the effects of each coder in each group with those in all others.

    Args:
        coded: counts of pairs of codings; the groups are the strata from 1 on.
        judgement: what is said of the coders over all documents.
        groups: number of groups.
        judging: how to judge.
    """
    pairs = coded.pairs(judging.similarity, judging.n_t)
    readings, standard = judgement.readings, judgement.standard
    used = readings.alike(pairs.first, pairs.second)
    used &= standard[pairs.first] | standard[pairs.second]
    stratum, fold = coded.stratum[coded.document], coded.folds[coded.document]
    tables = []
    for group in range(1, 1 + groups):
        inside, outside = used & (stratum == group), used & (stratum > 0) & (stratum != group)
        known = _coded_enough(pairs, inside, coded) & _coded_enough(pairs, outside, coded)
        known &= ~np.isnan(judgement.agreement.value) & readings.judged(known)
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
    limits = judging.limits
    weaker = (difference <= -limits.group_effect) & (difference <= -limits.group_errors * error)
    for row, values in zip(weaker, difference, strict=True):
        row &= values <= -_SPREADS * spread(values[~np.isnan(values)])
    return GroupEffects(difference, error, adjusted, weaker & (adjusted < _P))


def _effects(pairs: CodedPairs, used: Flags, known: Flags) -> Floats:
    """Return the effects of known coders, median 0; NaN of others."""
    effects = np.where(known, fit_effects(pairs, used, len(known)).coder, np.nan)
    return np.asarray(effects - median(effects))


def _coded_enough(pairs: CodedPairs, used: Flags, coded: ByDocument) -> Flags:
    """Return which coders have enough of the documents that are used, shape (coders,)."""
    document, coder = np.tile(coded.document[used], 2), [pairs.first[used], pairs.second[used]]
    shared = np.unique(document * coded.coders + np.concatenate(coder))
    return np.bincount(shared % coded.coders, minlength=coded.coders) >= FEWEST_DOCUMENTS
