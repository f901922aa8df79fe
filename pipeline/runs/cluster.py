"""Hand out work to a Dask cluster, and collect its results."""

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
from segscore.pipeline.runs.connecting import LOST, NO_ANSWER, check_newcomers, connect, present

__all__ = ["Client", "Lost", "Outcome", "connect", "exchange", "run_calls"]

ALONE_SECONDS = 60
"""How long tasks wait for a worker to come."""

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
"""How often tasks are handed out that lost what they share, before that is told."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
"""Seconds between two looks at what has ended."""

LONG_SILENCE = 0.5
"""Seconds without any end after which the scheduler is asked whether anybody is left to work."""

SEND_SECONDS = 600
"""How long it may take to send to the first worker what all tasks share."""


class Lost(Exception):  # noqa: N818
    """A task ended because who worked on it, or handed it out, was lost."""


class Stranded(Lost):
    """What the task shares with others was lost, not who worked on it."""


@dataclass(frozen=True)
class Outcome:
    """How one task ended.

    Attributes:
        key: of the task.
        receipt: what it returned, None if it failed.
        error: what it raised, None if it succeeded.
    """

    key: str
    receipt: Any
    error: BaseException | None


@dataclass(frozen=True)
class Shared:
    """What all tasks of a run share, with the settings of stores that workers may not have.

    Attributes:
        value: what they share.
        options: of stores, by protocol; not shown, as Dask logs the arguments of a failed task.
    """

    value: Any
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def on_worker(self) -> Any:
        """Return the value, where the task runs, after the settings of stores were applied."""
        storage.configure(self.options)
        return self.value


def bytes_of(option: str, text: str) -> int:
    """Read a number of bytes, with or without a unit.

    Raises:
        Refused: naming the option, if it is not one.
    """
    try:
        return int(parse_bytes(text))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be a number of bytes, such as 2GB") from problem


@contextmanager
def _explained() -> Iterator[None]:
    """Make one line of what Dask raises where nobody is left to hand out work, or to do it."""
    try:
        yield
    except TimeoutError as problem:
        raise Failed(NO_ANSWER) from problem
    except (OSError, CancelledError, RuntimeError) as problem:
        raise Failed(LOST) from problem


def run_calls(
    client: Client, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
) -> Iterator[Outcome]:
    """Run a task many times and yield each outcome as it comes, failures too.

    Args:
        client: who hands the work out.
        task: a function of a module, called as ``task(shared, *arguments)``.
        calls: key of each task -> its own arguments, small.
        shared: what every call needs; sent to each worker once.

    Raises:
        Failed: the scheduler was lost before tasks were handed out, or no worker came.
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
        time.sleep(tried)  # until the scheduler has noticed whom it lost


def _hand_out(
    client: Client,
    task: Callable[..., Any],
    calls: Mapping[str, tuple[Any, ...]],
    shared: Any,
    tried: int,
) -> Iterator[Outcome]:
    """Run each call once; one ends as lost if the last worker that had what they share is lost.

    What they share is not sent to all workers beforehand: Dask takes copies away again that no
    task waits for, so that sending them would begin anew for ever where it takes long.
    """
    if not calls:
        return
    with _explained():
        _await_workers(client)
        try:
            everywhere = _send(client, Shared(shared, storage.configured()))
        except TimeoutError:
            raise
        except OSError:  # whom it was to be given to is lost
            yield from (Outcome(key, None, Stranded(ALL_LOST)) for key in calls)
            return
        keys = [f"{key}-{tried}" for key in calls]
        own = zip(*calls.values(), strict=True)
        work = partial(_perform, task)
        futures = client.map(work, [everywhere] * len(keys), *own, key=keys, pure=False)
        names = dict(zip(futures, calls, strict=True))
        futures.clear()  # a result is forgotten by the cluster when nobody holds its future
        for future, result in _as_they_end(client, names):
            yield _outcome(names.pop(future), future, result)


def _perform(task: Callable[..., Any], shared: Shared, *arguments: Any) -> Any:
    return task(shared.on_worker(), *arguments)


def _await_workers(client: Client) -> None:
    """Wait until a worker is there.

    Raises:
        Failed: none came, or the software of one that came differs from the client's.
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
    """Send to a worker what all tasks share; those that need it fetch it from each other.

    Raises:
        Failed: nobody is left to take it, it took too long, or a worker cannot unpickle it.
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
    except Exception as problem:  # of a worker that cannot unpickle it
        check_newcomers(client, present(client))
        raise Failed(UNREAD.format(problem=" ".join(str(problem).split()))) from problem


def _as_they_end(client: Client, futures: Iterable[Future]) -> Iterator[tuple[Future, Any]]:
    """Yield futures and results as they end; give up where nobody is left to work on the others.

    Raises:
        Failed: no worker has been there for long, or one came whose software differs.
        TimeoutError: the scheduler hangs.
    """
    ending = as_completed(futures, with_results=True, raise_errors=False)
    alone = None
    silent = 0.0
    pause = SHORTEST_PAUSE
    while not ending.is_empty():
        ended = ending.next_batch(block=False)
        check_newcomers(client)  # who may be why a task failed
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
    """Whether the scheduler has a worker; that it was lost shows in the tasks' futures."""
    try:
        return bool(present(client))
    except TimeoutError:
        raise
    except OSError:
        return False


def _outcome(key: str, future: Future, result: Any) -> Outcome:
    """Tell how a task ended, of which Dask gives the result, or what it raised as for ``raise``."""
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
    """Send packets made of pieces to the places they name, by Dask's p2p shuffle.

    Args:
        client: who hands the work out.
        pack: ``pack(shared, piece)`` makes packets, each with the number of its place.
        pieces: what to make packets of.
        places: how many there are.
        unpack: ``unpack(shared, place, packets)`` takes all packets of a place, in the order of
            their pieces, and tells how much it took.
        shared: what every call needs; small.

    Returns:
        The sum of what ``unpack`` told.

    Raises:
        Refused, Failed: as ``pack`` and ``unpack`` do.
        Failed: the scheduler was lost, or no worker came.
    """
    everywhere = Shared(shared, storage.configured())
    taken = _exchanged(everywhere, pack, pieces, places, unpack)
    with _explained():
        _await_workers(client)
        # Two threads of a worker that import it at the same moment, as they begin, can fail.
        client.run(_import_frames)
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
    """Describe the exchange as a Dask data frame: a row for each place, with what it took."""
    import dask.dataframe as frames  # noqa: TID251  (imports pandas: only where rows travel)
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
    # A shared scheduler keeps results by what they are made of, so each attempt has its own name.
    attempt = uuid4().hex
    numbered = [(attempt, number, piece) for number, piece in enumerate(pieces)]
    shuffled = frames.from_map(make, numbered, meta=meta).shuffle(
        "place", npartitions=places, shuffle_method="p2p"
    )
    return shuffled.map_partitions(take, meta=pd.DataFrame({"took": [0]}))


def _import_frames() -> None:
    import dask.dataframe  # noqa: F401, TID251


def _cause(problem: BaseException) -> Refused | Failed:
    """What a task said, which Dask wraps into errors of its own."""
    cause: BaseException | None = problem
    while cause is not None and not isinstance(cause, Refused | Failed):
        cause = cause.__cause__
    said = " ".join(str(problem).split()) or type(problem).__name__
    return cause or Failed(f"rows could not travel: {said}; the same command goes on")
