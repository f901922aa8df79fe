"""Count how often a statement of segscore about a corpus is true, on corpora of a kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan, sqrt
from typing import Any

import numpy as np

from benchmarks.simulated_documents import (
    BETTER,
    DENSE,
    DOCUMENTS,
    DRAWS,
    GENRES,
    GOOD,
    NEAR_PERFECT,
    RARELY_FAILS,
    SAME,
    SKEWED,
    SPARSE,
    Key,
    Kind,
    Pool,
    average,
    averages,
    corpora,
    pool,
)
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.comparison.certify import MeasuredShare
from segscore.pipeline.comparison.pair_power import pair_power
from segscore.pipeline.comparison.tables import is_equal
from segscore.pipeline.statistics.averages import skill
from segscore.pipeline.statistics.changes import change_of
from segscore.pipeline.statistics.jackknife import (
    Estimate,
    cautious,
    combine,
    difference,
    quantile,
    rests_on_few,
)
from segscore.pipeline.statistics.power import PairedTest, documents_needed

CORPORA = 2000
"""Corpora of a cell."""

LEVEL = 0.05
B, B_MACRO = ("boundary_similarity", "micro"), ("boundary_similarity", "macro")
PK, F1 = ("pk", "micro"), ("f1", "micro")
COVERING = ("covering", "micro")

ORDINARY, UNEQUAL = Kind(), Kind(unequal=1.0, harder=0.3)
DENSITY, ZEROS = Kind(systems=(SPARSE, DENSE)), Kind(systems=(GOOD, GOOD))
ONE_SKEWED = Kind(systems=(SKEWED, SAME))
IN_SHOWS = Kind(by_show=0.8)
PERFECT = Kind(difficulty=1.5, systems=(NEAR_PERFECT, NEAR_PERFECT))
OF_GENRES = Kind(genres=GENRES, systems=(SPARSE, DENSE))
PARETO = Kind(pareto=1.5, systems=(SPARSE, DENSE))
SOMETIMES_FAILS = Kind(systems=(GOOD, RARELY_FAILS))
APART = Kind(systems=(SAME, BETTER))
WITH_CHANCE = Kind(systems=(SAME,), point="random-own")


@dataclass(frozen=True)
class Corpus:
    """How corpora are drawn from a pool.

    Attributes:
        documents: number of documents.
        shows: documents of each show; empty if documents are drawn one by one.
        by_show: whether a show is one resampling unit.
    """

    documents: int
    shows: tuple[int, ...] = ()
    by_show: bool = False


def coverage(
    kind: Kind, corpus: Corpus, keys: Sequence[Key] = (B,), number: int = CORPORA
) -> dict[Key, MeasuredShare]:
    """Return how often the 95 % interval of each average contains the truth."""
    made = pool(kind)

    return counted_shares(
        {key: _contains(*own[key].interval(), made.truth[key][0]) for key in keys}
        for (own,) in _averages(kind, corpus, number, 1, keys)
    )


def level(
    kind: Kind, corpus: Corpus, keys: Sequence[Key] = (B,), number: int = CORPORA
) -> dict[Key, MeasuredShare]:
    """Return how often two equal systems differ by p < .05.

    The systems of the pool are made equal by subtracting the difference of their averages.
    """

    def differ(apart: Estimate) -> bool | None:
        return None if isnan(apart.p) else apart.p < LEVEL

    return _of_differences(kind, corpus, keys, number, 0.0, differ)


def power(kind: Kind, corpus: Corpus, alpha: float, number: int = CORPORA) -> MeasuredShare:
    """Return how often a difference that is there is found."""

    def found(apart: Estimate) -> bool | None:
        return None if isnan(apart.p) else apart.p < alpha

    return _of_differences(kind, corpus, (B,), number, 1.0, found)[B]


def called_equal(kind: Kind, corpus: Corpus, number: int = CORPORA) -> MeasuredShare:
    """Return how often two systems are called equal within their true difference."""
    truth = pool(kind).truth[B]
    margin = abs(truth[0] - truth[1])

    def equal(apart: Estimate) -> bool | None:
        return is_equal(apart, margin)

    return _of_differences(kind, corpus, (B,), number, 1.0, equal)[B]


def gate_fails(
    kind: Kind, corpus: Corpus, keys: Sequence[Key], number: int = CORPORA, *, same: bool = False
) -> dict[Key, MeasuredShare]:
    """Return how often a night fails with limit 0 and alpha .05 where nothing has changed.

    Args:
        kind: the documents.
        corpus: the documents of a night.
        keys: the measures and averages.
        number: number of pairs of nights.
        same: whether both nights have the same documents; the systems of the kind then make them.
    """
    made, measures = pool(kind), _measures(keys)
    drawn = corpora(made, corpus.documents, number if same else 2 * number, 5)

    def failed() -> Iterator[dict[Key, bool | None]]:
        for chosen in drawn:
            nights = [averages(made, s, chosen, measures=measures) for s in range(1 + same)]
            for now in nights[0]:
                before = next(nights[-1])
                yield {key: _worse(made, key, now, before, same=same) for key in keys}

    return counted_shares(failed())


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


def skill_coverage(
    kind: Kind, corpus: Corpus, key: Key, number: int = CORPORA
) -> tuple[MeasuredShare, float]:
    """Return how often the interval of skill contains the skill over the pool, and its top end."""
    made, best = pool(kind), 1.0

    def of(chosen: Ints) -> Iterator[Estimate]:
        own = averages(made, 0, chosen, measures=key[:1])
        chance = averages(made, len(kind.systems), chosen, draws=DRAWS, measures=key[:1])
        for sides in zip(own, chance, strict=True):
            gained = partial(skill, best=best)
            yield combine(gained, [side[key] for side in sides], (None, 1))

    (truth,) = of(np.arange(DOCUMENTS)[None])
    every = corpora(made, corpus.documents, number, 1)
    ends = [each.interval() for chosen in every for each in of(chosen)]
    contain = ({key: _contains(low, high, truth.value)} for low, high in ends)
    return counted_shares(contain)[key], max(high for _, high in ends if not isnan(high))


def needed(kind: Kind, alpha: float) -> int:
    """Return the documents that the true difference of a pool needs to be found in 80 %."""
    made = pool(kind)
    apart = difference(*(average(made, s, np.arange(DOCUMENTS))[B] for s in (0, 1)))
    effect = abs(apart.value) / (apart.error * sqrt(apart.number))
    test = PairedTest(alpha, effective=apart.effective / apart.number)
    return int(documents_needed(np.array([effect]), test)[0])


def power_in_range(kind: Kind, corpus: Corpus, number: int = CORPORA) -> dict[Key, MeasuredShare]:
    """Return how often the printed range has the difference that the test finds in 80 %."""
    centred = [*_differences(kind, corpus, (B,), number, 0.0)]
    found = dict[Key, MeasuredShare]()
    for key in (B, B_MACRO):
        apart = [each[key] for each in centred]
        true = _found_in_80(apart)
        printed = ([*pair_power(each, PairedTest(LEVEL)).values()] for each in apart)
        found[key] = counted_shares({key: _contains(low, high, true)} for low, high, *_ in printed)[
            key
        ]
    return found


def _contains(low: float, high: float, true: float) -> bool | None:
    return None if isnan(low) else bool(low <= true <= high)


def _found_in_80(centred: Sequence[Estimate]) -> float:
    """Return the difference that the test finds in 80 of 100 corpora, which is searched for.

    A corpus whose difference is centred and has a true one added is significant where that exceeds
    a limit of its own, on either side.
    """
    reach = np.array([quantile(each.freedom, 1 - LEVEL) * each.error for each in centred])
    value = np.array([each.value for each in centred])
    low, high = 0.0, float(np.max(reach + np.abs(value)))
    for _ in range(40):
        middle = (low + high) / 2
        if np.mean(np.abs(value + middle) > reach) < PairedTest().power:
            low = middle
        else:
            high = middle
    return high


def _averages(
    kind: Kind, corpus: Corpus, number: int, systems: int, keys: Sequence[Key]
) -> Iterator[list[dict[Key, Estimate]]]:
    """Yield the averages of the first systems on each corpus."""
    made, shows = pool(kind), corpus.shows if corpus.by_show else ()
    for chosen in corpora(made, corpus.documents, number, systems, corpus.shows):
        every = [averages(made, s, chosen, shows, measures=_measures(keys)) for s in range(systems)]
        yield from map(list, zip(*every, strict=True))


def _measures(keys: Sequence[Key]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(measure for measure, _ in keys))


def _of_differences(
    kind: Kind,
    corpus: Corpus,
    keys: Sequence[Key],
    number: int,
    share: float,
    says: Callable[[Estimate], bool | None],
) -> dict[Key, MeasuredShare]:
    """Count what is said of two systems whose difference is a share of that of the pool."""
    every = _differences(kind, corpus, keys, number, share)
    return counted_shares({key: says(each[key]) for key in keys} for each in every)


def _differences(
    kind: Kind, corpus: Corpus, keys: Sequence[Key], number: int, share: float
) -> Iterator[dict[Key, Estimate]]:
    """Yield the differences of two systems, which are a share of those of the pool."""
    truth = pool(kind).truth
    for one, other in _averages(kind, corpus, number, 2, keys):
        apart = dict[Key, Estimate]()
        for key in one:
            less = (1 - share) * (truth[key][0] - truth[key][1])
            apart[key] = difference(one[key], other[key]).less(less)
        yield {key: as_tested(key, apart) for key in apart}


def as_tested(key: Key, apart: Mapping[Key, Estimate]) -> Estimate:
    """Return a difference as `segscore compare` tests it.

    Where a micro average rests on few documents, its test is not surer than that of the macro one.
    """
    own = apart[key]
    if key[1] == "micro" and rests_on_few(own.effective, own.number):
        return cautious(own, apart[key[0], "macro"])
    return own


def counted_shares(said: Any) -> dict[Any, MeasuredShare]:
    """Count statements: for each corpus, key -> whether true, None if nothing is said."""
    found: dict[Any, list[bool]] = {}
    for each in said:
        for key, true in each.items():
            if true is not None:
                found.setdefault(key, []).append(true)
    return {key: MeasuredShare(sum(true) / len(true), len(true)) for key, true in found.items()}


def few_documents(kind: Kind, corpus: Corpus, number: int = CORPORA) -> MeasuredShare:
    """Return how often it is said that the micro average rests on few of the documents."""
    every = (
        {B: rests_on_few(own[B].effective, own[B_MACRO].effective)}
        for (own,) in _averages(kind, corpus, number, 1, (B,))
    )
    return counted_shares(every)[B]
