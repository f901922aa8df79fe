"""Documents of many kinds, scored once, and corpora drawn from them.

A pool has thousands of documents of one kind, and the average over all of them is the truth that
the intervals of a corpus should contain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import segscore
from segscore.api.typed import MeasureName
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures import PAIRS, Table
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.jackknife import Estimate, effective_number

MEASURES: tuple[MeasureName, ...] = ("boundary_similarity", "pk", "f1", "covering")
DOCUMENTS = 4000
"""Documents in a pool."""

SHOWS = 400
"""Shows in a pool."""

_AT_ONCE = 250
"""Corpora that are averaged at once."""

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
        fails: share of the other documents on which it finds nothing.
    """

    missed: float = 0.3
    moved: float = 0.3
    added: float = 0.3
    brilliant: float = 0.0
    fails: float = 0.0


SAME, DENSE, SPARSE = Errors(), Errors(0.15, 0.35, 0.79), Errors(0.55, 0.2, 0.11)
GOOD, SKEWED = Errors(0.03, 0.02, 0.02), Errors(0.3, 0.3, 0.3, 0.25)
BETTER = Errors(0.26, 0.27, 0.26)
NEAR_PERFECT = Errors(0.004, 0.003, 0.004)
FAILS = Errors(0.2, 0.3, 0.2, fails=0.06)
RARELY_FAILS = Errors(0.03, 0.02, 0.02, fails=0.05)


@dataclass(frozen=True)
class Genre:
    """A kind of document within a pool.

    Attributes:
        share: share of the documents.
        units: usual number of units.
        density: boundaries per unit.
        harder: by which factor its errors exceed those of other genres.
    """

    share: float
    units: int = 60
    density: float = 0.1
    harder: float = 1.0


GENRES = (
    Genre(0.6, 16, 0.25, 1.2),
    Genre(0.25, 30, 0.12, 0.7),
    Genre(0.08, 200, 0.05, 1.0),
    Genre(0.05, 600, 0.02, 1.4),
    Genre(0.02, 1500, 0.04, 1.8),
)
"""Chats, dialogues, lectures, meetings and films: few are long."""


@dataclass(frozen=True)
class Kind:
    """How the documents of a pool are made.

    Attributes:
        genres: the genres of the documents.
        pareto: exponent of the lengths, which have a Pareto distribution; 0 for a lognormal one.
        unequal: standard deviation of the logarithm of a document's length.
        harder: by how much the errors of a document rise with its length.
        by_show: standard deviation of the logarithm of the errors of a show.
        difficulty: the same of a document within a show.
        systems: what each system does.
        point: random reference point of each system, empty for none.
    """

    genres: tuple[Genre, ...] = (Genre(1.0),)
    pareto: float = 0.0
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
        counts: count -> its value, shape (systems, documents); then those of reference points.
        values: measure -> its value, NaN where undefined, of the same shape.
        show: show of each document, shape (documents,).
        truth: (measure, average) -> the averages over the pool, shape (systems,).
    """

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
    genres = [genre for genre in kind.genres for _ in range(round(genre.share * DOCUMENTS))]
    for d, genre in enumerate(genres):
        longer = draw.normal()
        n = _length(draw, kind, genre, longer)
        truth = np.flatnonzero(draw.random(n - 1) < genre.density) + 1
        references[f"d{d:05d}"] = segscore.Segmentation(truth.tolist(), n)
        shared = draw.normal(0, kind.difficulty) + kind.harder * longer + np.log(genre.harder)
        for s, errors in enumerate(kind.systems):
            level = np.exp(shared + of_show[shows[d], s] + draw.normal(0, kind.difficulty / 2))
            found = _erring(draw, truth, n, errors, level)
            hypotheses.setdefault(f"s{s}", {})[f"d{d:05d}"] = segscore.Segmentation(found, n)
    made = _scored(kind, references, hypotheses, shows)
    everything = [average(made, s, np.arange(DOCUMENTS)) for s in range(len(kind.systems))]
    truth_of = {key: np.array([each[key].value for each in everything]) for key in everything[0]}
    return replace(made, truth=truth_of)


def _length(draw: np.random.Generator, kind: Kind, genre: Genre, longer: float) -> int:
    """Return the number of units of a document, which is longer than usual by some deviations."""
    factor = np.exp(kind.unequal * longer)
    if kind.pareto:
        factor = (1 + draw.pareto(kind.pareto)) / 3
    return int(np.clip(genre.units * factor, 8, 5000))


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
    table = _only(MEASURES)

    def column(name: str, kind_of: type) -> Any:
        values = [np.nan if row[name] is None else row[name] for row in rows]
        return np.array(values, kind_of).reshape(len(names), DOCUMENTS)

    counts = {name: column(name, np.int64) for name in table.counts}
    return Pool(counts, {name: column(name, np.float64) for name in MEASURES}, shows, {})


def _erring(
    draw: np.random.Generator, truth: Ints, n: int, errors: Errors, level: float
) -> list[int]:
    """Return the boundaries that a system finds in a document."""
    if (fate := draw.random()) < 2 * errors.brilliant:
        return truth.tolist() if fate < errors.brilliant else []
    if fate - 2 * errors.brilliant < errors.fails:
        return []
    kept = truth[draw.random(len(truth)) >= min(errors.missed * level, 0.98)]
    moved = draw.random(len(kept)) < errors.moved
    shifts = draw.integers(1, 4, len(kept)) * draw.choice([-1, 1], len(kept))
    kept = np.where(moved, kept + shifts, kept)
    added = draw.integers(1, n, draw.poisson(errors.added * level * len(truth)))
    both = np.unique(np.concatenate([kept, added]))
    return both[(both >= 1) & (both < n)].tolist()


def averages(
    made: Pool,
    system: int,
    chosen: Ints,
    shows: Sequence[int] = (),
    *,
    draws: int = 1,
    measures: Sequence[str] = MEASURES,
) -> Iterator[dict[Key, Estimate]]:
    """Average corpora of documents of a pool, all of one size, as a run does each of them.

    The formulas are computed for all corpora at once, which is several times faster.

    Args:
        made: the pool.
        system: the row of the pool.
        chosen: the documents, shape (corpora, documents).
        shows: documents of each resampling unit, in this order; none for single documents.
        draws: draws of a random reference point that the counts are sums of.
        measures: the measures to average.
    """
    table, sizes = _only(tuple(measures)), np.array(shows or [1] * chosen.shape[1])
    starts = np.cumsum(sizes) - sizes
    units, grouped = np.arange(len(sizes), dtype=np.uint64), bool((sizes > 1).any())

    def by_unit(values: Any) -> Any:
        return np.add.reduceat(values[system][chosen], starts, axis=1)

    counts = {name: by_unit(made.counts[name]) for name in table.counts}
    pooled = {name: _without_each(each).ravel() / draws for name, each in counts.items()}
    shape = len(chosen), len(sizes) + 1
    micro = {
        name: np.broadcast_to(values, pooled[next(iter(pooled))].shape).reshape(shape)
        for name, values in table.values(pooled, _parameters(), rows=False).items()
    }
    weights = {
        name: [each.reshape(shape) for each in table.denominators(name, pooled, _parameters())]
        for name in table.measures
    }
    sums = {name: by_unit(np.nan_to_num(made.values[name])) for name in table.measures}
    defined = {name: by_unit(~np.isnan(made.values[name])).astype(int) for name in table.measures}
    for row in range(len(chosen)):
        found = dict[Key, Estimate]()
        for name, measure in table.measures.items():
            bounds = measure.lower, measure.upper
            weight = min(
                (each[row, -1] - each[row, :-1] for each in weights[name]), key=effective_number
            )
            whole = micro[name][row]
            found[name, "micro"] = Estimate(
                float(whole[-1]), units, whole[:-1], weight, bounds, grouped
            )
            has = defined[name][row] > 0
            values, number = sums[name][row, has], defined[name][row, has]
            means = _without_each(values[None])[0] / _without_each(number[None])[0]
            found[name, "macro"] = Estimate(
                float(means[-1]), units[has], means[:-1], number.astype(float), bounds, grouped
            )
        yield found


def _without_each(sums: Any) -> Any:
    """Return the total of each row without each of its numbers, and then the total."""
    total = sums.sum(axis=1, keepdims=True)
    return np.concatenate([total - sums, total], axis=1)


def average(
    made: Pool,
    system: int,
    chosen: Ints,
    *,
    draws: int = 1,
    measures: Sequence[str] = MEASURES,
) -> dict[Key, Estimate]:
    """Average some documents of a pool."""
    (found,) = averages(made, system, chosen[None], draws=draws, measures=measures)
    return found


@cache
def _only(measures: tuple[str, ...]) -> Table:
    return PAIRS.only([*measures])


@cache
def _parameters() -> dict[str, float]:
    """Return the parameters of formulas with the default settings."""
    return MeasuringSettings().parameters(float("nan"))


def corpora(
    made: Pool, documents: int, number: int, seed: int, shows: Sequence[int] = ()
) -> Iterator[Ints]:
    """Draw corpora from a pool: documents, or shows of as many documents as are listed.

    They are drawn many at a time, shape (corpora, documents).
    """
    draw = np.random.default_rng([seed, documents, *(shows or (0,))])
    members = [np.flatnonzero(made.show == show) for show in range(SHOWS)]

    def corpus() -> Ints:
        if not shows:
            return draw.integers(0, DOCUMENTS, documents)
        drawn = draw.choice(SHOWS, len(shows), replace=False)
        return np.concatenate(
            [draw.choice(members[show], size) for show, size in zip(drawn, shows, strict=True)]
        )

    for start in range(0, number, _AT_ONCE):
        yield np.array([corpus() for _ in range(min(_AT_ONCE, number - start))])
