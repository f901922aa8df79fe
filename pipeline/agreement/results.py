"""Compute the tables by group of an agreement run, and describe what was left out."""

from collections.abc import Iterable
from itertools import islice

import pyarrow as pa

from segscore.pipeline.agreement.group_tables import filter_similarities, group_tables
from segscore.pipeline.agreement.part import AgreeJob, Audited
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import Tallies, is_bucketed, merge_tallies, settle_units
from segscore.pipeline.errors import NoResult
from segscore.pipeline.runs.record import RowCounts
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.statistics import bootstrap

CODINGS = "codings"
TYPES_UNUSED = "boundary_types were ignored; each position counts once"


def agreement_tables(
    settings: AgreeSettings, job: AgreeJob, audited: Iterable[Audited]
) -> tuple[dict[str, pa.Table], str]:
    """Compute the tables by group; return them and the name of the estimator of the intervals."""
    merged, estimator = _merge_parts(settings, job, audited)
    tables = group_tables(merged, job.group_by, job.choices, settings.seed, settings.replicates)
    tables["agreement"] = filter_similarities(tables["agreement"], settings.similarities)
    return tables, estimator


def _merge_parts(
    settings: AgreeSettings, job: AgreeJob, audited: Iterable[Audited]
) -> tuple[Tallies, str]:
    """Add up the tallies of all parts; also return the name of the estimator of the intervals."""
    parts = settle_units([part.tallies for part in audited if part.tallies is not None])
    estimator = "none"
    if settings.replicates:
        estimator = "poisson,documents"
        if is_bucketed(parts[0]):
            estimator = f"poisson,{bootstrap.BUCKETS}-buckets"
    return merge_tallies(parts, job.group_by), estimator


def agreement_columns() -> set[str]:
    """Return the names of all columns of an agreement run."""
    from segscore.schemas.agreement import AGREEMENT_TABLES

    return {name for table in AGREEMENT_TABLES for name in table.columns}


def warn_of_ungrouped(corpus: pa.Table, group_by: tuple[str, ...], sink: Sink) -> list[str]:
    """Return a warning if some documents are in no group, with the id of one."""
    whole, *groups = corpus.column("documents").to_pylist()
    ungrouped = whole - sum(groups)
    if not group_by or not ungrouped:
        return []
    ids = (
        row["document_id"]
        for rows in sink.read("documents", ["document_id", *group_by])
        for row in rows.to_pylist()
        if any(row[name] is None for name in group_by)
    )
    example = "".join(f", such as {name}" for name in islice(ids, 1))
    return [
        f"{ungrouped} of {whole} documents are in no group{example}: their codings have no value "
        f"of {', '.join(group_by)}, or different ones"
    ]


def nothing_audited(settings: AgreeSettings, account: RowCounts, why: str) -> NoResult:
    """Return the error to raise if no document has two coders; ``why`` ends its message."""
    codings = account[CODINGS]
    cause = "each document has one coding; agreement needs two"
    if codings["rejected"]:
        cause = f"{codings['rejected']} of {codings['in']} codings were rejected"
    return NoResult(
        f"{settings.codings}: no document has two coders, so there is no agreement to measure: "
        f"{cause}{why}"
    )
