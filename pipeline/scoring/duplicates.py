"""Find hypotheses of one coder for one document across the parts of a run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from segscore.pipeline.arrays.ragged import Bits
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.hypotheses import merge_seen
from segscore.pipeline.scoring.part import Job, Part, Receipt

_Kind = TypeVar("_Kind", bound=Receipt)


def run_with_duplicates(
    run: TaskRun, task: Callable[..., _Kind], parts: list[Part], job: Job, *, stage: str
) -> dict[str, _Kind]:
    """Run ``task(job, part, duplicates)`` for all parts, and again for parts with duplicates.

    Whether a coder has two rows for a document is known only after all parts have been read.
    This is rare, so all parts are first processed as if there were none, and the parts that contain
    one are processed again.

    Returns:
        Receipts by the name of the part, in the order of the parts.

    Raises:
        Failed: as ``TaskRun.tasks``.
    """
    first_receipts = run.tasks(task, parts, job, {}, stage=stage)
    twice = find_duplicates(first_receipts.values())
    again = {
        part.name: replace(part, name=receipts.again(part.name))
        for part in parts
        if _has_duplicates(first_receipts[part.name], twice)
    }
    if not again:
        return first_receipts
    repeated_parts = [*again.values()]
    second_receipts = run.tasks(task, repeated_parts, job, twice, stage=receipts.again(stage))
    return first_receipts | {name: second_receipts[part.name] for name, part in again.items()}


def find_duplicates(part_receipts: Iterable[Receipt]) -> dict[str, Bits]:
    """Find the documents that a coder segmented more than once: bits over documents by coder.

    Raises:
        Failed: the receipts have different numbers of documents.
    """
    part_receipts = list(part_receipts)
    shapes = {
        bits.shape for receipt in part_receipts for seen in receipt.seen.values() for bits in seen
    }
    if len(shapes) > 1:
        raise Failed(
            "receipts of parts have different numbers of documents; run again with --fresh"
        )
    merged = merge_seen(receipt.seen for receipt in part_receipts)
    return {coder: twice for coder, (_, twice) in merged.items() if twice.any()}


def _has_duplicates(receipt: Receipt, twice: Mapping[str, Any]) -> bool:
    return any(
        (receipt.seen[coder][0] & twice[coder]).any() for coder in receipt.seen.keys() & twice
    )
