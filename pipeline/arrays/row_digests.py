"""Digests of rows of numbers: equal rows have equal digests, whatever stands beside them.

The digest of a row is the sum of its mixed entries modulo 2^64, mixed once more with the row's
length in units: cheap enough for every reference of a run. It does not withstand somebody who
looks for two references with one digest; test sets are recognised by SHA-256 (`testsets.digests`).
"""

import numpy as np

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, MIX_1, MIX_2, Hashes
from segscore.pipeline.arrays.ragged import Ints, Positions, Ragged

_ABOVE_POSITION = np.uint64(32)
"""The bit from which on an entry has the type of its boundary."""

_TYPED = np.uint64(1) << np.uint64(63)
"""Distinguishes a reference with types from one without."""


def mix_each(numbers: Hashes) -> Hashes:
    """Spread numbers over all their bits, as ``mix`` does for one."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * MIX_1
    numbers = (numbers ^ (numbers >> np.uint64(27))) * MIX_2
    return numbers ^ (numbers >> np.uint64(31))


def row_digests(n_units: Ints, positions: Ragged, types: Positions | None = None) -> Ints:
    """Compute a digest for each reference, as a signed integer, shape (references,).

    Args:
        n_units: length of each reference's document in units, shape (references,).
        positions: boundaries in units, one row per reference.
        types: type of each entry of ``positions.values``; None for references without types.
    """
    start, end = int(positions.offsets[0]), int(positions.offsets[-1])
    entries = positions.values[start:end].astype(np.uint64)
    if types is not None:
        entries |= types[start:end].astype(np.uint64) << _ABOVE_POSITION
    sums = np.zeros(end - start + 1, np.uint64)
    np.cumsum(mix_each((entries + np.uint64(1)) * GOLDEN_RATIO), out=sums[1:])
    ends = sums[positions.offsets - start]
    lengths = (n_units.astype(np.uint64) | _TYPED * np.uint64(types is not None)) * GOLDEN_RATIO
    return mix_each((ends[1:] - ends[:-1]) ^ mix_each(lengths)).view(np.int64)
