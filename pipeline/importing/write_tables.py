"""Write the tables of all rows that tasks have read: references, hypotheses, documents, rejects."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.importing.account import (
    Imported,
    common_unit,
    first_contradictions,
    rejects_of,
    require_few,
)
from segscore.pipeline.importing.describe import (
    TablesJob,
    TableTypes,
    cut_ranges,
    describe_range,
    write_documents,
)
from segscore.pipeline.importing.import_tables import IMPORTED_TABLES, name_of_part, row_groups
from segscore.pipeline.importing.parts import accepted
from segscore.pipeline.importing.read_files import ImportedRows
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shards import Shard, read_shard, rows_of_imported
from segscore.pipeline.runs.run_folder import REJECTS
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.check_table import DOCUMENTS
from segscore.pipeline.tables.mixed_attributes import describe_mixed
from segscore.pipeline.tables.parsed_table import attribute_names, join_types
from segscore.pipeline.tables.units import with_unit
from segscore.schemas.input_columns import BOUNDARY_KINDS, BY_UNIT, ROLE

_RANGE, _FILE = 4, 8
"""Parts of the input whose documents one task describes, and whose rows are in one file."""


def write_tables(run: TaskRun, settings: ImportSettings, rows: ImportedRows) -> Imported:
    """Write all tables to the folder of the run; rejects are counted as a table, too.

    Raises:
        Refused: rows contradict each other or the unit, or too many documents break a rule.
    """
    unit = common_unit(rows.surveyed, rows.unit or settings.unit, others=rows.others)
    counts = {name: rows.total(name)[0] for name in IMPORTED_TABLES}
    shards = rows.shards
    ranges = cut_ranges(shards, _RANGE * run.limits.bytes_per_part)
    job = TablesJob(run.folder, shards)
    described = accepted(run.tasks(describe_range, ranges, job, stage="described")).values()
    differing = {name for receipt in described for name in receipt.differing} | {*rows.own}
    differing.add(BOUNDARY_KINDS)
    types = types_of(shards, differing)
    job = replace(job, types=types, unit=unit, stated=rows.stated)
    rejects = rows.rejects
    if types.documents is not None:
        documents = run.tasks(write_documents, ranges, job, stage=DOCUMENTS).values()
        counts[DOCUMENTS] = sum(receipt.rows for receipt in documents)
        rejects += sum(receipt.rejects for receipt in documents)
        require_few(run.folder, rejects, rows.number + rejects, settings.max_rejects)
    files = cut_tables(shards, _FILE * run.limits.rows_at_once)
    run.tasks(write_file, files, job, stage="written")
    rejects += rows.left_out
    counts |= {REJECTS: rejects, **rows.tables}
    if rejects:
        groups = (with_unit(table, unit) for table in rejects_of(run.folder))
        storage.write_table(storage.join(run.folder, REJECTS, f"{REJECTS}.parquet"), groups)
        run.attempt.written.add(f"{REJECTS}/{REJECTS}.parquet")
    mixed = describe_mixed((shard.first_values, shard.before) for shard in shards)
    return Imported(
        rows={name: number for name, number in counts.items() if number},
        segments={name: rows.total(name)[1] for name in IMPORTED_TABLES if counts[name]},
        contradictions=first_contradictions(described),
        counted=[*rows.counted, *(f"{text}; the column is written as text" for text in mixed)],
        rejected=rejects,
        adapted=rows.adapted,
        unit=unit,
        longest=max(shard.longest for shard in shards),
        doubts=rows.doubts,
    )


@dataclass(frozen=True)
class FileOfTable:
    """One file of references or hypotheses, and where its rows are."""

    name: str
    table: str
    shards: Sequence[Shard]


def types_of(shards: Sequence[Shard], differing: Collection[str]) -> TableTypes:
    """Choose the columns of all tables; attributes that do not differ describe documents."""
    kinds = join_types([shard.stated.schema for shard in shards])
    attributes = attribute_names(pa.schema(kinds.items()).empty_table())
    shared = [name for name in attributes if name not in differing]
    stating = [*(name for name in BY_UNIT if name in kinds), *shared]
    tables = {}
    for table in IMPORTED_TABLES:
        given = {name for shard in shards for name in shard.given[table]} - {*shared}
        tables[table] = pa.schema([(name, kinds[name]) for name in kinds if name in given])
    names = [*columns.DOCUMENTS.required, *stating]
    documents = pa.schema([(name, kinds[name]) for name in names]) if stating else None
    return TableTypes(tables, documents)


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


def write_file(job: TablesJob, part: FileOfTable) -> int:
    """Write one file of a table, and return its number of row groups."""
    assert job.types is not None
    schema = job.types.tables[part.table]
    types = dict(zip(schema.names, schema.types, strict=True))
    groups = 0
    with storage.TableFile(storage.join(job.folder, part.table, f"{part.name}.parquet")) as file:
        rows = (_rows(job.folder, part, shard, {*types, ROLE}) for shard in part.shards)
        for group in row_groups(rows, types):
            file.write(with_unit(group, job.unit, job.stated))
            groups += 1
    return groups


def _rows(folder: str, part: FileOfTable, shard: Shard, names: Collection[str]) -> pa.Table:
    read = read_shard(folder, shard, lambda stated: [n for n in stated.column_names if n in names])
    return rows_of_imported(read.table, part.table)
