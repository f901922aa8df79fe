"""Add up the saved sums of the parts of a run."""

from dataclasses import dataclass

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.part import SUMS, PartSums, TaskResults, add

_PARTS_AT_ONCE = 32
"""The most parts whose sums one task adds up."""


@dataclass(frozen=True)
class SumBatch:
    """The input of one task: parts to add up."""

    name: str
    parts: tuple[str, ...]


def add_sums(run: TaskRun, results: TaskResults) -> PartSums:
    """Add up all parts of a run, in tasks if there are many."""
    parts = tuple(results.parts)
    if len(parts) <= _PARTS_AT_ONCE:
        return add_batch(results, SumBatch("all", parts))
    batches = [
        SumBatch(f"sums-{start:06d}", parts[start : start + _PARTS_AT_ONCE])
        for start in range(0, len(parts), _PARTS_AT_ONCE)
    ]
    return add(run.tasks(add_batch, batches, results, stage="added").values())


def add_batch(results: TaskResults, batch: SumBatch) -> PartSums:
    """Add up some parts.

    Raises:
        Failed: the sums of a part cannot be read, or do not match those of other parts.
    """
    try:
        return add(receipts.load(results.folder, SUMS, part, PartSums) for part in batch.parts)
    except ValueError as problem:
        raise Failed(
            f"{results.folder}: the sums of the parts do not match ({problem}); run again with "
            "--fresh"
        ) from problem
