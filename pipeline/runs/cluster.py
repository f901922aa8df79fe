"""Run tasks on a Dask cluster, and collect their results."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

import pyarrow as pa
from dask.utils import parse_bytes  # noqa: TID251
from distributed import Client, Future, KilledWorker, as_completed  # noqa: TID251

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.connecting import (
    LOST,
    NO_ANSWER,
    check_newcomers,
    connect,
    import_frames,
    present,
)

__all__ = ["Client", "Lost", "Outcome", "connect", "exchange", "run_calls"]

ALONE_SECONDS = 60
"""How long to wait for a worker before giving up."""

NOBODY = (
    f"no worker has been there for {ALONE_SECONDS} s; parts that are done are kept: start workers "
    "and run the same command to go on"
)
UNREAD = (
    "a worker could not read what all tasks share ({problem}); parts that are done are kept: "
    "install there what is installed here, restart it, and run the same command again"
)
STUCK = (
    "what all tasks share did not reach a worker in {seconds} s; parts that are done are kept: run "
    "the same command again, with workers that are nearer or hold less"
)
ALL_LOST = "the scheduler was lost, or all workers were"

_TRIES = 5
"""How often to submit tasks whose shared value was lost, before reporting the loss."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
"""Shortest and longest time between two checks for finished tasks, in seconds."""

LONG_SILENCE = 0.5
"""Seconds without a finished task after which to ask the scheduler whether it has workers."""

SEND_SECONDS = 600
"""How long it may take to send the shared value to the first worker."""


class Lost(Exception):  # noqa: N818
    """A task failed because its worker or the scheduler was lost."""


class Stranded(Lost):
    """A task failed because the shared value was lost, not because its own worker was."""


@dataclass(frozen=True)
class Outcome:
    """How one task ended.

    Attributes:
        key: key of the task.
        receipt: what the task returned; None if it failed.
        error: what the task raised; None if it succeeded.
    """

    key: str
    receipt: Any
    error: BaseException | None


@dataclass(frozen=True)
class Shared:
    """The value that all tasks of a run share, with store settings that workers may lack.

    Attributes:
        value: the shared value.
        options: settings of stores, by protocol; left out of the representation because Dask logs
            the arguments of failed tasks.
    """

    value: Any
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def on_worker(self) -> Any:
        """Apply the settings of stores on the worker, and return the value."""
        storage.configure(self.options)
        return self.value


def bytes_of(option: str, text: str) -> int:
    """Read a number of bytes; the text may have a unit, such as 2GB.

    Raises:
        Refused: the text is not a number of bytes.
    """
    try:
        return int(parse_bytes(text))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be a number of bytes, such as 2GB") from problem


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what Dask raises when the scheduler or all workers are lost into a one-line failure."""
    try:
        yield
    except TimeoutError as problem:
        raise Failed(NO_ANSWER) from problem
    except (OSError, CancelledError, RuntimeError) as problem:
        raise Failed(LOST) from problem


def run_calls(
    client: Client, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
) -> Iterator[Outcome]:
    """Run a task many times, and yield the outcome of each call, failed or not, when it ends.

    Args:
        client: connection to the cluster.
        task: a module-level function, called as ``task(shared, *arguments)``.
        calls: key of each call -> its own arguments, which should be small.
        shared: the value that every call needs; sent to each worker once.

    Raises:
        Failed: the scheduler was lost before tasks were submitted, or no worker joined.
    """
    left = dict(calls)
    for tried in range(1, _TRIES + 1):
        again = {}
        for outcome in _hand_out(client, task, left, shared, tried):
            lost = isinstance(outcome.error, Stranded) and client.status == "running"
            if lost and tried < _TRIES:
                again[outcome.key] = calls[outcome.key]
            else:
                yield outcome
        if not again:
            return
        left = again
        time.sleep(tried)  # the scheduler needs time to notice lost workers


def _hand_out(
    client: Client,
    task: Callable[..., Any],
    calls: Mapping[str, tuple[Any, ...]],
    shared: Any,
    tried: int,
) -> Iterator[Outcome]:
    """Run each call once; a call ends as ``Stranded`` if every copy of the shared value is lost.

    The shared value is not sent to all workers beforehand: Dask removes copies that no task waits
    for, so a slow transfer would start over again and again.
    """
    if not calls:
        return
    with _explained():
        _await_workers(client)
        try:
            everywhere = _send(client, Shared(shared, storage.configured()))
        except TimeoutError:
            raise
        except OSError:  # the worker that it was sent to is lost
            yield from (Outcome(key, None, Stranded(ALL_LOST)) for key in calls)
            return
        keys = [f"{key}-{tried}" for key in calls]
        own = zip(*calls.values(), strict=True)
        work = partial(_perform, task)
        futures = client.map(work, [everywhere] * len(keys), *own, key=keys, pure=False)
        names = dict(zip(futures, calls, strict=True))
        futures.clear()  # the cluster forgets a result when no future refers to it
        for future, result in _as_they_end(client, names):
            yield _outcome(names.pop(future), future, result)


def _perform(task: Callable[..., Any], shared: Shared, *arguments: Any) -> Any:
    return task(shared.on_worker(), *arguments)


def _await_workers(client: Client) -> None:
    """Wait until the scheduler has a worker.

    Raises:
        Failed: no worker joined, or one has other software than the client.
    """
    until = time.monotonic() + ALONE_SECONDS
    while client.status == "running":
        workers = present(client)
        check_newcomers(client, workers)
        if workers:
            return
        if time.monotonic() > until:
            raise Failed(NOBODY)
        time.sleep(LONGEST_PAUSE)


def _send(client: Client, shared: Shared) -> Future:
    """Send the shared value to one worker, from which the others fetch it when they need it.

    Raises:
        Failed: there is no worker, the transfer took too long, or a worker cannot unpickle it.
        OSError: the scheduler or the worker was lost.
    """

    async def send() -> Future:
        patience = ALONE_SECONDS
        return await client.scatter(shared, hash=False, timeout=patience, asynchronous=True)

    try:
        return client.sync(send, callback_timeout=ALONE_SECONDS + SEND_SECONDS)
    except TimeoutError as problem:
        said = STUCK.format(seconds=SEND_SECONDS) if present(client) else NOBODY
        raise Failed(said) from problem
    except OSError:
        raise
    except Exception as problem:  # a worker cannot unpickle it
        check_newcomers(client, present(client))
        raise Failed(UNREAD.format(problem=" ".join(str(problem).split()))) from problem


def _as_they_end(client: Client, futures: Iterable[Future]) -> Iterator[tuple[Future, Any]]:
    """Yield futures with their results as they end; give up if there are no workers for long.

    Raises:
        Failed: there was no worker for ``ALONE_SECONDS``, or one joined with other software.
        TimeoutError: the scheduler does not answer.
    """
    ending = as_completed(futures, with_results=True, raise_errors=False)
    alone = None
    silent = 0.0
    pause = SHORTEST_PAUSE
    while not ending.is_empty():
        ended = ending.next_batch(block=False)
        check_newcomers(client)  # a worker with other software may be why a task failed
        yield from ended
        if ended:
            alone, silent, pause = None, 0.0, SHORTEST_PAUSE
            continue
        time.sleep(pause)
        silent += pause
        pause = min(2 * pause, LONGEST_PAUSE)
        if silent < LONG_SILENCE:
            continue
        silent = 0.0
        if _somebody_is_there(client):
            alone = None
        elif alone is None:
            alone = time.monotonic()
        elif time.monotonic() - alone > ALONE_SECONDS:
            raise Failed(NOBODY)


def _somebody_is_there(client: Client) -> bool:
    """Return whether there is a worker; if the scheduler was lost, False, and futures will fail."""
    try:
        return bool(present(client))
    except TimeoutError:
        raise
    except OSError:
        return False


def _outcome(key: str, future: Future, result: Any) -> Outcome:
    """Return the outcome of a task; ``result`` is its value or its exception triple, from Dask."""
    if future.status == "finished":
        return Outcome(key, result, None)
    if future.status != "error":
        return Outcome(key, None, Stranded(ALL_LOST))
    error = result[1]
    if isinstance(error, KilledWorker):
        error = Lost("the workers that tried it were lost, perhaps for want of memory")
    return Outcome(key, None, error)


def exchange(
    client: Client,
    pack: Callable[[Any, Any], list[tuple[int, bytes]]],
    pieces: Sequence[Any],
    places: int,
    unpack: Callable[[Any, int, Sequence[bytes]], int],
    shared: Any,
) -> int:
    """Pack pieces into packets and deliver each packet to its place, by Dask's p2p shuffle.

    Args:
        client: connection to the cluster.
        pack: ``pack(shared, piece)`` returns packets, each with the number of its place.
        pieces: the pieces to pack.
        places: number of places.
        unpack: ``unpack(shared, place, packets)`` processes all packets of a place, in the order of
            their pieces, and returns a count.
        shared: the value that every call needs, which should be small.

    Returns:
        The sum of the counts that ``unpack`` returned.

    Raises:
        Refused, Failed: as ``pack`` and ``unpack`` do.
        Failed: the scheduler was lost, or no worker joined.
    """
    everywhere = Shared(shared, storage.configured())
    taken = _exchanged(everywhere, pack, pieces, places, unpack)
    with _explained():
        _await_workers(client)
        import_frames(client)
        future = client.compute(taken)
        outcome = next(_outcome("", *ended) for ended in _as_they_end(client, [future]))
    if outcome.error is not None:
        raise _cause(outcome.error) from outcome.error
    return int(outcome.receipt["took"].sum())


def _exchanged(
    everywhere: Shared,
    pack: Callable[[Any, Any], list[tuple[int, bytes]]],
    pieces: Sequence[Any],
    places: int,
    unpack: Callable[[Any, int, Sequence[bytes]], int],
) -> Any:
    """Build the exchange as a lazy Dask data frame; column `took` has the counts of ``unpack``."""
    import dask.dataframe as frames  # noqa: TID251  (imports pandas: only for a shuffle)
    import pandas as pd

    binary = pd.ArrowDtype(pa.large_binary())
    kinds = {"place": "int64", "piece": "int64", "packet": binary}

    def make(numbered: tuple[str, int, Any]) -> pd.DataFrame:
        _, number, piece = numbered
        packets = pack(everywhere.on_worker(), piece)
        columns = {
            "place": [place for place, _ in packets],
            "piece": [number] * len(packets),
            "packet": [packet for _, packet in packets],
        }
        return pd.DataFrame(columns).astype(kinds)

    def take(frame: pd.DataFrame) -> pd.DataFrame:
        ordered = frame.sort_values("piece")
        took = [
            unpack(everywhere.on_worker(), int(place), list(packets))
            for place, packets in ordered.groupby("place")["packet"]
        ]
        return pd.DataFrame({"took": [sum(took)]})

    meta = pd.DataFrame({name: [] for name in kinds}).astype(kinds)
    # A shared scheduler caches results by a hash of their inputs, so add the attempt's id to them.
    attempt = uuid4().hex
    numbered = [(attempt, number, piece) for number, piece in enumerate(pieces)]
    shuffled = frames.from_map(make, numbered, meta=meta).shuffle(
        "place", npartitions=places, shuffle_method="p2p"
    )
    return shuffled.map_partitions(take, meta=pd.DataFrame({"took": [0]}))


def _cause(problem: BaseException) -> Refused | Failed:
    """Return the error that a task raised, which Dask wraps in errors of its own."""
    cause: BaseException | None = problem
    while cause is not None and not isinstance(cause, Refused | Failed):
        cause = cause.__cause__
    said = " ".join(str(problem).split()) or type(problem).__name__
    return cause or Failed(f"rows could not travel: {said}; the same command goes on")
