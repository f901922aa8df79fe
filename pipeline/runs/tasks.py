"""Run one task per part, skipping parts that already have a receipt."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn, Protocol, TypeVar, get_type_hints
from uuid import uuid4

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused, Unsuitable, place_and_reason
from segscore.pipeline.runs import planning, receipts
from segscore.pipeline.runs.executor import (
    Executor,
    Lost,
    how_to_go_on,
    key_of,
    part_of,
    recurs,
)
from segscore.pipeline.runs.run import NamedPart, Run
from segscore.pipeline.runs.sink import RunSettings, Sink

Progress = Callable[[int, int], None]
"""Called with the number of parts that are done, and the number of all parts."""

Returned = TypeVar("Returned")


_CONTRADICTIONS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised if values do not fit together that were read as data, each valid by itself."""


def ignore_progress(_done: int, _parts: int) -> None:
    """Show no progress."""


class SharedJob(Protocol):
    """The job description that all tasks of a run share."""

    @property
    def folder(self) -> str:
        """The folder that tasks write to until the run is published."""


class TaskRun(Run):
    """A run whose work is done by tasks; it reports its progress whenever a part is done."""

    def __init__(
        self,
        command: str,
        settings: RunSettings,
        executor: Executor | None,
        progress: Progress,
        sink: Sink | None = None,
    ) -> None:
        """Create a run, as ``Run`` does; without an executor, it has no tasks."""
        super().__init__(command, settings, sink)
        self._resumed = False
        self._executor, self.progress = executor, progress
        self.limits = planning.LIMITS

    @property
    def executor(self) -> Executor:
        """What executes the tasks."""
        assert self._executor is not None, "a run without an executor has no tasks"
        return self._executor

    @contextmanager
    def work(self) -> Iterator[None]:
        """Open the context to do the work of a prepared run in; see ``publication.claimed``.

        Raises:
            Failed: receipts of an earlier attempt, each valid, do not fit together.
        """
        with super().work():
            try:
                yield
            except _CONTRADICTIONS as problem:
                if isinstance(problem, Refused) or not self._resumed:
                    raise
                reason = f"{type(problem).__name__}: {problem}"
                raise Failed(
                    f"{self.settings.output}: what an earlier attempt left does not fit together "
                    f"({reason}); run again with --fresh"
                ) from problem

    def tasks(
        self,
        task: Callable[..., Returned],
        parts: Sequence[NamedPart],
        job: SharedJob,
        *arguments: object,
        stage: str,
    ) -> dict[str, Returned]:
        """Run ``task(job, part, *arguments)`` on every part without a receipt; return all receipts.

        The return annotation of ``task`` is the class that receipts are read as.

        They are in the order of the parts, by their names.

        Raises:
            Unsuitable: an input file has content that its table cannot have, or that cannot be
                measured with these settings.
            Failed: parts failed; the message gives their number and the first error.
        """
        finished = receipts.finished_parts(job.folder, stage)
        receipt_class: type[Returned] = get_type_hints(task)["return"]
        done = {
            part.name: receipts.load(job.folder, stage, part.name, receipt_class)
            for part in parts
            if part.name in finished
        }
        self._resumed = self._resumed or bool(done)
        # Make keys unique: a scheduler shared with other runs keeps results by key.
        attempt = uuid4().hex
        remaining = [part for part in parts if part.name not in done]
        calls = {key_of(part.name, attempt): (task, stage, part, arguments) for part in remaining}
        failures: list[tuple[str, BaseException]] = []
        self.progress(len(done), len(parts))
        for outcome in self.executor.run_calls(perform, calls, job):
            name = part_of(outcome.key)
            if outcome.error is None:
                done[name], files = outcome.receipt
                self.attempt.written.update(files)
            else:
                failures.append((name, outcome.error))
            self.progress(len(done) + len(failures), len(parts))
        if failures:
            _raise_first(failures, len(parts))
        return {part.name: done[part.name] for part in parts}


def perform(
    job: SharedJob,
    task: Callable[..., Returned],
    stage: str,
    part: NamedPart,
    arguments: tuple[object, ...],
) -> tuple[Returned, list[str]]:
    """Do the work of a part, then write its receipt, which marks the part's files as complete.

    Return the receipt, and the names of the files.
    """
    with storage.noting() as written:
        receipt = task(job, part, *arguments)
    receipts.keep(job.folder, stage, part.name, receipt, written)
    return receipt, [each.removeprefix(f"{job.folder}/") for each in written]


def _raise_first(failures: Sequence[tuple[str, BaseException]], parts: int) -> NoReturn:
    """Raise the error for parts that failed; ``parts`` is the number of all."""
    name, error = min(failures, key=_first_cause)
    if isinstance(error, Unsuitable):
        raise error
    if recurs(error):
        raise Unsuitable(str(error)) from error
    raise Failed(
        f"{len(failures)} of {parts} parts failed and nothing was published; the first, {name}: "
        f"{place_and_reason(error)}{how_to_go_on(error)}"
    ) from error


def _first_cause(failure: tuple[str, BaseException]) -> tuple[bool, bool, str]:
    """Return a sort key: errors of the input, errors of the work itself, losses of workers."""
    name, error = failure
    return not recurs(error), isinstance(error, Lost), name
