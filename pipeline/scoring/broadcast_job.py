"""What tasks share in runs that send the references to every task."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses
from segscore.pipeline.scoring.part import Job, Part, ReferenceSet
from segscore.pipeline.tables.read import batches_of, join_rows, read_slice


@dataclass(frozen=True)
class BroadcastJob(Job):
    """What all tasks of a run share, including the references."""

    reference_set: ReferenceSet


def portions_of(job: BroadcastJob, part: Part) -> list[Part]:
    """Divide a part into portions of as many rows as are scored at a time, under the same name."""
    batches = batches_of(part.slices, job.rows_at_once)
    return [replace(part, slices=batch) for batch in batches]


def accept_part(job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits]) -> Accepted:
    """Read the hypotheses of a part and separate those that can be scored."""
    rows = join_rows([read_slice(piece, job.further) for piece in part.slices])
    references, settings = job.reference_set.references, job.rule.settings
    return accept_hypotheses(rows, references, duplicates, typed=job.typed, settings=settings)
