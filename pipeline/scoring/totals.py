"""Add up the saved sums of the parts of a run."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.scoring.part import SUMS, PartSums, TaskResults, add

_SUMS_AT_ONCE = 16
"""The most sums that are added up by one task, or by the client."""


@dataclass(frozen=True)
class SumBatch:
    """The input of one task: sums to add up, by the stage and the names they are saved under."""

    name: str
    stage: str
    saved: tuple[str, ...]


@dataclass(frozen=True)
class Added:
    """What a task returns that added up sums, which it saves under the name of its batch."""

    name: str


def add_sums(run: TaskRun, results: TaskResults) -> PartSums:
    """Add up all parts of a run: in rounds of tasks, until few sums are left."""
    if results.sums is not None:
        return results.sums
    stage, saved = SUMS, tuple(results.parts)
    while len(saved) > _SUMS_AT_ONCE:
        batches = [
            SumBatch(f"{stage}-{start:06d}", stage, saved[start : start + _SUMS_AT_ONCE])
            for start in range(0, len(saved), _SUMS_AT_ONCE)
        ]
        run.tasks(add_batch, batches, results, stage=f"added-{stage}")
        stage, saved = f"{stage}-added", tuple(batch.name for batch in batches)
    return _add_saved(results, SumBatch("all", stage, saved))


def add_batch(results: TaskResults, batch: SumBatch) -> Added:
    """Add up some sums and save the result.

    Raises:
        Failed: sums cannot be read, or do not match each other.
    """
    sums = _add_saved(results, batch)
    receipts.keep(results.folder, f"{batch.stage}-added", batch.name, sums)
    return Added(batch.name)


def _add_saved(results: TaskResults, batch: SumBatch) -> PartSums:
    try:
        return add(_load(results.folder, batch))
    except ValueError as problem:
        raise Failed(
            f"{results.folder}: the sums of the parts do not match ({problem}); run again with "
            "--fresh"
        ) from problem


def _load(folder: str, batch: SumBatch) -> Iterator[PartSums]:
    """Yield the sums of a batch; each is loaded while the one before it is added."""
    with ThreadPoolExecutor(1) as pool:
        coming: list[Future[PartSums]] = []
        for name in batch.saved:
            coming.append(pool.submit(receipts.load, folder, batch.stage, name, PartSums))
            if len(coming) > 1:
                yield coming.pop(0).result()
        for last in coming:
            yield last.result()
