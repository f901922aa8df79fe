"""Say with which of two groups each coder reads, where enough documents tell."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from segscore.pipeline.agreement.judging.by_document import (
    ByDocument,
    CodedPairs,
    Effects,
    fit_effects,
)
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

    @property
    def way(self) -> Ints:
        """1 for the larger group, 2 for the smaller, 0 for everybody else, shape (coders,)."""
        return np.asarray(self.common + 2 * self.other)

    @property
    def alike(self) -> Flags:
        """Which two coders are in the same group, shape (coders, coders)."""
        both = np.stack([self.common, self.other])
        return np.asarray((both[:, :, None] & both[:, None, :]).any(axis=0))


@dataclass(frozen=True)
class Fit:
    """Effects that are fitted to pairs of codings, and what they say of groups of coders.

    Attributes:
        coded: counts of pairs of codings.
        pairs: their similarities.
        used: which rows count, shape (rows,).
        effects: what is fitted to them.
    """

    coded: ByDocument
    pairs: CodedPairs
    used: Flags
    effects: Effects

    @classmethod
    def of(cls, coded: ByDocument, pairs: CodedPairs, used: Flags) -> Self:
        """Fit effects."""
        return cls(coded, pairs, used, fit_effects(pairs, used, coded.coders))

    @property
    def fitted(self) -> Floats:
        """How similar two coders are in a document with effect 0, shape (coders, coders)."""
        coder = np.nan_to_num(self.effects.coder)
        return np.asarray(self.effects.base + np.add.outer(coder, coder) + self.effects.residual)

    def sides(self, groups: tuple[Flags, Flags], fewest: int = FEWEST_DOCUMENTS) -> Sides:
        """Move each coder to the group that she agrees better with, until nobody moves.

        Args:
            groups: the coders of two groups to begin with.
            fewest: documents that a coder must share with each group to be in one.
        """
        included, other = groups[0] | groups[1], groups[1]
        known = moved = included
        for _ in range(_TURNS):
            sides = included & ~other, other
            shared = np.stack([self.shared_with(side) for side in sides])
            known = included & (shared >= fewest).all(axis=0)
            moved = known & (self._with_second(*sides) > 0)
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

    def _with_second(self, first: Flags, second: Flags) -> Floats:
        """Return how much better each coder agrees with the second of two groups than the first."""
        weight, sides = self.effects.weight, np.stack([first, second]).T
        with np.errstate(divide="ignore", invalid="ignore"):
            similar = (weight * self.fitted) @ sides / (weight @ sides)
        return np.asarray(similar[:, 1] - similar[:, 0])

    def perhaps_other(self, sides: Sides) -> Flags:
        """Return who agrees with the smaller group nearly as well, or may do so."""
        better = self._with_second(sides.common, sides.other)
        return np.asarray(sides.unknown | ~(better < -CLEARLY))

    def shared_with(self, side: Flags) -> Ints:
        """Return how many documents each coder shares with the coders of a side."""
        coded, pairs, used = self.coded, self.pairs, self.used & (self.pairs.weight > 0)
        keys = [
            coded.document[rows] * coded.coders + coder[rows]
            for coder, peer in ((pairs.first, pairs.second), (pairs.second, pairs.first))
            for rows in (used & side[peer],)
        ]
        return np.bincount(np.unique(np.concatenate(keys)) % coded.coders, minlength=coded.coders)

    def few_shared(self, sides: Sides) -> Flags:
        """Return who shares too few documents with either group to be accused, shape (coders,)."""
        shared = np.minimum(self.shared_with(sides.common), self.shared_with(sides.other))
        return np.asarray(shared < FEWEST_DOCUMENTS)

    def clearness(self, sides: Sides) -> tuple[float, float]:
        """Return how much better the smaller group agrees inside than across, and its error."""
        pairs, other = self.pairs, sides.other
        either = sides.common | other
        chosen = self.used & either[pairs.first] & either[pairs.second]
        inside = other[pairs.first] & other[pairs.second]
        between = other[pairs.first] != other[pairs.second]
        numbers, fold = np.unique(self.coded.folds[self.coded.document], return_inverse=True)
        sums = np.zeros((2, 2, len(numbers)))
        for side, rows in enumerate((chosen & inside, chosen & between)):
            weight = pairs.weight[rows]
            np.add.at(sums[side, 0], fold[rows], weight * pairs.value[rows])
            np.add.at(sums[side, 1], fold[rows], weight)
        whole = sums.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.concatenate([whole, whole - sums], axis=2)
            apart = values[0, 0] / values[0, 1] - values[1, 0] / values[1, 1]
        return float(apart[0]), float(standard_error(apart[:, None])[0])
