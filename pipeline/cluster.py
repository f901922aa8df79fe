"""The only module that imports Dask: where work runs, and how it is handed out."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pyarrow as pa
from dask.system import CPU_COUNT  # noqa: TID251
from distributed import (  # noqa: TID251
    Client,
    Future,
    KilledWorker,
    LocalCluster,
    as_completed,
)

from pipeline.errors import Failed, Refused

__all__ = ["Client", "Lost", "Outcome", "connect", "exchange", "spread"]

CONNECT_SECONDS = 10
ALONE_SECONDS = 60
"""How long tasks wait for a worker to come."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.002, 0.1
"""Seconds between two looks at what has ended."""


class Lost(Exception):  # noqa: N818
    """A task ended because who worked on it, or handed it out, was lost."""


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


@contextmanager
def connect(where: str, workers: int | None) -> Iterator[Client]:
    """Open a client and close it again.

    Args:
        where: `local` (threads in this process), `processes`, or a scheduler's `tcp://host:port`.
        workers: how many threads or processes; None for one a processor.

    Raises:
        Refused: no such place, or no scheduler answers there.
    """
    count = workers or CPU_COUNT
    # A failed task is told once, by who collects the outcomes.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if where == "local":
        with _local(processes=False, n_workers=1, threads_per_worker=count) as client:
            yield client
    elif where == "processes":
        with _local(processes=True, n_workers=count, threads_per_worker=1) as client:
            yield client
    elif "://" in where:
        with _remote(where) as client:
            yield client
    else:
        raise Refused(
            f"--cluster {where}: must be local, processes, or an address (tcp://host:8786)"
        )


@contextmanager
def _local(**shape: Any) -> Iterator[Client]:
    # Any free port: two runs on one machine must not complain about each other's.
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with LocalCluster(**shape, **quiet) as cluster, Client(cluster) as client:
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
    """
    if not calls:
        return
    everywhere = client.scatter(shared, broadcast=True, hash=False)
    futures = {
        client.submit(task, everywhere, *arguments, key=key, pure=False): key
        for key, arguments in calls.items()
    }
    for future in _as_they_end(client, as_completed(futures)):
        error = _error(future)
        yield Outcome(futures[future], None if error else future.result(), error)
        future.release()


def _as_they_end(client: Client, ending: as_completed) -> Iterator[Future]:
    """Yield futures as they end; give up where nobody is left to work on the others."""
    alone = None
    pause = SHORTEST_PAUSE
    while not ending.is_empty():
        ended = ending.next_batch(block=False)
        yield from ended
        if ended:
            alone, pause = None, SHORTEST_PAUSE
            continue
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
        if client.status == "running" and client.scheduler_info()["workers"]:
            alone = None
        elif alone is None:
            alone = time.monotonic()
        elif time.monotonic() - alone > ALONE_SECONDS:
            raise Failed(
                f"no worker has been there for {ALONE_SECONDS} s; parts that are done are kept: "
                "start workers and run the same command to go on"
            )


def _error(future: Future) -> BaseException | None:
    if future.status == "finished":
        return None
    error = future.exception() if future.status == "error" else None
    if isinstance(error, KilledWorker):
        return Lost("the workers that tried it were lost, perhaps for want of memory")
    return error or Lost("the scheduler was lost")


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
    try:
        return int(client.compute(taken).result()["took"].sum())
    except Exception as problem:
        raise _cause(problem) from problem


def _cause(problem: BaseException) -> BaseException:
    """What a task said, which Dask wraps into errors of its own."""
    cause: BaseException | None = problem
    while cause is not None and not isinstance(cause, Refused | Failed):
        cause = cause.__cause__
    return problem if cause is None else cause
