"""Tasks that write the tables references and hypotheses, with the columns that all rows need."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.importing.import_tables import IMPORTED_TABLES, row_groups
from segscore.pipeline.importing.shards import Shard, read_shard, rows_of_imported
from segscore.pipeline.tables.columns import DOCUMENTS
from segscore.pipeline.tables.stated_table import attribute_names, join_types
from segscore.pipeline.tables.units import with_unit
from segscore.schemas.input_columns import BY_UNIT, ROLE


@dataclass(frozen=True)
class FileOfTable:
    """One file of references or hypotheses.

    Attributes:
        name: its name, with that of its table.
        table: `references` or `hypotheses`.
        shards: where its rows are.
    """

    name: str
    table: str
    shards: Sequence[Shard]


@dataclass(frozen=True)
class TableTypes:
    """Columns of all tables, and their types.

    Attributes:
        tables: those of references and of hypotheses.
        documents: those of documents; None if nothing describes documents.
    """

    tables: Mapping[str, pa.Schema]
    documents: pa.Schema | None

    @classmethod
    def of(cls, shards: Sequence[Shard], differing: Collection[str]) -> "TableTypes":
        """Choose the columns of all tables.

        Args:
            shards: all rows.
            differing: attributes that differ between rows of a document; all others are columns of
                documents.
        """
        kinds = join_types([shard.stated.schema for shard in shards])
        attributes = attribute_names(pa.schema(kinds.items()).empty_table())
        shared = [name for name in attributes if name not in differing]
        stating = [*(name for name in BY_UNIT if name in kinds), *shared]
        tables = {}
        for table in IMPORTED_TABLES:
            given = {name for shard in shards for name in shard.given[table]} - {*shared}
            tables[table] = pa.schema([(name, kinds[name]) for name in kinds if name in given])
        names = [*DOCUMENTS.required, *stating]
        documents = pa.schema([(name, kinds[name]) for name in names]) if stating else None
        return cls(tables, documents)


@dataclass(frozen=True)
class WriteJob:
    """The values that all tasks that write tables share.

    Attributes:
        folder: the folder that tasks write to.
        types: columns of references and of hypotheses, and their types.
        unit: unit of all rows; None if it is not known.
        answers: how answers of language models were read; None if there are none.
    """

    folder: str
    types: Mapping[str, pa.Schema]
    unit: str | None
    answers: str | None = None


@dataclass(frozen=True)
class WriteReceipt:
    """Number of row groups of a file."""

    groups: int


def name_of_part(table: str, number: int, count: int) -> str:
    """Return the name of one of several files of a table: that of the table for an only file."""
    return table if count == 1 else f"{table}-{number:06}"


def cut_tables(shards: Sequence[Shard], most: int) -> list[FileOfTable]:
    """Divide the rows of each table among files; after ``most`` rows a new one begins."""
    files = []
    for table in IMPORTED_TABLES:
        chosen: list[list[Shard]] = []
        rows = most
        for shard in shards:
            own = shard.tables[table][0]
            if own and rows >= most:
                chosen.append([])
                rows = 0
            if own:
                chosen[-1].append(shard)
                rows += own
        files += [
            FileOfTable(name_of_part(table, number, len(chosen)), table, part)
            for number, part in enumerate(chosen)
        ]
    return files


def write_file(job: WriteJob, part: FileOfTable) -> WriteReceipt:
    """Write one file of a table."""
    schema = job.types[part.table]
    types = dict(zip(schema.names, schema.types, strict=True))
    groups = 0
    with storage.TableFile(storage.join(job.folder, part.table, f"{part.name}.parquet")) as file:
        for group in row_groups((_rows(job, part, shard) for shard in part.shards), types):
            file.write(with_unit(group, job.unit, job.answers))
            groups += 1
    return WriteReceipt(groups)


def _rows(job: WriteJob, part: FileOfTable, shard: Shard) -> pa.Table:
    names = {*job.types[part.table].names, ROLE}
    table = read_shard(
        job.folder, shard, lambda stated: [n for n in stated.column_names if n in names]
    ).table
    return rows_of_imported(table, part.table)
