"""Edit measures: boundary edit distance pairs boundaries that match or nearly match.

Fournier 2013, "Evaluating Text Segmentation using Boundary Edit Distance", sections 3.1-3.3.
"""

from collections.abc import Sequence

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged
from segscore.pipeline.measures.greedy import neighbours
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.pairing import (
    Optimal,
    Rules,
    Types,
    Written,
    differences_in_position,
    least_cost,
    pair,
    rules_of,
    type_differences,
    types_of,
    written_down,
)
from segscore.pipeline.measures.prefetch import AT_ONCE, prefetch
from segscore.pipeline.measures.shifts import distance
from segscore.pipeline.measures.type_confusion import Decisions, add_decisions

COUNTS = {
    "matches": "boundaries at equal positions",
    "near_misses": "pairs of boundaries 1..n_t-1 positions apart",
    "near_miss_span": "sum of the near misses' distances, in the unit of the run",
    "misses": "full misses: boundaries only in the reference",
    "false_alarms": "full misses: boundaries only in the hypothesis",
    "substitutions": "boundaries at one position, of different types",
    "substitution_span": "sum of the substitutions' type differences",
    "potential_boundaries": "places for a boundary: n_units - 1, times the boundary types",
    "ghd": "generalised Hamming distance: least cost of insertions and deletions (2 each) and "
    "shifts (1 a position) that make the hypothesis the reference",
}


@kernel
def _tally(code: Ints, partner: Ints, found: int, type_range: int, out: Ints) -> None:
    """Count near misses and substitutions; codes of near misses differ by whole type ranges."""
    near_misses = near_span = substitutions = substitution_span = 0
    for k in range(found):
        span = code[max(k, partner[k])] - code[k]
        near = span >= type_range
        near_misses += near
        near_span += span if near else 0
        substitutions += 0 < span < type_range
        substitution_span += 0 if near else span
    out[1], out[2] = near_misses, near_span // type_range
    out[5], out[6] = substitutions, substitution_span


@kernel
def _count_neighbours(ref: Positions, hyp: Positions, n_t: int, room: Ints, out: Ints) -> None:
    """Count the edits of one pair where near misses are neighbours, without writing them down."""
    found = type_differences(ref, hyp, room[0], room[1])
    near = neighbours(room[0], room[1], found, n_t)
    out[0] = (len(ref) + len(hyp) - found) // 2
    out[1] = out[2] = near
    out[8] = distance(room[0], room[1], found)


@kernel
def _count_edits(
    ref: Positions,
    hyp: Positions,
    types: Types,
    n_units: int,
    rules: Rules,
    optimal: Optimal,
    room: Ints,
    out: Ints,
    decided: Decisions | None,
) -> None:
    """Count the edits of one pair."""
    found = pair(ref, hyp, types, n_units, rules, optimal, room)
    # A literal 1: what types need is left out when this is compiled.
    _tally(room[0], room[2], found, 1 if types is None else rules.type_range, out)
    if decided is not None:
        ref_types = None if types is None else types[0]
        add_decisions(ref_types, len(ref), room, found, rules, decided)
    out[0] = (len(ref) + len(hyp) - found) // 2
    if types is not None:
        found = differences_in_position(ref, hyp, room)
    out[8] = distance(room[0], room[1], found)


@kernel
def _count_pairs(
    ref_offsets: Ints,
    ref_positions: Positions,
    hyp_offsets: Ints,
    hyp_positions: Positions,
    types: Types,
    ref_row: Ints,
    hyp_row: Ints,
    n_units: Ints,
    rules: Rules,
    optimal: Optimal,
    written: Written,
    counts: Ints,
    decided: Decisions | None,
) -> None:
    row = np.zeros(9, np.int64)
    room = np.empty((5, 0), np.int64)
    ends, near = np.empty(AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    first = 0
    while first < len(ref_row):
        near, pairs = prefetch(ref_offsets, ref_positions, ref_row, first, ends, near)
        for i in range(first, first + pairs):
            h, h_end = hyp_offsets[hyp_row[i]], hyp_offsets[hyp_row[i] + 1]
            ref, hyp = near[ends[i - first] : ends[i - first + 1]], hyp_positions[h:h_end]
            if len(ref) + len(hyp) > room.shape[1]:
                room = np.empty((5, 2 * (len(ref) + len(hyp))), np.int64)
            if written is None:
                _count_neighbours(ref, hyp, rules.n_t, room, row)
            elif types is None:
                _count_edits(ref, hyp, None, n_units[i], rules, optimal, room, row, decided)
            else:
                r = ref_offsets[ref_row[i]]
                both = types[0][r : r + len(ref)], types[1][h:h_end]
                _count_edits(ref, hyp, both, n_units[i], rules, optimal, room, row, decided)
            row[3] = len(ref) - row[0] - row[1] - row[5]
            row[4] = len(hyp) - row[0] - row[1] - row[5]
            row[7] = (n_units[i] - 1) * rules.n_types
            for c in range(9):
                counts[c, i] = row[c]
        first += pairs


def count(
    references: Ragged,
    hypotheses: Ragged,
    ref_row: Ints,
    hyp_row: Ints,
    n_units: Ints,
    n_t: int = 2,
    *,
    pairing: str = "greedy",
    types: Sequence[int] = (1,),
    reference_types: Positions | None = None,
    hypothesis_types: Positions | None = None,
    decided: Decisions | None = None,
) -> Ints:
    """Count the edits of each pair (docs/measures.md), in time proportional to its boundaries.

    Args:
        references: boundary positions, one row a reference segmentation.
        hypotheses: boundary positions, one row a hypothesis segmentation.
        ref_row: row of ``references`` in each pair, shape (pairs,).
        hyp_row: row of ``hypotheses`` in each pair, shape (pairs,).
        n_units: units N of each pair's document, at least 1, shape (pairs,).
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.
        pairing: ``greedy`` (published) or ``optimal`` (least cost).
        types: the boundary types declared, distinct.
        reference_types: type of each of ``references.values``; may be left out for one type.
        hypothesis_types: type of each of ``hypotheses.values``; may be left out for one type.
        decided: decisions by class, added to if given (``confusion.no_decisions``).

    Returns:
        One row a count of ``COUNTS``, shape (9, pairs). ``ghd`` counts each position once.

    Raises:
        Refused: a type outside the range of those declared; an unknown pairing.
    """
    counts = np.empty((len(COUNTS), len(ref_row)), np.int64)
    both = types_of((references, hypotheses), (reference_types, hypothesis_types), types)
    optimal = least_cost(pairing)
    written = written_down(n_t, both, optimal) if decided is None else True
    _count_pairs(
        references.offsets,
        references.values,
        hypotheses.offsets,
        hypotheses.values,
        both,
        ref_row,
        hyp_row,
        n_units,
        rules_of(n_t, types),
        optimal,
        written,
        counts,
        decided,
    )
    return counts


_F13 = "Fournier 2013,"
_SIDED = frozenset({IDENTITY, REVERSIBLE})
_MUTUAL = _SIDED | {SYMMETRIC}
TALLY = frozenset({REVERSIBLE})

W_T = "(near_miss_span / n_t + constant_near_miss * near_misses)"
W_S = "(substitution_span / type_range + constant_substitution * substitutions)"
_COST = f"misses + false_alarms + {W_T} + {W_S}"
F_BETA = "(1 + beta * beta) * {tp} / ((1 + beta * beta) * {tp} + beta * beta * {fn} + {fp})"

MEASURES = (
    Measure(
        "boundary_similarity",
        f"1 - ({_COST}) / (misses + false_alarms + near_misses + substitutions + matches)",
        f"{_F13} eq 4",
        _MUTUAL,
        better="higher",
        agreed=1.0,
        description="B: mean correctness of boundary pairs; 1 if neither has a boundary",
    ),
    Measure(
        "segmentation_similarity",
        f"1 - ({_COST}) / potential_boundaries",
        f"{_F13} eq 2",
        _MUTUAL,
        better="higher",
        agreed=1.0,
        description="S: 1 - edits / potential boundaries; 1 for a single unit",
    ),
    Measure(
        "b_tp",
        f"matches + near_misses - {W_T} + substitutions - {W_S}",
        f"{_F13} 3.3, Table 2",
        TALLY | {SYMMETRIC},
        better="neither",
        upper=None,
        description="credited boundaries: matches and parts of near misses",
    ),
    Measure(
        "b_fp",
        "false_alarms",
        f"{_F13} 3.3",
        TALLY,
        better="neither",
        upper=None,
        description="false alarms",
    ),
    Measure(
        "b_fn",
        "misses",
        f"{_F13} 3.3",
        TALLY,
        better="neither",
        upper=None,
        description="misses",
    ),
    Measure(
        "b_tn",
        "potential_boundaries - b_tp - b_fp - b_fn",
        f"{_F13} 3.3, Table 2",
        TALLY | {SYMMETRIC},
        better="neither",
        upper=None,
        description="potential boundaries that are none of the other three",
    ),
    Measure(
        "b_precision",
        "b_tp / (b_tp + b_fp)",
        f"{_F13} 3.3",
        _SIDED,
        better="higher",
        description="share of hypothesis boundaries credited, near misses in part",
    ),
    Measure(
        "b_recall",
        "b_tp / (b_tp + b_fn)",
        f"{_F13} 3.3",
        _SIDED,
        better="higher",
        description="share of reference boundaries credited, near misses in part",
    ),
    Measure(
        "b_f1",
        F_BETA.format(tp="b_tp", fn="b_fn", fp="b_fp"),
        f"{_F13} 3.3; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of b_precision and b_recall",
    ),
    Measure(
        "precision",
        "matches / (matches + near_misses + substitutions + false_alarms)",
        "exact matches only (n_t 1)",
        _SIDED,
        better="higher",
        description="share of hypothesis boundaries that are matches",
    ),
    Measure(
        "recall",
        "matches / (matches + near_misses + substitutions + misses)",
        "exact matches only (n_t 1)",
        _SIDED,
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
        _MUTUAL,
        better="higher",
        description="harmonic mean of precision and recall",
    ),
)
