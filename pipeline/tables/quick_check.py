"""Check in one compiled pass whether any row of a table breaks a rule of `segmentations`.

The rules are those of schemas/segmentations.py, which alone determines which row breaks which rule.
This check avoids that work if all rows are valid.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Positions, ragged
from segscore.pipeline.tables.columns import SEGMENTATIONS

_COLLAPSED = "collapsed_boundaries"


@kernel
def _keep_rules(offsets: Ints, positions: Positions, n_units: Positions, open_ended: bool) -> bool:
    """Check that every row has units, and strictly ascending positions within them.

    If ``open_ended``, positions have no upper limit.
    """
    for row in range(len(n_units)):
        last = 0
        for i in range(offsets[row], offsets[row + 1]):
            if positions[i] <= last:
                return False
            last = positions[i]
        if n_units[row] < 1 or (last >= n_units[row] and not open_ended):
            return False
    return True


@kernel
def _none_empty(offsets: Positions) -> bool:
    for row in range(len(offsets) - 1):
        if offsets[row + 1] == offsets[row]:
            return False
    return True


def is_sound(table: pa.Table, *, open_ended: bool = False) -> bool:
    """Return whether all rows obey every rule; False also if only the schema can decide.

    Args:
        table: segmentations, with columns of the contract's types in one chunk each.
        open_ended: whether rows adopt the length of their document, so that n_units may be null
            and positions have no upper limit.
    """
    if any(name in table.column_names for name in SEGMENTATIONS.optional if name != _COLLAPSED):
        return False
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
    units = np.frombuffer(n_units.buffers()[1], np.int32)
    units = units[n_units.offset : n_units.offset + len(n_units)]
    texts = [np.frombuffer(column.buffers()[1], np.int32) for column in (ids, coder)]
    nonempty = [
        _none_empty(offsets[column.offset : column.offset + len(column) + 1])
        for offsets, column in zip(texts, (ids, coder), strict=True)
    ]
    return all(nonempty) and _keep_rules(lists.offsets, lists.values, units, open_ended)
