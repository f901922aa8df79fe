"""Estimate from several systems how likely a boundary of a reference is wrong.

A place is a true boundary or not. Each system marks true boundaries with one rate and other places
with another, estimated by expectation and maximisation (Dawid & Skene 1979, Applied Statistics 28).
The reference is one more voter, with a given accuracy. Systems that miss the same boundaries, or
mark the same other places, more often than these rates explain count as fewer systems: their joint
evidence is multiplied by S_eff / S, S_eff = S^2 / sum |correlation|, whichever of the two is less.
"""

from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Flags, Floats

_ROUNDS = 200
_SETTLED = 1e-9
_FIRST_SHARE = 0.01
"""Share of attractive places before the first round."""

_OWN_ERRORS = 5.0
"""Errors of its own that each system is assumed to make besides, so that few prove little."""

_LEAST = 1e-6
"""Rates are at least this far from 0 and 1."""


@dataclass(frozen=True)
class Votes:
    """Which systems marked each place that the reference or any system marked.

    Attributes:
        systems: whether each system marked it, shape (places, systems).
        reference: whether the reference did, shape (places,).
        others: number of further places, which nobody marked.
    """

    systems: Flags
    reference: Flags
    others: float


@dataclass(frozen=True)
class Suspicion:
    """What was found of some votes.

    Attributes:
        wrong: probability that the reference is wrong, shape (places,).
        hits: rate of each system on true boundaries, shape (systems,).
        alarms: rate of each system on other places, shape (systems,).
        effective: effective number of systems.
    """

    wrong: Floats
    hits: Floats
    alarms: Floats
    effective: float


def suspect(votes: Votes, accuracy: float) -> Suspicion:
    """Estimate how likely the reference is wrong at each place.

    Args:
        votes: at least one place that the reference marked, and two systems.
        accuracy: share of true boundaries that the reference marks, and of its boundaries that are
            true.
    """
    marked = votes.systems.astype(np.float64)
    true = (marked.sum(axis=1) + votes.reference) / (marked.shape[1] + 1)
    weight, attractive = 1.0, _FIRST_SHARE
    hits = alarms = np.zeros(marked.shape[1])
    for _ in range(_ROUNDS):
        hits, alarms, share = _rates(marked, true, votes.others)
        weight = _weight(marked, true, votes, (hits, alarms))
        rates = _Rates(hits, alarms, share, attractive)
        before = true
        true, attractive = _posterior(marked, votes, accuracy, rates, weight)
        if float(np.abs(true - before).max()) < _SETTLED:
            break
    wrong = np.where(votes.reference, 1 - true, true)
    return Suspicion(wrong, hits, alarms, weight * marked.shape[1])


def _rates(marked: Floats, true: Floats, others: float) -> tuple[Floats, Floats, float]:
    """Return the rates of each system, and the share of places that are true boundaries."""
    number, false = float(true.sum()), float((1 - true).sum()) + others
    hits = (true @ marked + 1) / (number + 2)
    alarms = ((1 - true) @ marked + 1) / (false + 2)
    share = number / (number + false)
    return (
        np.clip(hits, _LEAST, 1 - _LEAST),
        np.clip(alarms, _LEAST, 1 - _LEAST),
        min(max(share, _LEAST), 1 - _LEAST),
    )


@dataclass(frozen=True)
class _Rates:
    """Rates of each system on true boundaries and elsewhere, and the shares of kinds of places.

    Attributes:
        hits: on true boundaries, shape (systems,).
        alarms: on other places, shape (systems,).
        share: share of places that are true boundaries.
        attractive: share of the other places that attract several systems.
    """

    hits: Floats
    alarms: Floats
    share: float
    attractive: float

    def evidence(self, marked: Floats, weight: float) -> tuple[Floats, Floats, Floats]:
        """Return the log likelihood of the votes at each place, were it of each kind.

        The kinds are true boundary, ordinary place and attractive place; the rate on the last is
        half way between the other two, on the scale of log odds.
        """
        odds = [np.log(rate / (1 - rate)) for rate in (self.hits, self.alarms)]
        between = 1 / (1 + np.exp(-(odds[0] + odds[1]) / 2))
        return tuple(  # type: ignore[return-value]
            weight * (marked @ np.log(rate) + (1 - marked) @ np.log(1 - rate))
            for rate in (self.hits, self.alarms, between)
        )


def _posterior(
    marked: Floats, votes: Votes, accuracy: float, rates: _Rates, weight: float
) -> tuple[Floats, float]:
    """Return the probability that each place is a true boundary, and the attractive share."""
    at = votes.reference
    share = rates.share
    # As many boundaries of the reference are wrong as true ones are missing.
    wrong = min((1 - accuracy) * share / (1 - share), 1 - _LEAST)
    true, plain, tempting = rates.evidence(marked, weight)
    true = true + np.log(share * np.where(at, accuracy, 1 - accuracy))
    false = np.log((1 - share) * np.where(at, wrong, 1 - wrong))
    plain = plain + false + np.log(1 - rates.attractive)
    tempting = tempting + false + np.log(rates.attractive)
    whole = np.logaddexp(true, np.logaddexp(plain, tempting))
    posterior, tempted = np.exp(true - whole), np.exp(tempting - whole)
    nobody = np.zeros((1, marked.shape[1]))
    _, no_plain, no_tempting = rates.evidence(nobody, weight)
    empty = rates.attractive * np.exp(no_tempting - no_plain)[0]
    empty /= empty + 1 - rates.attractive
    false_places = float((1 - posterior).sum()) + votes.others
    attractive = (float(tempted.sum()) + empty * votes.others) / false_places
    return posterior, min(max(attractive, _LEAST), 0.5)


def _weight(marked: Floats, true: Floats, votes: Votes, rates: tuple[Floats, Floats]) -> float:
    """Return S_eff / S on boundaries of the reference or elsewhere, whichever is less."""
    hits, alarms = rates
    expected = true[:, None] * hits + (1 - true[:, None]) * alarms
    residuals = marked - expected
    at = votes.reference
    nobody = votes.others * np.outer(alarms, alarms)
    within = _products(residuals[at])
    elsewhere = _products(residuals[~at]) + nobody
    return min(_share(within), _share(elsewhere))


def _products(residuals: Floats) -> Floats:
    return np.asarray(residuals.T @ residuals)


def _share(products: Floats) -> float:
    """Return S_eff / S from sums of products of residuals."""
    spread = np.sqrt(np.diag(products) + _OWN_ERRORS)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.abs(products / np.outer(spread, spread))
    correlation = np.where(np.isfinite(correlation), correlation, 0.0)
    np.fill_diagonal(correlation, 1.0)
    return len(spread) / float(correlation.sum())
