"""Judge the coders of a group of documents: ways of reading, effects, copies, offsets, rates.

Judged by their mean with their peers, bad coders spoil the standard for all.  So those who are
found are left out of the standard, until nobody else is found.  Nobody is accused of agreeing less
with those who read the guidelines in another way.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segscore.pipeline.agreement.judging.by_document import (
    ByDocument,
    CodedPairs,
    Effects,
    fit_effects,
)
from segscore.pipeline.agreement.judging.exactness import Exactness, exactness
from segscore.pipeline.agreement.judging.fits import (
    fit_differences,
    jackknife_p,
    median,
    spread,
    standard_error,
)
from segscore.pipeline.agreement.judging.limits import (
    FEWEST_COPYING,
    FEWEST_DOCUMENTS,
    FEWEST_JUDGED,
    Judging,
)
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, enough
from segscore.pipeline.agreement.judging.readings import Readings, find_readings
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.multiple_tests import holm

_SD_PER_MAD = 1.4826
"""Standard deviation of a normal distribution, divided by its median absolute deviation."""

_FEWEST_STANDARD = 3
"""Coders are left out of the standard only while at least so many remain."""

_DIFFER = 0.02
"""By about so much, at least, do honest coders differ in their similarity to others."""

_MANY = 80
"""Of n honest coders, the furthest is 1 + n / 80 times as far from the others as of few."""


@dataclass(frozen=True)
class CoderEffect:
    """The effect of each coder, NaN where undefined, and its jackknife standard error."""

    value: Floats
    error: Floats

    @classmethod
    def of(cls, effects: Floats, judged: Flags) -> "CoderEffect":
        """Take the value on all documents, and the error from the groups of documents.

        Args:
            effects: on all documents, and without each group, shape (1 + groups, coders).
            judged: coders whose effects are defined.
        """
        known = np.where(judged, effects, np.nan)
        return cls(known[0], standard_error(known))

    def beyond(self, errors: float) -> Flags:
        """Return whether the effect is at least this many standard errors from 0."""
        return np.asarray(np.abs(self.value) >= errors * self.error)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the counts say about each coder, shape (coders,), and each pair, shape (pairs,).

    Attributes:
        standard: coders by whom all were judged: those not found.
        agreement: effect on the similarity to others; the median coder has 0.
        agreement_p: its p value, adjusted by Holm.
        effect_limit: a coder agrees less if the effect is at most minus this.
        aligned: the same effect once offsets are taken away, without standard error.
        offset: how much later than the others the coder marks, in units.
        rate: logarithm of how many times as many boundaries the coder marks as the others.
        rate_deviation: that less its median, in units of the spread to be expected.
        residual: similarity of the pair beyond what the effects of both explain.
        known: pairs of judged coders with ten documents or more.
        less: coders named because they agree less.
        shifted: coders named for an offset.
        far_rate: coders named for their rate.
        readings: coders who read in two ways.
        copies: pairs named because they agree too well.
        exactness: how exact the boundaries are that pairs share.
        copied: those of ``copies`` of whom one may have copied from the other.
    """

    standard: Flags
    agreement: CoderEffect
    agreement_p: Floats
    effect_limit: float
    aligned: Floats
    offset: CoderEffect
    rate: CoderEffect
    rate_deviation: Floats
    residual: Floats
    known: Flags
    less: Flags
    shifted: Flags
    far_rate: Flags
    readings: Readings
    copies: Flags
    exactness: Exactness
    copied: Flags

    @property
    def found(self) -> Flags:
        """Coders named for anything."""
        return np.asarray(self.less | self.shifted | self.far_rate)


def judge_coders(pairs: CoderPairCounts, coded: ByDocument, judging: Judging) -> Judgement | None:
    """Judge coders; None if fewer than four share ten documents each with others."""
    judged = enough(pairs, FEWEST_DOCUMENTS)
    if np.count_nonzero(judged) < FEWEST_JUDGED:
        return None
    standard = judged
    # Before anybody is set apart: who reads in another way may also mark later, or less often.
    everybody = find_readings(coded, judged, judging)
    ways = everybody if everybody.way.any() else None
    known = {judged.tobytes(): everybody}
    before: tuple[tuple[int, int], ...] = ()
    # Pairs that are left out may come back, so that states might follow each other in a circle.
    seen = {(standard.tobytes(), before)}
    differences = pairs.offsets(judging.limits.within), pairs.log_ratios()
    while True:
        view = _View(pairs, coded, judging, differences, judged, standard, before, ways)
        included = judged & ~(view.shifted | view.far_rate)
        key = included.tobytes()
        if ways is None and key not in known:
            known[key] = find_readings(coded, included, judging)
        readings = ways or known[key]
        judgement = view.judgement(readings)
        left = standard & ~judgement.found
        if np.count_nonzero(left) < _FEWEST_STANDARD:
            return judgement
        standard, before = left, readings.pairs
        if (standard.tobytes(), before) in seen:
            return judgement
        seen.add((standard.tobytes(), before))


@dataclass(frozen=True)
class _View:
    """The counts, the coders to judge, those to judge by, and the pairs to leave out.

    Attributes:
        pairs: counts of pairs of coders.
        coded: counts of pairs of codings.
        judging: how to judge.
        differences: offsets and logarithms of ratios of pairs.
        judged: coders to judge, shape (coders,).
        standard: coders to judge by, likewise.
        copies: numbers of the coders of pairs who agree too well, as far as known.
        ways: the two ways of reading of all coders, within which offsets and rates are judged;
            None if they were not found.
    """

    pairs: CoderPairCounts
    coded: ByDocument
    judging: Judging
    differences: tuple[Floats, Floats]
    judged: Flags
    standard: Flags
    copies: tuple[tuple[int, int], ...]
    ways: Readings | None

    def _different(self, values: Floats) -> CoderEffect:
        """Fit differences between coders."""
        pairs = self.pairs
        used = ~pairs.among(self.copies)
        if self.ways is not None:
            used &= self.ways.alike(pairs.first, pairs.second)
        effects = fit_differences(values, pairs.neighbours, self.standard, used)
        return CoderEffect.of(effects, self.judged)

    @cached_property
    def offset(self) -> CoderEffect:
        """How much later each coder marks."""
        return self._different(self.differences[0])

    @cached_property
    def rate(self) -> CoderEffect:
        """Logarithm of how many times as many boundaries each coder marks."""
        return self._different(self.differences[1])

    @cached_property
    def rate_deviation(self) -> Floats:
        """Log rates in units of the spread: that of the standard coders, and sampling error."""
        value, error = self.rate.value, self.rate.error
        middle = median(value[self.standard])
        mad = median(np.abs(value[self.standard] - middle))
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt((_SD_PER_MAD * mad) ** 2 + error**2)
            return np.asarray(np.where(spread > 0, (value - middle) / spread, np.nan))

    @cached_property
    def shifted(self) -> Flags:
        """Coders named for an offset."""
        limits = self.judging.limits
        large = np.abs(self.offset.value) >= limits.offset
        return np.asarray(large & self.offset.beyond(limits.offset_errors) & self._may_differ)

    @property
    def _may_differ(self) -> Flags:
        """Coders of whom it can be said that they differ from those who read as they do."""
        return self.judged if self.ways is None else self.ways.judged(self.judged)

    @cached_property
    def far_rate(self) -> Flags:
        """Coders named for their rate."""
        limits = self.judging.limits
        large = np.abs(self.rate.value) >= np.log(limits.rate)
        far = np.abs(self.rate_deviation) >= limits.rate_deviation
        return np.asarray(large & far & self._may_differ)

    def _rows(self, pairs: CodedPairs, readings: Readings) -> Flags:
        """Return which rows effects are fitted to."""
        first, second = pairs.first, pairs.second
        by_standard = self.standard[first] | self.standard[second]
        used = by_standard & readings.alike(first, second)
        return np.asarray(self.judged[first] & self.judged[second] & used)

    def _effects(self, readings: Readings) -> tuple[Floats, Effects]:
        """Fit effects, median 0: on all documents and without each group; the fit to all."""
        coded, judging = self.coded, self.judging
        pairs = coded.pairs(judging.similarity, judging.n_t)
        used = self._rows(pairs, readings)
        whole = fit_effects(pairs, used, coded.coders, np.ones(len(used), bool))
        fold = coded.folds[coded.document]
        without = [
            fit_effects(pairs, used & (fold != f), coded.coders).coder for f in np.unique(fold)
        ]
        effects = np.stack([whole.coder, *without])
        return effects - median(effects[:, self.standard])[:, None], whole

    def _aligned(self, readings: Readings) -> Floats:
        """Return the effects once the offsets of shifted coders are taken away."""
        offsets = np.where(self.shifted, self.offset.value, 0.0)
        pairs = self.pairs.aligned(offsets, self.judging.n_t)
        effects = fit_effects(pairs, self._rows(pairs, readings), len(offsets)).coder
        return np.where(self.judged, effects - median(effects[self.standard]), np.nan)

    def _effect_limit(self, agreement: CoderEffect) -> float:
        """Return the larger of the limit and of several times how much honest coders differ.

        The more coders there are, the further from the others the furthest of them is.  That a few
        coders are alike by chance does not mean that honest ones do not differ.
        """
        limits, effects = self.judging.limits, agreement.value[self.standard]
        known = effects[~np.isnan(effects)]
        differ = np.hypot(spread(known), _DIFFER)
        return float(max(limits.effect, limits.effect_spread * (1 + len(known) / _MANY) * differ))

    def judgement(self, readings: Readings) -> Judgement:
        """Judge everything, where some may read in another way."""
        limits, pairs = self.judging.limits, self.pairs
        effects, fit = self._effects(readings)
        agreement, aligned = CoderEffect.of(effects, self.judged), self._aligned(readings)
        limit = self._effect_limit(agreement)
        less = (agreement.value <= -limit) & agreement.beyond(limits.effect_errors)
        less &= ~self.shifted | (aligned <= -limit)
        less &= readings.judged(self.judged)
        residual = fit.residual[pairs.first, pairs.second]
        known = pairs.counts["documents"][0] >= FEWEST_DOCUMENTS
        known &= self.judged[pairs.first] & self.judged[pairs.second]
        residual = np.where(fit.weight[pairs.first, pairs.second] > 0, residual, np.nan)
        known &= ~np.isnan(residual)
        apart = pairs.among(readings.pair_apart)
        residual = np.where(apart & ~np.isnan(residual), readings.excess, residual)
        # With other pairs left out since, a pair that was found may agree as its effects predict.
        with np.errstate(invalid="ignore"):
            copies = pairs.among(readings.pairs) & (residual >= limits.copies_residual)
        exact = exactness(pairs, self.standard)
        copied = copies & (exact.deviation > limits.exact_errors)
        copied &= np.count_nonzero(self.judged) >= FEWEST_COPYING
        return Judgement(
            standard=self.standard,
            agreement=agreement,
            agreement_p=holm(jackknife_p(agreement.value, agreement.error, len(effects) - 1)),
            effect_limit=limit,
            aligned=aligned,
            offset=self.offset,
            rate=self.rate,
            rate_deviation=self.rate_deviation,
            residual=residual,
            known=known,
            less=less,
            shifted=self.shifted,
            far_rate=self.far_rate,
            readings=readings,
            copies=copies | apart,
            exactness=exact,
            copied=copied,
        )
