"""Pairs of a reference and a hypothesis, in the form that compiled loops accept."""

from typing import NamedTuple

from segscore.pipeline.arrays.ragged import Ints, Ragged, RowArrays


class SegmentationPairs(NamedTuple):
    """The rows of two tables of boundaries that are compared.

    Attributes:
        references: boundary positions, one row per reference segmentation.
        hypotheses: boundary positions, one row per hypothesis segmentation.
        ref_row: row of ``references`` in each pair, shape (pairs,).
        hyp_row: row of ``hypotheses`` in each pair, shape (pairs,).
        n_units: number N of units of each pair's document, at least 1 and below 2^31, as positions
            are, shape (pairs,).
    """

    references: RowArrays
    hypotheses: RowArrays
    ref_row: Ints
    hyp_row: Ints
    n_units: Ints


def pair_rows(
    references: Ragged, hypotheses: Ragged, ref_row: Ints, hyp_row: Ints, n_units: Ints
) -> SegmentationPairs:
    """Pair rows of two tables; see ``SegmentationPairs`` for the arguments."""
    return SegmentationPairs(references.arrays, hypotheses.arrays, ref_row, hyp_row, n_units)
