"""Boundary types: which rows have them, and which of them are among the declared ones."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.reading import InputTable, Rows, refuse
from pipeline.segmentations import Flags, flags

COLUMN = "boundary_types"
GIVEN = "boundary_types_given"
DECLARED = "boundary_types_declared"


def are_told_apart(tables: list[InputTable]) -> bool:
    """Whether any table of a run has boundary types."""
    return any(COLUMN in table.further.names for table in tables)


def without_faults(rows: Rows, declared: tuple[int, ...]) -> tuple[Rows, list[pa.Table]]:
    """Refuse rows without types in a run that tells them apart, or with others than declared.

    Args:
        rows: segmentations, valid each for itself.
        declared: types boundaries may have; empty: any.
    """
    missing = ~flags(_types(rows).is_valid())
    rows, without = refuse(rows, missing, GIVEN, "others have types, this row has none")
    if not declared:
        return rows, [without]
    reason = f"boundary types must be among {', '.join(map(str, declared))}"
    rows, strange = refuse(rows, _strange(rows, declared), DECLARED, reason)
    return rows, [without, strange]


def _types(rows: Rows) -> pa.ListArray:
    return rows.table.column(COLUMN).combine_chunks()


def _strange(rows: Rows, declared: tuple[int, ...]) -> Flags:
    of_row, types = pc.list_parent_indices(_types(rows)), pc.list_flatten(_types(rows))
    among = pc.is_in(types, value_set=pa.array(declared, types.type))
    found = np.zeros(len(rows), bool)
    found[of_row.filter(pc.invert(among)).to_pylist()] = True
    return found


def occurring(rows: Rows) -> set[int]:
    """Collect the boundary types of some rows."""
    return set(_types(rows).flatten().unique().to_pylist())
