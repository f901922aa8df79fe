"""Who stands out among coders, once more, slow and obvious: the twin of `agreement/judging`.

It follows docs/method-coders.md with dictionaries, loops over coders and pairs, and
counts made anew for every group of documents that is left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from math import exp, floor, log, sqrt
from statistics import median
from typing import NamedTuple

import numpy as np

from tests.oracles import naive
from tests.oracles.naive import Boundaries
from tests.oracles.naive_agreement import Corpus

Pair = tuple[str, str]
Values = Mapping[Pair, float]
Effects = dict[str, float]

EFFECT, EFFECT_ERRORS, EFFECT_SPREAD, DIFFER = 0.05, 3.5, 3.5, 0.02
EXACT_ERRORS, FEWEST_COPYING, FEWEST_OTHERS = 4, 6, 5
OFFSET, OFFSET_ERRORS, WITHIN = 0.3, 4, 5
RATE, RATE_DEVIATION = 1.25, 3.5


class Judged(NamedTuple):
    """What is said of coders and pairs."""

    standard: set[str]
    effects: Effects
    errors: Effects
    offsets: Effects
    ratios: Effects
    residuals: dict[Pair, float]
    less: set[str]
    shifted: set[str]
    far: set[str]
    copies: set[Pair]
    exact: dict[Pair, tuple[float, float]]
    copied: set[Pair]


def nearest_distances(first: Boundaries, second: Boundaries, within: int) -> list[int]:
    """Pair boundaries one to one, the nearest first, the leftmost of these first."""
    left, right, found = sorted(first), sorted(second), []
    while left and right:
        chosen = min((abs(b - a), min(a, b), a, b) for a in left for b in right)
        if chosen[0] > within:
            break
        left.remove(chosen[2])
        right.remove(chosen[3])
        found.append(chosen[3] - chosen[2])
    return found


def both_coded(corpus: Corpus, x: str, y: str) -> list[tuple[int, Boundaries, Boundaries]]:
    """The documents of both coders."""
    return [
        (document.n_units, document.codings[x], document.codings[y])
        for document in corpus.values()
        if x in document.codings and y in document.codings
    ]


def similarity(corpus: Corpus, x: str, y: str, n_t: int) -> float | None:
    """Pooled boundary similarity of two coders."""
    sums = naive.counts_of([], 0)
    for n_units, a, b in both_coded(corpus, x, y):
        counts = naive.edit_counts(n_units, a, b, n_t)
        sums = {name: sums[name] + counts[name] for name in sums}
    value = naive.edit_values(sums, n_t=n_t, per_row=False)["boundary_similarity"]
    return None if value is None else float(value)


def exact_share(corpus: Corpus, x: str, y: str, n_t: int) -> tuple[int, int]:
    """How many boundaries of two coders are at the same position, and how many are paired."""
    counts = [naive.edit_counts(n, a, b, n_t) for n, a, b in both_coded(corpus, x, y)]
    exact, near = (sum(each[name] for each in counts) for name in ("matches", "near_misses"))
    return int(exact), int(exact + near)


def deviation(pair: Pair, shares: Mapping[Pair, tuple[int, int]]) -> tuple[float, float] | None:
    """A pair's share of exact boundaries, and by how many errors it exceeds that of others.

    Args:
        pair: the pair.
        shares: exact and paired boundaries of each pair of the standard, and of this pair.
    """
    exact, paired = shares[pair]
    others = [(e, n) for other, (e, n) in shares.items() if other != pair and n]
    if not paired or len(others) < FEWEST_OTHERS:
        return None
    all_exact, all_paired = (sum(column) for column in zip(*others, strict=True))
    p = (all_exact + 0.5) / (all_paired + 1)
    mean = all_exact / all_paired
    apart = sum(n * (e / n - mean) ** 2 for e, n in others)
    scale = all_paired - sum(n**2 for _, n in others) / all_paired
    between = max(0.0, (apart - (len(others) - 1) * p * (1 - p)) / scale)
    error = sqrt(p * (1 - p) * (1 / paired + 1 / all_paired) + between)
    return exact / paired, (exact / paired - mean) / error


def mean_offset(corpus: Corpus, x: str, y: str) -> float | None:
    """Mean of position in y less position in x."""
    found = [d for _, a, b in both_coded(corpus, x, y) for d in nearest_distances(a, b, WITHIN)]
    return sum(found) / len(found) if found else None


def log_ratio(corpus: Corpus, x: str, y: str) -> float | None:
    """Logarithm of how many times as many boundaries y has as x, with half a boundary more."""
    coded = both_coded(corpus, x, y)
    mine, theirs = sum(len(a) for _, a, _ in coded), sum(len(b) for _, _, b in coded)
    return log((theirs + 0.5) / (mine + 0.5)) if coded else None


def aligned(
    corpus: Corpus, x: str, y: str, offsets: Effects, n_t: int
) -> tuple[float, float] | None:
    """Share of boundaries of either with a partner at most n_t away, without offsets; weight."""
    between = offsets.get(y, 0.0) - offsets.get(x, 0.0)
    partners, boundaries = 0.0, 0
    for _, a, b in both_coded(corpus, x, y):
        boundaries += len(a) + len(b)
        for p in a:
            for q in b:
                if abs(q - p) <= WITHIN:
                    low = floor(between)
                    partners += (1 - (between - low)) * (abs(q - p - low) <= n_t)
                    partners += (between - low) * (abs(q - p - low - 1) <= n_t)
    whole = boundaries - partners
    return (partners / whole, whole) if whole else None


def centred_offset(corpus: Corpus, x: str, y: str) -> float | None:
    """Mean of position in y less position in x, in a window around that mean."""
    offset = mean_offset(corpus, x, y)
    if offset is None:
        return None
    near = [
        q - p for _, a, b in both_coded(corpus, x, y) for p in a for q in b if abs(q - p) <= WITHIN
    ]
    for _ in range(100):
        half = max(1.0, min(WITHIN / 2, WITHIN - abs(offset)))
        weights = [min(1.0, max(0.0, half - abs(d - offset) + 0.5)) for d in near]
        total = sum(weights)
        offset = sum(w * d for w, d in zip(weights, near, strict=True)) / total
    return offset


def fit_differences(values: Values, coders: Collection[str], standard: Collection[str]) -> Effects:
    """Fit a_j - a_i, by medians over standard peers, in turns."""
    of: dict[str, dict[str, float]] = {x: {} for x in coders}
    for (x, y), value in values.items():
        if y in standard:
            of[x][y] = -value
        if x in standard:
            of[y][x] = value
    effects = dict.fromkeys(coders, 0.0)
    for _ in range(200):
        before = dict(effects)
        for x in coders:
            if of[x]:
                target = median(value + before[y] for y, value in of[x].items())
                effects[x] = before[x] + 0.7 * (target - before[x])
        middle = median(effects[x] for x in standard if of[x])
        for x in coders:
            effects[x] = effects[x] - middle if of[x] else 0.0
        if max(abs(effects[x] - before[x]) for x in coders) < 1e-6:
            break
    return {x: effects[x] for x in coders if of[x]}


class Categorical(NamedTuple):
    """The similarity of two coders in a document, and its weight."""

    document: str
    pair: Pair
    value: float
    weight: float


def coded_pairs(corpus: Corpus, n_t: int) -> list[Categorical]:
    """The similarities of all pairs of codings that are defined."""
    found = []
    for name, document in sorted(corpus.items()):
        for x, y in combinations(sorted(document.codings), 2):
            counts = naive.edit_counts(
                document.n_units, document.codings[x], document.codings[y], n_t
            )
            value = naive.edit_values(counts, n_t=n_t, per_row=False)["boundary_similarity"]
            weight = sum(counts[k] for k in ("matches", "near_misses", "misses", "false_alarms"))
            if value is not None:
                found.append(Categorical(name, (x, y), float(value), float(weight)))
    return found


def fit_similarities(
    rows: Sequence[Categorical], shown: Sequence[Categorical], stratum: Mapping[str, str]
) -> tuple[Effects, dict[Pair, float]]:
    """Fit m + a_i + a_j + g_d by weighted least squares; mean residuals of the shown pairs."""
    of_document = Counter(row.document for row in rows)

    def effect(row: Categorical) -> str:
        return row.document if of_document[row.document] > 1 else "all of " + stratum[row.document]

    coders = sorted({x for row in rows for x in row.pair})
    columns = {name: i for i, name in enumerate([*coders, *sorted({effect(r) for r in rows})])}
    table, values = np.zeros((len(rows), len(columns))), np.zeros(len(rows))
    for i, row in enumerate(rows):
        for name in (*row.pair, effect(row)):
            table[i, columns[name]] = sqrt(row.weight)
        values[i] = sqrt(row.weight) * row.value
    found = np.linalg.lstsq(table, values, rcond=None)[0]
    fitted = {name: float(found[i]) for name, i in columns.items()}
    sums: dict[Pair, list[float]] = {}
    for row in shown:
        if all(x in fitted for x in (*row.pair, effect(row))):
            rest = row.value - sum(fitted[x] for x in row.pair) - fitted[effect(row)]
            total = sums.setdefault(row.pair, [0.0, 0.0])
            total[0] += row.weight * rest
            total[1] += row.weight
    return {x: fitted[x] for x in coders}, {p: a / b for p, (a, b) in sums.items()}


def q_n(values: Sequence[float]) -> float:
    """Rousseeuw & Croux 1993, with the correction for small numbers."""
    n, half = len(values), len(values) // 2 + 1
    apart = sorted(abs(a - b) for a, b in combinations(values, 2))
    few = {2: 0.399, 3: 0.994, 4: 0.512, 5: 0.844, 6: 0.611, 7: 0.857, 8: 0.669, 9: 0.872}
    factor = few.get(n, n / (n + 1.4) if n % 2 else n / (n + 3.8))
    return factor * 2.2219 * apart[half * (half - 1) // 2 - 1]


def limit_of(lowest: Sequence[float]) -> float:
    """How low the effect of a coder must be, from the effects of the standard, ascending."""
    n = len(lowest)

    def without(number: int) -> float:
        differ = sqrt(q_n(lowest[number:]) ** 2 + DIFFER**2)
        return max(EFFECT, EFFECT_SPREAD * (1 + n / 80 + 20 / max(n, 6) ** 2) * differ)

    beyond = [k for k in range(1, n // 3 + 1) if lowest[k - 1] <= -without(k)]
    return without(max(beyond, default=1))


class Given(NamedTuple):
    """A corpus, the groups of its documents, and pairs who agree too well."""

    corpus: Corpus
    fold: Mapping[str, int]
    stratum: Mapping[str, str]
    pairs: Collection[Pair]


def judge(given: Given, n_t: int = 2) -> Judged:
    """Judge the coders, of whom none reads in another way."""
    shared = {name: doc for name, doc in given.corpus.items() if len(doc.codings) > 1}
    given = given._replace(stratum=dict.fromkeys(given.stratum, "all"))
    coders = sorted({coder for document in shared.values() for coder in document.codings})
    judged = [x for x in coders if sum(x in doc.codings for doc in shared.values()) >= 10]
    assert len(judged) >= 4
    standard, copies = set(judged), set[Pair]()
    while True:
        found = _judge(given._replace(corpus=shared), judged, standard, copies, n_t)
        left = standard - found.less - found.shifted - found.far
        if len(left) < 3 or (left == standard and copies == set(given.pairs)):
            return found
        standard, copies = left, set(given.pairs)


def _judge(
    given: Given, judged: list[str], standard: set[str], copies: set[Pair], n_t: int
) -> Judged:
    folds = sorted({given.fold[name] for name in given.corpus})
    without = [
        {name: doc for name, doc in given.corpus.items() if given.fold[name] != fold}
        for fold in folds
    ]
    coders = sorted({x for document in given.corpus.values() for x in document.codings})

    def errors_of(whole: Effects, others: Sequence[Effects]) -> Effects:
        errors = {}
        for x in whole:
            left_out = [other[x] for other in others]
            mean, groups = sum(left_out) / len(left_out), len(left_out)
            squares = sum((value - mean) ** 2 for value in left_out)
            errors[x] = sqrt((groups - 1) / groups * squares)
        return errors

    def differences(
        value: Callable[[Corpus, str, str], float | None],
    ) -> tuple[Effects, Effects]:
        def fitted(corpus: Corpus) -> Effects:
            pairs = {p: value(corpus, *p) for p in combinations(coders, 2) if p not in copies}
            known = {pair: found for pair, found in pairs.items() if found is not None}
            return {
                x: effect
                for x, effect in fit_differences(known, coders, standard).items()
                if x in judged
            }

        whole = fitted(given.corpus)
        return whole, errors_of(whole, [fitted(corpus) for corpus in without])

    def used(pair: Pair) -> bool:
        of_judged = set(pair) <= set(judged) and bool(set(pair) & standard)
        return of_judged and pair not in given.pairs

    def centred(effects: Effects) -> Effects:
        middle = median(effects[x] for x in standard)
        return {x: value - middle for x, value in effects.items()}

    rows = coded_pairs(given.corpus, n_t)
    fitted = [row for row in rows if used(row.pair)]
    raw, residuals = fit_similarities(fitted, rows, given.stratum)
    effects = centred(raw)
    others = [
        centred(
            fit_similarities(
                [row for row in fitted if given.fold[row.document] != fold], [], given.stratum
            )[0]
        )
        for fold in folds
    ]
    errors = errors_of(effects, others)
    offsets, offset_errors = differences(centred_offset)
    rates, rate_errors = differences(log_ratio)
    shifted = {
        x
        for x in offsets
        if abs(offsets[x]) >= OFFSET and abs(offsets[x]) >= OFFSET_ERRORS * offset_errors[x]
    }
    moved = {x: offsets[x] for x in shifted}
    pairs = [
        Categorical("all", pair, *known)
        for pair in combinations(coders, 2)
        if used(pair) and (known := aligned(given.corpus, *pair, moved, n_t)) is not None
    ]
    after = centred(fit_similarities(pairs, [], {"all": "all"})[0])
    limit = limit_of(sorted(effects[x] for x in standard))
    less = {
        x
        for x in effects
        if effects[x] <= -limit
        and abs(effects[x]) >= EFFECT_ERRORS * errors[x]
        and (x not in shifted or after[x] <= -limit)
    }
    middle = median(rates[x] for x in standard)
    mad = 1.4826 * median(abs(rates[x] - middle) for x in standard)
    far = {
        x
        for x in rates
        if abs(rates[x]) >= log(RATE)
        and abs(rates[x] - middle) >= RATE_DEVIATION * sqrt(mad**2 + rate_errors[x] ** 2)
    }
    exact = {}
    for pair in residuals:
        compared = {*combinations(sorted(standard), 2), pair}
        shares = {each: exact_share(given.corpus, *each, n_t) for each in compared}
        exact[pair] = deviation(pair, shares) or (float("nan"), float("nan"))
    copied = {
        p for p in given.pairs if exact[p][1] > EXACT_ERRORS and len(judged) >= FEWEST_COPYING
    }
    ratios = {x: exp(rates[x]) for x in rates}
    return Judged(
        standard,
        effects,
        errors,
        offsets,
        ratios,
        residuals,
        less,
        shifted,
        far,
        set(given.pairs),
        exact,
        copied,
    )


def relative_change(
    corpus: Corpus, day: Mapping[str, int], judged: Judged, x: str, n_t: int = 2
) -> float | None:
    """Change of the relative similarity of a coder from the first date to the last.

    Args:
        corpus: the documents.
        day: the date of each document.
        judged: what is said over all dates.
        x: the coder.
        n_t: limit of near misses.
    """
    points = []
    for date in sorted(set(day.values())):
        documents = {
            name: document
            for name, document in corpus.items()
            if day[name] == date and len(document.codings) > 1
        }
        mine, theirs = naive.counts_of([], 0), naive.counts_of([], 0)
        for document in documents.values():
            for a, b in combinations(sorted(document.codings), 2):
                if (a, b) in judged.copies:
                    continue
                counts = naive.edit_counts(
                    document.n_units, document.codings[a], document.codings[b], n_t
                )
                if x in (a, b) and ({a, b} - {x}) <= judged.standard:
                    mine = {name: mine[name] + counts[name] for name in mine}
                if {a, b} <= judged.standard:
                    theirs = {name: theirs[name] + counts[name] for name in theirs}
        values = [
            naive.edit_values(sums, n_t=n_t, per_row=False)["boundary_similarity"]
            for sums in (mine, theirs)
        ]
        if values[0] is not None and values[1]:
            weight = sum(x in document.codings for document in documents.values())
            points.append((date, float(values[0] / values[1]), weight))
    if len(points) < 3:
        return None
    total = sum(w for _, _, w in points)
    middle = sum(w * d for d, _, w in points) / total
    mean = sum(w * r for _, r, w in points) / total
    slope = sum(w * (d - middle) * (r - mean) for d, r, w in points) / sum(
        w * (d - middle) ** 2 for d, _, w in points
    )
    return slope * (points[-1][0] - points[0][0])
