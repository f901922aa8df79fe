"""Rank the coders of a crowd, who share too few documents with others to be judged.

The mean similarity of such a coder is mostly chance.  So its difference from that of all is shrunk
towards 0, the more so the fewer documents there are and the less coders differ (James & Stein
1961): variances are by the analysis of variance with one random factor.  Nobody is named for it.
"""

import numpy as np

from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.arrays.ragged import Floats

FEWEST = 3
"""Documents that a coder must share with others to be ranked."""


def shrunk_effects(group: Group) -> Floats:
    """Return how much more similar each coder is to the others than coders are on average, shrunk.

    NaN of coders who share fewer than ``FEWEST`` documents with others, shape (coders,).
    """
    coded, coders = group.by_document, len(group.coders)
    pairs = coded.pairs(SHOWN, group.choices.n_t)
    known = np.tile(pairs.weight > 0, 2)
    cell = np.concatenate([pairs.first, pairs.second]) + coders * np.tile(coded.document, 2)
    cells, number, of_cell = np.unique(cell[known], return_inverse=True, return_counts=True)
    value = np.bincount(number, np.tile(pairs.value, 2)[known]) / of_cell
    coder = cells % coders
    count = np.bincount(coder, minlength=coders).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(coder, value, coders) / count
        apart = np.bincount(coder, np.square(value - mean[coder]), coders).astype(np.float64)
        return _shrunk(mean, apart, np.where(count >= FEWEST, count, 0.0).astype(np.float64))


def _shrunk(mean: Floats, apart: Floats, count: Floats) -> Floats:
    """Shrink means of some values, of which the squares of their distances from them are summed."""
    used = count > 0
    groups, total = np.count_nonzero(used), float(count.sum())
    if groups < 2 or total <= groups:
        return np.full(len(mean), np.nan)
    middle = float((mean[used] * count[used]).sum() / total)
    within = apart[used].sum() / (total - groups)
    between = (count[used] * (mean[used] - middle) ** 2).sum() - (groups - 1) * within
    between = max(0.0, between / (total - (count[used] ** 2).sum() / total))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = between / (between + within / count)
    return np.where(used, share * (mean - middle), np.nan)
