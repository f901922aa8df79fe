"""What the rows of a run add up to, task by task: counts and values by group and resampling unit.

Everything is gathered in whole numbers, so that sums do not depend on how the work was split.  A
value v is cut into digits: floor(v), then 30 bits and 30 more behind the point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.errors import Failed
from segscore.pipeline.statistics.bootstrap import Units

GroupKey = tuple[object, ...]
"""The hypothesis, then a value for each group-by column; None for the row over all documents."""

_DENSE = 16
"""How many numbers there may be for each row, to number them by a table."""

HALF = 2**30
"""Values of a digit behind the point: two of them hold any float64 of 1/256 or more exactly."""

DIGIT = 2**20
"""Values of a digit where digits are multiplied: no product, and no sum of them, overflows."""

DIGITS = 4
"""Digits of a squared value: two before the point, two behind it."""

PRODUCTS = [(i, j) for i in range(DIGITS) for j in range(i, DIGITS)]
"""Which digits are multiplied with each other."""

_A, _B, _C, _D, _AA, _AB, _AC, _AD, _BB, _BC, _BD, _CC, _CD, _DD = range(14)
"""Columns of ``Sums.squares``: the four digits, then their ``PRODUCTS``."""

_WHOLE, _HIGH, _LOW, _DEFINED = range(4)
"""Columns of ``Sums.digits``."""

FINE = 2**24
"""Parts of one that a cell's values are counted in; replicates need no more."""

_MOST = 2.0**32
"""No value of a measure comes near: words missed are below 2^31, C_seg below 10^6."""


@dataclass(frozen=True)
class Sums:
    """What documents add up to: by group, and by group and resampling unit (a cell).

    Attributes:
        groups: the groups met, in any order.
        documents: documents of each group, shape (groups,).
        digits: for each measure and group sums over documents of the three digits of the document's
            mean over its references, and how many documents are defined, shape
            (measures, groups, 4); int64, or Python's integers once merged.
        squares: for each measure and group, sums over documents for the standard deviation: with
            2^40 v = a 2^60 + b 2^40 + c 2^20 + d, the sums of a, b, c, d, then those of their
            ``PRODUCTS``, shape (measures, groups, 14), of the same type.
        group: index into ``groups`` of each cell, shape (cells,).
        unit: resampling unit of each cell, as ``Units.hashes``, shape (cells,).
        counts: sums of counts over rows, shape (counts, cells).
        values: sums over documents of the mean over references in parts of ``FINE``, shape
            (measures, cells).
        defined: documents in which the measure is defined, shape (measures, cells).
    """

    groups: list[GroupKey]
    documents: Ints
    digits: NDArray[Any]
    squares: NDArray[Any]
    group: Ints
    unit: Hashes
    counts: Ints
    values: Ints
    defined: Ints

    def __post_init__(self) -> None:
        """Refuse what compiled loops would follow out of an array: sums may come from a file.

        Raises:
            ValueError: shapes that do not fit each other, or a cell of no group.
        """
        groups, cells, measures = len(self.groups), len(self.group), len(self.values)
        fitting = {
            "documents": (groups,),
            "digits": (measures, groups, 4),
            "squares": (measures, groups, DIGITS + len(PRODUCTS)),
            "group": (cells,),
            "unit": (cells,),
            "counts": (len(self.counts), cells),
            "values": (measures, cells),
            "defined": (measures, cells),
        }
        if any(getattr(self, name).shape != shape for name, shape in fitting.items()):
            raise ValueError("sums whose shapes do not fit each other")
        if any(array.dtype.kind not in "iO" for array in (self.digits, self.squares)):
            raise ValueError("sums that are no whole numbers")
        if cells and not 0 <= self.group.min() <= self.group.max() < groups:
            raise ValueError("sums of a group that is not there")


@kernel
def _add_count(cell: Ints, counts: Ints, sums: Ints) -> None:
    for row in range(len(cell)):
        sums[cell[row]] += counts[row]


@kernel
def _add_squares(whole: np.int64, behind: np.int64, squares: Ints) -> None:
    """Add a value's four digits, and their products, most of which are zero for a share."""
    c, d = behind // DIGIT, behind % DIGIT
    squares[_C] += c
    squares[_D] += d
    squares[_CC] += c * c
    squares[_CD] += c * d
    squares[_DD] += d * d
    if whole > 0:
        a, b = whole // DIGIT, whole % DIGIT
        squares[_A] += a
        squares[_B] += b
        squares[_AA] += a * a
        squares[_AB] += a * b
        squares[_AC] += a * c
        squares[_AD] += a * d
        squares[_BB] += b * b
        squares[_BC] += b * c
        squares[_BD] += b * d


class _MeasureSums(NamedTuple):
    """What ``Sums`` has of one measure; each is added to."""

    values: Ints
    defined: Ints
    digits: Ints
    squares: Ints


@kernel
def _add_values(cell: Ints, group: Ints, values: Floats, sums: _MeasureSums) -> None:
    digits = sums.digits
    for row in range(len(cell)):
        value = values[row]
        if np.isnan(value):
            continue
        c, g = cell[row], group[row]
        sums.defined[c] += 1
        digits[g, _DEFINED] += 1
        if value == 0:
            continue
        whole = np.int64(value)
        behind = (value - whole) * HALF
        high = np.int64(behind)
        low = np.int64((behind - high) * HALF + 0.5)
        digits[g, _WHOLE] += whole
        digits[g, _HIGH] += high
        digits[g, _LOW] += low
        sums.values[c] += whole * FINE + high // (HALF // FINE)
        _add_squares(whole, high * (DIGIT * DIGIT // HALF) + low // DIGIT, sums.squares[g])


def mean_over_references(values: Sequence[Floats], document: Ints) -> list[Floats]:
    """Average each measure over the rows of a document, where defined.

    Args:
        values: of each measure, shape (rows,), NaN where undefined.
        document: 0..n-1, the document each row belongs to, shape (rows,).

    Returns:
        Of each measure, shape (n,); NaN where no row of the document is defined.
    """
    n = int(document.max()) + 1 if len(document) else 0
    if n == len(document):
        return list(values)
    means = []
    with np.errstate(invalid="ignore"):
        for row in values:
            defined = ~np.isnan(row)
            total = np.bincount(document[defined], row[defined], n)
            means.append(total / np.bincount(document[defined], minlength=n))
    return means


def distinct(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct codes, ascending; where each is first; and the place of each row's code.

    Codes that leave few numbers out are numbered without sorting them.
    """
    most = int(codes.max(initial=0)) + 1
    if most > _DENSE * len(codes) + _DENSE:
        return np.unique(codes, return_index=True, return_inverse=True)
    first = np.full(most, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last to be written is the first row
    keys = np.flatnonzero(first >= 0)
    place = np.empty(most, np.int64)
    place[keys] = np.arange(len(keys))
    return keys, first[keys], place[codes]


class CountedRows(NamedTuple):
    """Rows to add up.

    Attributes:
        document: of each row, shape (rows,).
        counts: of each count, shape (rows,).
        values: of each measure, shape (rows,), NaN where undefined.
        one_each: whether each row has a document and group of its own, as with one reference each.
    """

    document: Ints
    counts: Sequence[Ints]
    values: Sequence[Floats]
    one_each: bool

    def select(self, kept: Flags) -> "CountedRows":
        """Keep some rows."""
        return CountedRows(
            self.document[kept],
            [row[kept] for row in self.counts],
            [row[kept] for row in self.values],
            self.one_each,
        )


def sum_rows(groups: list[GroupKey], group: Ints, units: Units, rows: CountedRows) -> Sums:
    """Add up the rows of one task.

    Args:
        groups: the groups' keys.
        group: index into ``groups`` of each row, shape (rows,).
        units: what documents are resampled by.
        rows: what to add up.
    """
    document, counts, values, one_each = rows
    if max((np.nanmax(row, initial=0.0) for row in values), default=0.0) >= _MOST:
        raise Failed(f"a measure has a value above {_MOST:.0f}: it cannot be averaged")
    many = len(units.hashes)
    cell_keys, _, cell = distinct(group * many + units.of[document])
    own = np.arange(len(group))
    if not one_each:
        _, own, place = distinct(document * len(groups) + group)
    shape = len(values), len(cell_keys)
    sums = Sums(
        groups=groups,
        documents=np.bincount(group[own], minlength=len(groups)).astype(np.int64),
        digits=np.zeros((len(values), len(groups), 4), np.int64),
        squares=np.zeros((len(values), len(groups), DIGITS + len(PRODUCTS)), np.int64),
        group=cell_keys // many,
        unit=units.hashes[cell_keys % many],
        counts=np.zeros((len(counts), len(cell_keys)), np.int64),
        values=np.zeros(shape, np.int64),
        defined=np.zeros(shape, np.int64),
    )
    for row, summed in zip(counts, sums.counts, strict=True):
        _add_count(cell, row, summed)
    if len(own) < len(cell):  # several references a document
        values = mean_over_references(values, place)
        cell, group = cell[own], group[own]
    for means, *added in zip(
        values, sums.values, sums.defined, sums.digits, sums.squares, strict=True
    ):
        _add_values(cell, group, means, _MeasureSums(*added))
    return sums


def merge(parts: Sequence[Sums]) -> Sums:
    """Add up sums of disjoint rows, at least one; the result does not depend on their order."""
    keys = sorted({key for part in parts for key in part.groups}, key=_order)
    number = {key: i for i, key in enumerate(keys)}
    renamed = [np.array([number[key] for key in part.groups], np.int64) for part in parts]
    units = np.unique(np.concatenate([part.unit for part in parts]))
    cells = [
        new[part.group] * len(units) + np.searchsorted(units, part.unit)
        for new, part in zip(renamed, parts, strict=True)
    ]
    cell_keys = np.unique(np.concatenate(cells))
    measures, counts = len(parts[0].values), len(parts[0].counts)
    total = Sums(
        groups=keys,
        documents=np.zeros(len(keys), np.int64),
        # Python's integers: over an archive these may pass 2^63.
        digits=np.zeros((measures, len(keys), 4), object),
        squares=np.zeros((measures, len(keys), DIGITS + len(PRODUCTS)), object),
        group=cell_keys // len(units),
        unit=units[cell_keys % len(units)],
        counts=np.zeros((counts, len(cell_keys)), np.int64),
        values=np.zeros((measures, len(cell_keys)), np.int64),
        defined=np.zeros((measures, len(cell_keys)), np.int64),
    )
    for new, cell, part in zip(renamed, cells, parts, strict=True):
        place = np.searchsorted(cell_keys, cell)
        total.documents[new] += part.documents
        total.digits[:, new] += part.digits
        total.squares[:, new] += part.squares
        for name in ("counts", "values", "defined"):
            for added, row in zip(getattr(total, name), getattr(part, name), strict=True):
                _add_count(place, row, added)
    return total


def _order(key: GroupKey) -> tuple[tuple[Any, ...], ...]:
    """Sort by hypothesis; within it the row over all documents first, then as values sort."""
    return tuple(() if part is None else (part,) for part in key)
