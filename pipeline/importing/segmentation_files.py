"""Read Parquet files that are tables of segmentations already, as rows of an import."""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.tables.find import InputTable, Slice
from segscore.pipeline.tables.read import Rows, in_one_chunk, read_slice
from segscore.schemas.input_columns import INPUT_TYPES, ROLE, ROLES


def read_segmentations(url: str, table: InputTable, role: str, adapted: set[str]) -> Iterator[Rows]:
    """Yield the rows of a Parquet file as stated, a row group at a time.

    Args:
        url: the file.
        table: the table that it belongs to.
        role: role of rows that do not state it.
        adapted: receives a clause about each attribute of a type that is written as text.

    Raises:
        Refused: a role is not one, or as ``read_slice``.
    """
    for piece in table.slices:
        if piece.url != url:
            continue
        rows = read_slice(piece, table.further)
        columns = {
            name: _plain(name, rows.table.column(name), adapted) for name in rows.table.column_names
        }
        columns[ROLE] = _roles(piece, role, len(rows))
        yield replace(rows, table=in_one_chunk(pa.table(columns)))


def _roles(piece: Slice, role: str, rows: int) -> pa.Array:
    """Return the role of each row of a slice."""
    if ROLE not in storage.column_names(piece.url):
        return pa.array([role] * rows, pa.string())
    limit = row_group_limit(None)
    table = storage.read_row_groups(piece.url, piece.row_groups, lambda _: [ROLE], limit)
    roles = pc.fill_null(table.column(ROLE).cast(pa.string()), role)
    for other in pc.unique(roles).to_pylist():
        if other not in ROLES:
            raise Refused(f"{piece.url}: the role {other!r} must be one of {', '.join(ROLES)}")
    return roles


def _plain(name: str, column: pa.ChunkedArray, adapted: set[str]) -> pa.ChunkedArray:
    """Return a column in a type whose name Arrow can read."""
    kind = column.type
    elements = kind.value_type if pa.types.is_list(kind) else kind
    if name in INPUT_TYPES or _has_plain_name(elements):
        return column
    adapted.add(f"the attribute {name} ({kind}) is written as text")
    texts = (None if value is None else str(value) for value in column.to_pylist())
    return pa.chunked_array([pa.array(texts, pa.string())])


def _has_plain_name(kind: pa.DataType) -> bool:
    try:
        return bool(pa.type_for_alias(str(kind)) == kind)
    except ValueError:
        return False
