"""The parts of a run handed out, those done before left out, and what shows only at the end."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, get_type_hints
from uuid import uuid4

from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import cluster, receipts

Progress = Callable[[int, int], None]
"""Called with how many parts are done, and how many there are."""

Told = TypeVar("Told")


class Named(Protocol):
    """The work of one task."""

    @property
    def name(self) -> str:
        """Of the part, unlike any other of the run."""


class InFolder(Protocol):
    """What all tasks of a run share."""

    @property
    def folder(self) -> str:
        """Where the run is prepared."""


def spread(
    client: cluster.Client,
    task: Callable[..., Told],
    parts: Sequence[Named],
    job: InFolder,
    progress: Progress,
    *arguments: object,
    stage: str,
) -> dict[str, Told]:
    """Run ``task(job, part, *arguments)`` on every part that has no receipt yet.

    Receipts are read as the class that the task is annotated to return.

    Returns:
        Receipts by the name of the part, in the order of the parts.

    Raises:
        Failed: a part failed; says how many did and why the first.
    """
    before = receipts.kept(job.folder, stage)
    kind: type[Told] = get_type_hints(task)["return"]
    done = {
        part.name: receipts.load(job.folder, stage, part.name, kind)
        for part in parts
        if part.name in before
    }
    # A key of its own for each attempt: a scheduler shared with other runs keeps results by key.
    attempt = uuid4().hex
    left = [part for part in parts if part.name not in done]
    calls = {f"{part.name}-{attempt}": (task, stage, part, arguments) for part in left}
    names = {f"{part.name}-{attempt}": part.name for part in left}
    failures: list[tuple[str, BaseException]] = []
    progress(len(done), len(parts))
    for outcome in cluster.run_calls(client, perform, calls, job):
        name = names[outcome.key]
        if outcome.error is None:
            done[name] = outcome.receipt
        else:
            failures.append((name, outcome.error))
        progress(len(done) + len(failures), len(parts))
    if failures:
        name, error = min(failures, key=_first_cause)
        raise Failed(
            f"{len(failures)} of {len(parts)} parts failed and nothing was published; "
            f"the first, {name}: {_said(error)}; the others are kept: the same command goes on"
        ) from error
    return {part.name: done[part.name] for part in parts}


def perform(
    job: InFolder,
    task: Callable[..., Told],
    stage: str,
    part: Named,
    arguments: tuple[object, ...],
) -> Told:
    """Do the work of a part, then keep its receipt: one that is there vouches for the files."""
    receipt = task(job, part, *arguments)
    receipts.keep(job.folder, stage, part.name, receipt)
    return receipt


def _first_cause(failure: tuple[str, BaseException]) -> tuple[bool, str]:
    """What a part itself met comes before what befell it, such as a lost worker."""
    name, error = failure
    return isinstance(error, cluster.Lost), name


def _said(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
