"""Agreement between coders once more, slow and obvious.

The twin of `segscore agree`, as tests/oracles/naive.py is of `segscore score`: it follows
docs/measures.md line by line, loops over documents, coders and positions, and divides with exact
fractions. A coder need not have coded every document. Undefined is None; only standard deviations
are floats.

Sources: F13 = Fournier 2013; K&S = Kazantseva & Szpakowicz 2012; A&P = Artstein & Poesio 2008.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import sqrt
from typing import Literal, NamedTuple

from tests.oracles import families, naive
from tests.oracles.naive import Boundaries, Value, ratio

Expected = Literal["pooled", "item"]

BOUNDARY_ONLY = ("boundary_similarity", "segmentation_similarity", "exact")


class Document(NamedTuple):
    """A text of some units, and the boundaries of each coder who coded it."""

    n_units: int
    codings: Mapping[str, Boundaries]


Corpus = Mapping[str, Document]


class Coefficient(NamedTuple):
    """Observed agreement, expected agreement, and the first corrected for the second."""

    actual: Value
    expected: Value
    value: Value


class Spread(NamedTuple):
    """Mean, standard deviation (n - 1) and number of some values."""

    n: int
    mean: Value
    sd: float | None


class CoderRow(NamedTuple):
    """Statistics of one coder: boundaries out of potential ones; pooled B against all others."""

    boundaries: int
    potential: int
    rate: Value
    peer_similarity: Value


Coefficients = dict[tuple[str, str], Coefficient]
UNDEFINED = Coefficient(None, None, None)


def corrected(actual: Value, expected: Value) -> Coefficient:
    """Agreement beyond chance: (A_a - A_e) / (1 - A_e) (F13 eq 3; K&S eq 1)."""
    if actual is None or expected is None:
        return Coefficient(actual, expected, None)
    return Coefficient(actual, expected, ratio(actual - expected, 1 - expected))


def bias(pi: Coefficient, kappa: Coefficient) -> Coefficient:
    """Annotator bias: A_e of pi less A_e of kappa (A&P)."""
    if pi.expected is None or kappa.expected is None:
        return UNDEFINED
    return Coefficient(None, None, pi.expected - kappa.expected)


def spread(values: Iterable[Value]) -> Spread:
    """Mean and standard deviation of the defined values."""
    defined = [Fraction(value) for value in values if value is not None]
    n = len(defined)
    mean = ratio(sum(defined), n)
    if mean is None or n == 1:
        return Spread(n, mean, None)
    return Spread(n, mean, sqrt(sum((value - mean) ** 2 for value in defined) / (n - 1)))


def coders_of(corpus: Corpus) -> list[str]:
    """Everybody who coded any document."""
    return sorted({coder for document in corpus.values() for coder in document.codings})


# --- Boundary-only coefficients ------------------------------------------------------------------


def pooled_similarity(corpus: Corpus, similarity: str, n_t: int, coder: str | None = None) -> Value:
    """A_a: numerators over denominators of all coder pairs, or of those with `coder` (F13 3.4)."""
    measure = "boundary_similarity" if similarity == "exact" else similarity
    reach = 1 if similarity == "exact" else n_t
    sums = naive.counts_of([], 0)
    for n_units, codings in corpus.values():
        for x, y in combinations(codings, 2):
            if coder is None or coder in (x, y):
                counts = naive.edit_counts(n_units, codings[x], codings[y], reach)
                sums = {name: sums[name] + counts[name] for name in sums}
    return naive.edit_values(sums, n_t=reach, per_row=False)[measure]


def denominator(document: Document, similarity: str, n_t: int, coder: str | None = None) -> int:
    """What the actual agreement divides by, in one document; or that of `coder` with the others."""
    total = 0
    for x, y in combinations(document.codings, 2):
        if coder not in (None, x, y):
            continue
        reach = 1 if similarity == "exact" else n_t
        sides = document.codings[x], document.codings[y]
        counts = naive.edit_counts(document.n_units, *sides, reach)
        pairs = ("misses", "false_alarms", "near_misses", "matches")
        by_edits = similarity in ("boundary_similarity", "exact")
        total += sum(counts[name] for name in pairs) if by_edits else document.n_units - 1
    return total


def pi_expected(corpus: Corpus, expected: Expected, segments: bool) -> Value:
    """A_e of pi*: the share of potential boundaries that are marked, squared (F13 3.4).

    Over all codings; or (`item`) the mean of documents' shares, of those with a potential boundary.
    With `segments` a coding counts one mark more than its boundaries, as in F13's tables.
    """
    marked, potential, shares = 0, 0, []
    for n_units, codings in corpus.values():
        marked_here = sum(len(boundaries) + segments for boundaries in codings.values())
        potential_here = len(codings) * (n_units - 1)
        marked += marked_here
        potential += potential_here
        shares.append(ratio(marked_here, potential_here))
    share = ratio(marked, potential) if expected == "pooled" else spread(shares).mean
    return None if share is None else share**2


def rate_of(corpus: Corpus, coder: str, segments: bool = False) -> Value:
    """p_x: a coder's boundaries over the potential ones of all the coder coded (F13 fig 11)."""
    marked = potential = 0
    for n_units, codings in corpus.values():
        if coder in codings:
            marked += len(codings[coder]) + segments
            potential += n_units - 1
    return ratio(marked, potential)


def kappa_expected(corpus: Corpus, segments: bool) -> Value:
    """A_e of kappa*: the mean of p_x p_y over the potential boundaries both coded (F13 3.4)."""
    total, weights = Fraction(0), 0
    for x, y in combinations(coders_of(corpus), 2):
        n_xy = sum(n - 1 for n, codings in corpus.values() if x in codings and y in codings)
        p_x, p_y = rate_of(corpus, x, segments), rate_of(corpus, y, segments)
        if n_xy > 0:
            assert p_x is not None and p_y is not None
            total += n_xy * p_x * p_y
            weights += n_xy
    return ratio(total, weights)


# --- Two-category coefficients -------------------------------------------------------------------


def decisions(corpus: Corpus) -> Iterator[dict[str, bool]]:
    """For each position, whether each coder of the document marked a boundary."""
    for n_units, codings in corpus.values():
        for position in range(1, n_units):
            yield {coder: position in boundaries for coder, boundaries in codings.items()}


def two_category_pi(corpus: Corpus) -> Coefficient:
    """Fleiss' kappa (multi-pi; Scott's pi of two) over positions (K&S eq 1-3)."""
    agreeing = meetings = 0
    all_marks = {True: 0, False: 0}
    for decided in decisions(corpus):
        labels = list(decided.values())
        meetings += len(labels) * (len(labels) - 1)
        for category in (True, False):
            n_ik = labels.count(category)
            agreeing += n_ik * (n_ik - 1)
            all_marks[category] += n_ik
    in_all = sum(all_marks.values())
    shares = [ratio(all_marks[category], in_all) for category in (True, False)]
    expected = naive.weighted_sum(*((share, share) for share in shares))
    return corrected(ratio(agreeing, meetings), expected)


def two_category_kappa(corpus: Corpus) -> Coefficient:
    """Davies & Fleiss' kappa (Cohen's of two) over positions (A&P)."""
    marked = dict.fromkeys(coders_of(corpus), 0)
    potential = dict.fromkeys(coders_of(corpus), 0)
    for decided in decisions(corpus):
        for coder, mark in decided.items():
            marked[coder] += mark
            potential[coder] += 1
    agreeing = meetings = 0
    by_chance = Fraction(0)
    # Adding a pair's chance at every position that both coded weights it by n_xy.
    for decided in decisions(corpus):
        for x, y in combinations(decided, 2):
            p_x, p_y = Fraction(marked[x], potential[x]), Fraction(marked[y], potential[y])
            agreeing += decided[x] == decided[y]
            by_chance += p_x * p_y + (1 - p_x) * (1 - p_y)
            meetings += 1
    return corrected(ratio(agreeing, meetings), ratio(by_chance, meetings))


def two_category_alpha(corpus: Corpus) -> Coefficient:
    """Krippendorff's nominal alpha from its coincidences, as 1 - D_o and 1 - D_e (A&P)."""
    coincidences = {(a, b): Fraction(0) for a in (True, False) for b in (True, False)}
    for decided in decisions(corpus):
        for x, y in permutations(decided, 2):
            coincidences[decided[x], decided[y]] += Fraction(1, len(decided) - 1)
    n_1 = coincidences[True, True] + coincidences[True, False]
    n_0 = coincidences[False, False] + coincidences[False, True]
    n = n_1 + n_0
    disagreement = ratio(coincidences[True, False] + coincidences[False, True], n)
    by_chance = ratio(2 * n_1 * n_0, n * (n - 1))
    if disagreement is None or by_chance is None:
        return UNDEFINED
    return corrected(1 - disagreement, 1 - by_chance)


def two_category_ac1(corpus: Corpus) -> Coefficient:
    """Gwet's AC1: the agreement of pi; chance 2 q (1 - q) with the rate q of all marks."""
    marks = [mark for decided in decisions(corpus) for mark in decided.values()]
    rate = ratio(sum(marks), len(marks))
    by_chance = None if rate is None else 2 * rate * (1 - rate)
    return corrected(two_category_pi(corpus).actual, by_chance)


# --- All coefficients ----------------------------------------------------------------------------


def coefficients(
    corpus: Corpus, n_t: int = 2, expected: Expected = "pooled", segments: bool = False
) -> Coefficients:
    """Every (coefficient, similarity); `segments` is F13's published form (docs/measures.md).

    `expected` and `segments` apply to boundary-only coefficients, not to two_category.
    """
    result: Coefficients = {}
    for similarity in BOUNDARY_ONLY:
        actual = pooled_similarity(corpus, similarity, n_t)
        if actual is None and any(len(each.codings) > 1 < each.n_units for each in corpus.values()):
            actual = Fraction(1)  # nobody marks anything, so that all agree
        result["pi", similarity] = corrected(actual, pi_expected(corpus, expected, segments))
        result["kappa", similarity] = corrected(actual, kappa_expected(corpus, segments))
    result["pi", "two_category"] = two_category_pi(corpus)
    result["kappa", "two_category"] = two_category_kappa(corpus)
    result["alpha", "two_category"] = two_category_alpha(corpus)
    result["ac1", "two_category"] = two_category_ac1(corpus)
    for similarity in (*BOUNDARY_ONLY, "two_category"):
        result["bias", similarity] = bias(result["pi", similarity], result["kappa", similarity])
    return result


def without(
    corpus: Corpus, coder: str, n_t: int = 2, expected: Expected = "pooled", segments: bool = False
) -> Coefficients:
    """Every coefficient with a coder left out; all undefined if fewer than two coders remain."""
    rest: dict[str, Document] = {}
    for name, (n_units, codings) in corpus.items():
        others = {other: boundaries for other, boundaries in codings.items() if other != coder}
        if others:
            rest[name] = Document(n_units, others)
    result = coefficients(rest, n_t, expected, segments)
    return result if len(coders_of(rest)) >= 2 else dict.fromkeys(result, UNDEFINED)


# --- Coders side by side -------------------------------------------------------------------------


def window_pairs(document: Document, rounding: str = "half-even") -> dict[str, Spread]:
    """Pk and WindowDiff over ordered pairs, the window by the first (K&S Table 1)."""
    n_units, codings = document
    rows = []
    for x, y in permutations(codings.values(), 2):
        k = naive.window_size(n_units, len(x) + 1, rounding)
        rows.append(families.values(naive.window_counts(n_units, x, y, k), per_row=True))
    return {name: spread(row[name] for row in rows) for name in ("pk", "window_diff")}


def prominence(document: Document, k: int) -> list[dict[str, int | Fraction | None]]:
    """Coders who support each marked position, within 0, k // 2 and k positions (K&S 4.2)."""
    codings = list(document.codings.values())
    rows: list[dict[str, int | Fraction | None]] = []
    for position in sorted({position for boundaries in codings for position in boundaries}):
        row: dict[str, int | Fraction | None] = {"position": position}
        for name, reach in (("exact", 0), ("half", k // 2), ("full", k)):
            near = [any(abs(p - position) <= reach for p in boundaries) for boundaries in codings]
            row[f"coders_{name}"] = sum(near)
            row[f"support_{name}"] = ratio(sum(near), len(codings))
            row[f"peer_support_{name}"] = ratio(sum(near) - 1, len(codings) - 1)
        rows.append(row)
    return rows


def coder_rows(corpus: Corpus, n_t: int = 2) -> tuple[dict[str, CoderRow], Spread]:
    """Statistics of every coder, and the spread of their rates (F13 fig 11)."""
    rows: dict[str, CoderRow] = {}
    for coder in coders_of(corpus):
        coded = [document for document in corpus.values() if coder in document.codings]
        rows[coder] = CoderRow(
            boundaries=sum(len(document.codings[coder]) for document in coded),
            potential=sum(document.n_units - 1 for document in coded),
            rate=rate_of(corpus, coder),
            peer_similarity=pooled_similarity(corpus, "boundary_similarity", n_t, coder),
        )
    return rows, spread(row.rate for row in rows.values())


def segment_statistics(corpus: Corpus) -> dict[str, Spread]:
    """Segments per coding, and sizes of all segments of all codings (docs/measures.md)."""
    sizes = [
        naive.segments(n_units, boundaries)
        for n_units, codings in corpus.values()
        for boundaries in codings.values()
    ]
    return {
        "segments": spread(Fraction(len(segments)) for segments in sizes),
        "sizes": spread(Fraction(len(segment)) for segments in sizes for segment in segments),
    }


def agreement_index(
    n_units: int, codings: Mapping[str, Sequence[int]], coder: str, size: int = 1
) -> Fraction | None:
    """The agreement index of a coder with the others (Kurby & Zacks 2011), bin by bin."""
    bins = sorted({position // size for position in range(1, n_units)})
    marked = {name: {p // size for p in positions} for name, positions in codings.items()}
    others = [sum(b in marked[name] for name in codings if name != coder) for b in bins]
    own = [b in marked[coder] for b in bins]
    hits = sum(g for g, c in zip(others, own, strict=True) if c)
    chosen = sum(own)
    ordered = sorted(others)
    lowest, highest = sum(ordered[:chosen]), sum(ordered[len(ordered) - chosen :])
    return None if highest == lowest else Fraction(hits - lowest, highest - lowest)
