"""Boundaries within a tolerance against all references of a document at once.

Precision counts a boundary as right if it is near one that any reference has, recall is the mean
over references: van den Burg & Williams 2020 measure change points of time series so.
"""

from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged, RowArrays, row_values
from segscore.pipeline.measures.compared import CountingSettings, PanelRows
from segscore.pipeline.measures.fixed_point import FRACTION_BITS, fixed_point
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, Measure
from segscore.pipeline.measures.tolerance import most_pairs, tolerances

COUNTS = {
    "panel_hypothesis_boundaries": "boundaries of the hypothesis; includes added edges",
    "union_boundaries": "positions at which any reference has a boundary; includes added edges",
    "union_matches": "largest number of pairs of such a position and a hypothesis boundary within "
    "the tolerance, with each in at most one pair; includes added edges",
    "recalled_references": "references that have a boundary; with added edges, all of them",
    "recall_sum": "sum over these references of the share of their boundaries that is paired "
    "within the tolerance, in units of 2^-40",
}
_HYPOTHESIS, _UNION, _UNION_MATCHES, _RECALLED, _RECALL_SUM = range(5)
"""Rows of ``COUNTS``."""

_ROWS = len(COUNTS)


class _Limits(NamedTuple):
    """How far boundaries may be apart: the tolerance of each row, and the edges of all."""

    tolerance: Ints
    edges: int


@kernel
def _merge(one: Positions, size: int, other: Positions, out: Positions) -> int:
    """Write the positions of either list, the first of which has ``size``; return how many."""
    i = j = merged = 0
    while i < size or j < len(other):
        left = i < size and (j == len(other) or one[i] <= other[j])
        right = j < len(other) and (i == size or other[j] <= one[i])
        out[merged] = one[i] if left else other[j]
        merged += 1
        i += left
        j += right
    return merged


@kernel
def _count_row(
    references: RowArrays, hyp: Positions, tolerance: int, edges: int, out: Ints
) -> None:
    """Count a hypothesis against the references of its document."""
    room = len(references.values[references.offsets[0] : references.offsets[-1]])
    union, spare = np.empty(room, np.int32), np.empty(room, np.int32)
    size = 0
    out[:] = 0
    out[_HYPOTHESIS] = len(hyp) + edges
    for a in range(len(references.offsets) - 1):
        ref = row_values(references, a)
        size = _merge(union, size, ref, spare)
        union, spare = spare, union
        boundaries = len(ref) + edges
        if boundaries > 0:
            out[_RECALLED] += 1
            out[_RECALL_SUM] += fixed_point(most_pairs(ref, hyp, tolerance) + edges, boundaries)
    out[_UNION] = size + edges
    out[_UNION_MATCHES] = most_pairs(union[:size], hyp, tolerance) + edges


@kernel
def _count_rows(
    references: RowArrays, hypotheses: RowArrays, rows: PanelRows, limits: _Limits, counts: Ints
) -> None:
    row = np.zeros(_ROWS, np.int64)
    for i in range(len(rows.document)):
        first, end = rows.first[rows.document[i]], rows.first[rows.document[i] + 1]
        of_document = RowArrays(references.offsets[first : end + 1], references.values)
        hyp = row_values(hypotheses, rows.hyp_row[i])
        _count_row(of_document, hyp, limits.tolerance[i], limits.edges, row)
        for c in range(_ROWS):
            counts[c, i] = row[c]


def count_panels(
    references: Ragged, hypotheses: Ragged, rows: PanelRows, settings: CountingSettings
) -> Ints:
    """Count the boundaries of each hypothesis that its references have, and theirs that it has.

    Args:
        references: boundary positions, one row per reference segmentation.
        hypotheses: boundary positions, one row per hypothesis segmentation.
        rows: the hypotheses to judge.
        settings: the tolerance, and the edges that count as boundaries.

    Returns:
        One row per count of ``COUNTS``, shape (5, rows).
    """
    limits = _Limits(tolerances(settings.reach, rows.n_units), settings.edges)
    counts = np.empty((_ROWS, len(rows.document)), np.int64)
    _count_rows(references.arrays, hypotheses.arrays, rows, limits, counts)
    return counts


VAN_DEN_BURG = "van den Burg & Williams 2020"
_LAWS = frozenset({IDENTITY, REVERSIBLE})
_P, _R = "panel_tolerant_precision", "panel_tolerant_recall"

MEASURES = (
    Measure(
        _P,
        "union_matches / panel_hypothesis_boundaries",
        VAN_DEN_BURG,
        _LAWS,
        better="higher",
        description="share of hypothesis boundaries that are paired within the tolerance with one "
        "that any reference has",
    ),
    Measure(
        _R,
        f"recall_sum * 2**-{FRACTION_BITS} / recalled_references",
        VAN_DEN_BURG,
        _LAWS,
        better="higher",
        description="mean over references of the share of their boundaries that are paired within "
        "the tolerance",
    ),
    Measure(
        "panel_tolerant_f1",
        f"first_defined((1 + beta**2) * {_P} * {_R} / (beta**2 * {_P} + {_R}),"
        " 0 / (union_boundaries + panel_hypothesis_boundaries))",
        f"{VAN_DEN_BURG}; F_beta",
        _LAWS,
        better="higher",
        description=f"harmonic mean of {_P} and {_R}",
    ),
)
