"""Audit tables in this process and keep the results in memory: no cluster, no folder."""

from collections.abc import Sequence
from dataclasses import asdict

import pyarrow as pa

from segscore.pipeline.agreement.part import AgreeJob, audit_codings, separate_codings
from segscore.pipeline.agreement.results import (
    CODINGS,
    TYPES_UNUSED,
    agreement_columns,
    agreement_tables,
    nothing_audited,
    warn_of_ungrouped,
)
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import GROUP
from segscore.pipeline.runs.record import explain_nothing_scored
from segscore.pipeline.runs.shuffle import Partitioning
from segscore.pipeline.scoring.in_memory import ScoredTables, TableSource, warn_of_inputs
from segscore.pipeline.scoring.inputs import attribute_types, choose_groups, refuse_taken_names
from segscore.pipeline.tables.columns import DOCUMENTS, segmentations_contract
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.read import validate_rows
from segscore.pipeline.tables.units import one_unit


def audit_tables(
    settings: AgreeSettings, codings: TableSource, documents: TableSource | None
) -> ScoredTables:
    """Audit the agreement of coders, as ``run_agreement`` does.

    Args:
        settings: how to measure; the locations in it are not read.
        codings: segmentations by several coders.
        documents: the documents table, if there is one.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no document has two codings.
    """
    given = [codings.table] if documents is None else [codings.table, documents.table]
    unit = one_unit({table.location: table.unit for table in given})
    settings = settings.in_unit(unit)
    job = _plan_job(settings, given, unit)
    described = None if documents is None else validate_rows(documents.read(), DOCUMENTS)
    contract = segmentations_contract(settings.measuring.length_tolerance)
    rows = validate_rows(codings.read(), contract)
    accepted = separate_codings(settings.measuring, rows, described)
    parts: dict[str, list[pa.Table]] = {}

    def keep(table: str, _suffix: str, kept: pa.Table) -> None:
        parts.setdefault(table, []).append(kept)

    audited = audit_codings(job, accepted, keep)
    tables = {name: pa.concat_tables(kept) for name, kept in parts.items()}
    lost = [tables["rejects"]], [tables["unpaired"]]
    if not audited.rows[CODINGS]["scored"]:
        why = explain_nothing_scored(*lost, (CODINGS,), "rejects")
        raise nothing_audited(settings, audited.rows, why)
    by_group, estimator = agreement_tables(settings, job, [audited])
    tables |= by_group
    coders = tables["coders"].column("coder").unique().to_pylist()
    warnings = warn_of_inputs(given, tables["rejects"], coders)
    warnings += warn_of_ungrouped(tables["corpus"], settings.group_by)
    if "boundary_types" in codings.table.further.names:
        warnings.append(TYPES_UNUSED)
    record = {
        "signature": settings.signature(estimator),
        "settings": asdict(settings),
        "pairs": audited.pairs,
        "rows": audited.rows,
        "warnings": warnings,
    }
    return ScoredTables(record, tables)


def _plan_job(settings: AgreeSettings, given: Sequence[InputTable], unit: str | None) -> AgreeJob:
    """Return the job of an audit whose codings are one part in memory."""
    refuse_taken_names(given, agreement_columns(), "an agreement run")
    undescribed = given[0] if len(given) == 1 else None
    types = attribute_types(given)
    groups = choose_groups(settings.group_by, types, agreement_columns(), undescribed)
    by = {GROUP + name: kind for name, kind in groups.items()}
    nowhere = Partitioning({}, "", 1, ())
    return AgreeJob(nowhere, settings.measuring, settings.choices(unit), by, "")
