"""Documents of many kinds, scored once, and corpora drawn from them.

A pool has thousands of documents of one kind, and the average over all of them is the truth that
the intervals of a corpus should contain.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import segscore
from segscore.api.typed import MeasureName
from segscore.pipeline.arrays.ragged import Floats, Ints, add_up
from segscore.pipeline.measures import PAIRS, Table
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    UnitSums,
    macro_estimates,
    micro_estimates,
)

MEASURES: tuple[MeasureName, ...] = ("boundary_similarity", "pk", "f1")
DOCUMENTS = 4000
"""Documents in a pool."""

SHOWS = 400
"""Shows in a pool."""

DRAWS = 64
"""Draws of a random reference point."""

Key = tuple[str, str]
"""A measure and an average."""


@dataclass(frozen=True)
class Errors:
    """What a simulated system does to the boundaries of a document.

    Attributes:
        missed: share of the boundaries that it misses.
        moved: share of the others that it puts 1 to 3 units away.
        added: false alarms for each boundary of the reference.
        brilliant: share of the documents on which it makes none of these errors; on as many others
            it finds nothing.
    """

    missed: float = 0.3
    moved: float = 0.3
    added: float = 0.3
    brilliant: float = 0.0


SAME, DENSE, SPARSE = Errors(), Errors(0.15, 0.35, 0.79), Errors(0.55, 0.2, 0.11)
GOOD, SKEWED = Errors(0.03, 0.02, 0.02), Errors(0.3, 0.3, 0.3, 0.25)
BETTER = Errors(0.26, 0.27, 0.26)


@dataclass(frozen=True)
class Kind:
    """How the documents of a pool are made.

    Attributes:
        unequal: standard deviation of the logarithm of a document's length.
        harder: by how much the errors of a document rise with its length.
        by_show: standard deviation of the logarithm of the errors of a show.
        difficulty: the same of a document within a show.
        systems: what each system does.
        point: random reference point of each system, empty for none.
    """

    unequal: float = 0.4
    harder: float = 0.0
    by_show: float = 0.0
    difficulty: float = 0.4
    systems: tuple[Errors, ...] = (SAME, SAME)
    point: str = ""


@dataclass(frozen=True)
class Pool:
    """Scored documents.

    Attributes:
        kind: the counts and measures.
        counts: count -> its value, shape (systems, documents); then those of reference points.
        values: measure -> its value, NaN where undefined, of the same shape.
        show: show of each document, shape (documents,).
        truth: (measure, average) -> the averages over the pool, shape (systems,).
    """

    kind: Table
    counts: Mapping[str, Ints]
    values: Mapping[str, Floats]
    show: Ints
    truth: Mapping[Key, Floats]


@cache
def pool(kind: Kind) -> Pool:
    """Make and score the documents of a kind."""
    draw = np.random.default_rng(7)
    shows = draw.integers(0, SHOWS, DOCUMENTS)
    of_show = draw.normal(0, kind.by_show, (SHOWS, len(kind.systems)))
    references: dict[str, segscore.Segmentation] = {}
    hypotheses: dict[str, dict[str, segscore.Segmentation]] = {}
    for d in range(DOCUMENTS):
        longer = draw.normal()
        n = int(np.clip(60 * np.exp(kind.unequal * longer), 8, 5000))
        truth = np.flatnonzero(draw.random(n - 1) < 0.1) + 1
        references[f"d{d:05d}"] = segscore.Segmentation(truth.tolist(), n)
        shared = draw.normal(0, kind.difficulty) + kind.harder * longer
        for s, errors in enumerate(kind.systems):
            level = np.exp(shared + of_show[shows[d], s] + draw.normal(0, kind.difficulty / 2))
            found = _erring(draw, truth, n, errors, level)
            hypotheses.setdefault(f"s{s}", {})[f"d{d:05d}"] = segscore.Segmentation(found, n)
    made = _scored(kind, references, hypotheses, shows)
    everything = [
        estimates(made, s, np.arange(DOCUMENTS), by_show=False) for s in range(len(kind.systems))
    ]
    truth_of = {key: np.array([each[key].value for each in everything]) for key in everything[0]}
    return replace(made, truth=truth_of)


def _scored(
    kind: Kind,
    references: Mapping[str, segscore.Segmentation],
    hypotheses: Mapping[str, Mapping[str, segscore.Segmentation]],
    shows: Ints,
) -> Pool:
    """Score the documents; the rows of reference points follow those of the systems."""
    evaluation = segscore.evaluate(
        references, hypotheses, measures=MEASURES, reference_points=kind.point or None, draws=DRAWS
    )
    rows = evaluation.table("scores").to_pylist()
    names = sorted({row["hypothesis"] for row in rows}, key=lambda name: (":" in name, name))
    rows.sort(key=lambda row: (names.index(row["hypothesis"]), row["document_id"]))
    table = PAIRS.only(MEASURES)

    def column(name: str, kind_of: type) -> Any:
        values = [np.nan if row[name] is None else row[name] for row in rows]
        return np.array(values, kind_of).reshape(len(names), DOCUMENTS)

    counts = {name: column(name, np.int64) for name in table.counts}
    return Pool(table, counts, {name: column(name, np.float64) for name in MEASURES}, shows, {})


def _erring(
    draw: np.random.Generator, truth: Ints, n: int, errors: Errors, level: float
) -> list[int]:
    """Return the boundaries that a system finds in a document."""
    if (fate := draw.random()) < 2 * errors.brilliant:
        return truth.tolist() if fate < errors.brilliant else []
    kept = truth[draw.random(len(truth)) >= min(errors.missed * level, 0.98)]
    moved = draw.random(len(kept)) < errors.moved
    shifts = draw.integers(1, 4, len(kept)) * draw.choice([-1, 1], len(kept))
    kept = np.where(moved, kept + shifts, kept)
    added = draw.integers(1, n, draw.poisson(errors.added * level * len(truth)))
    both = np.unique(np.concatenate([kept, added]))
    return both[(both >= 1) & (both < n)].tolist()


def estimates(
    made: Pool, system: int, chosen: Ints, *, by_show: bool, draws: int = 1
) -> dict[Key, Estimate]:
    """Average some documents of a pool, as a run does."""
    unit = np.arange(len(chosen))
    if by_show:  # documents are listed show by show
        unit = np.cumsum(np.diff(made.show[chosen], prepend=-1) != 0) - 1
    n = int(unit.max()) + 1
    sums = UnitSums(
        np.arange(n, dtype=np.uint64),
        {name: add_up(counts[system, chosen], unit, n) for name, counts in made.counts.items()},
        {
            name: add_up(np.nan_to_num(values[system, chosen]), unit, n)
            for name, values in made.values.items()
        },
        {
            name: add_up((~np.isnan(values[system, chosen])).astype(np.int64), unit, n)
            for name, values in made.values.items()
        },
    )
    micro = micro_estimates(made.kind, sums, _parameters(), None, draws)
    macro = macro_estimates(made.kind, sums)
    return {(name, "micro"): each for name, each in micro.items()} | {
        (name, "macro"): each for name, each in macro.items()
    }


@cache
def _parameters() -> dict[str, float]:
    """Return the parameters of formulas with the default settings."""
    return MeasuringSettings().parameters(float("nan"))


def corpora(made: Pool, documents: int, number: int, seed: int, of_show: int = 0) -> Iterator[Ints]:
    """Draw corpora from a pool: documents, or shows of some documents each."""
    draw = np.random.default_rng([seed, documents, of_show])
    if not of_show:
        for _ in range(number):
            yield draw.integers(0, DOCUMENTS, documents)
        return
    members = [np.flatnonzero(made.show == show) for show in range(SHOWS)]
    for _ in range(number):
        drawn = draw.integers(0, SHOWS, documents // of_show)
        yield np.concatenate([draw.choice(members[show], of_show) for show in drawn])
