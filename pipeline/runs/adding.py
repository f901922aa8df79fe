"""Add up the sums that the parts of a run have saved."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.tasks import TaskRun

SUMS_AT_ONCE = 16
"""The most sums that are added up by one task, or by the client."""

SumClass = TypeVar("SumClass")


@dataclass(frozen=True)
class SavedSums(Generic[SumClass]):
    """Sums that parts have saved, and how to add them up.

    Attributes:
        folder: folder of the unfinished run.
        sum_class: the class that they are read as.
        add: adds some of them up, in any order; raises ValueError if they do not match.
    """

    folder: str
    sum_class: type[SumClass]
    add: Callable[[Iterable[SumClass]], SumClass]


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


def add_saved(run: TaskRun, sums: SavedSums[SumClass], saved: Sequence[str]) -> SumClass:
    """Add up the sums of all parts of a run: in rounds of tasks, until few sums are left.

    Args:
        run: the run.
        sums: what is added up.
        saved: the names of the parts that have saved sums.
    """
    stage, saved = receipts.SUMS, tuple(saved)
    while len(saved) > SUMS_AT_ONCE:
        batches = [
            SumBatch(f"{stage}-{start:06d}", stage, saved[start : start + SUMS_AT_ONCE])
            for start in range(0, len(saved), SUMS_AT_ONCE)
        ]
        run.tasks(add_batch, batches, sums, stage=f"added-{stage}")
        stage, saved = f"{stage}-added", tuple(batch.name for batch in batches)
    return _add_batch(sums, SumBatch("all", stage, saved))


def add_batch(sums: SavedSums[SumClass], batch: SumBatch) -> Added:
    """Add up some sums and save the result.

    Raises:
        Failed: sums cannot be read, or do not match each other.
    """
    receipts.keep(sums.folder, f"{batch.stage}-added", batch.name, _add_batch(sums, batch))
    return Added(batch.name)


def _add_batch(sums: SavedSums[SumClass], batch: SumBatch) -> SumClass:
    try:
        return sums.add(_load(sums, batch))
    except ValueError as problem:
        raise Failed(
            f"{sums.folder}: the sums of the parts do not match ({problem}); run again with --fresh"
        ) from problem


def _load(sums: SavedSums[SumClass], batch: SumBatch) -> Iterator[SumClass]:
    """Yield the sums of a batch; each is loaded while the one before it is added."""
    with ThreadPoolExecutor(1) as pool:
        coming: list[Future[SumClass]] = []
        for name in batch.saved:
            load = receipts.load
            coming.append(pool.submit(load, sums.folder, batch.stage, name, sums.sum_class))
            if len(coming) > 1:
                yield coming.pop(0).result()
        for last in coming:
            yield last.result()
