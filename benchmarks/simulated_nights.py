"""Years of nights of several systems: independent ones, and ones that share a difficulty.

A night draws its documents from those of tests/data/nights, so that their spread, and how far
systems err on the same documents, are those of an archive. Averages and standard errors are those
of means of documents.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import segscore
from segscore.pipeline.arrays.ragged import Floats, Ints

ROOT = Path(__file__).parents[1]

NIGHTS = 365
FIRST_CHANGE = 100
"""The night from which on something is different, in years in which something changes."""

_TOGETHER = 73
"""Nights that are drawn at once."""

_EPISODE = 10
"""Documents of an episode."""

_REGIME = 60
"""Nights of a regime."""


@dataclass(frozen=True)
class Nights:
    """Averages of all systems on the nights of some years.

    Attributes:
        values: the averages, shape (years, nights, systems).
        errors: their standard errors, of the same shape.
        own_errors: those of each average less the mean of the others', of the same shape.
        mean_errors: those of the mean of all systems, shape (years, nights).
        documents: number of documents of a night.
    """

    values: Floats
    errors: Floats
    own_errors: Floats
    mean_errors: Floats
    documents: int

    def with_fall(self, fall: Floats, system: int = 0) -> "Nights":
        """Let a system fall by so much on each night, shape (nights,)."""
        values = self.values.copy()
        values[:, :, system] -= fall
        return replace(self, values=values)

    def improved(self, gains: Sequence[float]) -> "Nights":
        """Let the first systems be better by so much from a night on."""
        values = self.values.copy()
        for system, gain in enumerate(gains):
            values[:, FIRST_CHANGE:, system] += gain
        return replace(self, values=values)

    def with_fewer_references(self, share: float = 0.22) -> "Nights":
        """Let the desk mark fewer boundaries from a night on: of those that match, as many fewer.

        Boundary similarity of as many boundaries as references, of which a share m matches, is
        m / (2 - m).
        """
        values, left = self.values.copy(), 1 - share
        match = left * 2 * values[:, FIRST_CHANGE:] / (1 + values[:, FIRST_CHANGE:])
        values[:, FIRST_CHANGE:] = match / (1 + left - match)
        return replace(self, values=values)

    def first(self, years: int) -> "Nights":
        """Return the first of the years."""
        return Nights(
            self.values[:years],
            self.errors[:years],
            self.own_errors[:years],
            self.mean_errors[:years],
            self.documents,
        )


@cache
def pool() -> Floats:
    """Return the values of the documents of the first nights, shape (documents, systems)."""
    segmentation = segscore.Segmentation
    references, systems = {}, dict[str, dict[str, segscore.Segmentation]]()
    for path in sorted((ROOT / "tests" / "data" / "nights").glob("*.jsonl"))[:10]:
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            one = segmentation(row["boundaries"], row["n_units"])
            if row["role"] == "reference":
                references[row["document_id"]] = one
            else:
                systems.setdefault(row["coder"], {})[row["document_id"]] = one
    scores = segscore.evaluate(references, systems, measures=["boundary_similarity"])
    by_document: dict[str, dict[str, float]] = {}
    for row in scores.table("scores").to_pylist():
        by_document.setdefault(row["document_id"], {})[row["hypothesis"]] = row[
            "boundary_similarity"
        ]
    return np.array([[by_document[d][s] for s in sorted(systems)] for d in sorted(by_document)])


def _none(_draw: np.random.Generator, years: int) -> Floats:
    return np.zeros((years, NIGHTS))


def alike(spread: float, correlation: float = 0.0) -> Callable[[np.random.Generator, int], Floats]:
    """Let nights differ, each like the night before by a correlation."""

    def effects(draw: np.random.Generator, years: int) -> Floats:
        drawn = draw.normal(0, spread, (years, NIGHTS))
        for night in range(1, NIGHTS):
            fresh = np.sqrt(1 - correlation**2) * drawn[:, night]
            drawn[:, night] = correlation * drawn[:, night - 1] + fresh
        return drawn

    return effects


def _weekends(_draw: np.random.Generator, years: int) -> Floats:
    return np.tile(np.where(np.arange(NIGHTS) % 7 >= 5, -0.05, 0.0), (years, 1))


KINDS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "independent documents": _none,
    "night sd .01": alike(0.01),
    "night sd .02": alike(0.02),
    "night sd .02, AR .5": alike(0.02, 0.5),
    "night sd .02, AR .8": alike(0.02, 0.8),
    "weekends .05 lower": _weekends,
    "episodes of 10 documents": _none,
}
"""Kind of nights -> what a night adds to all systems, shape (years, nights)."""


def regimes(draw: np.random.Generator, years: int) -> Floats:
    """Let a system be better or worse for 60 nights, by a standard deviation of .015."""
    found = draw.normal(0, 0.015, (years, -(-NIGHTS // _REGIME)))
    return np.asarray(np.repeat(found, _REGIME, axis=1)[:, :NIGHTS])


OWN_KINDS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "own sd .01, AR .3": alike(0.01, 0.3),
    "own sd .01, AR .6": alike(0.01, 0.6),
    "own sd .01, AR .9": alike(0.01, 0.9),
    "own regimes of 60 nights": regimes,
}
"""Kind of nights -> what a night adds to each system for itself, shape (years, nights)."""


def simulate(kind: str, documents: int, years: int, seed: int = 0) -> Nights:
    """Simulate years of stationary nights; the first night is a Monday."""
    draw = np.random.default_rng([seed, documents, [*KINDS, *OWN_KINDS].index(kind)])
    values = pool()
    effects = KINDS.get(kind, _none)(draw, years)[:, :, None]
    if kind in OWN_KINDS:
        own = [OWN_KINDS[kind](draw, years) for _ in range(values.shape[1])]
        effects = np.stack(own, axis=2)
    shape = years * NIGHTS, values.shape[1]
    found = [np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape[0])]
    for start in range(0, shape[0], _TOGETHER):
        part = slice(start, start + _TOGETHER)
        of_part = values[draw.integers(0, len(values), (_TOGETHER, documents))]
        if kind.startswith("episodes"):
            of_part += _episodes(draw, documents, values.shape[1])
        for whole, each in zip(found, _statistics(of_part), strict=True):
            whole[part] = each
    by_year = [each.reshape(years, NIGHTS, *each.shape[1:]) for each in found]
    by_year[0] += effects
    return Nights(by_year[0], by_year[1], by_year[2], by_year[3], documents)


def _episodes(draw: np.random.Generator, documents: int, systems: int) -> Floats:
    """Return what the documents of an episode share: for all systems, and for each of them."""
    episode: Ints = np.arange(documents) // _EPISODE
    shape = _TOGETHER, documents // _EPISODE
    shared, own = draw.normal(0, 0.08, (*shape, 1)), draw.normal(0, 0.04, (*shape, systems))
    return np.asarray((shared + own)[:, episode])


def _statistics(documents: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return averages and standard errors of nights, from (nights, documents, systems)."""
    number, systems = documents.shape[1:]
    others = (documents.sum(axis=2, keepdims=True) - documents) / (systems - 1)
    root = np.sqrt(number)
    spreads = (
        each.std(axis=1, ddof=1) / root
        for each in (documents, documents - others, documents.mean(2))
    )
    return (documents.mean(axis=1), *spreads)
