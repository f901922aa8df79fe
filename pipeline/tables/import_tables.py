"""Make the tables of an import from blocks of rows: check them, describe documents, write."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.check_table import DOCUMENTS, SEGMENTATIONS, between_rows
from segscore.pipeline.tables.formats.described import StatedDocuments, describe_documents
from segscore.pipeline.tables.formats.rows import RowPlace, is_given
from segscore.pipeline.tables.formats.tables import (
    attribute_names,
    join_types,
    rows_of_role,
    segmentations_of,
    with_columns,
)
from segscore.pipeline.tables.read import Rows, in_one_chunk, validate_rows
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.input_columns import BY_UNIT, ROLE, TABLE_ROLES

_KEYS = ("document_id", "coder", "n_units", ROLE)
_ROWS = 2**17
"""Rows of a row group; the last one and those of large blocks may have another number."""


class BlockPlaces:
    """The (source, line) of the rows of several blocks, counted through."""

    def __init__(self, blocks: Sequence[Rows]) -> None:
        """Number the rows of blocks in their order."""
        self.blocks = blocks
        self.starts = np.cumsum([0, *(len(block) for block in blocks)])

    def __getitem__(self, row: int, /) -> tuple[str, int]:
        """Return the source and the line of a row."""
        at = int(np.searchsorted(self.starts, row, "right")) - 1
        block, inside = self.blocks[at], row - int(self.starts[at])
        return block.urls[int(block.file[inside])], int(block.row[inside]) + 1


def check_block(block: Rows) -> tuple[Rows, pa.Table]:
    """Separate the rows of a block that are valid on their own; return them, and the rejects.

    Raises:
        Refused: a row has no document_id.
    """
    ids = block.table.column("document_id")
    if ids.null_count:
        row = int(np.flatnonzero(ids.is_null().to_numpy())[0])
        is_given(None, "document_id", RowPlace(*BlockPlaces([block])[row]))
    good, rejects = validate_rows(_numbered(segmentations_of(block.table)), columns.SEGMENTATIONS)
    if not rejects.num_rows:
        return block, rejects
    return block.take(good.row), at_places(rejects, SEGMENTATIONS, BlockPlaces([block]))


def at_places(rejects: pa.Table, table: str, places: BlockPlaces) -> pa.Table:
    """Return rejects, whose row is a number in ``places``, with their table, source and line."""
    found = [places[row] for row in rejects.column("row").to_pylist()]
    new = {
        "table": pa.array([table] * len(found), pa.string()),
        "source": pa.array([source for source, _ in found], pa.string()),
        "row": pa.array([line - 1 for _, line in found], pa.int64()),
    }
    return pa.table({name: new.get(name, rejects.column(name)) for name in REJECT_COLUMNS.names})


@dataclass(frozen=True)
class Keys:
    """What is known of all rows at once: everything but their boundaries.

    Attributes:
        table: the rows as stated, without lists by boundary.
        places: where each row was read.
        described: their documents.
    """

    table: pa.Table
    places: BlockPlaces
    described: StatedDocuments

    def contradictions(self) -> pa.Table:
        """List valid rows that contradict each other, as rejects."""
        found = []
        for name in ("references", "hypotheses"):
            chosen = rows_of_role(self.table, TABLE_ROLES[name])
            own = self.table.select(["document_id", "coder", "n_units"]).take(pa.array(chosen))
            found += [
                _renumbered(one, chosen) for one in between_rows(_numbered(own), SEGMENTATIONS)
            ]
        return at_places(pa.concat_tables(found), SEGMENTATIONS, self.places)

    def valid_documents(self) -> tuple[pa.Table, pa.Table]:
        """Separate valid documents from those that break a rule; return them, and the rejects."""
        good, rejects = validate_rows(_numbered(self.described.table), columns.DOCUMENTS)
        rejects = _renumbered(rejects, self.described.rows)
        return good.table, at_places(rejects, DOCUMENTS, self.places)


def _renumbered(rejects: pa.Table, rows: Ints) -> pa.Table:
    at = rejects.schema.get_field_index("row")
    return rejects.set_column(at, "row", pa.array(rows[rejects.column("row").to_numpy()]))


def _numbered(table: pa.Table) -> Rows:
    order = np.arange(table.num_rows)
    return Rows("", in_one_chunk(table), ("",), np.zeros_like(order), order)


def collect_keys(blocks: Sequence[Rows]) -> Keys:
    """Collect what is known of all rows.

    Raises:
        Refused: a document has different lists by unit.
    """
    tables = []
    for block in blocks:
        names = block.table.column_names
        own = {*_KEYS, *BY_UNIT, *attribute_names(block.table)}
        tables.append(block.table.select([name for name in names if name in own]))
    places = BlockPlaces(blocks)
    table = _join_keys(tables)
    return Keys(table, places, describe_documents(table, attribute_names(table), places))


def _join_keys(tables: Sequence[pa.Table]) -> pa.Table:
    types = {
        name: kind
        for name, kind in join_types([table.schema for table in tables]).items()
        if name != "boundaries"
    }
    empty = pa.schema(types.items()).empty_table()
    return pa.concat_tables([empty, *(with_columns(table, types) for table in tables)])


def row_groups(name: str, blocks: Sequence[Rows], keys: Keys) -> Iterator[pa.Table]:
    """Yield the row groups of references or hypotheses; none if there are no rows.

    Args:
        name: `references` or `hypotheses`.
        blocks: the rows as stated.
        keys: what is known of them all.
    """
    kinds = join_types([block.table.schema for block in blocks])
    given = {column for block in blocks for column in _chosen(name, block, keys).column_names}
    types = {column: kind for column, kind in kinds.items() if column in given}
    return _joined((_chosen(name, block, keys) for block in blocks), types)


def _chosen(name: str, block: Rows, keys: Keys) -> pa.Table:
    """Return the rows of a block that belong to a table, with the columns that any of them has."""
    rows = rows_of_role(block.table, TABLE_ROLES[name])
    every = len(rows) == len(block)
    table = block.table if every else block.table.take(pa.array(rows))
    return segmentations_of(table, keys.described.shared)


def _joined(tables: Iterable[pa.Table], types: Mapping[str, pa.DataType]) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    rows = 0
    for table in chain(tables, [None]):
        if table is not None and table.num_rows:
            waiting.append(with_columns(table, types))
            rows += table.num_rows
        if waiting and (table is None or rows >= _ROWS):
            yield pa.concat_tables(waiting).combine_chunks()
            waiting, rows = [], 0
