"""How far boundaries of one side are from the nearest boundary of the other side."""

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, Ragged
from segscore.pipeline.tables.units import units_per_second

_UNITS = (0, 1, 2, 3, 5, 10)
_SECONDS = (0, 0.5, 1, 2, 5, 10, 30)
_FAR = 1 << 40


def distance_ends(unit: str | None, measured_in: str) -> list[int]:
    """Return the upper end of each class of distances; one more class has the larger ones.

    >>> distance_ends("sentence", "units")
    [0, 1, 2, 3, 5, 10]
    """
    second = units_per_second(unit, measured_in)
    return [*_UNITS] if second is None else [*dict.fromkeys(int(s * second) for s in _SECONDS)]


def nearest_distance(boundaries: Ragged, row: Ints, position: Ints) -> Ints:
    """Return the distance from positions to the nearest boundary of a row; far where it has none.

    Args:
        boundaries: positions, one row per segmentation, ascending.
        row: the row that each position is compared with, shape (positions,).
        position: shape (positions,).
    """
    key = np.repeat(np.arange(len(boundaries)), boundaries.lengths) << 32
    key |= boundaries.values[boundaries.offsets[0] : boundaries.offsets[-1]]
    wanted = row << 32 | position
    after = np.searchsorted(key, wanted)
    nearest = np.full(len(wanted), _FAR)
    for place in (after - 1, after):
        inside = (place >= 0) & (place < len(key))
        found = key[place[inside]]
        distance = np.abs(found - wanted[inside])
        nearest[inside] = np.where(
            found >> 32 == row[inside], np.minimum(nearest[inside], distance), nearest[inside]
        )
    return nearest
