"""Say with which of two groups each coder reads, where enough documents tell."""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.agreement.judging.by_document import ByDocument, CodedPairs, Effects
from segscore.pipeline.agreement.judging.fits import standard_error
from segscore.pipeline.agreement.judging.limits import FEWEST_DOCUMENTS
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

_TURNS = 10

CLEARLY = 0.05
"""Each group must agree at least this much more inside than with the other."""


@dataclass(frozen=True)
class Sides:
    """Two groups of coders, and those of whom too little is known.

    Attributes:
        common: coders of the larger group, shape (coders,).
        other: coders of the smaller group, likewise.
        unknown: coders who share too few documents with either group, likewise.
    """

    common: Flags
    other: Flags
    unknown: Flags

    def perhaps_other(self, effects: Effects) -> Flags:
        """Return who agrees with the smaller group nearly as well, or is not known to agree less.

        Args:
            effects: what is fitted to pairs of codings.
        """
        better = _with_second(effects, np.stack([self.common, self.other]))
        return self.unknown | ~(better < -CLEARLY)

    @property
    def way(self) -> Ints:
        """1 for the larger group, 2 for the smaller, 0 for everybody else, shape (coders,)."""
        return np.asarray(self.common + 2 * self.other)

    @property
    def alike(self) -> Flags:
        """Which two coders are in the same group, shape (coders, coders)."""
        both = np.stack([self.common, self.other])
        return np.asarray((both[:, :, None] & both[:, None, :]).any(axis=0))


def sides_of(
    coded: ByDocument,
    pairs: CodedPairs,
    used: Flags,
    effects: Effects,
    groups: tuple[Flags, Flags],
    fewest: int = FEWEST_DOCUMENTS,
) -> Sides:
    """Move each coder to the group that she agrees better with, until nobody moves.

    Args:
        coded: counts of pairs of codings.
        pairs: their similarities.
        used: which rows count, shape (rows,).
        effects: what is fitted to them.
        groups: the coders of two groups to begin with.
        fewest: documents that a coder must share with each group to be in one.
    """
    included, other = groups[0] | groups[1], groups[1]
    known = moved = included
    for _ in range(_TURNS):
        sides = np.stack([included & ~other, other])
        better = _with_second(effects, sides)
        shared = np.stack([shared_with(coded, pairs, used, side) for side in sides])
        known = included & (shared >= fewest).all(axis=0)
        moved = known & (better > 0)
        if (moved == other).all():
            break
        other, before = moved, other
    else:  # Who goes to and fro is in neither.
        known &= moved == before
        other = moved & known
    common = known & ~other
    if np.count_nonzero(common) < np.count_nonzero(other):
        common, other = other, common
    return Sides(common, other, included & ~known)


def _with_second(effects: Effects, sides: Flags) -> Floats:
    """Return how much better each coder agrees with the second of two groups than the first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        similar = (effects.weight * fitted(effects)) @ sides.T / (effects.weight @ sides.T)
    return np.asarray(similar[:, 1] - similar[:, 0])


def fitted(effects: Effects) -> Floats:
    """Return how similar two coders are in a document with effect 0, shape (coders, coders)."""
    coder = np.nan_to_num(effects.coder)
    return np.asarray(effects.base + np.add.outer(coder, coder) + effects.residual)


def shared_with(coded: ByDocument, pairs: CodedPairs, used: Flags, side: Flags) -> Ints:
    """Return how many documents each coder shares with the coders of a side."""
    used = used & (pairs.weight > 0)
    keys = [
        coded.document[rows] * coded.coders + coder[rows]
        for coder, peer in ((pairs.first, pairs.second), (pairs.second, pairs.first))
        for rows in (used & side[peer],)
    ]
    return np.bincount(np.unique(np.concatenate(keys)) % coded.coders, minlength=coded.coders)


def few_shared(coded: ByDocument, pairs: CodedPairs, used: Flags, sides: Sides) -> Flags:
    """Return who shares too few documents with either group to be accused, shape (coders,)."""
    shared = [shared_with(coded, pairs, used, side) for side in (sides.common, sides.other)]
    return np.asarray(np.minimum(*shared) < FEWEST_DOCUMENTS)


def clearness(
    coded: ByDocument, pairs: CodedPairs, used: Flags, sides: Sides
) -> tuple[float, float]:
    """Return how much better the smaller group agrees inside than with the other, and its error."""
    other = sides.other
    chosen = used & (sides.common | other)[pairs.first] & (sides.common | other)[pairs.second]
    inside = other[pairs.first] & other[pairs.second]
    between = other[pairs.first] != other[pairs.second]
    fold = coded.folds[coded.document]
    numbers = np.unique(fold)
    sums = np.zeros((2, 2, len(numbers)))
    for side, rows in enumerate((chosen & inside, chosen & between)):
        at = np.searchsorted(numbers, fold[rows])
        weight = pairs.weight[rows]
        np.add.at(sums[side, 0], at, weight * pairs.value[rows])
        np.add.at(sums[side, 1], at, weight)
    whole = sums.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.concatenate([whole, whole - sums], axis=2)
        apart = values[0, 0] / values[0, 1] - values[1, 0] / values[1, 1]
    return float(apart[0]), float(standard_error(apart[:, None])[0])
