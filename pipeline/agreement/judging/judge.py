"""Judge the coders of a group of documents: effects, copies, offsets, rates.

Judged by their mean with their peers, bad coders spoil the standard for all.  Here each is judged
by medians over the others, and those who are found are then left out of the standard, until nobody
else is found.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.agreement.judging.exactness import Exactness, exactness
from segscore.pipeline.agreement.judging.fits import (
    Fit,
    fit_differences,
    fit_similarities,
    jackknife_p,
    median,
    standard_error,
)
from segscore.pipeline.agreement.judging.limits import (
    FEWEST_COPYING,
    FEWEST_DOCUMENTS,
    FEWEST_JUDGED,
    Judging,
)
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, enough
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.statistics.multiple_tests import holm

_SD_PER_MAD = 1.4826
"""Standard deviation of a normal distribution, divided by its median absolute deviation."""

_FEWEST_STANDARD = 3
"""Coders are left out of the standard only while at least so many remain."""


@dataclass(frozen=True)
class CoderEffect:
    """The effect of each coder, NaN where undefined, and its jackknife standard error."""

    value: Floats
    error: Floats

    @classmethod
    def of(cls, fit: Fit) -> "CoderEffect":
        """Take the value on all documents, and the error from the groups of documents."""
        return cls(fit.effects[0], standard_error(fit.effects))

    def beyond(self, errors: float) -> Flags:
        """Return whether the effect is at least this many standard errors from 0."""
        return np.asarray(np.abs(self.value) >= errors * self.error)


@dataclass(frozen=True)
class Judgement:
    """What the counts say about each coder, shape (coders,), and each pair, shape (pairs,).

    Attributes:
        standard: coders by whom all were judged: those not found.
        agreement: effect on the similarity to others; the median coder has 0.
        agreement_p: its p value, adjusted by Holm.
        aligned: the same effect once offsets are taken away, without standard error.
        offset: how much later than the others the coder marks, in units.
        rate: logarithm of how many times as many boundaries the coder marks as the others.
        rate_deviation: that less its median, in units of the spread to be expected.
        residual: similarity of the pair beyond what the effects of both explain.
        residual_deviation: that in units of 1.4826 times the median absolute residual.
        less: coders named because they agree less.
        shifted: coders named for an offset.
        far_rate: coders named for their rate.
        copies: pairs named because they agree too well.
        exactness: how exact the boundaries are that pairs share.
        copied: those of ``copies`` of whom one may have copied from the other.
    """

    standard: Flags
    agreement: CoderEffect
    agreement_p: Floats
    aligned: Floats
    offset: CoderEffect
    rate: CoderEffect
    rate_deviation: Floats
    residual: Floats
    residual_deviation: Floats
    less: Flags
    shifted: Flags
    far_rate: Flags
    copies: Flags
    exactness: Exactness
    copied: Flags

    @property
    def found(self) -> Flags:
        """Coders named for anything."""
        return np.asarray(self.less | self.shifted | self.far_rate)


def judge_coders(pairs: CoderPairCounts, judging: Judging) -> Judgement | None:
    """Judge coders; None if fewer than four share ten documents each with others."""
    judged = enough(pairs, FEWEST_DOCUMENTS)
    if np.count_nonzero(judged) < FEWEST_JUDGED:
        return None
    similar = pairs.similarities(judging.similarity, judging.n_t)
    standard, copies = judged, np.zeros(len(pairs.first), bool)
    while True:
        view = _View(pairs, judged, standard, ~copies)
        judgement = _judge(view, similar, judging)
        left = standard & ~judgement.found
        if np.count_nonzero(left) < _FEWEST_STANDARD:
            return judgement
        if np.array_equal(left, standard) and not np.any(judgement.copies & ~copies):
            return judgement
        standard, copies = left, copies | judgement.copies


@dataclass(frozen=True)
class _View:
    """The counts, the coders to judge, those to judge by, and the pairs to judge by."""

    pairs: CoderPairCounts
    judged: Flags
    standard: Flags
    used: Flags

    def similar(self, values: Floats) -> Fit:
        fit = fit_similarities(values, self.pairs.neighbours, self.standard, self.used)
        return Fit(fit.base, np.where(self.judged, fit.effects, np.nan))

    def different(self, values: Floats) -> CoderEffect:
        fit = fit_differences(values, self.pairs.neighbours, self.standard, self.used)
        return CoderEffect.of(Fit(fit.base, np.where(self.judged, fit.effects, np.nan)))


def _judge(view: _View, similar: Floats, judging: Judging) -> Judgement:
    limits = judging.limits
    fit = view.similar(similar)
    agreement = CoderEffect.of(fit)
    offset, rate = view.different(view.pairs.offsets()), view.different(view.pairs.log_ratios())
    shifted = (np.abs(offset.value) >= limits.offset) & offset.beyond(limits.offset_errors)
    aligned_values = view.pairs.aligned(np.where(shifted, offset.value, 0.0), judging.n_t)[None]
    aligned = view.similar(aligned_values)
    less = (agreement.value <= -limits.effect) & agreement.beyond(limits.effect_errors)
    less &= ~shifted | (aligned.effects[0] <= -limits.effect)
    deviation = _deviation(rate, view.standard)
    far = (np.abs(rate.value) >= np.log(limits.rate)) & (np.abs(deviation) >= limits.rate_deviation)
    residual = _residual(view.pairs, similar, fit)
    # Two coders with the same offset agree well: once it is taken away, no better than others.
    of_shifted = shifted[view.pairs.first] | shifted[view.pairs.second]
    residual = np.where(of_shifted, _residual(view.pairs, aligned_values, aligned), residual)
    known = (view.pairs.counts["documents"][0] >= FEWEST_DOCUMENTS) & ~np.isnan(residual)
    spread = _SD_PER_MAD * median(np.abs(residual[known])) if known.any() else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        residual_deviation = np.where(known & (spread > 0), residual / spread, np.nan)
    # Bad coders agree with each other better than the effects of both say, but never well.
    well = np.where(of_shifted, aligned_values[0] >= aligned.base[0], similar[0] >= fit.base[0])
    copies = well & (residual_deviation >= limits.copies) & (residual >= limits.copies_residual)
    exact = exactness(view.pairs, view.standard)
    enough_coders = np.count_nonzero(view.judged) >= FEWEST_COPYING
    copied = copies & (exact.deviation > limits.exact_errors) & enough_coders
    p = jackknife_p(agreement.value, agreement.error, view.pairs.groups)
    return Judgement(
        view.standard,
        agreement,
        holm(p),
        aligned.effects[0],
        offset,
        rate,
        deviation,
        residual,
        residual_deviation,
        less,
        shifted,
        far,
        copies,
        exact,
        copied,
    )


def _deviation(rate: CoderEffect, standard: Flags) -> Floats:
    """Return log rates in units of the spread: that of the standard coders, and sampling error."""
    middle = median(rate.value[standard])
    mad = median(np.abs(rate.value[standard] - middle))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((_SD_PER_MAD * mad) ** 2 + rate.error**2)
        return np.asarray(np.where(spread > 0, (rate.value - middle) / spread, np.nan))


def _residual(pairs: CoderPairCounts, values: Floats, fit: Fit) -> Floats:
    """Return similarities of pairs beyond what the effects explain, shape (pairs,)."""
    effects = fit.effects[0]
    return np.asarray(values[0] - fit.base[0] - effects[pairs.first] - effects[pairs.second])
