"""Tasks that describe documents: in ranges of their ids, each from all rows of its documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import flags
from segscore.pipeline.importing.import_tables import (
    BlockPlaces,
    collect_keys,
    contradictions,
    key_columns,
    name_of_part,
)
from segscore.pipeline.importing.parts import PartReceipt, refusable
from segscore.pipeline.importing.read_part import write_rejects
from segscore.pipeline.importing.shards import Shard, read_shard
from segscore.pipeline.tables.check_table import DOCUMENTS
from segscore.pipeline.tables.parsed_table import attribute_names, join_stated, with_columns
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.units import with_unit

MOST_LISTED = 10
"""Number of rejects and of contradictions that messages show."""

ColumnChoice = Callable[[pa.Table], list[str]]
"""Returns the columns to read of a table of rows as stated."""


@dataclass(frozen=True)
class DocumentRange:
    """Documents that one task describes: ids from `low` to before `high`; None is no limit."""

    name: str
    low: str | None
    high: str | None


@dataclass(frozen=True)
class TableTypes:
    """Columns of all tables, and their types; None for documents if nothing describes them."""

    tables: Mapping[str, pa.Schema]
    documents: pa.Schema | None


@dataclass(frozen=True)
class TablesJob:
    """What all tasks that make tables share; documents are described before types are known.

    Attributes:
        folder: folder of the run.
        shards: all rows.
        types: the columns of each table; None before they are known.
        unit: unit of all rows; None if it is not known.
        stated: what the metadata of the files state besides.
    """

    folder: str
    shards: Sequence[Shard]
    types: TableTypes | None = None
    unit: str | None = None
    stated: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class RangeReceipt(PartReceipt):
    """The receipt of a task that described a range of documents.

    Attributes:
        differing: attributes that differ between rows of a document.
        contradictions: number of rows that a run will reject because of other rows.
        first: the first of them: number of their rule, number of the shard, line, message.
    """

    differing: list[str] = field(default_factory=list)
    contradictions: int = 0
    first: list[tuple[int, int, int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class DocumentsReceipt:
    """Numbers of rows of a file of documents, and of documents that break a rule."""

    rows: int
    rejects: int


def cut_ranges(shards: Sequence[Shard], size: int) -> list[DocumentRange]:
    """Cut documents into ranges of ids whose rows, without boundaries, take about a size."""
    count = -(-sum(shard.key_size for shard in shards) // size)
    sample = sorted(document for shard in shards for document in shard.sample)
    cuts = sorted({sample[len(sample) * i // count] for i in range(1, count)})
    bounds = [None, *cuts, None]
    return [
        DocumentRange(name_of_part(DOCUMENTS, number, len(cuts) + 1), low, high)
        for number, (low, high) in enumerate(pairwise(bounds))
    ]


@refusable
def describe_range(job: TablesJob, part: DocumentRange) -> RangeReceipt:
    """Find out which attributes differ within documents, and which rows contradict each other."""
    keys = collect_keys([*_read_range(job, part)])
    differing = {*attribute_names(keys.table)} - keys.described.shared
    found, places = contradictions(keys.table), keys.places
    if any(rows.num_rows for rows in found):
        ids = pa.concat_tables(found).column("document_id").unique()
        read = _read_range(job, part, None)
        blocks = [rows.keep(flags(pc.is_in(rows.ids, value_set=ids))) for rows in read]
        # Whether a row is a copy of another one also depends on its boundaries.
        found = contradictions(join_stated([block.table for block in blocks]))
        places = BlockPlaces(blocks)
    first = [
        _contradiction(places, rule, row)
        for rule, rows in enumerate(found)
        for row in rows.slice(0, MOST_LISTED).to_pylist()
    ]
    return RangeReceipt(None, sorted(differing), sum(rows.num_rows for rows in found), first)


def _contradiction(
    places: BlockPlaces, rule: int, row: dict[str, object]
) -> tuple[int, int, int, str]:
    number = row["row"]
    assert isinstance(number, int)
    source, line = places[number]
    message = f"{source}:{line}: {row['rule']}: {row['detail']}"
    return rule, places.block_of(number), line, message


def write_documents(job: TablesJob, part: DocumentRange) -> DocumentsReceipt:
    """Write the documents of a range, and those that break a rule as rejects."""
    assert job.types is not None
    schema = job.types.documents or pa.schema([])
    documents, rejects = collect_keys([*_read_range(job, part)], schema.names).valid_documents()
    types = dict(zip(schema.names, schema.types, strict=True))
    if documents.num_rows:
        url = storage.join(job.folder, DOCUMENTS, f"{part.name}.parquet")
        storage.write_table(url, with_unit(with_columns(documents, types), job.unit))
    write_rejects(job.folder, part.name, [rejects])
    return DocumentsReceipt(documents.num_rows, rejects.num_rows)


def _read_range(
    job: TablesJob, part: DocumentRange, choose: ColumnChoice | None = key_columns
) -> Iterator[Rows]:
    """Yield the rows of a range of documents: a block for each shard, empty if it has none."""
    return (_in_range(job.folder, shard, part, choose) for shard in job.shards)


def _in_range(folder: str, shard: Shard, part: DocumentRange, choose: ColumnChoice | None) -> Rows:
    least, greatest = shard.ids
    if (part.high is not None and least >= part.high) or (
        part.low is not None and greatest < part.low
    ):
        nothing = np.zeros(0, np.int64)
        return Rows(shard.name, shard.stated, shard.urls, nothing, nothing)
    rows = read_shard(folder, shard, choose)
    ids = rows.table.column("document_id")
    chosen = np.ones(len(rows), bool)
    if part.low is not None:
        chosen &= pc.greater_equal(ids, part.low).to_numpy()
    if part.high is not None:
        chosen &= pc.less(ids, part.high).to_numpy()
    return rows.keep(chosen)
