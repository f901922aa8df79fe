"""The parts of a run handed out, and what only shows when all of them have been read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar
from uuid import uuid4

import numpy as np

from pipeline import cluster, run_folder, storage
from pipeline.errors import Failed
from pipeline.scoring import Bits, Job, Part, Receipt

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and how many there are."""

Task = Callable[..., Receipt]
Told = TypeVar("Told")


class Named(Protocol):
    """The work of one task."""

    @property
    def name(self) -> str:
        """Of the part, unlike any other of the run."""


def spread(
    client: cluster.Client,
    task: Callable[..., Told],
    parts: Sequence[Named],
    job: object,
    progress: Progress,
    *arguments: object,
) -> dict[str, Told]:
    """Run ``task(job, part, *arguments)`` on every part.

    Returns:
        Receipts by the name of the part, in the order of the parts.

    Raises:
        Failed: a part failed; says how many did and why the first.
    """
    # A key of its own for each attempt: a scheduler shared with other runs keeps results by key.
    attempt = uuid4().hex
    calls = {f"{part.name}-{attempt}": (part, *arguments) for part in parts}
    names = {f"{part.name}-{attempt}": part.name for part in parts}
    receipts: dict[str, Told] = {}
    failures: list[tuple[str, BaseException]] = []
    progress(0, len(parts))
    for outcome in cluster.spread(client, task, calls, job):
        name = names[outcome.key]
        if outcome.error is None:
            receipts[name] = outcome.receipt
        else:
            failures.append((name, outcome.error))
        progress(len(receipts) + len(failures), len(parts))
    if failures:
        name, error = min(failures, key=lambda failure: failure[0])
        raise Failed(
            f"{len(failures)} of {len(parts)} parts failed and nothing was published; "
            f"the first, {name}: {error or type(error).__name__}"
        ) from error
    return {part.name: receipts[part.name] for part in parts}


def spread_twice(
    client: cluster.Client, task: Task, parts: list[Part], job: Job, progress: Progress
) -> dict[str, Receipt]:
    """Run ``task(job, part, duplicates)``, and again where a part turns out to hold a duplicate.

    That a coder has two rows for a document shows only when all parts have been read.  It is rare,
    so all parts are worked on as if there were none, and those that hold one are done anew.

    Returns:
        Receipts by the name of the part, in the order of the parts.

    Raises:
        Failed: as ``spread``.
    """
    receipts = spread(client, task, parts, job, progress, {})
    twice = duplicates(receipts.values())
    again = [part for part in parts if _holds(receipts[part.name], twice)]
    for part in again:
        for table in run_folder.TABLES:
            storage.remove(storage.join(job.folder, table, part.name))
    return receipts | spread(client, task, again, job, progress, twice)


def duplicates(receipts: Iterable[Receipt]) -> dict[str, Bits]:
    """Find documents that a coder judged more than once: coder -> bits over the documents."""
    once: dict[str, Bits] = {}
    twice: dict[str, Bits] = {}
    for receipt in receipts:
        for coder, (seen, repeated) in receipt.seen.items():
            before = once.get(coder, np.zeros_like(seen))
            twice[coder] = twice.get(coder, np.zeros_like(seen)) | repeated | (before & seen)
            once[coder] = before | seen
    return {coder: bits for coder, bits in twice.items() if bits.any()}


def _holds(receipt: Receipt, twice: Mapping[str, Bits]) -> bool:
    return any(
        (receipt.seen[coder][0] & twice[coder]).any() for coder in receipt.seen.keys() & twice
    )
