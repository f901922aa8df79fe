"""Check quickly whether any row of an input table breaks a rule of its schema.

The rules are those of schemas/segmentations.py and schemas/documents.py, which alone determine
which row breaks which rule.  These checks avoid that work, and importing Pandera, if all rows are
valid.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, flags, numbers, ragged
from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS
from segscore.schemas.input_columns import BY_SEGMENT, MOST_WORDS

_COLLAPSED, _LENGTHS = "collapsed_boundaries", "unit_lengths"
_TYPES, _SCORES = "boundary_types", "boundary_scores"


@kernel
def _keep_rules(
    offsets: Ints, positions: Positions, types: Positions, n_units: Positions, open_ended: bool
) -> bool:
    """Check that every row has units, and strictly ascending positions within them.

    Boundaries of one position ascend by type, if there are types, which begin with those of the
    first row.  If ``open_ended``, positions have no upper limit.
    """
    for row in range(len(n_units)):
        last = last_type = 0
        for i in range(offsets[row], offsets[row + 1]):
            kind = types[i - offsets[0]] if len(types) else 0
            if positions[i] < max(1, last) or (positions[i] == last and kind <= last_type):
                return False
            last, last_type = positions[i], kind
        if n_units[row] < 1 or (last >= n_units[row] and not open_ended):
            return False
    return True


def is_sound(table: pa.Table, *, open_ended: bool = False) -> bool:
    """Return whether all segmentations obey every rule; False also if only the schema can decide.

    The columns are of the contract's types, in one chunk each. If ``open_ended``, rows adopt the
    length of their document, so that n_units may be null and positions have no upper limit.
    """
    if BY_SEGMENT in table.column_names and _TYPES in table.column_names:
        return False  # positions that repeat begin one segment
    if _COLLAPSED in table.column_names and (pc.min(table.column(_COLLAPSED)).as_py() or 0) < 0:
        return False
    if not table.num_rows:
        return True
    columns = [table.column(name).chunk(0) for name in SEGMENTATIONS.required]
    ids, coder, n_units, boundaries = columns
    if open_ended:
        n_units = columns[2] = n_units.fill_null(1)
    if any(column.null_count for column in (*columns, boundaries.values)):
        return False
    lists = ragged(boundaries)
    if BY_SEGMENT in table.column_names and not _one_per_segment(
        table.column(BY_SEGMENT).chunk(0), lists.lengths
    ):
        return False
    types, scores = (_one_per_boundary(table, name, lists.lengths) for name in (_TYPES, _SCORES))
    if types is None or scores is None or types.min(initial=1) < 1:
        return False
    if not ((scores >= 0) & (scores <= 1)).all():
        return False
    named = _none_is_empty(ids) and _none_is_empty(coder)
    return named and _keep_rules(
        lists.offsets, lists.values, types.astype(np.int32), numbers(n_units), open_ended
    )


def documents_are_sound(table: pa.Table) -> bool:
    """Return whether all documents obey every rule; False also if only the schema can decide.

    The columns are of the contract's types, in one chunk each.
    """
    if not table.num_rows:
        return True
    ids, n_units = (table.column(name).chunk(0) for name in DOCUMENTS.required)
    if ids.null_count or n_units.null_count or not _none_is_empty(ids):
        return False
    units = numbers(n_units)
    if units.min() < 1:
        return False
    for name in set(DOCUMENTS.optional) & {*table.column_names}:
        column = table.column(name).chunk(0)
        if column.null_count or column.values.null_count:
            return False
        lists = ragged(column)
        starts = lists.offsets[:-1]
        values = lists.values[starts[0] : lists.offsets[-1]]
        if not np.array_equal(np.diff(lists.offsets), units) or values.min() < 0:
            return False
        totals = np.add.reduceat(values, starts - starts[0], dtype=np.int64)
        if name == _LENGTHS and not (totals.min() >= 1 and totals.max() <= MOST_WORDS):
            return False
    return True


def _one_per_segment(labels: pa.ListArray, boundaries: Ints) -> bool:
    """Return whether each list that is not null has one element more than there are boundaries."""
    offsets = np.frombuffer(labels.buffers()[1], np.int32)
    sizes = np.diff(offsets[labels.offset : labels.offset + len(labels) + 1])
    return bool((sizes[flags(labels.is_valid())] == 1 + boundaries[flags(labels.is_valid())]).all())


def _one_per_boundary(table: pa.Table, name: str, boundaries: Ints) -> NDArray[Any] | None:
    """Return the values of all boundaries, none without the column; None if one lacks a value."""
    if name not in table.column_names:
        return np.empty(0, np.int32)
    column = table.column(name).chunk(0)
    sizes = column.value_lengths()
    if column.null_count or not np.array_equal(numbers(sizes), boundaries):
        return None
    values = column.flatten()
    return None if values.null_count else numbers(values)


def _none_is_empty(texts: pa.Array) -> bool:
    """Return whether no text of an array without nulls is empty."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)
    return bool(np.diff(offsets[texts.offset : texts.offset + len(texts) + 1]).all())
