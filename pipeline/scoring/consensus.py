"""Consensus references: the boundaries that enough of a document's coders marked.

Kazantseva & Szpakowicz 2012, section 6, make one reference out of several: boundaries of at least
50 % of the coders, of at least 30 %, or of any.
"""

from fractions import Fraction

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged


@kernel
def _merge(
    offsets: Ints,
    positions: Positions,
    first: Ints,
    least: Ints,
    merged_offsets: Ints,
    merged: Positions,
) -> None:
    """Merge each document's references; write the positions marked at least ``least`` times."""
    coders = 0
    for d in range(len(first) - 1):
        coders = max(coders, first[d + 1] - first[d])
    next_entry = np.zeros(coders, np.int64)
    written = 0
    merged_offsets[0] = 0
    for d in range(len(first) - 1):
        h = first[d + 1] - first[d]
        next_entry[:h] = offsets[first[d] : first[d + 1]]
        stops = offsets[first[d] + 1 : first[d + 1] + 1]
        while True:
            position = np.iinfo(np.int64).max
            for a in range(h):
                if next_entry[a] < stops[a]:
                    position = min(position, int(positions[next_entry[a]]))
            if position == np.iinfo(np.int64).max:
                break
            marks = 0
            for a in range(h):
                if next_entry[a] < stops[a] and positions[next_entry[a]] == position:
                    marks += 1
                    next_entry[a] += 1
            if marks >= least[d]:
                merged[written] = position
                written += 1
        merged_offsets[d + 1] = written


def consensus(references: Ragged, first: Ints, share: Fraction) -> Ragged:
    """Return the positions marked by at least a share of each document's coders.

    Args:
        references: boundary positions, one row per reference; positions do not repeat in a row.
        first: document d has the reference rows first[d]..first[d+1]-1, shape (documents + 1,).
        share: share of the coders, in [0, 1], compared exactly; 0 is the union, any coder suffices.

    Returns:
        Boundary positions, one row per document; a row may be empty.
    """
    coders, group = np.unique(np.diff(first), return_inverse=True)
    # The least integer >= share * h, in Python's integers, so that no denominator is too large.
    needed = [-(-share.numerator * h // share.denominator) for h in coders.tolist()]
    least = np.array(needed, np.int64)[group]
    offsets = np.empty(len(first), np.int64)
    capacity = references.offsets[first[-1]] - references.offsets[first[0]]
    values = np.zeros(capacity, np.int32)
    _merge(references.offsets, references.values, first, least, offsets, values)
    return Ragged(offsets, values[: offsets[-1]])
