"""Run tasks on a Dask cluster, and collect their results."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from distributed import Client, Future, KilledWorker, as_completed, get_worker  # noqa: TID251

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs.connecting import (
    LOST,
    NO_ANSWER,
    check_newcomers,
    dask_client,
    present_workers,
)
from segscore.pipeline.runs.executor import (
    Lost,
    Outcome,
    part_of,
)
from segscore.pipeline.runs.watching import Endings, Watch
from segscore.pipeline.storage.memory import release_memory

__all__ = ["DaskCluster", "dask_client"]

NO_WORKER_SECONDS = 60
"""How long to wait for a worker before giving up."""

NO_WORKERS = (
    f"no worker was connected for {NO_WORKER_SECONDS} s; finished parts are kept: start workers "
    "and run the same command to resume"
)
NO_MEMORY = (
    "{paused} of {count} workers use so much memory, without a task, that Dask gives them none; "
    "finished parts are kept: restart the workers or give them more memory (--memory-limit), and "
    "run the same command to resume"
)
NOT_LOADED = (
    "a worker could not load the data that all tasks share ({problem}); finished parts are kept: "
    "install there what is installed here, restart it, and run the same command to resume"
)
SEND_TIMEOUT = (
    "sending the data that all tasks share to a worker took over {seconds} s; finished parts are "
    "kept: run the same command to resume, with workers nearer by or with more free memory"
)
ALL_LOST = "the scheduler or all workers were lost"

_TRIES = 5
"""How often to submit tasks whose shared value was lost, before reporting the loss."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
"""Shortest and longest time between two checks for finished tasks, in seconds."""

MUCH = 0.5
"""Share of its memory above which a worker returns free memory to the system after a task."""

LONG_SILENCE = 0.5
"""Seconds without a finished task after which to ask the scheduler whether it has workers."""

TOGETHER = 500
"""Number of tasks submitted together; workers begin them while the scheduler reads the next."""

SEND_SECONDS = 600
"""How long it may take to send the shared value to the first worker."""


class Stranded(Lost):
    """A task failed because the shared value was lost, not because its own worker was."""


@dataclass(frozen=True)
class Shared:
    """The value that all tasks of a run share, with store settings that workers may lack.

    Settings of stores, by protocol, are not in the representation, because Dask logs the arguments
    of failed tasks.
    """

    value: Any
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def on_worker(self) -> Any:
        """Apply our settings of stores on the worker, and return the value."""
        storage.configure(self.options)
        return self.value


@contextmanager
def _losses_as_failures(client: Client) -> Iterator[None]:
    """Turn what Dask raises when the scheduler or all workers are lost into a one-line failure."""
    try:
        yield
    except TimeoutError as problem:
        raise Failed(NO_ANSWER) from problem
    except AttributeError as problem:  # a client that has lost its scheduler has None in its place
        if client.scheduler is not None:
            raise
        raise Failed(LOST) from problem
    except (OSError, CancelledError, RuntimeError) as problem:
        raise Failed(LOST) from problem


class DaskCluster:
    """An ``Executor`` that runs tasks on the workers of a Dask cluster."""

    def __init__(self, client: Client) -> None:
        """Create the executor."""
        self.client = client

    @property
    def at_once(self) -> int:
        """How many tasks the present workers execute at the same time; at least 1."""
        with _losses_as_failures(self.client):
            workers = present_workers(self.client)
        return max(1, sum(worker["nthreads"] for worker in workers.values()))

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run a task many times, as ``Executor`` describes."""
        remaining = dict(calls)
        if not remaining:
            return
        with _losses_as_failures(self.client):
            endings = Endings(self.client)
        for attempt in range(1, _TRIES + 1):
            repeated = {}
            for outcome in _submit_calls(self.client, task, remaining, shared, attempt):
                lost = isinstance(outcome.error, Stranded) and self.client.status == "running"
                if lost and attempt < _TRIES:
                    repeated[outcome.key] = calls[outcome.key]
                elif isinstance(outcome.error, Lost):
                    yield replace(outcome, error=endings.explain(outcome.error))
                else:
                    yield outcome
            if not repeated:
                return
            remaining = repeated
            time.sleep(attempt)  # the scheduler needs time to notice lost workers


def _submit_calls(
    client: Client,
    task: Callable[..., Any],
    calls: Mapping[str, tuple[Any, ...]],
    shared: Any,
    attempt: int,
) -> Iterator[Outcome]:
    """Run each call once; a call ends as ``Stranded`` if every copy of the shared value is lost.

    The shared value is not sent to all workers beforehand: Dask removes copies that no task waits
    for, so a slow transfer would start over again and again.
    """
    with _losses_as_failures(client):
        _await_workers(client)
        try:
            shared_future = _send(client, Shared(shared, storage.configured()))
        except TimeoutError:
            raise
        except OSError:  # the worker that it was sent to is lost
            yield from (Outcome(key, None, Stranded(ALL_LOST)) for key in calls)
            return
        keys = [f"{key}-{attempt}" for key in calls]
        argument_columns = zip(*calls.values(), strict=True)
        work = partial(_perform, task)
        columns = ([shared_future] * len(keys), *argument_columns)
        futures = client.map(work, *columns, key=keys, pure=False, batch_size=TOGETHER)
        names = dict(zip(futures, calls, strict=True))
        futures.clear()  # the cluster forgets a result when no future refers to it
        parts = dict(zip(keys, map(part_of, calls), strict=True))
        for future, outcome in _completed(client, names, Watch(client, parts.get)):
            del names[future]
            yield outcome


def _perform(task: Callable[..., Any], shared: Shared, *arguments: Any) -> Any:
    try:
        return task(shared.on_worker(), *arguments)
    finally:
        _release_memory()


def _release_memory() -> None:
    """Return the memory of freed arrays to the system, if a worker uses much of its memory.

    Dask pauses a worker that uses 80% of it, even if most of that is free.
    """
    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    if limit and worker.monitor.get_process_memory() > MUCH * limit:
        release_memory()


def _await_workers(client: Client) -> None:
    """Wait until the scheduler has a worker.

    Raises:
        Failed: no worker joined, or one has different software from the client's.
    """
    deadline = time.monotonic() + NO_WORKER_SECONDS
    while client.status == "running":
        workers = present_workers(client)
        check_newcomers(client, workers)
        if workers:
            return
        if time.monotonic() > deadline:
            raise Failed(NO_WORKERS)
        time.sleep(LONGEST_PAUSE)


def _send(client: Client, shared: Shared) -> Future:
    """Send the shared value to one worker, from which the others fetch it when they need it.

    Raises:
        Failed: there is no worker, the transfer took too long, a worker cannot unpickle it, or the
            client had lost the scheduler before.
        OSError: the scheduler or the worker was lost.
    """

    async def send() -> Future:
        seconds = NO_WORKER_SECONDS
        return await client.scatter(shared, hash=False, timeout=seconds, asynchronous=True)

    try:
        return client.sync(send, callback_timeout=NO_WORKER_SECONDS + SEND_SECONDS)
    except TimeoutError as problem:
        timeout = SEND_TIMEOUT.format(seconds=SEND_SECONDS)
        raise Failed(_obstacle(client) or timeout) from problem
    except OSError:
        raise
    except Exception as problem:
        if client.scheduler is None:
            raise Failed(LOST) from problem
        # a worker cannot unpickle it
        check_newcomers(client, present_workers(client))
        raise Failed(NOT_LOADED.format(problem=" ".join(str(problem).split()))) from problem


def _completed(
    client: Client, names: Mapping[Future, str], watch: Watch
) -> Iterator[tuple[Future, Outcome]]:
    """Yield futures with their outcomes as they end; give up if no worker can work for long.

    Meanwhile, warn of workers that hang.

    Args:
        client: the client of the cluster.
        names: the key of each future's call.
        watch: looks for workers that hang.

    Raises:
        Failed: for ``NO_WORKER_SECONDS`` no worker could take tasks, or one has different software.
        TimeoutError: the scheduler does not answer.
    """
    completed = as_completed([*names])
    idle_since: float | None = None
    silence = 0.0
    pause = SHORTEST_PAUSE
    while not completed.is_empty():
        batch = completed.next_batch(block=False)
        check_newcomers(client)  # a worker with other software may be why a task failed
        yield from _outcomes(client, {future: names[future] for future in batch})
        watch.look(ended=bool(batch))
        if batch:
            idle_since, silence, pause = None, 0.0, SHORTEST_PAUSE
            continue
        time.sleep(pause)
        silence += pause
        pause = min(2 * pause, LONGEST_PAUSE)
        if silence < LONG_SILENCE:
            continue
        silence = 0.0
        obstacle = _obstacle(client)
        if obstacle is None:
            idle_since = None
        elif idle_since is None:
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since > NO_WORKER_SECONDS:
            raise Failed(obstacle)


def _obstacle(client: Client) -> str | None:
    """Return why no worker takes tasks; None if one may.

    Without a scheduler there are no workers, and the futures fail soon.
    """
    try:
        workers = present_workers(client).values()
    except TimeoutError:
        raise
    except OSError:
        return NO_WORKERS
    if not workers:
        return NO_WORKERS
    paused = sum(worker["status"] == "paused" for worker in workers)
    counts = [worker["metrics"].get("task_counts", {}) for worker in workers]
    if paused and not any(count.get("executing") for count in counts):
        return NO_MEMORY.format(paused=paused, count=len(workers))
    return None


def _outcomes(client: Client, ended: Mapping[Future, str]) -> Iterator[tuple[Future, Outcome]]:
    """Yield the outcomes of tasks that have ended, by the keys of their calls."""
    finished = [future for future in ended if future.status == "finished"]
    try:
        values = dict(zip(finished, client.gather(finished), strict=True))
    except (OSError, CancelledError):  # the scheduler has been lost since then
        values = {}
    for future, key in ended.items():
        yield future, _outcome(key, future, values)


def _outcome(key: str, future: Future, values: Mapping[Future, Any]) -> Outcome:
    """Return the outcome of a task, whose value is among those that were gathered."""
    if future in values:
        return Outcome(key, values[future], None)
    if future.status == "error":
        return Outcome(key, None, _error_of(future))
    return Outcome(key, None, Stranded(ALL_LOST))


def _error_of(future: Future) -> BaseException:
    error: BaseException = future.exception()
    if isinstance(error, KilledWorker):
        return Lost("the workers that ran it were lost, perhaps because they ran out of memory")
    return error
