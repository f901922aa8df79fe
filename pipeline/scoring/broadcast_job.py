"""What tasks share in runs that send the references to every task."""

from collections.abc import Mapping
from dataclasses import dataclass

from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses
from segscore.pipeline.scoring.part import Job, Part, ReferenceSet
from segscore.pipeline.tables.read import join_rows, read_slice


@dataclass(frozen=True)
class BroadcastJob(Job):
    """What all tasks of a run share, including the references.

    Attributes:
        reference_set: the references.
    """

    reference_set: ReferenceSet


def accept_part(job: BroadcastJob, part: Part, duplicates: Mapping[str, Bits]) -> Accepted:
    """Read the hypotheses of a part and separate those that can be scored."""
    rows = join_rows([read_slice(piece, job.further) for piece in part.slices])
    references, settings = job.reference_set.references, job.rule.settings
    return accept_hypotheses(rows, references, duplicates, typed=job.typed, settings=settings)
