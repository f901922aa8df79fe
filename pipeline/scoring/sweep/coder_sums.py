"""Add up the counts of coders that parts of a sweep found."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Failed


class CoderSums(Protocol):
    """Sums over the pairs of one coder of hypotheses."""

    @property
    def counts(self) -> Ints:
        """The sums, of one shape for all coders and parts."""


def merge_sums(parts: Iterable[Mapping[str, CoderSums]], counted_by: str) -> dict[str, Ints]:
    """Add up the sums of several parts, in any order; the result is sorted by coder.

    Args:
        parts: the sums of each part by coder.
        counted_by: what the shape of sums depends on, for the message.

    Raises:
        Failed: the parts have sums of different shapes.
    """
    merged: dict[str, Ints] = {}
    for part in parts:
        for coder, sums in part.items():
            before = merged.get(coder, np.zeros_like(sums.counts))
            if before.shape != sums.counts.shape:
                raise Failed(
                    f"{coder}: receipts of parts have different {counted_by}; run again with "
                    "--fresh"
                )
            merged[coder] = before + sums.counts
    return dict(sorted(merged.items()))
