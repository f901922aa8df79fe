"""The statements that segscore prints with certainty, measured: docs/claims.md.

`make claims` writes the page.  Each row simulates corpora of a kind and counts how often a
statement of a stated level is true; the same command writes the same page.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, sqrt
from typing import Any

import numpy as np

import segscore
from benchmarks.simulated_documents import (
    BETTER,
    DENSE,
    DOCUMENTS,
    DRAWS,
    GOOD,
    SAME,
    SKEWED,
    SPARSE,
    Key,
    Kind,
    Pool,
    corpora,
    estimates,
    pool,
)
from benchmarks.timing import ROOT
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison.certify import MeasuredShare
from segscore.pipeline.comparison.tables import is_equal
from segscore.pipeline.statistics.averages import skill
from segscore.pipeline.statistics.changes import change_of
from segscore.pipeline.statistics.jackknife import Estimate, combine, difference
from segscore.pipeline.statistics.power import PairedTest, documents_needed

PAGE = ROOT / "docs" / "claims.md"
START, END = "<!-- measured -->\n", "<!-- end of measured -->\n"
CORPORA = 2000
"""Corpora of a cell; a tenth of them where people are audited."""

LEVEL = 0.05
B, B_MACRO = ("boundary_similarity", "micro"), ("boundary_similarity", "macro")
PK, F1 = ("pk", "micro"), ("f1", "micro")

ORDINARY, UNEQUAL = Kind(), Kind(unequal=1.0, harder=0.3)
DENSITY, ZEROS = Kind(systems=(SPARSE, DENSE)), Kind(systems=(GOOD, GOOD))
ONE_SKEWED = Kind(systems=(SKEWED, SAME))
IN_SHOWS = Kind(by_show=0.8)
APART = Kind(systems=(SAME, BETTER))
WITH_CHANCE = Kind(systems=(SAME,), point="random-own")


@dataclass(frozen=True)
class Corpus:
    """How corpora are drawn from a pool.

    Attributes:
        documents: number of documents.
        of_show: documents of each show; 0 if documents are drawn one by one.
        by_show: whether a show is one resampling unit.
    """

    documents: int
    of_show: int = 0
    by_show: bool = False


def coverage(kind: Kind, corpus: Corpus, number: int = CORPORA) -> dict[Key, MeasuredShare]:
    """Return how often the 95 % interval of an average contains the truth."""
    made = pool(kind)

    def contains(own: Mapping[Key, Estimate], key: Key) -> bool | None:
        low, high = own[key].interval()
        return None if isnan(low) else bool(low <= made.truth[key][0] <= high)

    return _counted(
        {key: contains(own, key) for key in own} for (own,) in _averages(kind, corpus, number, 1)
    )


def level(kind: Kind, corpus: Corpus, number: int = CORPORA) -> dict[Key, MeasuredShare]:
    """Return how often two equal systems differ by p < .05.

    The systems of the pool are made equal by subtracting the difference of their averages.
    """

    def differ(apart: Estimate) -> bool | None:
        return None if isnan(apart.p) else apart.p < LEVEL

    return _of_differences(kind, corpus, number, 0.0, differ)


def power(kind: Kind, corpus: Corpus, alpha: float, number: int = CORPORA) -> MeasuredShare:
    """Return how often a difference that is there is found."""

    def found(apart: Estimate) -> bool | None:
        return None if isnan(apart.p) else apart.p < alpha

    return _of_differences(kind, corpus, number, 1.0, found)[B]


def called_equal(kind: Kind, corpus: Corpus, number: int = CORPORA) -> MeasuredShare:
    """Return how often two systems are called equal within their true difference."""
    truth = pool(kind).truth[B]
    margin = abs(truth[0] - truth[1])

    def equal(apart: Estimate) -> bool | None:
        return is_equal(apart, margin)

    return _of_differences(kind, corpus, number, 1.0, equal)[B]


def gate_fails(
    kind: Kind, corpus: Corpus, number: int = CORPORA, *, same: bool = False
) -> dict[Key, MeasuredShare]:
    """Return how often a night fails with limit 0 and alpha .05 where nothing has changed.

    Args:
        kind: the documents.
        corpus: the documents of a night.
        number: number of pairs of nights.
        same: whether both nights have the same documents; the systems of the kind then make them.
    """
    made = pool(kind)
    drawn = corpora(made, corpus.documents, number if same else 2 * number, 5)

    def failed() -> Iterator[dict[Key, bool | None]]:
        for chosen in drawn:
            now = estimates(made, 0, chosen, by_show=False)
            if same:
                before = estimates(made, 1, chosen, by_show=False)
            else:
                before = estimates(made, 0, next(drawn), by_show=False)
            yield {key: _worse(made, key, now, before, same=same) for key in now}

    return _counted(failed())


def _worse(
    made: Pool,
    key: Key,
    now: Mapping[Key, Estimate],
    before: Mapping[Key, Estimate],
    *,
    same: bool,
) -> bool | None:
    """Return whether an average rose beyond its true change; None if it is not tested."""
    change = change_of(now[key], [before[key]], apart=not same)
    if change is None:
        return None
    true = made.truth[key][0] - made.truth[key][1] if same else 0.0
    return change.p_beyond(change.change - true) < LEVEL


def skill_coverage(kind: Kind, corpus: Corpus, number: int = CORPORA) -> MeasuredShare:
    """Return how often the interval of skill contains the skill over the pool."""
    made, best = pool(kind), 1.0

    def of(chosen: Ints) -> Estimate:
        sides = (
            estimates(made, 0, chosen, by_show=False)[B],
            estimates(made, len(kind.systems), chosen, by_show=False, draws=DRAWS)[B],
        )
        return combine(lambda value, chance: skill(value, chance, best), sides, (None, 1))

    truth = of(np.arange(DOCUMENTS)).value
    ends = (of(chosen).interval() for chosen in corpora(made, corpus.documents, number, 1))
    return _counted({B: bool(low <= truth <= high)} for low, high in ends)[B]


def needed(kind: Kind, alpha: float) -> int:
    """Return the documents that the true difference of a pool needs to be found in 80 %."""
    made = pool(kind)
    sides = (estimates(made, s, np.arange(DOCUMENTS), by_show=False)[B] for s in (0, 1))
    apart = difference(*sides)
    effect = abs(apart.value) / (apart.error * sqrt(apart.number))
    test = PairedTest(alpha, effective=apart.effective / apart.number)
    return int(documents_needed(np.array([effect]), test)[0])


def audits(documents: int, number: int = CORPORA // 10) -> dict[str, MeasuredShare]:
    """Return how often intervals of coefficients contain the value of the same coders' pool."""
    draw = np.random.default_rng(11)
    pooled = [_codings(draw) for _ in range(DOCUMENTS // 10)]
    truth = _coefficients(pooled)

    def contain() -> Iterator[dict[str, bool]]:
        for _ in range(number):
            found = _coefficients([pooled[d] for d in draw.integers(0, len(pooled), documents)])
            yield {
                name: bool(row["ci_low"] <= truth[name]["value"] <= row["ci_high"])
                for name, row in found.items()
            }

    return _counted(contain())


def _codings(draw: np.random.Generator) -> tuple[int, list[list[int]]]:
    """Return the length of a document, and the boundaries of each of three coders."""
    n = int(np.clip(60 * np.exp(0.4 * draw.normal()), 8, 500))
    truth = np.flatnonzero(draw.random(n - 1) < 0.1) + 1
    codings = []
    for missed, added in ((0.2, 0.1), (0.3, 0.2), (0.2, 0.5)):
        kept = truth[draw.random(len(truth)) >= missed]
        kept = kept + draw.choice([-1, 0, 0, 1], len(kept))
        more = draw.integers(1, n, draw.poisson(added * len(truth)))
        both = np.unique(np.concatenate([kept, more]))
        codings.append(both[(both >= 1) & (both < n)].tolist())
    return n, codings


def _coefficients(documents: Sequence[tuple[int, list[list[int]]]]) -> dict[str, dict[str, Any]]:
    codings = {
        f"coder {c}": {
            f"d{number:05d}": segscore.Segmentation(coded[c], n)
            for number, (n, coded) in enumerate(documents)
        }
        for c in range(len(documents[0][1]))
    }
    rows = segscore.agree(codings).agreement.to_pylist()
    chosen = [row for row in rows if row["similarity"] == "boundary_similarity"]
    return {row["coefficient"]: row for row in chosen if row["coefficient"] in ("pi", "kappa")}


def _averages(
    kind: Kind, corpus: Corpus, number: int, systems: int
) -> Iterator[list[dict[Key, Estimate]]]:
    """Yield the averages of the first systems on each corpus."""
    made = pool(kind)
    for chosen in corpora(made, corpus.documents, number, systems, corpus.of_show):
        yield [estimates(made, s, chosen, by_show=corpus.by_show) for s in range(systems)]


def _of_differences(
    kind: Kind,
    corpus: Corpus,
    number: int,
    share: float,
    says: Callable[[Estimate], bool | None],
) -> dict[Key, MeasuredShare]:
    """Count what is said of two systems whose difference is a share of that of the pool."""
    truth = pool(kind).truth

    def said() -> Iterator[dict[Key, bool | None]]:
        for one, other in _averages(kind, corpus, number, 2):
            result = {}
            for key, averages in truth.items():
                less = (1 - share) * (averages[0] - averages[1])
                result[key] = says(difference(one[key], other[key]).less(less))
            yield result

    return _counted(said())


def _counted(said: Any) -> dict[Any, MeasuredShare]:
    """Count statements: for each corpus, key -> whether true, None if nothing is said."""
    found: dict[Any, list[bool]] = {}
    for each in said:
        for key, true in each.items():
            if true is not None:
                found.setdefault(key, []).append(true)
    return {key: MeasuredShare(sum(true) / len(true), len(true)) for key, true in found.items()}


def tables() -> Iterator[str]:
    """Yield the tables of the page."""
    sizes = (5, 10, 20, 50, 200)
    yield _table(
        ["95 % interval contains the truth", *(f"n {n}" for n in sizes)],
        [
            [f"{name}, {what}", *(_shown(cell[key]) for cell in cells)]
            for name, kind in (("ordinary lengths", ORDINARY), ("very unequal lengths", UNEQUAL))
            for cells in [[coverage(kind, Corpus(n)) for n in sizes]]
            for what, key in (("B", B), ("Pk", PK), ("F1", F1), ("B, macro", B_MACRO))
        ]
        + [
            ["skill by B (`random-own`)"]
            + [_shown(skill_coverage(WITH_CHANCE, Corpus(n))) for n in sizes]
        ],
    )
    sizes = (8, 10, 20, 50, 200)
    kinds = {
        "different density": DENSITY,
        "same density": ORDINARY,
        "many documents without an error": ZEROS,
        "one brilliant or useless by document": ONE_SKEWED,
        "very unequal lengths": UNEQUAL,
    }
    yield _table(
        ["p < .05 of equal systems", *(f"n {n}" for n in sizes)],
        [
            [f"{name}, {what}", *(_shown(cell[key]) for cell in cells)]
            for name, kind in kinds.items()
            for cells in [[level(kind, Corpus(n)) for n in sizes]]
            for what, key in (("B", B), ("Pk", PK), ("B, macro", B_MACRO))
        ],
    )
    yield _table(*_shows())
    yield _table(*_gate())
    yield _table(*_others())


def _shows() -> tuple[list[str], list[list[str]]]:
    rows = []
    for shows, of_show in ((6, 10), (20, 10), (20, 5), (8, 4)):
        for by_show in (False, True):
            corpus = Corpus(shows * of_show, of_show, by_show)
            rows.append(
                [
                    f"{shows} shows of {of_show} documents",
                    "`--resample-by show`" if by_show else "by documents",
                    _shown(coverage(IN_SHOWS, corpus)[B]),
                    _shown(level(IN_SHOWS, corpus)[B]),
                ]
            )
    return [
        "documents of shows, B",
        "units",
        "interval contains the truth",
        "p < .05 of equal",
    ], rows


def _gate() -> tuple[list[str], list[list[str]]]:
    sizes = (5, 10, 20, 60, 200)
    rows = []
    for name, same in (("other documents each night", False), ("the same documents", True)):
        cells = [gate_fails(ORDINARY, Corpus(n), same=same) for n in sizes]
        for what, key in (("B", B), ("F1", F1), ("B, macro", B_MACRO)):
            rows.append([f"{name}, {what}", *(_shown(cell[key]) for cell in cells)])
    return ["a night fails without a change", *(f"n {n}" for n in sizes)], rows


def _others() -> tuple[list[str], list[list[str]]]:
    rows = []
    for systems, name in ((2, "two systems"), (5, "five systems, ten pairs")):
        alpha = LEVEL / (systems * (systems - 1) / 2)
        need = needed(APART, alpha)
        found = power(APART, Corpus(need), alpha)
        rows.append(
            [f"difference found with the documents needed, {name} (n {need})", ".80", _shown(found)]
        )
    for n in (100, 1000):
        equal = called_equal(APART, Corpus(n))
        rows.append(
            [f"called equal within their true difference, n {n}", "at most .05", _shown(equal)]
        )
    for n in (10, 40):
        for name, share in audits(n).items():
            rows.append(
                [
                    f"interval of {name} contains the value of these coders, n {n}",
                    ".95",
                    _shown(share),
                ]
            )
    return ["other statements, B", "stated", "measured"], rows


def _shown(share: MeasuredShare) -> str:
    return f"{share.share:.3f}".removeprefix("0")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def write() -> None:
    """Replace the tables of the page."""
    before, rest = PAGE.read_text("utf-8").split(START)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{START}\n" + "\n".join(tables()) + f"\n{END}{after}", "utf-8")


if __name__ == "__main__":
    write()
