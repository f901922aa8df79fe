"""Who stands out among coders, once more, slow and obvious: the twin of `agreement/judging`.

It follows docs/jobs/agree.md (Who stands out) with dictionaries, loops over coders and pairs, and
counts made anew for every group of documents that is left out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from math import exp, floor, log, sqrt
from statistics import median
from typing import NamedTuple

from tests.oracles import naive
from tests.oracles.naive import Boundaries
from tests.oracles.naive_agreement import Corpus

Pair = tuple[str, str]
Values = Mapping[Pair, float]
Effects = dict[str, float]

EFFECT, EFFECT_ERRORS = 0.05, 3.5
COPIES, COPIES_RESIDUAL = 8, 0.1
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


def aligned(corpus: Corpus, x: str, y: str, offsets: Effects, n_t: int) -> float | None:
    """Share of boundaries of either with a partner at most n_t away, without the offsets."""
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
    return partners / (boundaries - partners) if boundaries - partners else None


def fit(
    values: Values, coders: Collection[str], standard: Collection[str], alike: bool
) -> tuple[float, Effects]:
    """Fit m + a_i + a_j (alike), or a_j - a_i, by medians over standard peers, in turns."""
    of: dict[str, dict[str, float]] = {x: {} for x in coders}
    for (x, y), value in values.items():
        if y in standard:
            of[x][y] = value if alike else -value
        if x in standard:
            of[y][x] = value
    base = 0.0
    if alike:
        base = median(value for x in standard for value in of[x].values())
    effects = dict.fromkeys(coders, 0.0)
    for _ in range(200):
        before = dict(effects)
        for x in coders:
            if of[x]:
                sign = -1 if alike else 1
                target = median(value - base + sign * before[y] for y, value in of[x].items())
                effects[x] = before[x] + 0.7 * (target - before[x])
        middle = median(effects[x] for x in standard if of[x])
        for x in coders:
            effects[x] = effects[x] - middle if of[x] else 0.0
        base += 2 * middle if alike else 0.0
        if max(abs(effects[x] - before[x]) for x in coders) < 1e-6:
            break
    return base, {x: effects[x] for x in coders if of[x]}


class Counted(NamedTuple):
    """A corpus, and the corpus without each group of documents."""

    whole: Corpus
    without: Sequence[Corpus]


def judge(corpus: Corpus, fold: Mapping[str, int], n_t: int = 2) -> Judged:
    """Judge the coders.

    Args:
        corpus: the documents.
        fold: the group of each document.
        n_t: limit of near misses.
    """
    shared = {name: doc for name, doc in corpus.items() if len(doc.codings) > 1}
    coders = sorted({coder for document in shared.values() for coder in document.codings})
    judged = [x for x in coders if sum(x in doc.codings for doc in shared.values()) >= 10]
    assert len(judged) >= 4
    without = [
        {name: document for name, document in shared.items() if fold[name] != group}
        for group in sorted({fold[name] for name in shared})
    ]
    counted = Counted(shared, without)
    standard, copies = set(judged), set[Pair]()
    while True:
        found = _judge(counted, coders, judged, standard, copies, n_t)
        left = standard - found.less - found.shifted - found.far
        if len(left) < 3 or (left == standard and found.copies <= copies):
            return found
        standard, copies = left, copies | found.copies


def _judge(
    counted: Counted,
    coders: list[str],
    judged: list[str],
    standard: set[str],
    copies: set[Pair],
    n_t: int,
) -> Judged:
    def table(corpus: Corpus, value: Callable[[Corpus, str, str], float | None]) -> Values:
        pairs = {(x, y): value(corpus, x, y) for x, y in combinations(coders, 2)}
        return {pair: known for pair, known in pairs.items() if known is not None}

    def fitted(values: Values, alike: bool) -> tuple[float, Effects]:
        used = {pair: value for pair, value in values.items() if pair not in copies}
        base, effects = fit(used, coders, standard, alike)
        return base, {x: effects[x] for x in judged if x in effects}

    def estimated(
        value: Callable[[Corpus, str, str], float | None], alike: bool
    ) -> tuple[float, Effects, Effects]:
        base, effects = fitted(table(counted.whole, value), alike)
        others = [fitted(table(corpus, value), alike)[1] for corpus in counted.without]
        errors = {}
        for x in effects:
            left_out = [other[x] for other in others]
            mean, groups = sum(left_out) / len(left_out), len(left_out)
            squares = sum((value - mean) ** 2 for value in left_out)
            errors[x] = sqrt((groups - 1) / groups * squares)
        return base, effects, errors

    base, effects, errors = estimated(lambda c, x, y: similarity(c, x, y, n_t), True)
    _, offsets, offset_errors = estimated(mean_offset, False)
    _, rates, rate_errors = estimated(log_ratio, False)
    shifted = {
        x
        for x in offsets
        if abs(offsets[x]) >= OFFSET and abs(offsets[x]) >= OFFSET_ERRORS * offset_errors[x]
    }
    moved = {x: offsets[x] for x in shifted}
    after = table(counted.whole, lambda c, x, y: aligned(c, x, y, moved, n_t))
    after_base, after_effects = fitted(after, True)
    less = {
        x
        for x in effects
        if effects[x] <= -EFFECT
        and abs(effects[x]) >= EFFECT_ERRORS * errors[x]
        and (x not in shifted or after_effects[x] <= -EFFECT)
    }
    middle = median(rates[x] for x in standard)
    mad = 1.4826 * median(abs(rates[x] - middle) for x in standard)
    far = {
        x
        for x in rates
        if abs(rates[x]) >= log(RATE)
        and abs(rates[x] - middle) >= RATE_DEVIATION * sqrt(mad**2 + rate_errors[x] ** 2)
    }
    residuals, well = {}, set()
    similar = table(counted.whole, lambda c, x, y: similarity(c, x, y, n_t))
    for x, y in similar:
        if x not in effects or y not in effects:
            continue
        values, level, of = (
            (after, after_base, after_effects) if {x, y} & shifted else (similar, base, effects)
        )
        residuals[x, y] = values[x, y] - level - of[x] - of[y]
        if values[x, y] >= level:
            well.add((x, y))
    known = [p for p in residuals if len(both_coded(counted.whole, *p)) >= 10]
    spread = 1.4826 * median(abs(residuals[pair]) for pair in known) if known else 0.0
    copied = {
        pair
        for pair in known
        if pair in well and residuals[pair] >= max(COPIES * spread, COPIES_RESIDUAL) and spread
    }
    ratios = {x: exp(rates[x]) for x in rates}
    exact = {}
    for pair in known:
        compared = {*combinations(sorted(standard), 2), pair}
        shares = {each: exact_share(counted.whole, *each, n_t) for each in compared}
        exact[pair] = deviation(pair, shares) or (float("nan"), float("nan"))
    named = {p for p in copied if exact[p][1] > EXACT_ERRORS and len(judged) >= FEWEST_COPYING}
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
        copied,
        exact,
        named,
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
