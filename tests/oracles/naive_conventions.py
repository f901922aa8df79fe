"""Conventions, slow and obvious: flags in lists, every window looked at, fractions.

Written from docs/measures.md and the programs themselves, not from the fast search.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from statistics import mean
from typing import NamedTuple

from tests.oracles import naive, naive_fields

Answers = Mapping[str, str]
Value = Fraction | None


class Pair(NamedTuple):
    """A reference and a hypothesis of a document, whose length may be no whole number of units."""

    document: str
    n_units: int
    reference: tuple[int, ...]
    hypothesis: tuple[int, ...]
    length: Fraction


class References(NamedTuple):
    """A segmentation that may determine k, and its document."""

    document: str
    length: Fraction
    boundaries: tuple[int, ...]


# --- What programs do before they count ----------------------------------------------------------


def joined(pairs: Sequence[Pair], *, marked: bool) -> Pair:
    """Join pairs to one; if asked, with a boundary on both sides where two are joined."""
    start = 0
    sides: tuple[list[int], list[int]] = ([], [])
    for pair in pairs:
        for side, boundaries in zip(sides, (pair.reference, pair.hypothesis), strict=True):
            side += [start] if marked and start else []
            side += [start + position for position in boundaries]
        start += pair.n_units
    return Pair("all", start, tuple(sides[0]), tuple(sides[1]), Fraction(start))


def merged(boundaries: Sequence[int]) -> tuple[int, ...]:
    """Drop each boundary at most 500 after the last one that is kept."""
    kept: list[int] = []
    for position in boundaries:
        if not kept or position - kept[-1] > 500:
            kept.append(position)
    return tuple(kept)


def in_seconds(pair: Pair) -> Pair:
    """Return the segment of each second's middle, as a boundary for each step to the next one."""
    seconds = max(1, round(Fraction(pair.n_units, 1000)))

    def steps(boundaries: Sequence[int]) -> tuple[int, ...]:
        segment = [sum(p <= 1000 * i + 500 for p in boundaries) for i in range(seconds)]
        return tuple(i for i in range(1, seconds) for _ in range(segment[i] - segment[i - 1]))

    length = Fraction(pair.n_units, 1000)
    return Pair(pair.document, seconds, steps(pair.reference), steps(pair.hypothesis), length)


def rewritten(answers: Answers, pairs: Sequence[Pair]) -> list[Pair]:
    """Return pairs as a program reads them; all ends of the text are boundaries if any can be."""
    if answers["documents"] != "own":
        pairs = [joined(pairs, marked=answers["documents"] == "joined")]
    if answers.get("edges") == "marked":
        ends = [((0, *p.reference, p.n_units), (0, *p.hypothesis, p.n_units)) for p in pairs]
        pairs = [
            p._replace(reference=reference, hypothesis=hypothesis)
            for p, (reference, hypothesis) in zip(pairs, ends, strict=True)
        ]
    if answers["merged"] != "none":
        pairs = [
            p._replace(reference=merged(p.reference), hypothesis=merged(p.hypothesis))
            for p in pairs
        ]
    return [in_seconds(p) for p in pairs] if answers.get("grid") == "seconds" else [*pairs]


# --- Windows -------------------------------------------------------------------------------------


def flags(text: str, n_units: int, boundaries: Sequence[int]) -> list[int]:
    """Return the flags that a program reads, or how many boundaries each stands for."""
    inside = [boundaries.count(position) for position in range(1, n_units)]
    if text == "positions":
        return inside
    if text.startswith("starts"):
        return [int(text == "starts-marked"), *inside]
    return [*inside, int(text == "ends-marked")]


ROUND: dict[str, Callable[[Fraction], int]] = {
    "half-even": round,
    "half-up": lambda value: floor(value + Fraction(1, 2)),
    "down": floor,
    "up": ceil,
}


def window(answers: Answers, rows: Sequence[References]) -> int | None:
    """Return k of some segmentations together; None without a boundary to divide by."""
    units = sum(row.length for row in rows)
    boundaries = sum(len(row.boundaries) for row in rows)
    segments = boundaries + len(rows)
    if "boundary" in answers["k"] and not boundaries:
        return None
    exact = {
        "half-segment": lambda: Fraction(units, 2 * segments),
        "flags-per-boundary": lambda: Fraction(units - len(rows), 2 * boundaries),
        "units-per-boundary": lambda: Fraction(units, 2 * boundaries),
        "half-segment-plus": lambda: Fraction(units + len(rows), 2 * segments),
        "segment": lambda: Fraction(units, segments),
    }[answers["k"]]()
    return max({"two": 2, "one": 1}[answers["least"]], ROUND[answers["rounding"]](exact))


def window_parts(measure: str, answers: Answers, pair: Pair, k: int | None) -> tuple[int, int]:
    """Return the numerator and the denominator of a pair's Pk or WindowDiff."""
    if k is None:
        return 0, 0
    sides = [
        flags(answers["text"], pair.n_units, side) for side in (pair.reference, pair.hypothesis)
    ]
    if answers["windows"] == "last-left-out":
        sides = [side[:-1] for side in sides]
    k += answers["windows"] == "longer"
    padded = measure == "window_diff" and answers["difference"].startswith("padded")
    if padded:
        sides = [[0] * k + side + [0] * k for side in sides]
    starts = range(len(sides[0]) - k + 1)
    counts = [[sum(side[i : i + k]) for side in sides] for i in starts]
    windows = len(counts) + (padded and answers["difference"] == "padded-plus-one")
    if measure == "pk":
        return sum((r > 0) != (h > 0) for r, h in counts), windows
    if answers["difference"] == "absolute":
        return sum(abs(r - h) for r, h in counts), windows
    return sum(r != h for r, h in counts), windows


def windows_of(
    answers: Answers, pairs: Sequence[Pair], references: Sequence[References]
) -> list[int | None]:
    """Return the window size of each pair."""
    exchanged = answers["roles"] == "exchanged"
    rows = list(references)
    if exchanged:
        rows = list({References(p.document, p.length, p.hypothesis): None for p in pairs})
    sizes = []
    for pair in pairs:
        side = pair.hypothesis if exchanged else pair.reference
        own = [References(pair.document, pair.length, side)]
        chosen = {
            "pair": own,
            "document": [row for row in rows if row.document == pair.document],
            "run": rows,
        }[answers["scope"]]
        sizes.append(window(answers, chosen))
    return sizes


# --- Boundaries ----------------------------------------------------------------------------------


def closest_first(reference: Sequence[int], hypothesis: Sequence[int], reach: int) -> int:
    """Count pairs as pyannote.metrics makes them: the smallest distance first, never undone."""
    left, right, made = list(reference), list(hypothesis), 0
    while near := [(abs(r - h), r, h) for r in left for h in right if abs(r - h) <= reach]:
        _, r, h = min(near)
        left.remove(r)
        right.remove(h)
        made += 1
    return made


def with_ends(edges: str, n_units: int, boundaries: Sequence[int]) -> list[int]:
    """Return boundaries with the ends of the text."""
    start = [0] if edges in ("start", "both") else []
    end = [n_units] if edges in ("end", "both") else []
    return [*start, *boundaries, *end]


def boundary_counts(answers: Answers, pair: Pair) -> dict[str, int]:
    """Return the numbers of boundaries, and how many of them are right."""
    reach, n_units = int(answers["tolerance"]), pair.n_units
    reference = with_ends(answers["edges"], n_units, pair.reference)
    hypothesis = with_ends(answers["edges"], n_units, pair.hypothesis)
    found = right = 0
    if answers["matching"] == "most":
        found = right = naive_fields.most_pairs(reference, hypothesis, reach)
    elif answers["matching"] == "closest":
        found = right = closest_first(reference, hypothesis, reach)
    else:
        found = naive_fields.in_reach(reference, hypothesis, reach)
        right = naive_fields.in_reach(hypothesis, reference, reach)
    counts = {"references": len(reference), "hypotheses": len(hypothesis), "places": n_units - 1}
    return {**counts, "found": found, "right": right, "rows": 1}


def boundary_value(measure: str, answers: Answers, counts: Mapping[str, int]) -> Value:
    """Compute precision, recall or F."""
    recall = naive.ratio(counts["found"], counts["references"])
    precision = naive.ratio(counts["right"], counts["hypotheses"])
    if measure == "f1":
        f1 = naive_fields.f_of_two(recall, precision, Fraction(1))
        if answers["classes"] == "boundary":
            return f1
        places = counts["places"] + counts["rows"] * (answers["classes"] == "both-units")
        sides = counts["references"] + counts["hypotheses"]
        same = Fraction(counts["found"] + counts["right"], 2)
        other = naive.ratio(2 * (places - sides + same), 2 * places - sides)
        return ((f1 or Fraction(0)) + (other or Fraction(0))) / 2
    return recall if (measure == "recall") != (answers["roles"] == "exchanged") else precision


# --- Edits ---------------------------------------------------------------------------------------


def edit_counts(answers: Answers, pair: Pair) -> dict[str, int]:
    """Return the edits of a pair."""
    count = naive.edit_counts if answers["pairing"] == "greedy" else naive.optimal_edit_counts
    counts = count(pair.n_units, pair.reference, pair.hypothesis, int(answers["n_t"]))
    return {**counts, "rows": 1}


def edit_value(measure: str, answers: Answers, counts: Mapping[str, int]) -> Value:
    """Compute B, S, or a value of the confusion matrix."""
    n_t, near = int(answers["n_t"]), counts["near_misses"]
    cost = {
        "scaled": Fraction(counts["near_miss_span"], n_t),
        "as-printed": Fraction(counts["near_miss_span"], max(1, n_t - 1)),
        "whole": Fraction(near),
        "half": Fraction(near, 2),
    }[answers["near"]]
    missed, added = counts["misses"], counts["false_alarms"]
    wrong = missed + added + cost
    if measure == "boundary_similarity":
        correct = naive.ratio(wrong, missed + added + near + counts["matches"])
        return None if correct is None else 1 - correct
    if measure == "segmentation_similarity":
        potential = counts["potential_boundaries"]
        potential += counts["rows"] * (answers["potential"] == "units")
        share = naive.ratio(wrong, potential)
        return None if share is None else 1 - share
    right = counts["matches"] + (cost if answers["credit"] == "cost" else near - cost)
    if answers["roles"] == "exchanged":
        missed, added = added, missed
    return {
        "b_precision": naive.ratio(right, right + added),
        "b_recall": naive.ratio(right, right + missed),
        "b_f1": naive.ratio(2 * right, 2 * right + missed + added),
    }[measure]


# --- Averages ------------------------------------------------------------------------------------

Counts = list[dict[str, int]]
Formula = Callable[[str, Answers, Mapping[str, int]], Value]
AGREED = ("boundary_similarity", "segmentation_similarity")
PARTS = ("precision", "recall")


def pair_value(measure: str, answers: Answers, pair: Pair, value: Value) -> Value:
    """Return what counts for a pair in an average."""
    neither = not pair.reference and not pair.hypothesis
    without = answers["without"]
    if without == "neither-zero" and neither:
        return Fraction(0)
    if value is None and neither and measure in AGREED:
        return Fraction(1)
    if value is None and without in ("zero", "one", "zero-or-one"):
        return Fraction(without == "one" or (without == "zero-or-one" and neither))
    return value


def average(
    measure: str, answers: Answers, pairs: Sequence[Pair], counts: Counts, formula: Formula
) -> Value:
    """Average the pairs by a convention."""
    if answers["average"] == "f-of-means" and measure == "f1":
        macro = {**answers, "average": "macro"}
        parts = [average(part, macro, pairs, counts, formula) for part in PARTS]
        if None in parts:
            return None
        p, r = parts
        assert p is not None and r is not None
        return 2 * p * r / (p + r) if p + r else Fraction(0)
    kept = [
        (pair, count)
        for pair, count in zip(pairs, counts, strict=True)
        if not (answers["without"] == "left-out" and not pair.reference)
        and not (answers["without"] == "neither-left-out" and not pair.reference + pair.hypothesis)
    ]
    if answers["average"] == "micro":
        names = counts[0] if counts else {}
        return formula(measure, answers, {n: sum(c[n] for _, c in kept) for n in names})
    values = [
        (pair.document, value)
        for pair, count in kept
        if (value := pair_value(measure, answers, pair, formula(measure, answers, count)))
        is not None
    ]
    if not values:
        return None
    if answers["average"] == "pairs":
        return mean(value for _, value in values)
    documents = {document for document, _ in values}
    return mean(mean(v for d, v in values if d == document) for document in documents)


def convention_value(measure: str, answers: Answers, pairs: Sequence[Pair]) -> Value:
    """Return the value of a measure on a corpus by a convention."""
    if "n_t" in answers:
        counts = [edit_counts(answers, pair) for pair in pairs]
        return average(measure, answers, pairs, counts, edit_value)
    read = rewritten(answers, pairs)
    if answers["documents"] != "own":
        pairs = read
    if "windows" not in answers:
        counts = [boundary_counts(answers, pair) for pair in read]
        return average(measure, answers, pairs, counts, boundary_value)
    references = [References(p.document, p.length, p.reference) for p in read]
    sizes = windows_of(answers, read, references)
    parts = [window_parts(measure, answers, pair, k) for pair, k in zip(read, sizes, strict=True)]
    counts = [{"wrong": wrong, "windows": windows} for wrong, windows in parts]
    return average(
        measure, answers, pairs, counts, lambda _m, _a, c: naive.ratio(c["wrong"], c["windows"])
    )
