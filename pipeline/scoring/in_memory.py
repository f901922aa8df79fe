"""Score tables in this process and keep the results in memory: no cluster, no folder."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.runs.planning import ROWS_AT_ONCE
from segscore.pipeline.runs.record import (
    describe_rejects,
    explain_nothing_scored,
    warn_of_similar_names,
)
from segscore.pipeline.scoring.accounting import (
    SIDES,
    count_rows,
    list_unpaired_inputs,
    nothing_scored,
)
from segscore.pipeline.scoring.coverage import warn_of_fewer_documents
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses
from segscore.pipeline.scoring.inputs import (
    Collected,
    Inputs,
    cut_points,
    gather_inputs,
    group_types,
    refuse_columns,
    require_levels,
    require_references,
    require_untyped_extras,
)
from segscore.pipeline.scoring.names import is_point
from segscore.pipeline.scoring.noticed import warn_of_noticed
from segscore.pipeline.scoring.pairs import Rule, Scored
from segscore.pipeline.scoring.part import (
    Job,
    PartSums,
    ReferenceSet,
    ScoredBlock,
    TaskResults,
    add,
    block_sums,
    declare_types,
    hypothesis_blocks,
    point_blocks,
    with_levels,
)
from segscore.pipeline.scoring.results import (
    describe_results,
    summarise_results,
    warn_of_absent_points,
)
from segscore.pipeline.scoring.self_pairs import describe_self_pairs
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.type_confusion import tabulate_confusion
from segscore.pipeline.scoring.unpaired import describe_unpaired
from segscore.pipeline.tables.boundary_types import occurring
from segscore.pipeline.tables.columns import DOCUMENTS, contract_of, segmentations_contract
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.read import Rows, join_rows, read_slice, validate_rows
from segscore.pipeline.tables.units import one_unit
from segscore.pipeline.testsets.registry import read_registry


@dataclass(frozen=True)
class TableSource:
    """An input table, and how to read all its rows."""

    table: InputTable
    read: Callable[[], Rows]


@dataclass(frozen=True)
class ScoredTables:
    """The results of a run.

    Attributes:
        record: what run.json says of the settings, the rows and the results.
        tables: the output tables by name; those without rows are absent.
    """

    record: dict[str, Any]
    tables: dict[str, pa.Table]


@dataclass(frozen=True)
class AcceptedTables:
    """The accepted rows of the input tables of a run, and how to measure them.

    Attributes:
        inputs: the input tables.
        rule: how pairs are counted and added up.
        collected: the references.
        accepted: the hypotheses.
    """

    inputs: Inputs
    rule: Rule
    collected: Collected
    accepted: Accepted

    @property
    def rejects(self) -> pa.Table:
        """The rejected rows of all tables."""
        return pa.concat_tables([self.collected.rejects, self.accepted.account.rejects])


def find_source(name: str, location: str) -> TableSource:
    """Find an input table by its path or URL.

    Args:
        name: name of the table: references, hypotheses, codings or documents.
        location: a file, a folder, a glob or a URL.

    Raises:
        Refused: the table does not exist, or a column is missing or of a wrong type.
    """
    table = find_table(name, location, contract_of(name))
    return TableSource(
        table, lambda: join_rows([read_slice(piece, table.further) for piece in table.slices])
    )


def accept_tables(
    settings: ScoreSettings,
    references: TableSource,
    hypotheses: TableSource,
    documents: TableSource | None,
) -> AcceptedTables:
    """Read the input tables of a run and separate the rows that can be scored.

    The arguments, and what is refused, are those of ``score_tables``.
    """
    documents_table = None if documents is None else documents.table
    inputs = Inputs(references.table, hypotheses.table, documents_table)
    one_unit({table.location: table.unit for table in inputs.tables})
    refuse_columns(inputs, settings.selection, by_level=settings.by_level is not None)
    require_levels(settings, inputs)
    require_untyped_extras(settings, inputs)
    groups = group_types(settings, inputs)
    described = None if documents is None else validate_rows(documents.read(), DOCUMENTS)
    contract = segmentations_contract(settings.length_tolerance)
    rows = validate_rows(references.read(), contract)
    collected = gather_inputs(settings, rows, described, typed=inputs.typed)
    require_references(collected, inputs)
    accepted = accept_hypotheses(
        hypotheses.read(),
        collected.references,
        None,
        typed=inputs.typed,
        settings=settings,
    )
    rule = Rule(settings, settings.boundary_types or (1,), groups)
    if inputs.typed and not settings.boundary_types:
        rule = declare_types(rule, occurring(collected.reference_rows) | occurring(accepted.rows))
    return AcceptedTables(inputs, rule, collected, accepted)


def score_tables(
    settings: ScoreSettings,
    references: TableSource,
    hypotheses: TableSource,
    documents: TableSource | None,
) -> ScoredTables:
    """Score hypotheses against references, as ``run_scoring`` does.

    Args:
        settings: how to measure; the locations in it are not read.
        references: the references.
        hypotheses: the segmentations to judge.
        documents: the documents table, if there is one.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: nothing could be scored.
    """
    return _score(accept_tables(settings, references, hypotheses, documents))


def _score(tables: AcceptedTables) -> ScoredTables:
    inputs, rule = tables.inputs, tables.rule
    collected, accepted = tables.collected, tables.accepted
    references = replace(collected.references, digest=collected.digests.column)
    settings = rule.settings
    assert isinstance(settings, ScoreSettings)
    job = Job(rule, inputs.typed, inputs.hypotheses.further, "", ROWS_AT_ONCE)
    reference_set = ReferenceSet.build(references, settings, has_panels=references.has_panels)
    reference_set = with_levels(reference_set, collected.reference_rows, rule)
    documents = len(references.documents)
    paired = np.zeros(len(references), bool)
    pieces = cut_points(references, settings, job.rows_at_once)
    blocks = chain(
        hypothesis_blocks(job, reference_set, accepted, paired),
        point_blocks(job, reference_set, [piece.documents for piece in pieces]),
    )
    written, totals = _gather(blocks)
    hypotheses = accepted.account
    written["rejects"] = tables.rejects
    unpaired = [list_unpaired_inputs(collected, paired), hypotheses.unpaired]
    written["unpaired"] = pa.concat_tables(unpaired)
    account = {**count_rows(collected, paired), **hypotheses.rows}
    if not account["hypotheses"]["scored"]:
        lost = [written["rejects"]], [written["unpaired"]]
        raise nothing_scored(inputs, account, explain_nothing_scored(*lost, SIDES, "rejects"))
    pairs = written["scores"].num_rows if "scores" in written else 0
    test_set = collected.recognise(read_registry(settings.registry))
    p_seg, levels = reference_set.p_seg, reference_set.parameters
    results = TaskResults(rule, p_seg, documents, test_set, account, pairs, "", [], levels)
    written["summary"] = summarise_results(results, totals)
    if settings.confusion:
        written["confusion"] = tabulate_confusion(totals.confusion, rule)
    scored = {str(key[0]) for key in totals.pairs.groups} if totals.pairs is not None else set()
    warnings = warn_of_inputs(inputs.tables, written["rejects"], scored)
    warnings += describe_unpaired([written["unpaired"]], account, scored, "unpaired")
    warnings += results.test_set.warnings
    warnings += warn_of_absent_points(settings, scored)
    warnings += warn_of_fewer_documents(written["summary"]) + warn_of_noticed(totals.noticed)
    if "scores" in written:
        warnings += describe_self_pairs([written["scores"]], inputs)
    record = {
        **describe_results(settings, results, inputs),
        "rows": account,
        "warnings": warnings,
    }
    return ScoredTables(record, written)


def warn_of_inputs(
    tables: Iterable[InputTable], rejects: pa.Table, scored: Collection[str]
) -> list[str]:
    """Warn of rejected rows, then of what was converted or left out when tables were read.

    Args:
        tables: the input tables.
        rejects: the rejected rows of all of them.
        scored: the hypotheses, or coders, of which rows were scored.
    """
    of_rejects = describe_rejects([rejects], scored, "rejects") if rejects.num_rows else []
    of_names = warn_of_similar_names([name for name in scored if not is_point(name)])
    return [*of_rejects, *(warning for table in tables for warning in table.warnings), *of_names]


def _gather(blocks: Iterable[ScoredBlock]) -> tuple[dict[str, pa.Table], PartSums]:
    """Concatenate the rows of all blocks by table, and add them up."""
    scores: list[Scored] = []
    panels: list[Scored] = []
    sums: list[PartSums] = []
    for block in blocks:
        scores += block[0]
        panels += block[1]
        sums.append(block_sums(block))
    found = {"scores": scores, "panel_scores": panels}
    tables = {
        name: pa.concat_tables([each.table for each in kept], promote_options="permissive")
        for name, each_scored in found.items()
        if (kept := [each for each in each_scored if each.table.num_rows])
    }
    return tables, add(sums)
