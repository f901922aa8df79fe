"""The statements that segscore prints, measured: write docs/claims.md.

    python -m benchmarks.claims

Each row simulates corpora of a kind, and counts how often a statement of a stated level is true.
Corpora are drawn from a large pool of documents, whose average is the truth; the documents are
scored once.  The same command writes the same page.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

import segscore
from benchmarks.timing import ROOT
from segscore.api.typed import MeasureName
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures import PAIRS, Table
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    UnitSums,
    difference,
    macro_estimates,
    micro_estimates,
)

PAGE = ROOT / "docs" / "claims.md"
MEASURES: tuple[MeasureName, ...] = ("boundary_similarity", "pk", "f1")
POOL = 4000
"""Documents in a pool; the average over all of them is the truth."""

SHOWS = 400
"""Shows in a pool of shows."""

LEVEL = 0.05


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


@dataclass(frozen=True)
class Kind:
    """How the documents of a pool are made.

    Attributes:
        unequal: standard deviation of the logarithm of a document's length.
        harder: by how much the errors of a document rise with its length.
        by_show: standard deviation of the logarithm of the errors of a show.
        difficulty: the same of a document within a show.
        systems: what each system does.
    """

    unequal: float = 0.4
    harder: float = 0.0
    by_show: float = 0.0
    difficulty: float = 0.4
    systems: tuple[Errors, ...] = (SAME, SAME)


@dataclass(frozen=True)
class Pool:
    """Scored documents.

    Attributes:
        kind: the counts and measures.
        counts: count -> its value, shape (systems, documents).
        values: measure -> its value, NaN where undefined, shape (systems, documents).
        show: show of each document, shape (documents,).
        truth: (measure, average) -> the average over the pool, shape (systems,).
    """

    kind: Table
    counts: Mapping[str, Ints]
    values: Mapping[str, Floats]
    show: Ints
    truth: Mapping[tuple[str, str], Floats]


@cache
def pool(kind: Kind) -> Pool:
    """Make and score the documents of a kind."""
    draw = np.random.default_rng(7)
    shows = draw.integers(0, SHOWS, POOL)
    of_show = draw.normal(0, kind.by_show, (SHOWS, len(kind.systems)))
    references: dict[str, segscore.Segmentation] = {}
    hypotheses: dict[str, dict[str, segscore.Segmentation]] = {}
    for d in range(POOL):
        longer = draw.normal()
        n = int(np.clip(60 * np.exp(kind.unequal * longer), 8, 5000))
        truth = np.flatnonzero(draw.random(n - 1) < 0.1) + 1
        references[f"d{d:05d}"] = segscore.Segmentation(truth.tolist(), n)
        shared = draw.normal(0, kind.difficulty) + kind.harder * longer
        for s, errors in enumerate(kind.systems):
            level = np.exp(shared + of_show[shows[d], s] + draw.normal(0, kind.difficulty / 2))
            found = _erring(draw, truth, n, errors, level)
            hypotheses.setdefault(f"s{s}", {})[f"d{d:05d}"] = segscore.Segmentation(found, n)
    evaluation = segscore.evaluate(
        references,
        hypotheses,
        measures=MEASURES,
    )
    rows = evaluation.table("scores").sort_by(
        [("hypothesis", "ascending"), ("document_id", "ascending")]
    )
    table = PAIRS.only(MEASURES)
    systems = rows.num_rows // POOL
    counts = {name: rows.column(name).to_numpy().reshape(systems, POOL) for name in table.counts}
    values: dict[str, Floats] = {
        name: rows.column(name).to_numpy(zero_copy_only=False).astype(float).reshape(systems, POOL)
        for name in MEASURES
    }
    made = Pool(table, counts, values, shows, {})
    everything = [estimates(made, s, np.arange(POOL), by_show=False) for s in range(systems)]
    truth_of = {key: np.array([each[key].value for each in everything]) for key in everything[0]}
    return replace(made, truth=truth_of)


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
    made: Pool, system: int, chosen: Ints, *, by_show: bool
) -> dict[tuple[str, str], Estimate]:
    """Average some documents of a pool, as a run does."""
    unit = made.show[chosen] if by_show else np.arange(len(chosen))
    if by_show:
        _, unit = np.unique(_drawn_shows(chosen, made.show), return_inverse=True)
    n = int(unit.max()) + 1
    sums = UnitSums(
        np.arange(n, dtype=np.uint64),
        {name: _added(unit, counts[system, chosen], n) for name, counts in made.counts.items()},
        {
            name: _added(unit, np.nan_to_num(values[system, chosen]), n)
            for name, values in made.values.items()
        },
        {
            name: _added(unit, (~np.isnan(values[system, chosen])).astype(np.int64), n)
            for name, values in made.values.items()
        },
    )
    parameters = segscore_parameters()
    found = {
        (name, "micro"): each
        for name, each in micro_estimates(made.kind, sums, parameters, None).items()
    }
    macro = macro_estimates(made.kind, sums)
    return found | {(name, "macro"): each for name, each in macro.items()}


def _drawn_shows(chosen: Ints, show: Ints) -> Ints:
    """Number the shows of a corpus: documents are listed show by show."""
    return np.cumsum(np.diff(show[chosen], prepend=-1) != 0)


@cache
def segscore_parameters() -> dict[str, float]:
    """Return the parameters of formulas with the default settings."""
    from segscore.pipeline.settings.measuring import MeasuringSettings

    return MeasuringSettings().parameters(float("nan"))


def _added(unit: Ints, values: Any, n: int) -> Any:
    total = np.zeros(n, values.dtype)
    np.add.at(total, unit, values)
    return total


def corpora(made: Pool, documents: int, number: int, seed: int, of_show: int = 0) -> Iterator[Ints]:
    """Draw corpora from a pool: documents, or shows of some documents each."""
    draw = np.random.default_rng([seed, documents, of_show])
    if not of_show:
        for _ in range(number):
            yield draw.integers(0, POOL, documents)
        return
    members = [np.flatnonzero(made.show == show) for show in range(SHOWS)]
    for _ in range(number):
        drawn = draw.integers(0, SHOWS, documents // of_show)
        yield np.concatenate([draw.choice(members[show], of_show) for show in drawn])


@dataclass(frozen=True)
class Measured:
    """A share of simulated corpora, with its Monte Carlo error."""

    share: float
    number: int

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return sqrt(max(self.share * (1 - self.share), 1 / self.number) / self.number)

    def __str__(self) -> str:
        return f"{self.share:.3f} ± {self.error:.3f}".replace("0.", ".")


def coverage(
    kind: Kind, key: tuple[str, str], documents: int, number: int, **shows: Any
) -> Measured:
    """Return how often the 95 % interval of an average contains the truth."""
    made, by_show = pool(kind), shows.get("by_show", False)
    within = known = 0
    for chosen in corpora(made, documents, number, 1, shows.get("of_show", 0)):
        low, high = estimates(made, 0, chosen, by_show=by_show)[key].interval()
        if not np.isnan(low):
            known += 1
            within += low <= made.truth[key][0] <= high
    return Measured(within / max(known, 1), max(known, 1))


def level(kind: Kind, key: tuple[str, str], documents: int, number: int, **shows: Any) -> Measured:
    """Return how often two equal systems differ by p < .05.

    The systems of the pool are made equal by subtracting the difference of their averages.
    """
    made, by_show = pool(kind), shows.get("by_show", False)
    found = known = 0
    true = made.truth[key][0] - made.truth[key][1]
    for chosen in corpora(made, documents, number, 2, shows.get("of_show", 0)):
        one, other = (estimates(made, s, chosen, by_show=by_show)[key] for s in (0, 1))
        between = difference(one, other)
        between = replace(between, value=between.value - true, without=between.without - true)
        if not np.isnan(between.p):
            known += 1
            found += between.p < LEVEL
    return Measured(found / max(known, 1), max(known, 1))


if __name__ == "__main__":
    B = ("boundary_similarity", "micro")
    N = 1000
    UNEQUAL = Kind(unequal=1.0, harder=0.3)
    for name, kind in {"ordinary": Kind(), "unequal": UNEQUAL}.items():
        for key in (B, ("pk", "micro"), ("f1", "micro"), ("boundary_similarity", "macro")):
            print(
                "coverage",
                name,
                key,
                [str(coverage(kind, key, n, N)) for n in (5, 10, 20, 50, 200)],
            )
    kinds = {
        "density": Kind(systems=(SPARSE, DENSE)),
        "same": Kind(),
        "zeros": Kind(systems=(GOOD, GOOD)),
        "skewed": Kind(systems=(SKEWED, SAME)),
        "unequal": UNEQUAL,
    }
    for name, kind in kinds.items():
        for key in (B, ("boundary_similarity", "macro"), ("pk", "micro")):
            print("level", name, key, [str(level(kind, key, n, N)) for n in (8, 10, 20, 50, 200)])
    shows = Kind(by_show=0.8)
    for n, of in ((6, 10), (20, 10), (20, 5), (8, 4)):
        for by in (False, True):
            print(
                "shows",
                n,
                of,
                by,
                str(coverage(shows, B, n * of, N, of_show=of, by_show=by)),
                str(level(shows, B, n * of, N, of_show=of, by_show=by)),
            )
