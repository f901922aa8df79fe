"""Edit measures: boundary edit distance pairs boundaries that match or nearly match.

Fournier 2013, "Evaluating Text Segmentation using Boundary Edit Distance", sections 3.1-3.3.
"""

import numpy as np

from segscore.pipeline.arrays.kernel import inlined, kernel, kernel_of_steps
from segscore.pipeline.arrays.ragged import Ints, row_values
from segscore.pipeline.measures.compared import ComparedPairs
from segscore.pipeline.measures.greedy import neighbours
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.pairing import (
    ONE_TYPE,
    OnePair,
    Optimal,
    Rules,
    TypedSides,
    Types,
    differences_in_position,
    least_cost,
    pair,
    rules_of,
    type_differences,
    types_of,
)
from segscore.pipeline.measures.prefetch import AT_ONCE, FIRST_PAIR, prefetch
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs
from segscore.pipeline.measures.shifts import distance
from segscore.pipeline.measures.type_confusion import Decisions, add_decisions

COUNTS = {
    "matches": "boundaries with the same position and type on both sides",
    "near_misses": "pairs of boundaries 1..n_t-1 positions apart",
    "near_miss_span": "sum of the near misses' distances, in the unit of the run",
    "misses": "full misses: boundaries only in the reference",
    "false_alarms": "full misses: boundaries only in the hypothesis",
    "substitutions": "pairs of boundaries at one position, of different types",
    "substitution_span": "sum of the substitutions' type differences",
    "potential_boundaries": "(n_units - 1) times the number of boundary types",
    "ghd": "generalised Hamming distance: least cost of insertions and deletions (2 each) and "
    "shifts (1 per position) that turn the hypothesis into the reference",
}


(
    _MATCHES,
    _NEAR_MISSES,
    _NEAR_MISS_SPAN,
    _MISSES,
    _FALSE_ALARMS,
    _SUBSTITUTIONS,
    _SUBSTITUTION_SPAN,
    _POTENTIAL_BOUNDARIES,
    _GHD,
) = range(9)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)


@kernel
def _tally(scratch: Ints, differences: int, type_range: int, out: Ints) -> None:
    """Count near misses and substitutions.

    The two codes of a near miss differ by a multiple of type_range, those of a substitution by less
    than type_range.
    """
    code, partner = scratch[0], scratch[2]
    near_misses = near_span = substitutions = substitution_span = 0
    for k in range(differences):
        span = code[max(k, partner[k])] - code[k]
        near = span >= type_range
        near_misses += near
        near_span += span if near else 0
        substitutions += 0 < span < type_range
        substitution_span += 0 if near else span
    out[_NEAR_MISSES], out[_NEAR_MISS_SPAN] = near_misses, near_span // type_range
    out[_SUBSTITUTIONS], out[_SUBSTITUTION_SPAN] = substitutions, substitution_span


@inlined
def _complete(one_pair: OnePair, differences: int, n_types: int, out: Ints) -> None:
    """Write the counts that follow from the pairs and the number of boundaries on each side."""
    refs, hyps = len(one_pair.ref), len(one_pair.hyp)
    out[_MATCHES] = (refs + hyps - differences) // 2
    paired = out[_MATCHES] + out[_NEAR_MISSES] + out[_SUBSTITUTIONS]
    out[_MISSES], out[_FALSE_ALARMS] = refs - paired, hyps - paired
    out[_POTENTIAL_BOUNDARIES] = (one_pair.n_units - 1) * n_types


@inlined
def _large_enough(scratch: Ints, one_pair: OnePair) -> Ints:
    """Return ``scratch``, or a larger array if it is too small for the boundaries of a pair."""
    size = len(one_pair.ref) + len(one_pair.hyp)
    return scratch if size <= scratch.shape[1] else np.empty((5, 2 * size), np.int64)


@kernel
def _count_neighbours(pairs: SegmentationPairs, n_t: int, counts: Ints) -> None:
    """Count the edits for n_t 1 or 2, one type and greedy pairing, without listing the pairs."""
    row = np.zeros(_ROWS, np.int64)
    scratch = np.empty((5, 0), np.int64)
    ends, buffer = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(pairs.ref_row):
        buffer, copied = prefetch(pairs.references, pairs.ref_row, first, ends, buffer)
        for i in range(first, first + copied):
            ref = buffer[ends[i - first] : ends[i - first + 1]]
            one_pair = OnePair(
                ref, row_values(pairs.hypotheses, pairs.hyp_row[i]), pairs.n_units[i]
            )
            scratch = _large_enough(scratch, one_pair)
            differences = type_differences(one_pair.ref, one_pair.hyp, scratch[0], scratch[1])
            row[_NEAR_MISSES] = neighbours(scratch[0], scratch[1], differences, n_t)
            row[_NEAR_MISS_SPAN] = row[_NEAR_MISSES]
            _complete(one_pair, differences, 1, row)
            row[_GHD] = distance(scratch[0], scratch[1], differences)
            for c in range(_ROWS):
                counts[c, i] = row[c]
        first += copied


@kernel_of_steps(lambda pairs, _, rules, *_rest: len(pairs.hypotheses.values) * rules.n_t)
def _count_edits(
    pairs: SegmentationPairs,
    types: Types,
    rules: Rules,
    optimal: Optimal,
    counts: Ints,
    decided: Decisions | None,
) -> None:
    """Count the edits of each pair."""
    row = np.zeros(_ROWS, np.int64)
    scratch = np.empty((5, 0), np.int64)
    ends, buffer = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = FIRST_PAIR
    while first < len(pairs.ref_row):
        buffer, copied = prefetch(pairs.references, pairs.ref_row, first, ends, buffer)
        for i in range(first, first + copied):
            ref = buffer[ends[i - first] : ends[i - first + 1]]
            one_pair = OnePair(
                ref, row_values(pairs.hypotheses, pairs.hyp_row[i]), pairs.n_units[i]
            )
            scratch = _large_enough(scratch, one_pair)
            # numba compiles only one branch, depending on whether ``types`` is None.
            if types is None:
                differences = pair(one_pair, None, rules, optimal, scratch)
                _tally(scratch, differences, 1, row)
                if decided is not None:
                    add_decisions(None, len(ref), scratch, differences, rules, decided)
                _complete(one_pair, differences, rules.n_types, row)
            else:
                r = pairs.references.offsets[pairs.ref_row[i]]
                h = pairs.hypotheses.offsets[pairs.hyp_row[i]]
                ref_types = types[0][r : r + len(ref)]
                pair_types = ref_types, types[1][h : h + len(one_pair.hyp)]
                differences = pair(one_pair, pair_types, rules, optimal, scratch)
                _tally(scratch, differences, rules.type_range, row)
                if decided is not None:
                    add_decisions(ref_types, len(ref), scratch, differences, rules, decided)
                _complete(one_pair, differences, rules.n_types, row)
                differences = differences_in_position(one_pair, scratch)
            row[_GHD] = distance(scratch[0], scratch[1], differences)
            for c in range(_ROWS):
                counts[c, i] = row[c]
        first += copied


def count(
    pairs: SegmentationPairs,
    n_t: int = 2,
    *,
    pairing: str = "greedy",
    types: TypedSides = ONE_TYPE,
    decided: Decisions | None = None,
) -> Ints:
    """Count the edits of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        pairs: the segmentations to compare.
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.
        pairing: ``greedy`` (published) or ``optimal`` (least cost).
        types: the boundary types of both sides.
        decided: decisions by class to add to, from ``type_confusion.no_decisions``; None for none.

    Returns:
        One row per count of ``COUNTS``, shape (9, pairs). ``ghd`` counts each position once.

    Raises:
        Refused: a type is outside the range of those declared, or the pairing is unknown.
    """
    counts = np.empty((_ROWS, len(pairs.ref_row)), np.int64)
    pair_types, optimal = types_of(pairs, types), least_cost(pairing)
    if n_t <= 2 and pair_types is None and optimal is None and decided is None:
        _count_neighbours(pairs, n_t, counts)
    else:
        _count_edits(pairs, pair_types, rules_of(n_t, types.declared), optimal, counts, decided)
    return counts


def count_compared(compared: ComparedPairs) -> Ints:
    """Count each pair of a run, as ``count`` does."""
    settings = compared.settings
    n_t, pairing = settings.near_limit, settings.pairing
    return count(compared.typed, n_t, pairing=pairing, types=compared.types)


_F13 = "Fournier 2013,"
_ASYMMETRIC_LAWS = frozenset({IDENTITY, REVERSIBLE})
_SYMMETRIC_LAWS = _ASYMMETRIC_LAWS | {SYMMETRIC}
_REVERSIBLE_LAW = frozenset({REVERSIBLE})

W_T = "(near_miss_span / n_t + constant_near_miss * near_misses)"
W_S = "(substitution_span / type_range + constant_substitution * substitutions)"
_COST = f"misses + false_alarms + {W_T} + {W_S}"
F_BETA = "(1 + beta * beta) * {tp} / ((1 + beta * beta) * {tp} + beta * beta * {fn} + {fp})"

MEASURES = (
    Measure(
        "boundary_similarity",
        f"1 - ({_COST}) / (misses + false_alarms + near_misses + substitutions + matches)",
        f"{_F13} eq 4",
        _SYMMETRIC_LAWS,
        better="higher",
        agreed=1.0,
        description="B: mean correctness of boundary pairs; 1 if neither side has a boundary",
    ),
    Measure(
        "segmentation_similarity",
        f"1 - ({_COST}) / potential_boundaries",
        f"{_F13} eq 2",
        _SYMMETRIC_LAWS,
        better="higher",
        agreed=1.0,
        description="S: 1 - edits / potential boundaries; 1 for a single unit",
    ),
    Measure(
        "b_tp",
        f"matches + near_misses - {W_T} + substitutions - {W_S}",
        f"{_F13} 3.3, Table 2",
        _REVERSIBLE_LAW | {SYMMETRIC},
        better="neither",
        upper=None,
        description="credited boundaries: matches, and near misses and substitutions in part",
    ),
    Measure(
        "b_fp",
        "false_alarms",
        f"{_F13} 3.3",
        _REVERSIBLE_LAW,
        better="neither",
        upper=None,
        description="false alarms",
    ),
    Measure(
        "b_fn",
        "misses",
        f"{_F13} 3.3",
        _REVERSIBLE_LAW,
        better="neither",
        upper=None,
        description="misses",
    ),
    Measure(
        "b_tn",
        "potential_boundaries - b_tp - b_fp - b_fn",
        f"{_F13} 3.3, Table 2",
        _REVERSIBLE_LAW | {SYMMETRIC},
        better="neither",
        upper=None,
        description="potential boundaries that are not in b_tp, b_fp or b_fn",
    ),
    Measure(
        "b_precision",
        "b_tp / (b_tp + b_fp)",
        f"{_F13} 3.3",
        _ASYMMETRIC_LAWS,
        better="higher",
        description="share of hypothesis boundaries credited, near misses in part",
    ),
    Measure(
        "b_recall",
        "b_tp / (b_tp + b_fn)",
        f"{_F13} 3.3",
        _ASYMMETRIC_LAWS,
        better="higher",
        description="share of reference boundaries credited, near misses in part",
    ),
    Measure(
        "b_f1",
        F_BETA.format(tp="b_tp", fn="b_fn", fp="b_fp"),
        f"{_F13} 3.3; F_beta, symmetric where beta is 1",
        _SYMMETRIC_LAWS,
        better="higher",
        description="harmonic mean of b_precision and b_recall",
    ),
    Measure(
        "precision",
        "matches / (matches + near_misses + substitutions + false_alarms)",
        "exact matches only (n_t 1)",
        _ASYMMETRIC_LAWS,
        better="higher",
        description="share of hypothesis boundaries that are matches",
    ),
    Measure(
        "recall",
        "matches / (matches + near_misses + substitutions + misses)",
        "exact matches only (n_t 1)",
        _ASYMMETRIC_LAWS,
        better="higher",
        description="share of reference boundaries that are matches",
    ),
    Measure(
        "f1",
        F_BETA.format(
            tp="matches",
            fn="(misses + near_misses + substitutions)",
            fp="(false_alarms + near_misses + substitutions)",
        ),
        "exact matches only (n_t 1); F_beta, symmetric where beta is 1",
        _SYMMETRIC_LAWS,
        better="higher",
        description="harmonic mean of precision and recall",
    ),
)
