"""Find coders who read the guidelines in two ways, and pairs who agree too well.

This comes before any coder is judged.  Where coders read in two ways, each agrees less with those
who read in the other way, and those who read alike agree better than the effects of coders explain.
Both show in the residuals of pairs of coders, which are compared with those of permuted names.
"""

from dataclasses import dataclass, replace

import numpy as np

from segscore.pipeline.agreement.judging.by_document import ByDocument, CodedPairs, fit_effects
from segscore.pipeline.agreement.judging.limits import FEWEST_DOCUMENTS, FEWEST_JUDGED, Judging
from segscore.pipeline.agreement.judging.permutations import (
    leading,
    permutations,
    permuted,
    standardised,
)
from segscore.pipeline.agreement.judging.sides import CLEARLY, Fit, Sides
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints

_TAIL, _LESS_TAIL = 4.94, 3.68
"""Standard deviations from the mean to the 99.9 % and to the 99.5 % point of a Gumbel distribution,
as of maxima."""

_BEYOND = 1.5
"""Two ways of reading are named from this many times the permutations' 95 % point on."""

_PERHAPS = 0.6
"""From this ratio on, coders may read in two ways, and the fewer are not accused."""

_FEWEST_PERHAPS = 5
"""So many documents with each side are enough not to be accused, but not to be in one."""

_ERRORS = 4.0
"""So many standard errors better must those agree who would be accused."""

_RIDGE = 1e-6
_REFITTED = 40
"""Pairs that are left out of the fit in turn."""

_NEARLY, _AS_MUCH = 0.8, 0.95
_MOST_PAIRS = 10
_FEWEST_ALIKE = 2
_FEWEST_IN_OTHER = 6


@dataclass(frozen=True)
class Readings:
    """Coders who read alike, and pairs who agree too well.

    Attributes:
        way: 0 for coders of whom nothing is said; if two ways of reading were found, 1 for those
            who read in the more common way and 2 for the others, shape (coders,).
        excess: how much more those who read alike agree, NaN unless two ways were found.
        pairs: numbers of the coders of pairs who agree too well, ascending.
        suspected: coders who may read in another way, which is not sure, shape (coders,).
    """

    way: Ints
    excess: float
    pairs: tuple[tuple[int, int], ...]
    suspected: Flags

    @property
    def pair_apart(self) -> tuple[tuple[int, int], ...]:
        """The two coders who read in the less common way, if they are two."""
        others = np.flatnonzero(self.way == 2).tolist()
        return ((others[0], others[1]),) if len(others) == 2 else ()

    def judged(self, coders: Flags) -> Flags:
        """Return the coders of whom it can be said that they agree less than others.

        Where there are two ways of reading, a coder must have enough others who read in the same
        way: more in the less common one, where they share few documents. Coders who may read in
        another way are not among them.
        """
        alike = self.way[:, None] == self.way
        fewest = np.where(self.way == 2, _FEWEST_IN_OTHER, FEWEST_JUDGED)
        enough = (alike & coders).sum(axis=1) >= fewest
        return np.asarray(~self.suspected & ((self.way == 0) | enough))

    def alike(self, first: Ints, second: Ints) -> Flags:
        """Return which pairs neither read in different ways nor agree too well."""
        ways = self.way[first], self.way[second]
        across = (ways[0] != ways[1]) & (ways[0] > 0) & (ways[1] > 0)
        found = [(first == i) & (second == j) for i, j in self.pairs]
        return ~np.logical_or.reduce([across, *found])


def find_readings(coded: ByDocument, included: Flags, judging: Judging) -> Readings:
    """Look for two ways of reading, and for pairs, among the coders who are included.

    If there are both two groups and such a pair, the one that explains more is taken.  A pair that
    is found is left out, and what remains is searched again.
    """
    pairs = coded.pairs(judging.similarity, judging.n_t)
    suspected = np.zeros(coded.coders, bool)
    found: list[tuple[int, int]] = []
    used = included[pairs.first] & included[pairs.second]
    while np.count_nonzero(included) >= FEWEST_JUDGED and len(found) < _MOST_PAIRS:
        search = _Search.of(coded, pairs, used, judging)
        least = judging.limits["copies_residual"]
        sides, pair = search.sides(included, least), search.pair(least)
        if sides is not None and (
            pair is None or search.explained(sides.alike) > search.explained(_only(pair, sides.way))
        ):
            unsure = search.fit.perhaps_other(sides) & ~sides.other | search.fit.few_shared(sides)
            return Readings(sides.way, search.excess(sides.alike), (*found,), unsure)
        if pair is None:
            perhaps = search.sides(included, 0.0, _PERHAPS, _FEWEST_PERHAPS)
            suspected = suspected if perhaps is None else perhaps.other | perhaps.unknown
            break
        found.append(pair)
        used &= (pairs.first != pair[0]) | (pairs.second != pair[1])
    way = np.zeros(coded.coders, np.int64)
    return Readings(way, np.nan, (*sorted(found),), suspected)


def readings_of_accused(
    coded: ByDocument, included: Flags, accused: Flags, before: Readings, judging: Judging
) -> Readings | None:
    """Ask whether those who would be accused read alike; None if not.

    A few among many are not seen in the largest eigenvalue. People who are merely careless agree
    with each other even less than with the others; those who read in a way of their own agree
    better. If that is not sure, they are suspected of it, and not accused.

    Args:
        coded: counts of pairs of codings.
        included: coders who are judged, shape (coders,).
        accused: those who would be accused, likewise.
        before: what was found among all, without two ways.
        judging: how to judge.
    """
    pairs = coded.pairs(judging.similarity, judging.n_t)
    used = included[pairs.first] & included[pairs.second] & before.alike(pairs.first, pairs.second)
    fit, groups = Fit.of(coded, pairs, used), (included & ~accused, accused)
    sides = fit.sides(groups)
    more, error = fit.clearness(sides)
    if more >= CLEARLY and more >= _ERRORS * error and sides.other.sum() >= _FEWEST_ALIKE:
        suspected = sides.unknown | accused & ~sides.other & fit.perhaps_other(sides)
        return Readings(sides.way, more, before.pairs, suspected | fit.few_shared(sides))
    sides = fit.sides(groups, 1)
    more, _ = fit.clearness(sides)
    if more >= CLEARLY and sides.other.sum() >= _FEWEST_ALIKE:
        few = fit.shared_with(sides.other) < FEWEST_DOCUMENTS
        suspected = before.suspected | accused & (few | fit.perhaps_other(sides)) | sides.other
        return replace(before, suspected=suspected)
    both = used & accused[pairs.first] & accused[pairs.second] & (pairs.weight > 0)
    together = len(np.unique(coded.document[both]))
    if np.count_nonzero(accused) >= FEWEST_JUDGED and together < FEWEST_DOCUMENTS:
        return replace(before, suspected=before.suspected | accused)
    return None


def _only(pair: tuple[int, int], like: Ints | Floats) -> Flags:
    """Return a table of pairs in which one pair is marked."""
    marked = np.zeros((len(like), len(like)), bool)
    marked[pair] = marked[pair[::-1]] = True
    return marked


@dataclass(frozen=True)
class _Search:
    """The fit to the pairs that are used, and what permutations of names say of it.

    Attributes:
        fit: the effects that are fitted to them.
        ratio: the largest eigenvalue of the residuals / its limit.
        vector: its eigenvector.
        limit: limit of the largest residual, in units of the error of one boundary pair.
    """

    fit: Fit
    ratio: float
    vector: Floats
    limit: float

    @classmethod
    def of(cls, coded: ByDocument, pairs: CodedPairs, used: Flags, judging: Judging) -> "_Search":
        """Fit the effects to the pairs, and again with permuted names."""
        fit = Fit.of(coded, pairs, used)
        sizes = coded.coders, int(pairs.shared.max(initial=0)) + 1
        limits = judging.seed, permutations(coded.coders), FEWEST_DOCUMENTS
        eigenvalues, largest = permuted(pairs, coded.hashes, used, sizes, limits)
        vector = np.zeros(coded.coders)
        value = leading(standardised(fit.effects.residual, fit.effects.weight), vector)
        beyond = _BEYOND * float(np.quantile(eigenvalues, 0.95))
        limit = min(beyond, _tail(eigenvalues, _LESS_TAIL))
        ratio = value / limit if limit > 0 else np.nan
        return cls(fit, ratio, vector, _tail(largest))

    def excess(self, alike: Flags) -> float:
        """Return how much more the marked pairs agree, fitted together with all effects."""
        part, whole = self._shares(alike)
        return part / whole if whole > 0 else 0.0

    def explained(self, alike: Flags) -> float:
        """Return how much of the weighted sum of squares this excess explains."""
        part, whole = self._shares(alike)
        return part**2 / whole if whole > 0 else 0.0

    def _shares(self, alike: Flags) -> tuple[float, float]:
        """Return two weighted sums over the marked pairs.

        The first is of their residuals, the second of what the effects leave of the marks.
        """
        pairs = self.fit.pairs
        value = alike[pairs.first, pairs.second].astype(np.float64)
        own = fit_effects(pairs._replace(value=value), self.fit.used, len(alike))
        weight = np.triu(own.weight * alike, 1)
        return float((weight * self.fit.effects.residual).sum()), float(
            (weight * own.residual).sum()
        )

    def sides(
        self,
        included: Flags,
        least: float,
        ratio: float = 1.0,
        fewest: int = FEWEST_DOCUMENTS,
    ) -> Sides | None:
        """Return who reads in which way; None if there are not two ways."""
        if not self.ratio >= ratio:
            return None
        positive = (self.vector > 0) & included
        groups = included & ~positive, positive
        if positive[np.argmax(included)]:
            groups = groups[::-1]
        sides = self.fit.sides(groups, fewest)
        if np.count_nonzero(sides.other) < _FEWEST_ALIKE:
            return None
        inside = [self._similarity(np.logical_and.outer(w, w)) for w in (sides.common, sides.other)]
        between = self._similarity(np.logical_and.outer(sides.common, sides.other))
        clearly = min(inside) >= between + CLEARLY and self.excess(sides.alike) >= least
        return sides if clearly else None

    def _similarity(self, chosen: Flags) -> float:
        """Return the mean similarity of the chosen pairs in a document with effect 0."""
        weight = self.fit.effects.weight * (chosen | chosen.T)
        return float((weight * self.fit.fitted).sum() / weight.sum()) if weight.any() else np.nan

    def _without_pair(self, scaled: Floats) -> Floats:
        """Standardise the residuals of pairs by effects that are fitted without each pair.

        People who mostly meet each other pull their own effects, so that their residual is small.
        Only the pairs with the largest residuals or most documents are fitted again.  What this
        adds to the residual of a usual pair, it would add to those of permuted names, too.

        Args:
            scaled: residuals in units of the error of one boundary pair; -inf of pairs that are
                not asked for, shape (coders, coders).
        """
        weight = np.where(np.isfinite(scaled), self.fit.effects.weight, 0.0)
        flat = [np.argsort(-values, axis=None)[:_REFITTED] for values in (scaled, weight)]
        found, more = scaled.copy(), []
        for at in np.unique(np.concatenate(flat)).tolist():
            pair = divmod(at, len(scaled))
            if np.isfinite(scaled[pair]):
                _, whole = self._shares(_only(pair, scaled))
                weight = self.fit.effects.weight[pair]
                factor = np.sqrt(weight / whole) if whole > _RIDGE * weight else 1.0
                more.append(factor)
                found[pair] *= factor
        usual = float(np.median(more)) if more else 1.0
        return np.maximum(scaled, found / usual)

    def pair(self, least: float) -> tuple[int, int] | None:
        """Return the pair with the largest residual if it is beyond its limit and ``least``.

        With four coders, two pairs without a common coder explain the same: of pairs that explain
        about as much, the one is taken that agrees best.
        """
        effects = self.fit.effects
        enough = np.triu(effects.documents >= FEWEST_DOCUMENTS, 1)
        scaled = np.where(enough, standardised(effects.residual, effects.weight), -np.inf)
        scaled = self._without_pair(scaled)
        if not scaled.max() > self.limit:
            return None
        nearly = [(int(i), int(j)) for i, j in np.argwhere(scaled >= _NEARLY * scaled.max())]
        explains = {pair: self.explained(_only(pair, scaled)) for pair in nearly}
        as_much = [p for p in nearly if explains[p] >= _AS_MUCH * max(explains.values())]
        pair = max(as_much, key=lambda pair: self._similarity(_only(pair, scaled)))
        # Bad coders agree with each other better than the effects of both say, but never well.
        marked = _only(pair, scaled)
        well = self._similarity(marked) >= effects.base
        return pair if well and self.excess(marked) >= least else None


def _tail(maxima: Floats, deviations: float = _TAIL) -> float:
    """Return a point in the tail of a Gumbel distribution with mean and deviation of maxima."""
    return float(maxima.mean() + deviations * maxima.std())
