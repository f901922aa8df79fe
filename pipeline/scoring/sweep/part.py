"""What one task of `segscore sweep` does: accept its rows and add up the counts of each coder."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Bits, Ints, flags, numbers
from segscore.pipeline.scoring.broadcast_job import BroadcastJob, accept_part
from segscore.pipeline.scoring.hypotheses import Accepted, write_unscored
from segscore.pipeline.scoring.part import Part, Receipt
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.sweep.curves import Steps, merge_steps, sweep_pairs
from segscore.pipeline.scoring.sweep.tolerances import ToleranceSums, count_at_tolerances
from segscore.pipeline.tables.read import refuse

SCORE_COLUMN = "boundary_scores"
"""The column whose values are the thresholds."""

SCORES_GIVEN = "boundary_scores_given"
CANDIDATES_AT_ONCE = 1_000_000
"""About how many candidates a task sweeps at a time; a single document may have more."""


@dataclass(frozen=True)
class SweepReceipt(Receipt):
    """What a task returns about its part: steps of each coder over thresholds, or sums."""

    steps: dict[str, Steps] = field(default_factory=dict)
    sums: dict[str, ToleranceSums] = field(default_factory=dict)


@dataclass(frozen=True)
class SweepJob(BroadcastJob):
    """What all tasks of a sweep share; without tolerances, it is a sweep over thresholds."""

    tolerances: tuple[int, ...]


def sweep_part(job: SweepJob, part: Part, duplicates: Mapping[str, Bits]) -> SweepReceipt:
    """Sweep the hypotheses of one part, as ``score_part`` scores them; list the rows left out."""
    accepted = accept_part(job, part, duplicates)
    if not job.tolerances:
        accepted = _with_scores(accepted)
    account = accepted.account
    write_unscored(job.folder, part.name, account.rejects, account.unpaired)
    references = job.reference_set.references
    paired = np.zeros(len(references), bool)
    paired[np.isin(references.document, accepted.document)] = True
    receipt = SweepReceipt(
        part.name,
        account.rows,
        pairs=int(np.diff(references.first)[accepted.document].sum()),
        paired=np.packbits(paired),
        seen=account.seen,
    )
    if job.tolerances:
        edges = job.rule.settings.edges
        sums = count_at_tolerances(accepted, references, job.tolerances, edges, typed=job.typed)
        return replace(receipt, sums=sums)
    steps = _in_portions(accepted.rows.table, accepted.document, references)
    return replace(receipt, steps=steps)


def _with_scores(accepted: Accepted) -> Accepted:
    """Reject the hypotheses whose candidates have no scores."""
    without_scores = ~flags(accepted.rows.table.column(SCORE_COLUMN).combine_chunks().is_valid())
    reason = "boundary_scores is null; it needs one score per boundary, [] without boundaries"
    rows, missing_scores = refuse(accepted.rows, without_scores, SCORES_GIVEN, reason)
    return replace(
        accepted,
        rows=rows,
        document=accepted.document[~without_scores],
        rejects=pa.concat_tables([accepted.rejects, missing_scores]),
    )


def _in_portions(hypotheses: pa.Table, document: Ints, references: References) -> dict[str, Steps]:
    """Sweep some rows at a time, because the sums are small where scores repeat."""
    lists = hypotheses.column("boundaries").combine_chunks()
    before = np.cumsum(numbers(pc.list_value_length(lists)).astype(np.int64))
    portions = np.flatnonzero(np.diff(before // CANDIDATES_AT_ONCE)) + 1
    edges = [0, *portions.tolist(), len(lists)]
    return merge_steps(
        sweep_pairs(hypotheses.slice(first, end - first), document[first:end], references)
        for first, end in pairwise(edges)
    )
