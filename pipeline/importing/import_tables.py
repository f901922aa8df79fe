"""Make the tables of an import from blocks of rows: check them, describe documents, write."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.check_table import DOCUMENTS, SEGMENTATIONS, between_rows
from segscore.pipeline.tables.describe_documents import DescribedDocuments, describe_documents
from segscore.pipeline.tables.parsed_table import (
    attribute_names,
    join_types,
    rows_of_role,
    segmentations_of,
    with_columns,
)
from segscore.pipeline.tables.path_columns import TRIAL
from segscore.pipeline.tables.read import Rows, in_one_chunk, validate_rows
from segscore.pipeline.tables.rows import RowPlace, is_given
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.input_columns import BY_UNIT, ROLE, ROLES, TABLE_ROLES

_KEYS = ("document_id", "coder", "n_units", ROLE, TRIAL)
IMPORTED_TABLES = ("references", "hypotheses")
"""Tables of segmentations that an import writes."""

_ROWS = 2**17
"""Rows of a row group; the last one and those of large blocks may have another number."""

_LINE_READABLE = "line_readable"
"""Rule of rejects: a line can be read as a segmentation."""


class BlockPlaces:
    """The (source, line) of the rows of several blocks, counted through."""

    def __init__(self, blocks: Sequence[Rows]) -> None:
        """Number the rows of blocks in their order."""
        self.blocks = blocks
        self.starts = np.cumsum([0, *(len(block) for block in blocks)])

    def __getitem__(self, row: int, /) -> tuple[str, int]:
        """Return the source and the line of a row."""
        at = self.block_of(row)
        block, inside = self.blocks[at], row - int(self.starts[at])
        return block.urls[int(block.file[inside])], int(block.row[inside]) + 1

    def block_of(self, row: int) -> int:
        """Return the number of the block that has a row."""
        return int(np.searchsorted(self.starts, row, "right")) - 1


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
    """All rows without lists by boundary, which fit in memory at once, and their documents."""

    table: pa.Table
    places: BlockPlaces
    described: DescribedDocuments

    def valid_documents(self) -> tuple[pa.Table, pa.Table]:
        """Separate valid documents from those that break a rule; return them, and the rejects."""
        good, rejects = validate_rows(_numbered(self.described.table), columns.DOCUMENTS)
        rejects = _renumbered(rejects, self.described.rows)
        return good.table, at_places(rejects, DOCUMENTS, self.places)


def contradictions(table: pa.Table) -> list[pa.Table]:
    """List valid rows that contradict each other or are copies, by table and rule, as rejects.

    Their ``row`` is that of ``table``.
    """
    found = []
    for name in IMPORTED_TABLES:
        chosen = rows_of_role(table, TABLE_ROLES[name])
        # Trials are answers of systems; a reference has none.
        own = [column for column in table.column_names if column != ROLE]
        if TABLE_ROLES[name] == ROLES[0] and TRIAL in own:
            own.remove(TRIAL)
        rows = _numbered(table.select(own).take(pa.array(chosen)))
        found += [_renumbered(one, chosen) for one in between_rows(rows, SEGMENTATIONS)]
    return found


def _renumbered(rejects: pa.Table, rows: Ints) -> pa.Table:
    at = rejects.schema.get_field_index("row")
    return rejects.set_column(at, "row", pa.array(rows[rejects.column("row").to_numpy()]))


def _numbered(table: pa.Table) -> Rows:
    order = np.arange(table.num_rows)
    return Rows("", in_one_chunk(table), ("",), np.zeros_like(order), order)


def key_columns(table: pa.Table) -> list[str]:
    """Return the columns of rows as stated but for those by boundary."""
    own = {*_KEYS, *BY_UNIT, *attribute_names(table)}
    return [name for name in table.column_names if name in own]


def collect_keys(blocks: Sequence[Rows], attributes: Collection[str] | None = None) -> Keys:
    """Collect what is known of some documents from all their rows.

    Raises:
        Refused: a document has different lists by unit.
    """
    places = BlockPlaces(blocks)
    table = _join_keys([block.table.select(key_columns(block.table)) for block in blocks])
    names = attribute_names(table)
    chosen = names if attributes is None else [name for name in names if name in attributes]
    return Keys(table, places, describe_documents(table, chosen, places))


def _join_keys(tables: Sequence[pa.Table]) -> pa.Table:
    types = {
        name: kind
        for name, kind in join_types([table.schema for table in tables]).items()
        if name != "boundaries"
    }
    empty = pa.schema(types.items()).empty_table()
    return pa.concat_tables([empty, *(with_columns(table, types) for table in tables)])


def name_of_part(table: str, number: int, count: int) -> str:
    """Return the name of one of several files of a table: that of the table for an only file."""
    return table if count == 1 else f"{table}-{number:06}"


def row_groups(tables: Iterable[pa.Table], types: Mapping[str, pa.DataType]) -> Iterator[pa.Table]:
    """Yield the row groups of a table with these columns; none if there are no rows."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in chain(tables, [None]):
        if table is not None and table.num_rows:
            waiting.append(with_columns(table, types))
            rows += table.num_rows
        if waiting and (table is None or rows >= _ROWS):
            yield pa.concat_tables(waiting).combine_chunks()
            waiting, rows = [], 0


def list_bad_lines(url: str, lines: Sequence[tuple[int, str]]) -> pa.Table:
    """Return lines that could not be read, by number (from 0) and message, as rejects."""
    return pa.table(
        {
            "table": [SEGMENTATIONS] * len(lines),
            "source": [url] * len(lines),
            "row": [line for line, _ in lines],
            "rule": [_LINE_READABLE] * len(lines),
            "detail": [message.removeprefix(f"{url}:{line + 1}: ") for line, message in lines],
            "document_id": [None] * len(lines),
            "coder": [None] * len(lines),
        },
        schema=REJECT_COLUMNS,
    )
