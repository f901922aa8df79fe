"""Add up the saved sums of the parts of a run."""

from dataclasses import dataclass

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.part import SUMS, Added, Worked, add

_AT_ONCE = 32
"""The most parts whose sums one task adds up."""


@dataclass(frozen=True)
class Heap:
    """The input of one task: parts to add up."""

    name: str
    parts: tuple[str, ...]


def add_sums(run: TaskRun, worked: Worked) -> Added:
    """Add up all parts of a run, in tasks if there are many."""
    parts = tuple(worked.parts)
    if len(parts) <= _AT_ONCE:
        return add_heap(worked, Heap("all", parts))
    heaps = [
        Heap(f"sums-{start:06d}", parts[start : start + _AT_ONCE])
        for start in range(0, len(parts), _AT_ONCE)
    ]
    return add(run.tasks(add_heap, heaps, worked, stage="added").values())


def add_heap(worked: Worked, heap: Heap) -> Added:
    """Add up some parts.

    Raises:
        Failed: the sums of a part cannot be read, or do not match those of other parts.
    """
    try:
        return add(receipts.load(worked.folder, SUMS, part, Added) for part in heap.parts)
    except ValueError as problem:
        raise Failed(
            f"{worked.folder}: sums of parts do not fit each other ({problem}); run again with "
            "--fresh"
        ) from problem
