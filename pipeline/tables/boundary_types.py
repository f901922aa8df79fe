"""Boundary types: which rows have them, and whether they are among the declared types."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, flags, offsets_of, ragged, trimmed
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.faults import DECLARED, GIVEN, TYPES_MISSING, undeclared_types
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.read import Rows, refuse, with_column
from segscore.schemas.input_columns import BY_SEGMENT

COLUMN = "boundary_types"


def have_boundary_types(tables: list[InputTable]) -> bool:
    """Return whether any table of a run has boundary types."""
    return any(COLUMN in table.further.names for table in tables)


def require_types_in_both(references: InputTable, hypotheses: InputTable) -> None:
    """Refuse a run of which only one table has boundary types."""
    sides = [references, hypotheses]
    without = [table for table in sides if not have_boundary_types([table])]
    if len(without) == 1:
        typed = next(table for table in sides if table is not without[0])
        raise Refused(
            f"{without[0].location}: the {without[0].name} have no column {COLUMN}, but the "
            f"{typed.name} ({typed.location}) have; give the boundaries of both tables types, or "
            f"remove the column from the {typed.name}"
        )


def without_faults(rows: Rows, declared: tuple[int, ...]) -> tuple[Rows, list[pa.Table]]:
    """Reject valid rows without types, or with undeclared types, where types are distinguished.

    Boundaries may have any type if none are declared.
    """
    missing = ~flags(_types(rows).is_valid())
    rows, untyped = refuse(rows, missing, GIVEN, TYPES_MISSING)
    if not declared:
        return rows, [untyped]
    reason = undeclared_types(declared)
    rows, undeclared = refuse(rows, _undeclared(rows, declared), DECLARED, reason)
    return rows, [untyped, undeclared]


def _types(rows: Rows) -> pa.ListArray:
    return rows.table.column(COLUMN).combine_chunks()


def _undeclared(rows: Rows, declared: tuple[int, ...]) -> Flags:
    row, types = pc.list_parent_indices(_types(rows)), pc.list_flatten(_types(rows))
    among = pc.is_in(types, value_set=pa.array(declared, types.type))
    undeclared = np.zeros(len(rows), bool)
    undeclared[row.filter(pc.invert(among)).to_pylist()] = True
    return undeclared


def occurring(rows: Rows) -> set[int]:
    """Return the set of boundary types in some rows."""
    return set(_types(rows).flatten().unique().to_pylist())


def only_types(rows: Rows, types: Sequence[int]) -> Rows:
    """Drop the boundaries of all other types than these from valid segmentations with types."""
    table = rows.table
    kept = np.isin(trimmed(ragged(table.column(COLUMN).combine_chunks())).values, types)
    before = offsets_of(kept)
    for name in ("boundaries", COLUMN):
        lists = trimmed(ragged(table.column(name).combine_chunks()))
        offsets = pa.array(before[lists.offsets], pa.int32())
        chosen = pa.ListArray.from_arrays(offsets, pa.array(lists.values[kept]))
        table = with_column(table, name, chosen.cast(table.schema.field(name).type))
    # Segments of the other types have become one, so that labels are no longer those of segments.
    labels = [name for name in (BY_SEGMENT,) if name in table.column_names]
    return replace(rows, table=table.drop_columns(labels))


def positions_alone(rows: Rows) -> Rows:
    """Drop the types of valid segmentations.

    Each position occurs once then, however many types it had.
    """
    if COLUMN not in rows.table.column_names:
        return rows
    lists = ragged(rows.table.column("boundaries").combine_chunks())
    row = np.repeat(np.arange(len(rows)), lists.lengths)
    values = lists.values[lists.offsets[0] : lists.offsets[-1]]
    new = np.ones(len(values), bool)
    new[1:] = (values[1:] != values[:-1]) | (row[1:] != row[:-1])
    offsets = np.searchsorted(row[new], np.arange(len(rows) + 1))
    distinct = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values[new]))
    table = with_column(rows.table, "boundaries", distinct.cast(pa.list_(pa.int32())))
    return replace(rows, table=table.drop_columns([COLUMN]))
