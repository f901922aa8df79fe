"""Audit the documents of one part: the task of an agreement run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.agreement.block import Block, cut_blocks, make_block
from segscore.pipeline.agreement.boundary_types import typed_codings, types_tally
from segscore.pipeline.agreement.coder_pairs import require_memory
from segscore.pipeline.agreement.documents import (
    document_coefficients,
    documents_table,
    index_table,
    pairs_table,
    prominence_table,
    similarities,
    window_measures,
)
from segscore.pipeline.agreement.extra_codings import (
    ExtraCodings,
    Kind,
    kinds_of,
    separate_extra_codings,
)
from segscore.pipeline.agreement.extra_tallies import AuditedDocuments, extra_tallies
from segscore.pipeline.agreement.group import Choices
from segscore.pipeline.agreement.layers import Layers, count_layers
from segscore.pipeline.agreement.pseudonyms import Pseudonyms, renamed
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import Groups, Tallies, add_tables, merge_tallies
from segscore.pipeline.agreement.tally import Counted, tallies_of
from segscore.pipeline.arrays.ragged import flags
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.record import RowCounts, count_rejected, require_row_counts, rest_of
from segscore.pipeline.runs.shuffle import Partitioning, read_partition
from segscore.pipeline.scoring.hypotheses import UNPAIRED_COLUMNS, list_unpaired
from segscore.pipeline.scoring.references import (
    References,
    accept_references,
    prepare_references,
    shared_attributes,
)
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics import resampling
from segscore.pipeline.tables.boundary_types import positions_alone
from segscore.pipeline.tables.columns import DOCUMENTS, Contract, segmentations_contract
from segscore.pipeline.tables.contradictions import Described, describe
from segscore.pipeline.tables.plain_attributes import with_attributes
from segscore.pipeline.tables.read import Rows, join_rows, validate_rows
from segscore.pipeline.tables.validate import REJECT_COLUMNS


@dataclass(frozen=True)
class AgreePart:
    """The input of one task: a hash bucket or id range of documents, as in ``Partitioning``."""

    name: str
    bucket: int


@dataclass(frozen=True)
class AgreeJob:
    """What all tasks of a run share.

    Attributes:
        partitioning: where the rows of each document are.
        asked: what the user asked for, with n_t and the window in units.
        choices: how coefficients are computed and coders judged.
        group_by: the group-by columns and their types.
        folder: folder that parts are written to until the run is published.
        attributes: attributes of documents, from a plain table; None without one.
        pseudonyms: the name that each coder gets; None to keep the names.
    """

    partitioning: Partitioning
    asked: AgreeSettings
    choices: Choices
    group_by: Groups
    folder: str
    attributes: pa.Table | None = None
    pseudonyms: Pseudonyms | None = None

    @property
    def settings(self) -> MeasuringSettings:
        """How codings are measured."""
        return self.asked.measuring


@dataclass(frozen=True)
class Audited:
    """What a task returns about its part; the rows themselves are in the files that it wrote.

    Attributes:
        rows: how many input rows were scored, rejected and unpaired.
        left_out: number of codings that are not among these rows, by coder (``--without``).
        of_candidate: number of codings by the candidate.
        layers: in how many documents the codings have different values of a group-by column.
        pairs: number of rows written to `pairs`.
        of_one_tool: number of those of two codings of one tool.
        size: total units and total segments of all accepted codings, for `per-run` windows.
        tallied: whether it has documents, whose sums it saved.
    """

    rows: RowCounts
    pairs: int = 0
    of_one_tool: int = 0
    size: tuple[int, int] = (0, 0)
    tallied: bool = False
    left_out: dict[str, int] = field(default_factory=dict)
    of_candidate: int = 0
    layers: dict[str, Layers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse row counts that do not add up, as ``require_row_counts`` does."""
        require_row_counts(self.rows)


@dataclass(frozen=True)
class AcceptedCodings:
    """The codings of a part that can be audited, and the rows that cannot.

    Attributes:
        codings: codings prepared for measuring; None if there are none.
        rejects: rejected rows.
        unpaired: codings that are alone in their document, and documents without two codings.
        extra: codings that are compared with the others; None if there are none.
        typed: the codings that have boundary types; None if there are none.
        received: what became of the rows.
    """

    codings: References | None
    rejects: pa.Table
    unpaired: pa.Table
    extra: ExtraCodings | None
    typed: References | None
    received: Audited


def survey_codings(job: AgreeJob, part: AgreePart) -> Audited:
    """Count the units and segments of a part's accepted codings; write nothing."""
    accepted = accept_codings(job, part)
    size = (0, 0)
    if accepted.codings is not None:
        segments = accepted.codings.side.boundaries.lengths + 1
        size = int(accepted.codings.size.sum()), int(segments.sum())
    return replace(accepted.received, size=size)


def audit_part(job: AgreeJob, part: AgreePart) -> Audited:
    """Audit the documents of one part, and write its files and the sums over them."""

    def write(table: str, suffix: str, rows: pa.Table) -> None:
        url = storage.join(job.folder, table, f"{part.name}{suffix}.parquet")
        storage.write_table(url, rows, plain=PLAIN.get(table, ("document_id",)))

    audited, tallies = audit_codings(job, accept_codings(job, part), write)
    if tallies is not None:
        receipts.keep(job.folder, receipts.SUMS, part.name, tallies)
    return audited


def audit_codings(
    job: AgreeJob, accepted: AcceptedCodings, write: Callable[[str, str, pa.Table], None]
) -> tuple[Audited, Tallies | None]:
    """Audit codings, and write the rows of their documents block by block.

    Returns:
        What became of the codings, and the sums over the documents; None without documents.
    """
    for table, excluded in (("rejects", accepted.rejects), ("unpaired", accepted.unpaired)):
        write(table, "", excluded)
    codings = accepted.codings
    if codings is None:
        return accepted.received, None
    require_memory(codings)
    bucketed = resampling.are_buckets(codings.resampling.hashes)
    attributes, reach = shared_attributes(codings), job.choices.reach
    units = codings.resampling.hashes[codings.resampling.index]
    audited = AuditedDocuments(codings, attributes, units.astype(np.int64) if bucketed else units)
    extra = extra_tallies(accepted.extra, audited, job.group_by, job.choices.judging)
    extra["types"] = types_tally(accepted.typed, audited, job.group_by, reach.n_t)
    nothing = {name: table.slice(0, 0) for name, table in extra.items()}
    tallies, pairs, of_one_tool, tool = [], 0, 0, job.asked.same_tool
    for number, documents in enumerate(cut_blocks(codings.first)):
        block = make_block(codings, attributes, documents, reach)
        for table, rows in _tables(block, job):
            write(table, f"-{number:03d}", rows)
        how = Counted(bucketed, job.choices.segments, tool)
        tallies.append(tallies_of(block, job.group_by, nothing, how))
        pairs += len(block.pairs)
        of_one_tool += int(np.count_nonzero(block.pairs_of_one(tool)))
    audited_part = replace(accepted.received, pairs=pairs, of_one_tool=of_one_tool, tallied=True)
    apart = {name: add_tables(name, [table], job.group_by) for name, table in extra.items()}
    return audited_part, replace(merge_tallies(tallies, job.group_by), **apart)


PLAIN = {"pairs": ("document_id",), "documents": ("document_id",), "prominence": ("position",)}
"""Columns whose values seldom repeat."""


def _tables(block: Block, job: AgreeJob) -> Iterator[tuple[str, pa.Table]]:
    n_t = job.settings.near_limit
    similar, windows = similarities(block.counts, n_t), window_measures(block.counts)
    if len(block.pairs):
        yield "pairs", pairs_table(block, similar, windows)
    agreement = document_coefficients(block.sums, n_t, segments=job.choices.segments)
    yield "documents", documents_table(block, similar, windows, agreement)
    yield "prominence", prominence_table(block)
    yield "agreement_index", index_table(block)


def accept_codings(job: AgreeJob, part: AgreePart) -> AcceptedCodings:
    """Read the codings and documents of a part, and separate the codings that can be audited."""
    contract = segmentations_contract(job.settings.length_tolerance)
    codings, documents = _read(job, part, "codings", contract), None
    if "documents" in job.partitioning.tables:
        documents = _read(job, part, "documents", DOCUMENTS)
    return separate_codings(job, codings, documents)


MaybeRows = tuple[Rows | None, pa.Table]
"""Rows that are valid one by one, or None if there are none at all, and the rejects."""


def separate_codings(
    job: AgreeJob, codings: MaybeRows, documents: MaybeRows | None
) -> AcceptedCodings:
    """Separate the codings that can be audited from those that cannot."""
    settings, (rows, rejected) = job.settings, codings
    rows = None if rows is None else with_attributes(rows, job.attributes)
    rows, left_out = _leave_out(rows, job.asked.without)
    rejects, described, became = [rejected], None, {"codings": _count_rows(rows, rejected)}
    if documents is not None:
        document_rows, document_rejects = documents
        described = None if document_rows is None else describe(document_rows)
        rejects += (
            [document_rejects] if described is None else [document_rejects, described.rejects]
        )
        became["documents"] = _count_rows(document_rows, document_rejects)
    prepared, unpaired_parts, extra, of_candidate = None, list[pa.Table](), None, 0
    typed, layers = None, dict[str, Layers]()
    if rows is not None:
        given, every = rows, positions_alone(rows)
        kinds = kinds_of(every, job.asked.round, job.asked.candidate)
        of_coders = kinds.kind == Kind.CODER
        layers = count_layers(every.keep(of_coders), described, job.group_by)
        rows, contradictions = accept_references(
            every.keep(of_coders), described, settings, typed=False
        )
        rejects.append(contradictions)
        typed = typed_codings(given.keep(of_coders), rows, described, settings)
        of_candidate = int(np.count_nonzero(kinds.kind == Kind.CANDIDATE))
        if not of_coders.all():
            apart = separate_extra_codings(rows, every, kinds, described, settings)
            extra = apart.extra
            rejects.append(apart.rejects)
            unpaired_parts.append(list_unpaired(apart.unpaired))
    if rows is not None and len(rows):
        prepared = prepare_references(rows, described, settings, typed=False)
        paired = (np.diff(prepared.first) > 1)[prepared.document]
        unpaired_parts.append(list_unpaired(rows.keep(~paired)))
        rows = rows.keep(paired)
    if described is not None:
        unpaired_parts.append(list_unpaired(_without_pair(described, rows)))
    rejected = pa.concat_tables(rejects)
    unpaired = pa.concat_tables([NO_ROWS, *unpaired_parts])
    for name, counted in became.items():
        counted |= count_rejected(rejected, name)
        counted["unpaired"] = unpaired.column("table").to_pylist().count(name)
        counted["scored"] = rest_of(counted)
    received = Audited(became, left_out=left_out, of_candidate=of_candidate, layers=layers)
    return AcceptedCodings(prepared, rejected, unpaired, extra, typed, received)


def _leave_out(rows: Rows | None, coders: tuple[str, ...]) -> tuple[Rows | None, dict[str, int]]:
    """Return the rows of all other coders, and the number of those left out by coder."""
    if rows is None or not coders:
        return rows, {}
    name = rows.table.column("coder")
    chosen = pc.is_in(name, pa.array(coders, name.type))
    counts = pc.value_counts(name.filter(chosen)).to_pylist()
    kept = rows.keep(~flags(chosen.combine_chunks()))
    return kept, {str(count["values"]): count["counts"] for count in counts}


NO_ROWS = pa.schema([REJECT_COLUMNS.field(name) for name in UNPAIRED_COLUMNS]).empty_table()


def _read(job: AgreeJob, part: AgreePart, name: str, model: Contract) -> MaybeRows:
    """Read the rows of a table that belong to a part; return the valid rows and the rejects."""
    key = job.pseudonyms if name == "codings" else None
    checked = [
        validate_rows(renamed(rows, key), model)
        for rows in read_partition(job.partitioning, name, part.bucket)
    ]
    rejects = pa.concat_tables(
        [REJECT_COLUMNS.empty_table(), *(rejected for _, rejected in checked)]
    )
    return join_rows([rows for rows, _ in checked]) if checked else None, rejects


def _count_rows(rows: Rows | None, rejected: pa.Table) -> dict[str, int]:
    return {"in": rejected.num_rows + (0 if rows is None else len(rows))}


def _without_pair(described: Described, paired: Rows | None) -> Rows:
    """Return the rows of documents that do not have two codings."""
    has_pair = np.zeros(len(described.rows), bool)
    if paired is not None and len(paired):
        index = described.documents.find(paired.ids)
        has_pair[index[index >= 0]] = True
    return described.rows.keep(~has_pair)
