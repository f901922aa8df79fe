"""Labels of segments: which rows have them, and which segments have one of some labels."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Ints, encode, flags
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.read import Rows, refuse
from segscore.schemas.input_columns import BY_SEGMENT

_GIVEN = "segment_labels_given"


def require_labels(tables: Sequence[InputTable], option: str) -> None:
    """Refuse an option that needs labels where a table has none."""
    for table in tables:
        if BY_SEGMENT not in table.further.names:
            raise Refused(
                f"{option}: the {table.name} ({table.location}) have no column {BY_SEGMENT}; give "
                "each segmentation a list of the labels of its segments there"
            )


def have_labels(tables: Sequence[InputTable]) -> bool:
    """Return whether all tables have labels."""
    return all(BY_SEGMENT in table.further.names for table in tables)


def without_unlabelled(rows: Rows, option: str) -> tuple[Rows, pa.Table]:
    """Reject rows without labels, in a run that selects segments by them."""
    missing = ~flags(labels_of(rows).is_valid())
    return refuse(rows, missing, _GIVEN, f"this row has no {BY_SEGMENT}, by which {option} selects")


def labels_of(rows: Rows) -> pa.ListArray:
    """Return the labels of the segments of each row; null where a row states none."""
    return rows.table.column(BY_SEGMENT).combine_chunks()


def have_label(rows: Rows, labels: Sequence[str]) -> Flags:
    """Return which segments of valid rows that all have labels have one of some labels."""
    values = pc.list_flatten(labels_of(rows))
    return flags(pc.is_in(values, value_set=pa.array(labels, pa.string())))


def number_labels(rows: Rows, segments: Ints) -> tuple[Ints, list[str | None]]:
    """Number the labels of the segments of valid rows.

    Args:
        rows: the rows; one without labels has segments without label.
        segments: number of segments of each row, shape (rows,).

    Returns:
        The number of each segment's label, shape (segments,), and the labels by number.
    """
    lists = labels_of(rows)
    labelled = np.repeat(flags(lists.is_valid()), segments)
    code = np.zeros(len(labelled), np.int64)
    found = encode(pc.list_flatten(lists))
    code[labelled] = found.code + 1
    return code, [None, *found.names]
