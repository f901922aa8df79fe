"""The agreement index of each coder with the other coders of a document, as in event segmentation.

Kurby & Zacks 2011.  Time is cut into bins; how often a coder's bins are those in which others mark
boundaries is put on a scale from the least to the most that so many bins could reach.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Floats, Ints, Positions, RowArrays, column, row_values
from segscore.pipeline.measures.fixed_point import FRACTION_BITS, fixed_point

COARSE_BITS = 30
"""A value is also counted in units of 2^-COARSE_BITS, of which squares fit into 64 bits."""


class IndexCounts(NamedTuple):
    """What each coding's index is computed from, shape (codings,) each.

    Attributes:
        hits: marks of other coders in the bins in which the coder has a boundary.
        lowest: the fewest that as many bins of the document could have.
        highest: the most that they could have.
    """

    hits: Ints
    lowest: Ints
    highest: Ints

    @property
    def defined(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which codings have an index: not those that nobody could do better or worse than."""
        return np.asarray(self.highest > self.lowest)

    @property
    def values(self) -> Floats:
        """The index of each coding; NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.hits - self.lowest) / (self.highest - self.lowest)

    @property
    def fixed(self) -> Ints:
        """The index of each coding in units of 2^-40, 0 where undefined."""
        found = np.zeros(len(self.hits), np.int64)
        _fixed_points(self.hits - self.lowest, self.highest - self.lowest, found)
        return found


@kernel
def _fixed_points(part: Ints, whole: Ints, found: Ints) -> None:
    for i in range(len(part)):
        if whole[i] > 0:
            found[i] = fixed_point(part[i], whole[i])


@kernel
def _bins_of(positions: Positions, size: int, bins: Ints) -> int:
    """Write the bins in which a coding has a boundary, ascending; return how many."""
    number = 0
    for position in positions:
        place = position // size
        if number == 0 or bins[number - 1] != place:
            bins[number] = place
            number += 1
    return number


@kernel
def _extremes(coders_with: Ints, own: Ints, chosen: int) -> tuple[int, int]:
    """Return the fewest and the most marks of others that so many bins can have.

    Args:
        coders_with: number of bins that so many coders marked, by that number.
        own: the same of the bins that the coder marked.
        chosen: number of bins to choose.
    """
    lowest = highest = 0
    left = chosen
    for others in range(len(coders_with) - 1):
        bins = coders_with[others] - own[others] + own[others + 1]
        taken = min(left, bins)
        lowest += taken * others
        left -= taken
    left = chosen
    for others in range(len(coders_with) - 2, -1, -1):
        taken = min(left, coders_with[others] - own[others] + own[others + 1])
        highest += taken * others
        left -= taken
    return lowest, highest


@kernel
def _count_document(
    codings: RowArrays, rows: tuple[int, int], n_units: int, size: int, out: IndexCounts, at: int
) -> None:
    """Count the codings of a document, which are these rows; write from ``at`` on."""
    first, end = rows
    values = codings.values[codings.offsets[first] : codings.offsets[end]]
    marked, place = np.empty(len(values), np.int64), 0
    for row in range(first, end):
        place += _bins_of(row_values(codings, row), size, marked[place:])
    marks = np.sort(marked[:place])
    # A bin of one unit at the start has no position in which a boundary can be.
    empty = (n_units - 1) // size + 1 - (size == 1)
    coders_with = np.zeros(end - first + 2, np.int64)
    i = 0
    while i < place:
        j = i
        while j < place and marks[j] == marks[i]:
            j += 1
        coders_with[j - i] += 1
        empty -= 1
        i = j
    coders_with[0] = empty
    own, bins = np.zeros(end - first + 2, np.int64), np.empty(len(values), np.int64)
    for row in range(first, end):
        chosen = _bins_of(row_values(codings, row), size, bins)
        own[:] = 0
        hits = 0
        for each in bins[:chosen]:
            coders = np.searchsorted(marks, each, "right") - np.searchsorted(marks, each)
            own[coders] += 1
            hits += coders - 1
        out.hits[at + row - first] = hits
        lowest, highest = _extremes(coders_with, own, chosen)
        out.lowest[at + row - first], out.highest[at + row - first] = lowest, highest


@kernel
def _count_documents(
    codings: RowArrays, rows: Ints, n_units: Ints, size: int, out: IndexCounts
) -> None:
    for d in range(len(rows) - 1):
        both = rows[d], rows[d + 1]
        _count_document(codings, both, n_units[d], size, out, rows[d] - rows[0])


def count_index(codings: RowArrays, rows: Ints, n_units: Ints, size: int) -> IndexCounts:
    """Count how often each coder's bins are those of other coders.

    Args:
        codings: boundaries, one row per coding.
        rows: document d has the rows rows[d]..rows[d+1]-1, shape (documents + 1,).
        n_units: number of units of each document, shape (documents,).
        size: size of a bin in units.
    """
    numbers = np.zeros((3, rows[-1] - rows[0]), np.int64)
    out = IndexCounts(numbers[0], numbers[1], numbers[2])
    _count_documents(codings, rows, n_units, size, out)
    return out


def index_sums(counts: IndexCounts) -> dict[str, Ints]:
    """Return what the mean and the standard deviation of a group are computed from, by coding."""
    coarse = counts.fixed >> (FRACTION_BITS - COARSE_BITS)
    return {
        "index_codings": counts.defined.astype(np.int64),
        "index": coarse,
        "index_fine": counts.fixed - (coarse << (FRACTION_BITS - COARSE_BITS)),
        "index_squared_high": coarse**2 >> COARSE_BITS,
        "index_squared_low": coarse**2 & ((1 << COARSE_BITS) - 1),
    }


def index_columns(counts: IndexCounts) -> dict[str, pa.Array]:
    """Return the columns of the table of codings that are numbers (schemas/agreement.py)."""
    numbers = {
        "hits": counts.hits,
        "lowest_hits": counts.lowest,
        "highest_hits": counts.highest,
        "agreement_index": counts.values,
    }
    return {name: column(values) for name, values in numbers.items()}
