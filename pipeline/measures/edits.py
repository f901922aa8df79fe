"""Edit measures: boundary edit distance pairs boundaries that match or nearly match.

Fournier 2013, "Evaluating Text Segmentation using Boundary Edit Distance", sections 3.1-3.3.
"""

import numpy as np

from pipeline.kernel import kernel
from pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from pipeline.segmentations import Ints, Positions, Ragged

COUNTS = (
    "matches",
    "near_misses",
    "near_miss_span",
    "misses",
    "false_alarms",
    "substitutions",
    "substitution_span",
    "potential_boundaries",
)


@kernel
def _differences(ref: Positions, hyp: Positions, place: Ints, in_ref: Ints) -> int:
    """Write the positions that only one side has, ascending; return how many there are."""
    found = r = h = 0
    while r < len(ref) or h < len(hyp):
        if h == len(hyp) or (r < len(ref) and ref[r] < hyp[h]):
            place[found] = ref[r]
            in_ref[found] = 1
            found += 1
            r += 1
        elif r == len(ref) or hyp[h] < ref[r]:
            place[found] = hyp[h]
            in_ref[found] = 0
            found += 1
            h += 1
        else:
            r += 1
            h += 1
    return found


@kernel
def _near_misses(place: Ints, in_ref: Ints, found: int, n_t: int, used: Ints, out: Ints) -> None:
    """Pair differences of opposite sides: nearest distance first, then left to right."""
    used[:found] = 0
    for distance in range(1, n_t):
        far = 0
        for near in range(found):
            while far < found and place[far] < place[near] + distance:
                far += 1
            if far == found:
                break
            if (
                place[far] == place[near] + distance
                and in_ref[near] != in_ref[far]
                and not used[near]
                and not used[far]
            ):
                used[near] = used[far] = 1
                out[1] += 1
                out[2] += distance


@kernel
def _count_pairs(
    ref_offsets: Ints,
    ref_positions: Positions,
    hyp_offsets: Ints,
    hyp_positions: Positions,
    ref_row: Ints,
    hyp_row: Ints,
    n_units: Ints,
    n_t: int,
    counts: Ints,
) -> None:
    row = np.zeros(8, np.int64)
    place = np.empty(0, np.int64)
    in_ref = np.empty(0, np.int64)
    used = np.empty(0, np.int64)
    for i in range(len(ref_row)):
        ref = ref_positions[ref_offsets[ref_row[i]] : ref_offsets[ref_row[i] + 1]]
        hyp = hyp_positions[hyp_offsets[hyp_row[i]] : hyp_offsets[hyp_row[i] + 1]]
        if len(ref) + len(hyp) > len(place):
            place = np.empty(2 * (len(ref) + len(hyp)), np.int64)
            in_ref = np.empty_like(place)
            used = np.empty_like(place)
        row[:] = 0
        found = _differences(ref, hyp, place, in_ref)
        _near_misses(place, in_ref, found, min(n_t, n_units[i]), used, row)
        row[0] = (len(ref) + len(hyp) - found) // 2
        row[3] = len(ref) - row[0] - row[1]
        row[4] = len(hyp) - row[0] - row[1]
        row[7] = n_units[i] - 1
        for c in range(8):
            counts[c, i] = row[c]


def count(
    references: Ragged,
    hypotheses: Ragged,
    ref_row: Ints,
    hyp_row: Ints,
    n_units: Ints,
    n_t: int = 2,
) -> Ints:
    """Count the edits of each pair (METRICS 3, one boundary type, published pairing).

    Args:
        references: boundary positions, one row a reference segmentation.
        hypotheses: boundary positions, one row a hypothesis segmentation.
        ref_row: row of ``references`` in each pair, shape (pairs,).
        hyp_row: row of ``hypotheses`` in each pair, shape (pairs,).
        n_units: units N of each pair's document, at least 1, shape (pairs,).
        n_t: near misses lie 1..n_t-1 positions apart; at least 1.

    Returns:
        One row a count of ``COUNTS``, shape (8, pairs).
    """
    counts = np.empty((len(COUNTS), len(ref_row)), np.int64)
    _count_pairs(
        references.offsets,
        references.values,
        hypotheses.offsets,
        hypotheses.values,
        ref_row,
        hyp_row,
        n_units,
        n_t,
        counts,
    )
    return counts


F13 = "Fournier 2013,"
SIDED = frozenset({IDENTITY, REVERSIBLE})
MUTUAL = SIDED | {SYMMETRIC}
TALLY = frozenset({REVERSIBLE})

COST = "misses + false_alarms + near_miss_span / n_t + substitution_span / type_range"
CREDIT = "near_misses - near_miss_span / n_t + substitutions - substitution_span / type_range"

MEASURES = (
    Measure(
        "boundary_similarity",
        f"1 - ({COST}) / (misses + false_alarms + near_misses + substitutions + matches)",
        f"{F13} eq 4",
        MUTUAL,
        better="higher",
        agreed=1.0,
    ),
    Measure(
        "segmentation_similarity",
        f"1 - ({COST}) / potential_boundaries",
        f"{F13} eq 2",
        MUTUAL,
        better="higher",
        agreed=1.0,
    ),
    Measure(
        "b_tp",
        f"matches + {CREDIT}",
        f"{F13} 3.3, Table 2",
        TALLY | {SYMMETRIC},
        better="neither",
        upper=None,
    ),
    Measure("b_fp", "false_alarms", f"{F13} 3.3", TALLY, better="neither", upper=None),
    Measure("b_fn", "misses", f"{F13} 3.3", TALLY, better="neither", upper=None),
    Measure(
        "b_tn",
        "potential_boundaries - b_tp - b_fp - b_fn",
        f"{F13} 3.3, Table 2",
        TALLY | {SYMMETRIC},
        better="neither",
        upper=None,
    ),
    Measure("b_precision", "b_tp / (b_tp + b_fp)", f"{F13} 3.3", SIDED, better="higher"),
    Measure("b_recall", "b_tp / (b_tp + b_fn)", f"{F13} 3.3", SIDED, better="higher"),
    Measure("b_f1", "2 * b_tp / (2 * b_tp + b_fn + b_fp)", f"{F13} 3.3", MUTUAL, better="higher"),
    Measure(
        "precision",
        "matches / (matches + near_misses + substitutions + false_alarms)",
        "exact matches only (n_t 1)",
        SIDED,
        better="higher",
    ),
    Measure(
        "recall",
        "matches / (matches + near_misses + substitutions + misses)",
        "exact matches only (n_t 1)",
        SIDED,
        better="higher",
    ),
    Measure(
        "f1",
        "2 * matches / (2 * matches + 2 * near_misses + 2 * substitutions + misses + false_alarms)",
        "exact matches only (n_t 1)",
        MUTUAL,
        better="higher",
    ),
)
