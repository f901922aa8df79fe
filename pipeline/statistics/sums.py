"""Add up counts and values by group and resampling unit, in each task and then over a run.

All sums are of whole numbers, so that they do not depend on how the work was split.  A value v is
split into three digits: the whole part, the first 30 bits after the point, and the next 30 bits.
All three digits of a negative value are negative or 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.kernel import inlined, kernel
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.statistics.resampling import Units, settled

_Key = TypeVar("_Key")

GroupKey = tuple[object, ...]
"""The hypothesis, then the values of the group-by columns, which are None over all documents."""

_DENSE = 16
"""Largest range of codes, in multiples of the number of rows, for which to use a table."""

HALF = 2**30
"""Base of digits after the point; two of them represent any float64 of 1/256 or more exactly."""

DIGIT = 2**20
"""Base of digits that are multiplied; their products and the sums of these do not overflow."""

DIGITS = 4
"""Number of digits of a value that is squared: two before the point, two after it."""

PRODUCTS = [(i, j) for i in range(DIGITS) for j in range(i, DIGITS)]
"""Pairs of digits whose products are summed."""

_A, _B, _C, _D, _AA, _AB, _AC, _AD, _BB, _BC, _BD, _CC, _CD, _DD = range(14)
"""Indices into the last axis of ``Sums.squares``: the four digits, then their ``PRODUCTS``."""

_WHOLE, _HIGH, _LOW, _DEFINED = range(4)
"""Indices into the last axis of ``Sums.digits``."""

FINE = 2**24
"""A cell's values are counted in multiples of 1 / ``FINE``, which is precise enough to resample."""

_VALUE_LIMIT = 2.0**32
"""Limit of absolute values, which no measure comes near: words missed are below 2^31, C_seg below
10^6, the R-value is above -2^31."""


@dataclass(frozen=True)
class Sums:
    """Sums over documents: by group, and by cell (the documents of a group and resampling unit).

    Attributes:
        groups: keys of the groups, in any order.
        documents: number of documents of each group, shape (groups,).
        document_sets: exclusive or of the hashes of the documents of each group, shape (groups,).
        digits: for each measure and group, the sums over documents of the three digits of the
            document's mean over its references, and the number of documents where the measure is
            defined, shape (measures, groups, 4); int64, or Python integers after ``merge``.
        squares: for each measure and group, sums over documents for the standard deviation: with
            2^40 v = a 2^60 + b 2^40 + c 2^20 + d, the sums of a, b, c, d (of the sign of v or 0),
            then those of their ``PRODUCTS``, shape (measures, groups, 14), of the same type as
            ``digits``.
        group: index into ``groups`` of each cell, shape (cells,).
        unit: resampling unit of each cell, as in ``Units.hashes``, shape (cells,).
        counts: sums of counts over rows, shape (counts, cells); int64, or Python integers if one
            does not fit.
        values: sums over documents of the mean over references, in multiples of 1 / ``FINE``, shape
            (measures, cells).
        defined: number of documents where the measure is defined, shape (measures, cells).
    """

    groups: list[GroupKey]
    documents: Ints
    document_sets: Hashes
    digits: NDArray[Any]
    squares: NDArray[Any]
    group: Ints
    unit: Hashes
    counts: NDArray[Any]
    values: Ints
    defined: Ints

    def __post_init__(self) -> None:
        """Check shapes and indices, as sums may come from a file and compiled loops do not check.

        Raises:
            ValueError: shapes do not match, sums are not integers, or a cell has no valid group.
        """
        groups, cells, measures = len(self.groups), len(self.group), len(self.values)
        shapes = {
            "documents": (groups,),
            "document_sets": (groups,),
            "digits": (measures, groups, 4),
            "squares": (measures, groups, DIGITS + len(PRODUCTS)),
            "group": (cells,),
            "unit": (cells,),
            "counts": (len(self.counts), cells),
            "values": (measures, cells),
            "defined": (measures, cells),
        }
        wide = (self.digits, self.squares, self.counts)
        if any(getattr(self, name).shape != shape for name, shape in shapes.items()):
            raise ValueError("the shapes of the sums do not match")
        if any(array.dtype.kind not in "iO" for array in wide):
            raise ValueError("the sums are not whole numbers")
        if cells and not 0 <= self.group.min() <= self.group.max() < groups:
            raise ValueError("some of the sums belong to a group that does not exist")


@kernel
def _add(cell: Ints, added: Ints, sums: Ints) -> bool:
    """Add each row to the sum of its cell; return whether all sums fit into 64 bits."""
    overflow = np.int64(0)
    for row in range(len(cell)):
        before = sums[cell[row]]
        after = before + added[row]
        # A sum that wrapped around differs in sign from both of its terms.
        overflow |= (before ^ after) & (added[row] ^ after)
        sums[cell[row]] = after
    return bool(overflow >= 0)


def add_counts(cell: Ints, counts: Sequence[NDArray[Any]], sums: NDArray[Any]) -> NDArray[Any]:
    """Add the counts of each row to the sums of its cell.

    Args:
        cell: the cell of each row, shape (rows,).
        counts: values of each count, shape (rows,).
        sums: the sums so far, shape (counts, cells), which may be changed.

    Returns:
        The sums; Python integers if they were, or if one does not fit into 64 bits.
    """
    for number, added in enumerate(counts):
        if sums.dtype != object and added.dtype != object:
            if _add(cell, added, sums[number]):
                continue
            _add(cell, -added, sums[number])  # back to the sums before, as 2^64 is the same as 0
        sums = sums.astype(object)
        np.add.at(sums[number], cell, added.astype(object))
    return sums


@kernel
def _document_sets(group: Ints, document: Ints, hashes: Hashes, sets: Hashes) -> Hashes:
    """Write the exclusive or of the hashes of each group's documents, whatever their order."""
    for row in range(len(group)):
        sets[group[row]] ^= hashes[document[row]]
    return sets


@inlined
def _add_squares(sign: int, whole: np.int64, fraction: np.int64, squares: Ints) -> None:
    """Add a value's four digits and their products, most of which are zero for values below 1."""
    c, d = fraction // DIGIT, fraction % DIGIT
    squares[_C] += sign * c
    squares[_D] += sign * d
    squares[_CC] += c * c
    squares[_CD] += c * d
    squares[_DD] += d * d
    if whole > 0:
        a, b = whole // DIGIT, whole % DIGIT
        squares[_A] += sign * a
        squares[_B] += sign * b
        squares[_AA] += a * a
        squares[_AB] += a * b
        squares[_AC] += a * c
        squares[_AD] += a * d
        squares[_BB] += b * b
        squares[_BC] += b * c
        squares[_BD] += b * d


class _MeasureSums(NamedTuple):
    """The arrays of ``Sums`` for one measure, which ``_add_values`` adds to."""

    values: Ints
    defined: Ints
    digits: Ints
    squares: Ints


@kernel
def _add_values(cell: Ints, group: Ints, values: Floats, sums: _MeasureSums) -> bool:
    """Add the values that are defined, up to the first that reaches the limit.

    Returns:
        Whether none does.
    """
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
        sign, size = (1, value) if value > 0 else (-1, -value)
        if size >= _VALUE_LIMIT:
            return False
        whole = np.int64(size)
        fraction = (size - whole) * HALF
        high = np.int64(fraction)
        low = np.int64((fraction - high) * HALF + 0.5)
        digits[g, _WHOLE] += sign * whole
        digits[g, _HIGH] += sign * high
        digits[g, _LOW] += sign * low
        sums.values[c] += sign * (whole * FINE + high // (HALF // FINE))
        _add_squares(sign, whole, high * (DIGIT * DIGIT // HALF) + low // DIGIT, sums.squares[g])
    return True


def mean_over_references(values: Sequence[Floats], document: Ints) -> list[Floats]:
    """Average each measure over the rows of each document where it is defined.

    Args:
        values: values of each measure, shape (rows,), NaN where undefined.
        document: the document of each row, 0..n-1, shape (rows,).

    Returns:
        Means of each measure, shape (n,); NaN if it is undefined in all rows of a document.
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


def _mean_of_documents(
    values: Sequence[Floats], document: Ints, level: Ints | None
) -> list[Floats]:
    """Average each measure over the references of each document and level, then over levels.

    Args:
        values: values of each measure, shape (rows,), NaN where undefined.
        document: the document of each row, 0..n-1, shape (rows,).
        level: the level of each row; None for rows of one level.
    """
    if level is not None:
        _, first_rows, on_level = distinct(document * (int(level.max(initial=0)) + 1) + level)
        if len(first_rows) < len(document):  # documents have several references
            values = mean_over_references(values, on_level)
            document = document[first_rows]
    return mean_over_references(values, document)


def distinct(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct codes, the first row of each, and the index of each row's distinct code.

    The distinct codes are ascending.  Codes from a small range are numbered without sorting.
    """
    limit = int(codes.max(initial=0)) + 1
    if limit > _DENSE * len(codes) + _DENSE:
        return np.unique(codes, return_index=True, return_inverse=True)
    first = np.full(limit, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # a code's first row is written last
    keys = np.flatnonzero(first >= 0)
    index = np.empty(limit, np.int64)
    index[keys] = np.arange(len(keys))
    return keys, first[keys], index[codes]


class CountedRows(NamedTuple):
    """Rows to add up.

    Attributes:
        document: document of each row, shape (rows,).
        counts: values of each count, shape (rows,).
        values: values of each measure, shape (rows,), NaN where undefined.
        one_each: whether no two rows have the same document and group, as if every document has one
            reference.
        level: the level of each row, shape (rows,), in rows of several levels: the value of a
            document is then the mean over levels of the means over its references. None for rows
            of one level.
    """

    document: Ints
    counts: Sequence[Ints]
    values: Sequence[Floats]
    one_each: bool
    level: Ints | None = None

    def select(self, mask: Flags) -> "CountedRows":
        """Return the rows where the mask is true."""
        return CountedRows(
            self.document[mask],
            [row[mask] for row in self.counts],
            [row[mask] for row in self.values],
            self.one_each,
            None if self.level is None else self.level[mask],
        )


def sum_rows(groups: list[GroupKey], group: Ints, units: Units, rows: CountedRows) -> Sums:
    """Add up the rows of one task.

    Args:
        groups: keys of the groups.
        group: index into ``groups`` of each row, shape (rows,).
        units: the resampling units of the documents.
        rows: the rows to add up.

    Raises:
        Unsuitable: a value is too large to be averaged.
    """
    document, counts, values, one_each, level = rows
    unit_count = len(units.hashes)
    cell_keys, _, cell = distinct(group * unit_count + units.index[document])
    first_rows = np.arange(len(group))
    if not one_each:
        _, first_rows, inverse = distinct(document * len(groups) + group)
    shape = len(values), len(cell_keys)
    sums = Sums(
        groups=groups,
        documents=np.bincount(group[first_rows], minlength=len(groups)).astype(np.int64),
        document_sets=_document_sets(
            group[first_rows],
            document[first_rows],
            units.documents,
            np.zeros(len(groups), np.uint64),
        ),
        digits=np.zeros((len(values), len(groups), 4), np.int64),
        squares=np.zeros((len(values), len(groups), DIGITS + len(PRODUCTS)), np.int64),
        group=cell_keys // unit_count,
        unit=units.hashes[cell_keys % unit_count],
        counts=add_counts(cell, counts, np.zeros((len(counts), len(cell_keys)), np.int64)),
        values=np.zeros(shape, np.int64),
        defined=np.zeros(shape, np.int64),
    )
    if len(first_rows) < len(cell):  # documents have several references
        values = _mean_of_documents(values, inverse, level)
        cell, group = cell[first_rows], group[first_rows]
    for means, *added in zip(
        values, sums.values, sums.defined, sums.digits, sums.squares, strict=True
    ):
        if not _add_values(cell, group, means, _MeasureSums(*added)):
            raise Unsuitable(
                f"a measure has a value of {_VALUE_LIMIT:.0f} or more, or of the same size below "
                "0, which cannot be averaged"
            )
    return sums


def merge(parts: Sequence[Sums]) -> Sums:
    """Add up one or more sums of disjoint rows; the result does not depend on their order."""
    keys = sorted({key for part in parts for key in part.groups}, key=_order)
    number = {key: i for i, key in enumerate(keys)}
    new_groups = [np.array([number[key] for key in part.groups], np.int64) for part in parts]
    units = np.unique(np.concatenate([part.unit for part in parts]))
    cells = [
        new_group[part.group] * len(units) + np.searchsorted(units, part.unit)
        for new_group, part in zip(new_groups, parts, strict=True)
    ]
    cell_keys = np.unique(np.concatenate(cells))
    measures = len(parts[0].values)
    documents = np.zeros(len(keys), np.int64)
    document_sets = np.zeros(len(keys), np.uint64)
    # Python integers, as these sums may exceed 2^63 over a large archive.
    digits = np.zeros((measures, len(keys), 4), object)
    squares = np.zeros((measures, len(keys), DIGITS + len(PRODUCTS)), object)
    by_cell: dict[str, NDArray[Any]] = {
        name: np.zeros((len(getattr(parts[0], name)), len(cell_keys)), np.int64)
        for name in ("counts", "values", "defined")
    }
    for new_group, cell, part in zip(new_groups, cells, parts, strict=True):
        index = np.searchsorted(cell_keys, cell)
        documents[new_group] += part.documents
        document_sets[new_group] ^= part.document_sets
        digits[:, new_group] += part.digits
        squares[:, new_group] += part.squares
        for name, sums in by_cell.items():
            by_cell[name] = add_counts(index, getattr(part, name), sums)
    return Sums(
        groups=keys,
        documents=documents,
        document_sets=document_sets,
        digits=digits,
        squares=squares,
        group=cell_keys // len(units),
        unit=units[cell_keys % len(units)],
        **by_cell,
    )


def bucket_units(sums: Sums) -> Sums:
    """Return the sums of a whole run with its resampling units in buckets, if they are many."""
    unit = settled(sums.unit)
    return sums if unit is sums.unit else merge([replace(sums, unit=unit)])


def _order(key: GroupKey) -> tuple[tuple[Any, ...], ...]:
    """Return a key that sorts by hypothesis, then all documents first, then by group-by values."""
    return tuple(() if part is None else (part,) for part in key)


def add_numbers(parts: Iterable[Mapping[_Key, int]]) -> dict[_Key, int]:
    """Add up the numbers of disjoint parts of a run, by what they count."""
    total: Counter[_Key] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)
