"""Give segmentations in units the times of the units that their boundaries start."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.importing.answers.gathering import DocumentUnits
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.projection.carried import carry_lists
from segscore.pipeline.importing.times import round_half_up
from segscore.pipeline.tables.read import Rows, with_column
from segscore.pipeline.tables.rows import RowPlace
from segscore.schemas.input_columns import BOUNDARY_KINDS, BY_SEGMENT, BY_UNIT, INPUT_TYPES

_LISTS = ("boundaries", "boundary_types", "boundary_scores")
_CHANGED = ("n_units", *_LISTS, "collapsed_boundaries")


def time_rows(rows: Rows, timing: Timing, units: Mapping[str, DocumentUnits] | None = None) -> Rows:
    """Return valid rows in milliseconds, without lists by unit.

    Args:
        rows: the rows.
        timing: what gives boundaries times.
        units: document -> its units, whose records may have the times; None without a source.

    Raises:
        Refused: a document has no times, another number of them than units, or no length.
    """
    new: dict[str, list[object]] = {name: [] for name in _CHANGED}
    kept: list[bool] = []
    needed = {"document_id", *_CHANGED} & {*rows.table.column_names}
    for number, row in enumerate(rows.table.select(sorted(needed)).to_pylist()):
        place = RowPlace(rows.urls[int(rows.file[number])], int(rows.row[number]) + 1)
        times = timing.times_of(
            row["document_id"], row["n_units"], place, (units or {}).get(row["document_id"])
        )
        n_units, start = timing.length_of(row["document_id"], times)
        positions: Sequence[int] = row["boundaries"]
        moments = {p: round_half_up(times.starts[p].exact) - start for p in positions}
        moved = {p: moment for p, moment in moments.items() if 0 < moment < n_units}
        lists = carry_lists(positions, row.get("boundary_types"), row.get("boundary_scores"), moved)
        collapsed = len(moments) - len({*lists.boundaries})
        values = (n_units, lists.boundaries, lists.types, lists.scores)
        before = row.get("collapsed_boundaries") or 0
        for name, value in zip(_CHANGED, (*values, before + collapsed), strict=True):
            new[name].append(value)
        kept.append(not collapsed)
    table = rows.table.drop_columns([name for name in BY_UNIT if name in rows.table.column_names])
    for name in _CHANGED:
        if name in needed or name == _CHANGED[-1]:
            table = with_column(table, name, pa.array(new[name], INPUT_TYPES[name]))
    # A list with an element for each boundary or segment no longer fits where some collapsed.
    for name in {BY_SEGMENT, BOUNDARY_KINDS} & {*table.column_names}:
        whole = table.column(name)
        fitting = pc.if_else(pa.array(kept), whole, pa.scalar(None, whole.type))
        table = with_column(table, name, fitting.combine_chunks())
    return replace(rows, table=table)
