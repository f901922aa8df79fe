"""Score tables that are read in this process, all at once: no tasks, and no cluster."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.runs.planning import ROWS_AT_ONCE
from segscore.pipeline.runs.run import Run
from segscore.pipeline.scoring.accounting import count_rows, list_unpaired_inputs
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses
from segscore.pipeline.scoring.inputs import (
    Collected,
    Inputs,
    cut_points,
    gather_inputs,
    inputs_of,
    registry_of,
    require_references,
    rule_of,
)
from segscore.pipeline.scoring.missing import (
    count_missing,
    empty_hypotheses,
    name_missing,
    way_of,
)
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
from segscore.pipeline.scoring.settings import NONE, ScoreSettings
from segscore.pipeline.tables.boundary_types import occurring
from segscore.pipeline.tables.columns import DOCUMENTS, segmentations_contract
from segscore.pipeline.tables.read import Sources, validate_rows


@dataclass(frozen=True)
class AcceptedTables:
    """The accepted rows of the input tables of a run, and how to measure them."""

    inputs: Inputs
    rule: Rule
    collected: Collected
    accepted: Accepted

    @property
    def rejects(self) -> pa.Table:
        """The rejected rows of all tables."""
        return pa.concat_tables([self.collected.rejects, self.accepted.account.rejects])


def accept_tables(settings: ScoreSettings, sources: Sources) -> AcceptedTables:
    """Read the input tables of a run and separate the rows that can be scored.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no reference was accepted.
    """
    inputs = inputs_of(settings, sources)
    settings = settings.in_unit(inputs.unit)
    return _accept(inputs, sources, rule_of(settings, inputs))


def _accept(inputs: Inputs, sources: Sources, rule: Rule) -> AcceptedTables:
    """Read the tables, and separate the rows that can be scored."""
    settings, described = rule.settings, None
    if "documents" in sources:
        described = validate_rows(sources["documents"].read(), DOCUMENTS)
    contract = segmentations_contract(settings.length_tolerance)
    rows = validate_rows(sources["references"].read(), contract)
    collected = gather_inputs(settings, rows, described, typed=inputs.typed)
    require_references(collected, inputs)
    accepted = accept_hypotheses(
        sources["hypotheses"].read(),
        collected.references,
        None,
        typed=inputs.typed,
        settings=settings,
    )
    if inputs.typed and not settings.boundary_types:
        rule = declare_types(rule, occurring(collected.reference_rows) | occurring(accepted.rows))
    return AcceptedTables(inputs, rule, collected, accepted)


def score_in_memory(run: Run, inputs: Inputs, sources: Sources, rule: Rule) -> TaskResults:
    """Read all tables, score all hypotheses, and write the rows.

    Raises:
        Refused: a table has wrong content.
        Failed: no reference was accepted.
    """
    tables = _accept(inputs, sources, rule)
    rule, collected, hypotheses = tables.rule, tables.collected, tables.accepted.account
    references = replace(collected.references, digest=collected.digests.column)
    reference_set = ReferenceSet.build(references, rule.settings, has_panels=references.has_panels)
    reference_set = with_levels(reference_set, collected.reference_rows, rule)
    paired = np.zeros(len(references), bool)
    answered, documents = tables.accepted.answered, len(references.documents)
    missing = count_missing([answered], documents, way_of(rule.settings))
    missing = replace(missing, examples=name_missing(answered, references))
    pairs, sums = _write(run, _blocks(tables, reference_set, paired))
    run.write("rejects", tables.rejects)
    unpaired = [list_unpaired_inputs(collected, paired), hypotheses.unpaired]
    run.write("unpaired", pa.concat_tables(unpaired))
    return TaskResults(
        rule=rule,
        p_seg=reference_set.p_seg,
        documents=documents,
        test_set=collected.recognise(registry_of(rule.settings)),
        rows={**count_rows(collected, paired), **hypotheses.rows},
        pairs=pairs,
        sums=sums,
        levels=reference_set.parameters,
        missing=missing,
    )


def _blocks(
    tables: AcceptedTables, reference_set: ReferenceSet, paired: Flags
) -> Iterator[ScoredBlock]:
    """Yield the scores of hypotheses, then of reference points; ``paired`` is an output."""
    inputs, settings = tables.inputs, tables.rule.settings
    job = Job(tables.rule, inputs.typed, inputs.hypotheses.further, "", ROWS_AT_ONCE)
    pieces = cut_points(reference_set.references, settings, job.rows_at_once)
    yield from hypothesis_blocks(job, reference_set, tables.accepted, paired)
    if way_of(settings) == NONE:
        answered, references = tables.accepted.answered, reference_set.references
        for added in empty_hypotheses(answered, references, job.rows_at_once, typed=job.typed):
            yield from hypothesis_blocks(job, reference_set, added, paired)
    yield from point_blocks(job, reference_set, [piece.documents for piece in pieces])


def _write(run: Run, blocks: Iterable[ScoredBlock]) -> tuple[int, PartSums]:
    """Write the rows of all blocks by table; return the number of pairs, and the sums."""
    found: dict[str, list[Scored]] = {"scores": [], "panel_scores": []}
    sums: list[PartSums] = []
    for block in blocks:
        pairs, panels, *_ = block
        found["scores"] += pairs
        found["panel_scores"] += panels
        sums.append(block_sums(block))
    for name, scored in found.items():
        if rows := [each.table for each in scored if each.table.num_rows]:
            run.write(name, pa.concat_tables(rows, promote_options="permissive"))
    return sum(each.table.num_rows for each in found["scores"]), add(sums)
