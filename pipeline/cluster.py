"""The only module that imports Dask: where work runs, and how it is handed out."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pyarrow as pa
from dask.system import CPU_COUNT  # noqa: TID251
from dask.utils import parse_bytes  # noqa: TID251
from distributed import (  # noqa: TID251
    Client,
    Future,
    KilledWorker,
    LocalCluster,
    Worker,
    WorkerPlugin,
    as_completed,
)

from pipeline import storage
from pipeline.errors import Failed, Refused
from pipeline.planning import at_once

__all__ = ["Client", "Lost", "Outcome", "connect", "exchange", "spread"]

CONNECT_SECONDS = 10
ALONE_SECONDS = 60
"""How long tasks wait for a worker to come."""

NOBODY = (
    f"no worker has been there for {ALONE_SECONDS} s; parts that are done are kept: start workers "
    "and run the same command to go on"
)
LOST = (
    "the scheduler was lost, or a worker at a bad moment; parts that are done are kept: the same "
    "command goes on as soon as they run again"
)

ALL_LOST = "the scheduler was lost, or all workers were"

TRIES = 5
"""How often tasks are handed out that lost what they share, before that is told."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
"""Seconds between two looks at what has ended."""

LONG_SILENCE = 0.5
"""Seconds without any end after which the scheduler is asked whether anybody is left to work."""


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


class StoreOptions(WorkerPlugin):  # type: ignore[misc]
    """Tells workers how stores are reached, where that is not in their own environment."""

    name = "segscore-store-options"

    def __init__(self, options: dict[str, dict[str, Any]]) -> None:
        """Keep the options by protocol."""
        self.options = options

    def setup(self, worker: Worker) -> None:  # noqa: ARG002
        """Take up the options, in a worker's process."""
        storage.configure(self.options)


@contextmanager
def connect(where: str, workers: int | None, memory: int | None = None) -> Iterator[Client]:
    """Open a client and close it again.

    Args:
        where: `local` (threads in this process), `processes`, or a scheduler's `tcp://host:port`.
        workers: how many threads or processes; None for one a processor.
        memory: bytes a worker may take: fewer threads where they would not find room, and a
            process that takes more is started anew; a remote cluster has limits of its own.

    Raises:
        Refused: no such place, or no scheduler answers there.
        Failed: workers could not be started.
    """
    count = workers or CPU_COUNT
    _be_quiet()
    told = StoreOptions(storage.configured())
    if where == "local":
        threads = min(count, at_once(memory))
        with _local(processes=False, n_workers=1, threads_per_worker=threads) as client:
            yield client
    elif where == "processes":
        limit = "auto" if memory is None else memory
        shape = {"n_workers": count, "threads_per_worker": 1, "memory_limit": limit}
        with _local(processes=True, **shape) as client:
            with _explained():
                client.register_plugin(told)
            yield client
    elif "://" in where:
        with _remote(where) as client:
            with _explained():
                client.register_plugin(told)
            yield client
    else:
        raise Refused(
            f"--cluster {where}: must be local, processes, or an address (tcp://host:8786)"
        )


def bytes_of(option: str, text: str) -> int:
    """Read a number of bytes, with or without a unit.

    Raises:
        Refused: naming the option, if it is not one.
    """
    try:
        return int(parse_bytes(text))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be a number of bytes, such as 2GB") from problem


def _be_quiet() -> None:
    """A failed task, or a lost connection, is told once, by who collects the outcomes."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _explained() -> Iterator[None]:
    """Make one line of what Dask raises where nobody is left to hand out work, or to do it."""
    try:
        yield
    except TimeoutError as problem:
        raise Failed(NOBODY) from problem
    except (OSError, CancelledError, RuntimeError) as problem:
        raise Failed(LOST) from problem


@contextmanager
def _local(**shape: Any) -> Iterator[Client]:
    # Any free port: two runs on one machine must not complain about each other's.
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(LocalCluster(**shape, **quiet))
            client = stack.enter_context(Client(cluster))
        except (OSError, RuntimeError) as problem:
            raise Failed(f"workers could not be started ({problem}); run it again") from problem
        yield client


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as problem:
        raise Refused(
            f"--cluster {address}: no scheduler answers there; start one with `dask scheduler`, "
            "or leave the option out to run in this process"
        ) from problem
    with client:
        yield client


def spread(
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
    for tried in range(1, TRIES + 1):
        again = {}
        for outcome in _hand_out(client, task, left, shared, tried):
            lost = isinstance(outcome.error, Stranded) and client.status == "running"
            if lost and tried < TRIES:
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
        try:
            everywhere = client.scatter(shared, hash=False, timeout=ALONE_SECONDS)
        except TimeoutError:  # nobody came
            raise
        except OSError:  # whom it was to be given to is lost
            yield from (Outcome(key, None, Stranded(ALL_LOST)) for key in calls)
            return
        keys = [f"{key}-{tried}" for key in calls]
        own = zip(*calls.values(), strict=True)
        futures = client.map(task, [everywhere] * len(keys), *own, key=keys, pure=False)
        names = dict(zip(futures, calls, strict=True))
        futures.clear()  # a result is forgotten by the cluster when nobody holds its future
        for future, result in _as_they_end(client, names):
            yield _outcome(names.pop(future), future, result)


def _as_they_end(client: Client, futures: Iterable[Future]) -> Iterator[tuple[Future, Any]]:
    """Yield futures and results as they end; give up where nobody is left to work on the others."""
    ending = as_completed(futures, with_results=True, raise_errors=False)
    alone = None
    silent = 0.0
    pause = SHORTEST_PAUSE
    while not ending.is_empty():
        ended = ending.next_batch(block=False)
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
        if client.status == "running" and client.scheduler_info()["workers"]:
            alone = None
        elif alone is None:
            alone = time.monotonic()
        elif time.monotonic() - alone > ALONE_SECONDS:
            raise Failed(NOBODY)


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
    import dask.dataframe as frames  # noqa: TID251  (imports pandas: only where rows travel)
    import pandas as pd

    binary = pd.ArrowDtype(pa.large_binary())
    kinds = {"place": "int64", "piece": "int64", "packet": binary}

    def make(numbered: tuple[str, int, Any]) -> pd.DataFrame:
        _, number, piece = numbered
        made = pack(shared, piece)
        columns = {
            "place": [place for place, _ in made],
            "piece": [number] * len(made),
            "packet": [packet for _, packet in made],
        }
        return pd.DataFrame(columns).astype(kinds)

    def take(frame: pd.DataFrame) -> pd.DataFrame:
        ordered = frame.sort_values("piece")
        took = [
            unpack(shared, int(place), list(packets))
            for place, packets in ordered.groupby("place")["packet"]
        ]
        return pd.DataFrame({"took": [sum(took)]})

    meta = pd.DataFrame({name: [] for name in kinds}).astype(kinds)
    # Told apart from any other attempt: a shared scheduler keeps results by what they are made of.
    attempt = uuid4().hex
    numbered = [(attempt, number, piece) for number, piece in enumerate(pieces)]
    made = frames.from_map(make, numbered, meta=meta)
    shuffled = made.shuffle("place", npartitions=places, shuffle_method="p2p")
    taken = shuffled.map_partitions(take, meta=pd.DataFrame({"took": [0]}))
    with _explained():
        future = client.compute(taken)
        outcome = next(_outcome("", *ended) for ended in _as_they_end(client, [future]))
    if outcome.error is not None:
        raise _cause(outcome.error) from outcome.error
    return int(outcome.receipt["took"].sum())


def _cause(problem: BaseException) -> Refused | Failed:
    """What a task said, which Dask wraps into errors of its own."""
    cause: BaseException | None = problem
    while cause is not None and not isinstance(cause, Refused | Failed):
        cause = cause.__cause__
    said = " ".join(str(problem).split()) or type(problem).__name__
    return cause or Failed(f"rows could not travel: {said}; the same command goes on")
