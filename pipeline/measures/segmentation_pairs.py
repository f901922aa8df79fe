"""Pairs of a reference and a hypothesis, as compiled loops take them."""

from typing import NamedTuple

from segscore.pipeline.arrays.ragged import Ints, Ragged, RowArrays


class SegmentationPairs(NamedTuple):
    """Which rows of two tables of boundaries are compared.

    Attributes:
        references: boundary positions, one row a reference segmentation.
        hypotheses: boundary positions, one row a hypothesis segmentation.
        ref_row: row of ``references`` in each pair, shape (pairs,).
        hyp_row: row of ``hypotheses`` in each pair, shape (pairs,).
        n_units: units N of each pair's document, below 2^31 as positions are, at least 1, shape
            (pairs,).
    """

    references: RowArrays
    hypotheses: RowArrays
    ref_row: Ints
    hyp_row: Ints
    n_units: Ints


def pair_rows(
    references: Ragged, hypotheses: Ragged, ref_row: Ints, hyp_row: Ints, n_units: Ints
) -> SegmentationPairs:
    """Pair rows of two tables; the arguments are described at ``SegmentationPairs``."""
    return SegmentationPairs(references.arrays, hypotheses.arrays, ref_row, hyp_row, n_units)
