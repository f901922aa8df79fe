"""Audit codings that are read in this process, all at once: no tasks, and no cluster."""

import pyarrow as pa

from segscore.pipeline.agreement.part import AgreeJob, Audited, audit_codings, separate_codings
from segscore.pipeline.agreement.pseudonyms import renamed
from segscore.pipeline.agreement.tallies import Tallies
from segscore.pipeline.runs.run import Run
from segscore.pipeline.tables.columns import DOCUMENTS, segmentations_contract
from segscore.pipeline.tables.read import validate_rows
from segscore.pipeline.tables.sources import Sources, read_sources


def audit_in_memory(
    run: Run, job: AgreeJob, sources: Sources
) -> tuple[list[Audited], Tallies | None]:
    """Read all tables, audit all codings, and write the rows of their documents.

    Returns: as ``audit_codings``, of the only part.

    Raises:
        Refused: a table has wrong content.
    """
    rows, described = read_sources(sources), None
    if "documents" in rows:
        described = validate_rows(rows["documents"], DOCUMENTS)
    contract = segmentations_contract(job.settings.length_tolerance)
    codings = validate_rows(renamed(rows["codings"], job.pseudonyms), contract)
    accepted = separate_codings(job, codings, described)

    def write(table: str, suffix: str, rows: pa.Table) -> None:
        run.write(table, rows, f"part{suffix}.parquet")

    audited, tallies = audit_codings(job, accepted, write)
    return [audited], tallies
