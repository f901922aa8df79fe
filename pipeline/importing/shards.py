"""Write the rows that a task has read to a file, and read the columns that a later task needs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.importing.import_tables import IMPORTED_TABLES, key_columns
from segscore.pipeline.importing.shapes import STATED_ROWS
from segscore.pipeline.runs.packets import read_packets, write_packets
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.tables.mixed_attributes import Located, find_first_values
from segscore.pipeline.tables.parsed_table import (
    STATED_TYPES,
    FirstValues,
    count_segments,
    join_stated,
    rows_of_role,
    segmentations_of,
)
from segscore.pipeline.tables.read import Rows, in_one_chunk
from segscore.schemas.input_columns import TABLE_ROLES

SHARDS = "rows"
"""Folder of the files, beside the tables that are being prepared."""

_FILE, _LINE = "file", "line"
_STATED = "="
"""Before the name of a column of the rows, so that no attribute can have the name of another."""

_ROWS_PER_SAMPLE = 4096


@dataclass(frozen=True)
class Shard:
    """The valid rows of a part, as stated, in a file.

    Attributes:
        name: name of the file.
        urls: files that the rows were read from.
        before: number of lines of the file before the part, to be added to those of the rows.
        columns: columns of the rows, and names of the types of attributes.
        tables: `references` and `hypotheses` -> numbers of rows and segments.
        given: `references` and `hypotheses` -> columns that any row has.
        ids: least and greatest document_id.
        sample: some of the ids.
        key_size: bytes of all columns but the boundaries.
        longest: the largest number of units of a row.
        first_values: attribute -> the first value of each type; lines count from 1.
    """

    name: str
    urls: tuple[str, ...]
    before: int
    columns: dict[str, str]
    tables: dict[str, tuple[int, int]]
    given: dict[str, list[str]]
    ids: tuple[str, str]
    sample: list[str]
    key_size: int
    longest: int
    first_values: dict[str, FirstValues]

    def __post_init__(self) -> None:
        """Refuse an unknown type of a column, and a name that leads to another folder."""
        _ = self.stated
        if "/" in self.name or "\\" in self.name:
            raise ValueError(f"{self.name!r} is not the name of a file of rows")

    @property
    def stated(self) -> pa.Table:
        """A table without rows, with the columns of the rows."""
        fields = [
            (name, STATED_TYPES[name] if name in STATED_TYPES else _type_named(kind))
            for name, kind in self.columns.items()
        ]
        return pa.schema(fields).empty_table()


_LIST = re.compile("list<(?:item|element): (.*?)(?: not null)?>")
"""The name of a type of lists; their elements have another name if they were read from Parquet."""


def _type_named(name: str) -> pa.DataType:
    if found := _LIST.fullmatch(name):
        return pa.list_(pa.type_for_alias(found[1]))
    return pa.type_for_alias(name)


def write_shard(folder: str, name: str, blocks: Sequence[Rows], skipped: int = 0) -> Shard | None:
    """Write the rows of blocks, and describe them; None if there are none.

    Args:
        folder: the folder that tasks write to.
        name: name of the file.
        blocks: the rows.
        skipped: number of lines to subtract, because ``Shard.before`` will count them.
    """
    blocks = [block for block in blocks if len(block)]
    if not blocks:
        return None
    urls = tuple(dict.fromkeys(url for block in blocks for url in block.urls))
    table = in_one_chunk(join_stated([block.table for block in blocks]))
    numbers = [np.array([urls.index(url) for url in block.urls], np.int64) for block in blocks]
    files = [number[block.file] for number, block in zip(numbers, blocks, strict=True)]
    columns = {
        _FILE: np.concatenate(files),
        _LINE: np.concatenate([b.row for b in blocks]) - skipped,
    }
    columns |= {_STATED + column: table.column(column) for column in table.column_names}
    storage.write_table(_url(folder, name), pa.table(columns), plain=tuple(columns))
    ids = table.column("document_id")
    bounds = pc.min_max(ids).as_py()
    by_table = {table_name: rows_of_imported(table, table_name) for table_name in IMPORTED_TABLES}
    return Shard(
        name=name,
        urls=urls,
        before=0,
        columns={field.name: str(field.type) for field in table.schema},
        tables={
            table_name: (len(rows), count_segments(rows.column("boundaries")))
            for table_name, rows in by_table.items()
        },
        given={
            table_name: segmentations_of(rows).column_names if len(rows) else []
            for table_name, rows in by_table.items()
        },
        ids=(bounds["min"], bounds["max"]),
        sample=ids.take(pa.array(range(0, len(ids), _ROWS_PER_SAMPLE))).to_pylist(),
        key_size=table.select(key_columns(table)).nbytes,
        longest=pc.max(table.column("n_units")).as_py(),
        first_values=find_first_values(map(_located, blocks), skipped),
    )


def _located(block: Rows) -> Located:
    """Return the rows of a block, and where each of them is."""
    return block.table, lambda row: (block.urls[int(block.file[row])], int(block.row[row]) + 1)


def rows_of_imported(table: pa.Table, name: str) -> pa.Table:
    """Return the rows as stated that belong to a table of an import."""
    rows = rows_of_role(table, TABLE_ROLES[name])
    return table if len(rows) == len(table) else table.take(pa.array(rows))


def read_shard(
    folder: str, shard: Shard, choose: Callable[[pa.Table], list[str]] | None = None
) -> Rows:
    """Read the rows of a shard, with all columns or those that a function chooses."""
    chosen = shard.stated.column_names if choose is None else choose(shard.stated)
    columns = [_FILE, _LINE, *(_STATED + name for name in chosen)]
    return _as_rows(_read(folder, shard, lambda _: columns), shard)


def spread_shard(folder: str, shard: Shard, partitions: int) -> Ints:
    """Write the rows of a shard again, divided by document (``runs.packets``); return the edges."""
    table = _read(folder, shard, lambda names: names)
    ids = table.column(f"{_STATED}document_id").combine_chunks()
    return write_packets(_spread_url(folder, shard.name), table, ids, partitions)


def read_spread(folder: str, shards: Sequence[tuple[Shard, Ints]], number: int) -> list[Rows]:
    """Read the rows of a partition of shards that ``spread_shard`` has written, with its edges."""
    by_url = {_spread_url(folder, shard.name): (shard, edges) for shard, edges in shards}
    packets = read_packets({url: edges for url, (_, edges) in by_url.items()}, number)
    return [_as_rows(table, by_url[url][0]) for url, table in packets.items()]


def _read(folder: str, shard: Shard, choose: Callable[[Sequence[str]], Sequence[str]]) -> pa.Table:
    url = _url(folder, shard.name)
    return storage.read_row_groups(url, None, choose, row_group_limit(None))


def _as_rows(table: pa.Table, shard: Shard) -> Rows:
    places = [table.column(name).to_numpy() for name in (_FILE, _LINE)]
    chosen = [name for name in table.column_names if name.startswith(_STATED)]
    stated = table.select(chosen).rename_columns([name.removeprefix(_STATED) for name in chosen])
    return Rows(STATED_ROWS, in_one_chunk(stated), shard.urls, places[0], places[1] + shard.before)


def _url(folder: str, name: str) -> str:
    return storage.join(folder, SHARDS, f"{name}.parquet")


def _spread_url(folder: str, name: str) -> str:
    return storage.join(folder, f"{SHARDS}-by-document", f"{name}.arrows")
