"""Count the boundaries that would match exactly if a system's were all moved by a few units."""

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs

FARTHEST = 3
"""The largest number of units by which boundaries are moved."""


def count_shifted(pairs: SegmentationPairs, system: Ints, systems: int) -> Ints:
    """Count the exact matches of each system after its boundaries are moved.

    Args:
        pairs: the rows that are compared.
        system: number of the system of each pair, shape (pairs,).
        systems: number of systems.

    Returns:
        Matches if all boundaries of a system are moved by -3 to 3 units, shape (systems, 7).  A
        position with several boundary types counts once.
    """
    matches = np.zeros((systems, 2 * FARTHEST + 1), np.int64)
    _count_shifted(pairs, system, matches)
    return matches


@kernel
def _count_shifted(pairs: SegmentationPairs, system: Ints, matches: Ints) -> None:
    """Add to ``matches``, shape (systems, 7), the distances of boundaries that are near."""
    refs, hyps = pairs.references, pairs.hypotheses
    for pair in range(len(pairs.ref_row)):
        first, end = refs.offsets[pairs.ref_row[pair]], refs.offsets[pairs.ref_row[pair] + 1]
        start, stop = hyps.offsets[pairs.hyp_row[pair]], hyps.offsets[pairs.hyp_row[pair] + 1]
        for k in range(start, stop):
            place = hyps.values[k]
            if k > start and hyps.values[k - 1] == place:
                continue
            while first < end and refs.values[first] < place - FARTHEST:
                first += 1
            near = first
            while near < end and refs.values[near] <= place + FARTHEST:
                if near == first or refs.values[near - 1] != refs.values[near]:
                    matches[system[pair], refs.values[near] - place + FARTHEST] += 1
                near += 1
