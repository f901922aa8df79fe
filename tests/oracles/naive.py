"""Every measure once more, slow and obvious.

This is the slow twin that tests compare the compiled passes with. It follows the definitions line
by line, counts by enumerating (windows, distances, positions, units, pairings) and divides with
exact fractions, so that a reader can compare it with the page. Undefined is None.

Sources, by the names used below: K&S = Kazantseva & Szpakowicz 2012; F13 = Fournier 2013;
G06 = Georgescul, Clark & Armstrong 2006; F07 = Franz, McCarley & Xu 2007.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import floor
from typing import NamedTuple

Boundaries = Sequence[int]
TypedBoundaries = Sequence[tuple[int, int]]
Value = Fraction | None

WINDOW_COUNTS = (
    "windows",
    "reference_windows",
    "pk_misses",
    "pk_false_alarms",
    "wd_misses",
    "wd_false_alarms",
    "pk_prime_misses",
    "pk_prime_false_alarms",
    "wd_absolute",
    "edge_windows",
    "edge_errors",
)
EDIT_COUNTS = (
    "matches",
    "near_misses",
    "near_miss_span",
    "misses",
    "false_alarms",
    "substitutions",
    "substitution_span",
    "potential_boundaries",
)
STORY_UNIT = 2**40
"""A story's fractions are added up as multiples of this fraction."""
CONTENT_COUNTS = ("content_miss", "content_false_alarm", "content_size")


# --- 1. Division, and units of measurement -------------------------------------------------------


def ratio(numerator: Fraction | int, denominator: Fraction | int) -> Value:
    """A division; undefined when the denominator is 0 (docs/measures.md)."""
    return None if denominator == 0 else Fraction(numerator) / denominator


def weighted_sum(*terms: tuple[Value, Value]) -> Value:
    """Sum of weight x value; undefined if any part is, whatever its weight (docs/measures.md)."""
    total = Fraction(0)
    for weight, value in terms:
        if weight is None or value is None:
            return None
        total += weight * value
    return total


def in_words(
    n_units: int, boundaries: Boundaries, lengths: Sequence[int]
) -> tuple[int, list[int], int]:
    """Words in all, boundaries in words, how many collapsed (G06, F07, Choi 2000)."""
    assert len(lengths) == n_units
    total = sum(lengths)
    landed = [sum(lengths[:position]) for position in boundaries]
    remaining = sorted({position for position in landed if 0 < position < total})
    return total, remaining, len(landed) - len(remaining)


# --- 2. Window measures --------------------------------------------------------------------------


def window_size(n_units: int, segments: int, rounding: str = "half-even") -> int:
    """Half the mean segment size, rounded, at least 2; also of sums (docs/measures.md; K&S 5)."""
    half = Fraction(n_units, 2 * segments)
    # round() of a Fraction takes the even neighbour of a half, as the page asks.
    nearest = {"half-even": round(half), "half-up": floor(half + Fraction(1, 2))}
    return max(2, nearest[rounding])


def boundaries_covered(boundaries: Boundaries, first: int, k: int) -> int:
    """How many boundaries lie in window `first`, positions first..first+k-1 (docs/measures.md)."""
    return sum(first <= position <= first + k - 1 for position in boundaries)


def windows(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, k: int
) -> list[tuple[int, int]]:
    """(r(i), h(i)) of the windows i = 1..N-k (docs/measures.md)."""
    return [
        (boundaries_covered(reference, i, k), boundaries_covered(hypothesis, i, k))
        for i in range(1, n_units - k + 1)
    ]


def edge_windows(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, k: int
) -> list[tuple[int, int]]:
    """(r(i), h(i)) with k phantom units before and after both (docs/measures.md; Lamprier 2007)."""
    later_reference = [position + k for position in reference]
    later_hypothesis = [position + k for position in hypothesis]
    return windows(k + n_units + k, later_reference, later_hypothesis, k)


def window_counts(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, k: int
) -> dict[str, int]:
    """The count table of docs/measures.md (Beeferman 1999; Pevzner & Hearst 2002; G06 4.1-4.3)."""
    inner = windows(n_units, reference, hypothesis, k)
    outer = edge_windows(n_units, reference, hypothesis, k)
    return {
        "windows": len(inner),
        "reference_windows": sum(r > 0 for r, _ in inner),
        "pk_misses": sum(r > 0 and h == 0 for r, h in inner),
        "pk_false_alarms": sum(r == 0 and h > 0 for r, h in inner),
        "wd_misses": sum(r > h for r, h in inner),
        "wd_false_alarms": sum(r < h for r, h in inner),
        "pk_prime_misses": sum(r != h and r > 0 for r, h in inner),
        "pk_prime_false_alarms": sum(r != h and r == 0 for r, h in inner),
        "wd_absolute": sum(abs(r - h) for r, h in inner),
        "edge_windows": len(outer),
        "edge_errors": sum(r != h for r, h in outer),
    }


def p_seg(rows: Iterable[Mapping[str, int]]) -> Value:
    """P_seg of a collection: pooled reference_windows / windows (docs/measures.md; G06 4.1)."""
    counted = list(rows)
    return ratio(
        sum(row["reference_windows"] for row in counted), sum(row["windows"] for row in counted)
    )


def window_values(
    counts: Mapping[str, int],
    p_seg: Value,
    cost_miss: Fraction,
    c_seg_costs: tuple[Fraction, Fraction],
) -> dict[str, Value]:
    """The value table of docs/measures.md, from one row's counts or from sums."""
    size = counts["windows"]
    with_reference = counts["reference_windows"]
    without_reference = size - with_reference
    no_seg = None if p_seg is None else 1 - p_seg
    pk_miss_rate = ratio(counts["pk_misses"], with_reference)
    pk_false_alarm_rate = ratio(counts["pk_false_alarms"], without_reference)
    prime_miss_rate = ratio(counts["pk_prime_misses"], with_reference)
    prime_false_alarm_rate = ratio(counts["pk_prime_false_alarms"], without_reference)
    pr_miss = ratio(counts["wd_misses"], with_reference)
    pr_false_alarm = ratio(counts["wd_false_alarms"], size)
    c_seg, c_seg_normalised = c_seg_values(pk_miss_rate, pk_false_alarm_rate, p_seg, c_seg_costs)
    return {
        "pk": ratio(counts["pk_misses"] + counts["pk_false_alarms"], size),
        "pk_miss_rate": pk_miss_rate,
        "pk_false_alarm_rate": pk_false_alarm_rate,
        "pk_prior": weighted_sum((p_seg, pk_miss_rate), (no_seg, pk_false_alarm_rate)),
        "pk_prime": weighted_sum((p_seg, prime_miss_rate), (no_seg, prime_false_alarm_rate)),
        "pk_prime_miss_rate": prime_miss_rate,
        "pk_prime_false_alarm_rate": prime_false_alarm_rate,
        "window_diff": ratio(counts["wd_misses"] + counts["wd_false_alarms"], size),
        "window_diff_miss": ratio(counts["wd_misses"], size),
        "window_diff_false_alarm": ratio(counts["wd_false_alarms"], size),
        "window_diff_weighted": ratio(counts["wd_absolute"], size),
        "pr_miss": pr_miss,
        "pr_false_alarm": pr_false_alarm,
        "pr_error": weighted_sum((cost_miss, pr_miss), (1 - cost_miss, pr_false_alarm)),
        "c_seg": c_seg,
        "c_seg_normalised": c_seg_normalised,
        "window_diff_edges": ratio(counts["edge_errors"], counts["edge_windows"]),
    }


def c_seg_values(
    miss_rate: Value, false_alarm_rate: Value, p_seg: Value, costs: tuple[Fraction, Fraction]
) -> tuple[Value, Value]:
    """C_seg, and C_seg over the cheaper of two blind systems (docs/measures.md; TDT plans)."""
    if p_seg is None:
        return None, None
    miss_weight, false_alarm_weight = costs[0] * p_seg, costs[1] * (1 - p_seg)
    c_seg = weighted_sum((miss_weight, miss_rate), (false_alarm_weight, false_alarm_rate))
    if c_seg is None:
        return None, None
    return c_seg, ratio(c_seg, min(miss_weight, false_alarm_weight))


# --- 3. Edit measures ----------------------------------------------------------------------------


class Edit(NamedTuple):
    """One edit: position and type in the reference, and (other) in the hypothesis."""

    kind: str
    position: int | None
    other_position: int | None
    type: int | None
    other_type: int | None

    @property
    def span(self) -> int:
        """How far apart the two ends are; 0 for an edit with one end."""
        if self.position is None or self.other_position is None:
            return 0
        return abs(self.position - self.other_position)

    @property
    def type_span(self) -> int:
        """How far apart the two types are; 0 for an edit with one end."""
        if self.type is None or self.other_type is None:
            return 0
        return abs(self.type - self.other_type)


def in_text_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right, by their leftmost end."""

    def place(edit: Edit) -> tuple[int, int, str]:
        positions = [p for p in (edit.position, edit.other_position) if p is not None]
        types = [t for t in (edit.type, edit.other_type) if t is not None]
        return min(positions), min(types), edit.kind

    return sorted(edits, key=place)


def edits(n_units: int, reference: Boundaries, hypothesis: Boundaries, n_t: int = 2) -> list[Edit]:
    """Boundary edit distance over one type, greedy pairing (docs/measures.md; F13 3.1)."""
    near: list[Edit] = []
    used: set[int] = set()
    for d in range(1, n_t):
        for i in range(1, n_units - d):
            if i in used or i + d in used:
                continue
            unpaired = (i in reference, i in hypothesis)
            right = (i + d in reference, i + d in hypothesis)
            if unpaired == (True, False) and right == (False, True):
                near.append(Edit("near_miss", i, i + d, 1, 1))
                used |= {i, i + d}
            elif unpaired == (False, True) and right == (True, False):
                near.append(Edit("near_miss", i + d, i, 1, 1))
                used |= {i, i + d}
    matches = [Edit("match", p, p, 1, 1) for p in reference if p in hypothesis]
    misses = [
        Edit("miss", p, None, 1, None) for p in reference if p not in hypothesis and p not in used
    ]
    false_alarms = [
        Edit("false_alarm", None, p, None, 1)
        for p in hypothesis
        if p not in reference and p not in used
    ]
    return in_text_order(matches + near + misses + false_alarms)


def typed_edits(
    n_units: int,
    reference: TypedBoundaries,
    hypothesis: TypedBoundaries,
    types: Sequence[int],
    n_t: int = 2,
) -> list[Edit]:
    """Boundary edit distance with types, greedy pairing (docs/measures.md; F13 3.1)."""
    # The originals decide what is a candidate, what is left decides whether it is refused.
    only_reference = set(reference) - set(hypothesis)
    only_hypothesis = set(hypothesis) - set(reference)
    left_reference, left_hypothesis = set(only_reference), set(only_hypothesis)
    paired = [Edit("match", p, p, t, t) for p, t in set(reference) & set(hypothesis)]
    for d in range(1, n_t):
        for i in range(1, n_units - d):
            for t in sorted(types):
                end, other_end = (i, t), (i + d, t)
                if end in only_reference and other_end in only_hypothesis:
                    miss, false_alarm = end, other_end
                elif end in only_hypothesis and other_end in only_reference:
                    miss, false_alarm = other_end, end
                else:
                    continue
                if miss not in left_reference or false_alarm not in left_hypothesis:
                    continue
                if all(substitutable(left_reference, left_hypothesis, p) for p in (i, i + d)):
                    continue
                paired.append(Edit("near_miss", miss[0], false_alarm[0], t, t))
                left_reference.remove(miss)
                left_hypothesis.remove(false_alarm)
    for position in range(1, n_units):
        paired += edits_at(
            position,
            [t for p, t in left_reference if p == position],
            [t for p, t in left_hypothesis if p == position],
        )
    return in_text_order(paired)


def substitutable(
    reference: set[tuple[int, int]], hypothesis: set[tuple[int, int]], position: int
) -> bool:
    """Whether a substitution is still possible at this position (docs/measures.md)."""
    return any(p == position for p, _ in reference) and any(p == position for p, _ in hypothesis)


def edits_at(position: int, reference: Sequence[int], hypothesis: Sequence[int]) -> list[Edit]:
    """Edits left at one position: substitutions, then full misses (docs/measures.md; F13 3.1)."""
    pairs = least_substitutions(frozenset(reference), frozenset(hypothesis))
    misses = sorted(set(reference) - {a for a, _ in pairs})
    false_alarms = sorted(set(hypothesis) - {b for _, b in pairs})
    return (
        [Edit("substitution", position, position, a, b) for a, b in pairs]
        + [Edit("miss", position, None, a, None) for a in misses]
        + [Edit("false_alarm", None, position, None, b) for b in false_alarms]
    )


def least_substitutions(
    reference: frozenset[int], hypothesis: frozenset[int]
) -> list[tuple[int, int]]:
    """Pair as many (type, other type) as possible: least difference, then smallest."""

    def pairings(left: frozenset[int], right: frozenset[int]) -> list[list[tuple[int, int]]]:
        if not left or not right:
            return [[]]
        return [
            [(a, b), *rest]
            for a in left
            for b in right
            for rest in pairings(frozenset(x for x in left if x > a), right - {b})
        ]

    size = min(len(reference), len(hypothesis))
    whole = [sorted(pairing) for pairing in pairings(reference, hypothesis) if len(pairing) == size]
    return min(whole, key=lambda pairing: (sum(abs(a - b) for a, b in pairing), pairing))


def optimal_edits(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, n_t: int = 2
) -> list[Edit]:
    """Boundary edit distance of least cost over one type (docs/measures.md, `optimal`)."""
    return typed_optimal_edits(
        n_units, [(p, 1) for p in reference], [(p, 1) for p in hypothesis], (1,), n_t
    )


def typed_optimal_edits(
    n_units: int,
    reference: TypedBoundaries,
    hypothesis: TypedBoundaries,
    types: Sequence[int],
    n_t: int = 2,
) -> list[Edit]:
    """Boundary edit distance of least cost, over all pairings (`optimal`; F13 3.1).

    Ties: fewest near misses; then leftmost: the list of pairs, each written (position, type,
    position, type) from its left end and sorted, that is lexicographically smallest.
    """
    type_range = max(types) - min(types) + 1

    def cost_of(left: tuple[int, int, int], right: tuple[int, int, int]) -> Value:
        distance = abs(left[0] - right[0])
        if left[2] == right[2]:
            return None
        if left[1] == right[1] and 1 <= distance <= n_t - 1:
            return Fraction(distance, n_t)
        if left[1] != right[1] and distance == 0:
            return Fraction(abs(left[1] - right[1]), type_range)
        return None

    @cache
    def best(
        rest: tuple[tuple[int, int, int], ...],
    ) -> tuple[Fraction, int, tuple[tuple[int, ...], ...]]:
        if not rest:
            return Fraction(0), 0, ()
        first, others = rest[0], rest[1:]
        cost, near_misses, pairs = best(others)
        options = [(cost + 1, near_misses, pairs)]
        for other in others:
            pair_cost = cost_of(first, other)
            if pair_cost is not None:
                cost, near_misses, pairs = best(tuple(end for end in others if end != other))
                is_near_miss = int(first[0] != other[0])
                options.append(
                    (cost + pair_cost, near_misses + is_near_miss, ((*first, *other), *pairs))
                )
        return min(options)

    only_reference = set(reference) - set(hypothesis)
    only_hypothesis = set(hypothesis) - set(reference)
    ends = [(p, t, 0) for p, t in only_reference] + [(p, t, 1) for p, t in only_hypothesis]
    pairs = best(tuple(sorted(ends)))[2]
    paired = [Edit("match", p, p, t, t) for p, t in set(reference) & set(hypothesis)]
    for pair in pairs:
        two_ends = [(pair[0], pair[1], pair[2]), (pair[3], pair[4], pair[5])]
        (p, t, _), (other_p, other_t, _) = sorted(two_ends, key=lambda end: end[2])
        paired.append(Edit("near_miss" if t == other_t else "substitution", p, other_p, t, other_t))
        only_reference.remove((p, t))
        only_hypothesis.remove((other_p, other_t))
    paired += [Edit("miss", p, None, t, None) for p, t in only_reference]
    paired += [Edit("false_alarm", None, p, None, t) for p, t in only_hypothesis]
    return in_text_order(paired)


def counts_of(edits: Sequence[Edit], potential_boundaries: int) -> dict[str, int]:
    """The counts of docs/measures.md from the edits themselves."""
    kinds = Counter(edit.kind for edit in edits)
    return {
        "matches": kinds["match"],
        "near_misses": kinds["near_miss"],
        "near_miss_span": sum(edit.span for edit in edits if edit.kind == "near_miss"),
        "misses": kinds["miss"],
        "false_alarms": kinds["false_alarm"],
        "substitutions": kinds["substitution"],
        "substitution_span": sum(edit.type_span for edit in edits if edit.kind == "substitution"),
        "potential_boundaries": potential_boundaries,
    }


def edit_counts(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, n_t: int = 2
) -> dict[str, int]:
    """Counts of docs/measures.md over one type, greedy pairing (F13 3.1)."""
    return counts_of(edits(n_units, reference, hypothesis, n_t), n_units - 1)


def typed_edit_counts(
    n_units: int,
    reference: TypedBoundaries,
    hypothesis: TypedBoundaries,
    types: Sequence[int],
    n_t: int = 2,
) -> dict[str, int]:
    """Counts of docs/measures.md with types, greedy pairing (F13 3.1)."""
    paired = typed_edits(n_units, reference, hypothesis, types, n_t)
    return counts_of(paired, (n_units - 1) * len(types))


def optimal_edit_counts(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, n_t: int = 2
) -> dict[str, int]:
    """Counts of docs/measures.md over one type, `optimal` pairing."""
    return counts_of(optimal_edits(n_units, reference, hypothesis, n_t), n_units - 1)


def typed_optimal_edit_counts(
    n_units: int,
    reference: TypedBoundaries,
    hypothesis: TypedBoundaries,
    types: Sequence[int],
    n_t: int = 2,
) -> dict[str, int]:
    """Counts of docs/measures.md with types, `optimal` pairing."""
    paired = typed_optimal_edits(n_units, reference, hypothesis, types, n_t)
    return counts_of(paired, (n_units - 1) * len(types))


def f_beta(tp: Fraction, fp: Fraction, fn: Fraction, beta: Fraction = Fraction(1)) -> Value:
    """F_beta; undefined only if all three are 0 (docs/measures.md; F13 3.3)."""
    weight = beta * beta
    return ratio((1 + weight) * tp, (1 + weight) * tp + weight * fn + fp)


def edit_values(
    counts: Mapping[str, int],
    *,
    n_t: int = 2,
    types: Sequence[int] = (1,),
    per_row: bool,
    w_t: Fraction = Fraction(0),
    w_s: Fraction = Fraction(0),
) -> dict[str, Value]:
    """The value table of docs/measures.md (F13 eq 2, 4; 3.3), with F13's constants w_t and w_s."""
    matches, near_misses = counts["matches"], counts["near_misses"]
    misses, false_alarms = counts["misses"], counts["false_alarms"]
    substitutions, potential = counts["substitutions"], counts["potential_boundaries"]
    near_weight = w_t * near_misses + Fraction(counts["near_miss_span"], n_t)
    type_range = max(types) - min(types) + 1
    substitution_weight = w_s * substitutions + Fraction(counts["substitution_span"], type_range)
    penalty = misses + false_alarms + near_weight + substitution_weight
    decisions = misses + false_alarms + near_misses + substitutions + matches
    tp = matches + (near_misses - near_weight) + (substitutions - substitution_weight)
    fp, fn = Fraction(false_alarms), Fraction(misses)
    exact_tp = Fraction(matches)
    exact_fp = Fraction(false_alarms + near_misses + substitutions)
    exact_fn = Fraction(misses + near_misses + substitutions)
    return {
        "boundary_similarity": similarity(penalty, decisions, per_row),
        "segmentation_similarity": similarity(penalty, potential, per_row),
        "b_tp": tp,
        "b_fp": fp,
        "b_fn": fn,
        "b_tn": potential - tp - fp - fn,
        "b_precision": ratio(tp, tp + fp),
        "b_recall": ratio(tp, tp + fn),
        "b_f1": f_beta(tp, fp, fn),
        "precision": ratio(exact_tp, exact_tp + exact_fp),
        "recall": ratio(exact_tp, exact_tp + exact_fn),
        "f1": f_beta(exact_tp, exact_fp, exact_fn),
    }


def similarity(penalty: Fraction, denominator: int, per_row: bool) -> Value:
    """1 - penalty / denominator; 1 for a row without any decision (F13 eq 2, 4)."""
    if denominator == 0:
        return Fraction(1) if per_row else None
    return 1 - penalty / denominator


def class_confusion(
    edits: Iterable[Edit], *, n_t: int = 2, types: Sequence[int] = (1,)
) -> dict[tuple[int | None, int | None], Fraction]:
    """(type, other type) -> sum of 1-w; None is no boundary (docs/measures.md; F13 eq 7)."""
    type_range = max(types) - min(types) + 1
    matrix: dict[tuple[int | None, int | None], Fraction] = {}
    for edit in edits:
        weight = Fraction(edit.span, n_t) + Fraction(edit.type_span, type_range)
        cell = (edit.type, edit.other_type)
        matrix[cell] = matrix.get(cell, Fraction(0)) + 1 - weight
    return matrix


def ghd(n_units: int, reference: Boundaries, hypothesis: Boundaries) -> int:
    """Generalised Hamming distance: insert 2, delete 2, shift d (Bookstein 2002)."""
    # On a line no pair of shifts gains by crossing, so the boundaries can be aligned in order.
    assert all(1 <= position <= n_units - 1 for position in [*reference, *hypothesis])
    cost = {(0, j): 2 * j for j in range(len(hypothesis) + 1)}
    for i in range(1, len(reference) + 1):
        cost[i, 0] = 2 * i
        for j in range(1, len(hypothesis) + 1):
            insert = cost[i - 1, j] + 2
            delete = cost[i, j - 1] + 2
            shift = cost[i - 1, j - 1] + abs(reference[i - 1] - hypothesis[j - 1])
            cost[i, j] = min(insert, delete, shift)
    return cost[len(reference), len(hypothesis)]


# --- 4. Content measures -------------------------------------------------------------------------


def segments(n_units: int, boundaries: Boundaries) -> list[range]:
    """The segments, each a range of units counted from 0 (docs/measures.md)."""
    edges = [0, *boundaries, n_units]
    return [range(start, stop) for start, stop in pairwise(edges)]


def segment_of(n_units: int, boundaries: Boundaries, w: int) -> range:
    """The segment that contains unit w, counted from 0 (docs/measures.md)."""
    return next(segment for segment in segments(n_units, boundaries) if w in segment)


def heard_segments(
    n_units: int, reference: Boundaries, hypothesis: Boundaries
) -> list[tuple[range, range]]:
    """For every unit w, its reference segment and its hypothesis segment (F07 2)."""
    return [
        (segment_of(n_units, reference, w), segment_of(n_units, hypothesis, w))
        for w in range(n_units)
    ]


def content_counts(n_units: int, reference: Boundaries, hypothesis: Boundaries) -> dict[str, int]:
    """Missed and spurious content summed over all units (docs/measures.md; F07 eq 1)."""
    heard = heard_segments(n_units, reference, hypothesis)
    return {
        "content_miss": sum(len(set(story) - set(segment)) for story, segment in heard),
        "content_false_alarm": sum(len(set(segment) - set(story)) for story, segment in heard),
        "content_size": n_units,
    }


def content_parts(n_units: int, reference: Boundaries, hypothesis: Boundaries) -> dict[str, int]:
    """Missed and spurious content before (leading) and after (trailing) the overlap (F07 2)."""
    heard = heard_segments(n_units, reference, hypothesis)
    return {
        "content_leading_miss": sum(u < segment.start for story, segment in heard for u in story),
        "content_trailing_miss": sum(u >= segment.stop for story, segment in heard for u in story),
        "content_leading_false_alarm": sum(
            u < story.start for story, segment in heard for u in segment
        ),
        "content_trailing_false_alarm": sum(
            u >= story.stop for story, segment in heard for u in segment
        ),
    }


def weighted_parts(
    parts: Mapping[str, int],
    *,
    leading_miss: Fraction = Fraction(1),
    trailing_miss: Fraction = Fraction(1),
    leading_false_alarm: Fraction = Fraction(1),
    trailing_false_alarm: Fraction = Fraction(1),
) -> dict[str, Fraction]:
    """Content with a weight for each part; all 1 gives the whole (docs/measures.md; F07 2)."""
    return {
        "content_miss": leading_miss * parts["content_leading_miss"]
        + trailing_miss * parts["content_trailing_miss"],
        "content_false_alarm": leading_false_alarm * parts["content_leading_false_alarm"]
        + trailing_false_alarm * parts["content_trailing_false_alarm"],
    }


def story_fractions(
    n_units: int, reference: Boundaries, hypothesis: Boundaries
) -> list[tuple[Fraction, Fraction]]:
    """(miss, false alarm) of each reference segment (docs/measures.md, per story; F07 2).

    The mean over its units of the share of the story that is missed, and of the share of the
    hypothesis segment that is not part of the story.
    """
    fractions = []
    for story in segments(n_units, reference):
        missed = spurious = Fraction(0)
        for w in story:
            segment = segment_of(n_units, hypothesis, w)
            missed += Fraction(len(set(story) - set(segment)), len(story))
            spurious += Fraction(len(set(segment) - set(story)), len(segment))
        fractions.append((missed / len(story), spurious / len(story)))
    return fractions


def story_values(
    n_units: int, reference: Boundaries, hypothesis: Boundaries
) -> dict[str, Fraction]:
    """Means over reference segments, and the number of segments (per story; F07 2)."""
    fractions = story_fractions(n_units, reference, hypothesis)
    return {
        "story_miss": sum((miss for miss, _ in fractions), Fraction(0)) / len(fractions),
        "story_false_alarm": sum((false_alarm for _, false_alarm in fractions), Fraction(0))
        / len(fractions),
        "stories": Fraction(len(fractions)),
    }


def weighted_content_counts(
    n_units: int,
    reference: Boundaries,
    hypothesis: Boundaries,
    weights: Sequence[int],
    lengths: Sequence[int] | None = None,
) -> dict[str, int]:
    """Content in unit weights, counted once for each word of unit w (F07 2)."""
    words = [1] * n_units if lengths is None else lengths
    miss = false_alarm = 0
    for w, (story, segment) in enumerate(heard_segments(n_units, reference, hypothesis)):
        miss += words[w] * sum(weights[u] for u in set(story) - set(segment))
        false_alarm += words[w] * sum(weights[u] for u in set(segment) - set(story))
    return {"content_miss": miss, "content_false_alarm": false_alarm, "content_size": sum(words)}


def content_values(counts: Mapping[str, int]) -> dict[str, Value]:
    """R_miss and R_fa, in words (docs/measures.md; F07 eq 1)."""
    return {
        "r_miss": ratio(counts["content_miss"], counts["content_size"]),
        "r_false_alarm": ratio(counts["content_false_alarm"], counts["content_size"]),
    }


# --- 5. Several references at once ---------------------------------------------------------------


def panel_counts(
    n_units: int, references: Sequence[Boundaries], hypothesis: Boundaries, k: int
) -> dict[str, int]:
    """Penalty of a hypothesis compared with all references, and its bounds (K&S eq 7-10)."""
    h = len(references)
    penalty = best = worst = 0
    starts = range(1, n_units - k + 1)
    for i in starts:
        counts = [boundaries_covered(reference, i, k) for reference in references]
        support = [counts.count(opinion) for opinion in range(k + 1)]
        penalty += sum(opinion != boundaries_covered(hypothesis, i, k) for opinion in counts)
        best += h - max(support)
        worst += h - min(support)
    return {
        "references": h,
        "window": k,
        "windows": len(starts),
        "opinions": h * max(0, n_units - k),
        "penalty": penalty,
        "best": best,
        "worst": worst,
    }


def panel_values(counts: Mapping[str, int]) -> dict[str, Value]:
    """winDiff', multWinDiff and its two bounds (docs/measures.md; K&S eq 7-10)."""
    penalty, best, worst, opinions = (
        counts[name] for name in ("penalty", "best", "worst", "opinions")
    )
    return {
        "win_diff_prime": ratio(penalty, opinions),
        "mult_window_diff": ratio(penalty - best, worst - best),
        "best_case": ratio(best, opinions),
        "worst_case": ratio(worst, opinions),
    }


def panel(
    n_units: int, references: Sequence[Boundaries], hypothesis: Boundaries, k: int
) -> dict[str, int | Fraction | None]:
    """Panel counts and values of one hypothesis (docs/measures.md; K&S 5)."""
    counts = panel_counts(n_units, references, hypothesis, k)
    return {**counts, **panel_values(counts)}


def consensus(codings: Sequence[Boundaries], share: Fraction) -> list[int]:
    """Boundaries marked by at least a share of the coders; 0 is the union (K&S 6)."""
    marks = Counter(position for coding in codings for position in set(coding))
    return sorted(
        position for position, count in marks.items() if Fraction(count, len(codings)) >= share
    )
