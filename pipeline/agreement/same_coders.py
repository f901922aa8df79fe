"""Compare the agreement of two groups of documents among the coders who coded in both.

If coders join or leave with new guidelines, the agreement changes with them.
"""

from dataclasses import replace

import numpy as np

from segscore.pipeline.agreement.judging.by_document import ByDocument, CodedPairs
from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.statistics.jackknife import UNKNOWN, Estimate, difference

COLUMNS = (
    "same_coders",
    "joined_coders",
    "left_coders",
    "same_coders_change",
    "same_coders_low",
    "same_coders_high",
)
"""Columns of `agreement` about these coders."""


def same_coders(
    coded: ByDocument, pairs: CodedPairs, groups: tuple[int, int], *, grouped: bool = False
) -> dict[str, float]:
    """Return ``COLUMNS`` of the second of two groups: how well the coders of both agree in each.

    Args:
        coded: counts of pairs of codings.
        pairs: their similarities.
        groups: numbers of the groups, which are the strata.
        grouped: whether a resampling unit is several documents, such as a show.
    """
    stratum = coded.stratum[coded.document]
    members = [_members(pairs, stratum == group, coded.coders) for group in groups]
    both = members[0] & members[1]
    among = both[pairs.first] & both[pairs.second]
    before, after = (
        replace(_estimate(coded, pairs, among & (stratum == group)), grouped=grouped)
        for group in groups
    )
    known = not (np.isnan(before.value) or np.isnan(after.value))
    change = difference(after, before) if known else UNKNOWN
    numbers = (np.count_nonzero(of) for of in (both, members[1] & ~both, members[0] & ~both))
    found = (*map(float, numbers), change.value, *change.interval())
    return dict(zip(COLUMNS, found, strict=True))


def _members(pairs: CodedPairs, rows: Flags, coders: int) -> Flags:
    """Return the coders of some rows, shape (coders,)."""
    number = np.concatenate([pairs.first[rows], pairs.second[rows]])
    return np.bincount(number, minlength=coders) > 0


def _estimate(coded: ByDocument, pairs: CodedPairs, rows: Flags) -> Estimate:
    """Return the pooled similarity of some rows, and how it depends on each resampling unit."""
    units, number = np.unique(coded.units[coded.document[rows]], return_inverse=True)
    weights, products = pairs.weight[rows], (pairs.weight * pairs.value)[rows]
    weight = np.bincount(number, weights, len(units)).astype(np.float64)
    product = np.bincount(number, products, len(units)).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = float(np.float64(product.sum()) / np.float64(weight.sum()))
        without = (product.sum() - product) / (weight.sum() - weight)
    return Estimate(whole, units, without, weight)
