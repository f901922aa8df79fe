"""Select the rows of `scores` and `panel_scores` that a statement about systems rests on."""

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.results.names import POINT


def are_original(rows: pa.Table, consensus: Collection[str]) -> pa.Array:
    """Return a mask of the rows whose reference a person made; of panels, all rows.

    Args:
        rows: rows of a table, with its column ``reference`` if it has one.
        consensus: names of the consensus references of the run.
    """
    if "reference" not in rows.column_names:
        return pa.repeat(True, rows.num_rows)
    names = pa.array([*consensus], pa.string())
    made = pc.is_in(rows.column("reference"), value_set=names)
    return pc.invert(made).combine_chunks()


def are_of_systems(rows: pa.Table) -> pa.Array:
    """Return a mask of the rows whose hypothesis is a system's, and no reference point."""
    return pc.invert(pc.starts_with(rows.column("hypothesis"), POINT)).combine_chunks()
