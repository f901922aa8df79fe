"""Write the tables of all rows that tasks have read: references, hypotheses, documents, rejects."""

from segscore.pipeline import storage
from segscore.pipeline.importing.account import (
    Imported,
    common_unit,
    first_contradictions,
    rejects_of,
    require_accepted,
    require_few,
)
from segscore.pipeline.importing.describe import (
    DocumentsJob,
    cut_ranges,
    describe_range,
    write_documents,
)
from segscore.pipeline.importing.import_tables import IMPORTED_TABLES
from segscore.pipeline.importing.publish import has_begun_to_publish
from segscore.pipeline.importing.read_files import ImportedRows
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.write import TableTypes, WriteJob, cut_tables, write_file
from segscore.pipeline.runs.run_folder import REJECTS
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.storage.placement import require_free
from segscore.pipeline.tables.check_table import DOCUMENTS
from segscore.pipeline.tables.mixed_attributes import describe_mixed
from segscore.pipeline.tables.units import with_unit

_RANGE, _FILE = 4, 8
"""Parts of the input whose documents one task describes, and whose rows are in one file."""


def write_tables(run: TaskRun, settings: ImportSettings, rows: ImportedRows) -> Imported:
    """Write all tables to the folder of the run; rejects are counted as a table, too.

    Raises:
        Refused: rows contradict each other or the unit, too many documents break a rule, or a table
            exists already.
    """
    unit = common_unit(rows.surveyed, rows.unit or settings.unit, others=rows.others)
    counts = {name: rows.total(name)[0] for name in IMPORTED_TABLES}
    prepared = has_begun_to_publish(run.attempt)
    if not prepared:
        require_free(settings.output, [name for name, number in counts.items() if number])
    shards = rows.shards
    ranges = cut_ranges(shards, _RANGE * run.limits.bytes_per_part)
    job = DocumentsJob(run.folder, shards)
    described = run.tasks(describe_range, ranges, job, stage="described").values()
    require_accepted(described)
    differing = {name for receipt in described for name in receipt.differing} | {*rows.own}
    types = TableTypes.of(shards, differing)
    rejects = rows.rejects
    if types.documents is not None:
        job = DocumentsJob(run.folder, shards, types.documents, unit)
        documents = run.tasks(write_documents, ranges, job, stage=DOCUMENTS).values()
        counts[DOCUMENTS] = sum(receipt.rows for receipt in documents)
        rejects += sum(receipt.rejects for receipt in documents)
        require_few(run.folder, rejects, rows.number + rejects, settings.max_rejects)
    files = cut_tables(shards, _FILE * run.limits.rows_at_once)
    run.tasks(
        write_file, files, WriteJob(run.folder, types.tables, unit, rows.answers), stage="written"
    )
    rejects += rows.left_out
    counts |= {REJECTS: rejects, **rows.tables}
    if rejects and not prepared:
        groups = (with_unit(table, unit) for table in rejects_of(run.folder))
        storage.write_table(storage.join(run.folder, REJECTS, f"{REJECTS}.parquet"), groups)
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
