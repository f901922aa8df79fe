"""Model of the time of a scoring run on a cluster of any size: a simulation of its tasks.

In a run the client works alone at first; then there are tasks, for which three servers process
one request at a time: the scheduler, the client and the store.  A request waits until its server
is free.  docs/scale.md explains what is measured and what is assumed.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from distributed.scheduler import heartbeat_interval  # noqa: TID251  (its interval for many workers)

from segscore.pipeline.runs.planning import ROWS_AT_ONCE, Limits, shuffled_at_once

SMALL = 1000
"""Bytes of a receipt that only names what its task saved."""


@dataclass(frozen=True)
class Measured:
    """Measurements of this machine, all from a run of ``benchmarks.scale``.

    Attributes:
        tasks: processor seconds of tasks of ROWS_AT_ONCE hypotheses, without ``read_packet``.
        survey: processor seconds to read and validate the references of one of them.
        start: seconds of a run with almost no input.
        plan: client seconds per part, to find and claim it.
        merge: client seconds per part, to add its sums.
        output: bytes of the files of a part with its scores.
        sums: bytes of the files with a part's sums and receipt.
        receipt: bytes that a task returns through the scheduler.
        memory: bytes of a process.
        scheduler: processor seconds of the scheduler per task.
        client: processor seconds of the client per task; receipts are received one at a time.
        scheduler_byte, client_byte: the same per byte of the receipt.
        beat: scheduler seconds per heartbeat of a worker.
        exchange: seconds of a shuffle of almost no rows.
        pack: processor seconds of workers per shuffled row, to read, pack and write it.
        packet: additional processor seconds per packet of rows.
        read_packet: processor seconds of a task and a survey per packet that they read.
        shuffled_row: bytes of a shuffled row.
        attending: processor seconds of a process with client and scheduler per part that is scored
            here, most of them for waiting; only the validation needs them.
    """

    tasks: tuple[float, ...]
    survey: float
    start: float
    plan: float
    merge: float
    output: float
    sums: float
    receipt: float
    memory: float
    scheduler: float
    client: float
    scheduler_byte: float
    client_byte: float
    beat: float
    exchange: float
    pack: float
    packet: float
    read_packet: float
    shuffled_row: float
    attending: float = 0.0


@dataclass(frozen=True)
class Assumed:
    """Assumptions about a cluster.

    Attributes:
        network: bytes per second of a host, in each direction.
        workers_per_host: single-threaded processes per host.
        store: bytes per second of the store, for all workers together.
        request: seconds until the store responds.
        memory: bytes of memory of a worker.
        pairs_per_reference: hypotheses per reference.
        speed: speed of its processors, relative to this machine's.
    """

    network: float = 1.25e9
    workers_per_host: int = 8
    store: float = 10e9
    request: float = 0.03
    memory: float = 8e9
    pairs_per_reference: int = 4
    speed: float = 1.0


@dataclass(frozen=True)
class Design:
    """How a run is organised.

    Attributes:
        name: name of the design.
        together: number of sums that one task, or the client, adds up.
        rows: rows of a part; None for as many as segscore chooses.
    """

    name: str
    together: int = 16
    rows: int | None = None

    def part_of(self, pairs: float) -> int:
        """Return the rows of a part in a run of so many pairs."""
        return self.rows or Limits().part_of(math.ceil(pairs))


@dataclass
class Server:
    """A server that processes one request at a time."""

    name: str
    free: float = 0.0
    busy: float = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Return when a request that arrives now is done."""
        self.busy += seconds
        self.free = max(now, self.free) + seconds
        return self.free


@dataclass(frozen=True)
class Prediction:
    """Prediction for a run.

    Attributes:
        stages: seconds of each stage, in order.
        busy: share of the time of the stages with tasks in which each server is busy.
        work: seconds that one worker would need for all tasks.
        workers: number of workers.
        memory: bytes that a worker needs.
        fits: whether a worker has that much memory.
    """

    stages: dict[str, float]
    busy: dict[str, float]
    work: float
    workers: int
    memory: float
    fits: bool

    @property
    def seconds(self) -> float:
        """Seconds of the whole run."""
        return sum(self.stages.values())

    @property
    def efficiency(self) -> float:
        """Share of the workers' time spent on tasks."""
        return self.work / (self.workers * self.seconds)

    @property
    def limit(self) -> str:
        """The bottleneck: a stage before or after the tasks, a busy server, or the workers."""
        stage = max(self.stages, key=lambda name: self.stages[name])
        if stage != "tasks":
            return stage
        server = max(self.busy, key=lambda name: self.busy[name])
        return server if self.busy[server] > 0.9 else "workers"


@dataclass
class Cluster:
    """The servers of a run, and the time of their requests."""

    measured: Measured
    assumed: Assumed
    workers: int

    def __post_init__(self) -> None:
        self.scheduler, self.client, self.store = map(Server, ("scheduler", "client", "store"))
        self.random = np.random.default_rng(0)
        beats = self.workers / heartbeat_interval(self.workers)
        self.slowed = 1 / max(0.05, 1 - self.measured.beat * beats)
        self.link = self.assumed.network / min(self.assumed.workers_per_host, self.workers)

    def assign_task(self, now: float) -> float:
        """Return when a worker that is free now has its next task."""
        return self.scheduler.serve(now, self.measured.scheduler / 2 * self.slowed)

    def transfer(self, now: float, size: float) -> float:
        """Return when a transfer between a worker and the store is done."""
        served = self.store.serve(now, size / self.assumed.store)
        return max(served, now + size / self.link) + self.assumed.request

    def return_receipt(self, now: float, size: float) -> None:
        """Finish a task: the scheduler receives its receipt, then the client."""
        m = self.measured
        reading = max(m.scheduler_byte, 1 / self.assumed.network) * size
        passed_on = self.scheduler.serve(now, (m.scheduler / 2 + reading) * self.slowed)
        self.client.serve(passed_on, m.client + max(m.client_byte, 1 / self.assumed.network) * size)

    def run(
        self, start: float, tasks: list[float], read: float, written: float, receipt: float
    ) -> float:
        """Simulate tasks: a worker takes the next one when it has written the output of the last.

        Args:
            start: when the first task can start.
            tasks: working seconds of each task.
            read: bytes that each task reads from the store.
            written: bytes that each task writes to the store.
            receipt: bytes that each task returns.

        Returns:
            When the client has all receipts.
        """
        waiting = iter(tasks)
        events = [(start, worker, "free") for worker in range(min(self.workers, len(tasks)))]
        running: dict[int, float] = {}
        while events:
            now, worker, event = heapq.heappop(events)
            if event == "free":
                seconds = next(waiting, None)
                if seconds is not None:
                    running[worker] = seconds
                    heapq.heappush(events, (self.assign_task(now), worker, "read"))
            elif event == "read":
                heapq.heappush(
                    events, (self.transfer(now, read) + running[worker], worker, "write")
                )
            elif event == "write":
                heapq.heappush(events, (self.transfer(now, written), worker, "done"))
            else:
                self.return_receipt(now, receipt)
                heapq.heappush(events, (now, worker, "free"))
        return max(self.scheduler.free, self.client.free)

    def draw(self, measured: Sequence[float], count: int, rows: int) -> list[float]:
        """Draw the seconds of tasks from those measured."""
        scale = rows / ROWS_AT_ONCE / self.assumed.speed
        return [*(self.random.choice(measured, count) * scale)]


@cache
def predict(
    measured: Measured, assumed: Assumed, design: Design, pairs: float, workers: int
) -> Prediction:
    """Predict the time and memory of a run.

    Args:
        measured: measurements of one machine.
        assumed: assumptions about the cluster.
        design: how the run is organised.
        pairs: number of hypotheses, each with one reference.
        workers: number of single-threaded processes.
    """
    rows = design.part_of(pairs)
    parts = max(1, math.ceil(pairs / rows))
    references = pairs / assumed.pairs_per_reference
    cluster = Cluster(measured, assumed, workers)
    stages = {
        "start": measured.start + measured.plan * parts / assumed.speed,
        **_shuffle(cluster, references + pairs, parts, rows),
    }
    stages |= _survey(cluster, parts, rows)
    reading = (
        measured.read_packet * shuffle_batches(references + pairs, parts, rows) / assumed.speed
    )
    tasks = [reading + work for work in cluster.draw(measured.tasks, parts, rows)]
    stages["tasks"] = _score(cluster, tasks, rows)
    stages["adding up"] = _add_up(cluster, design, parts)
    span = sum(stages.get(name, 0.0) for name in ("surveying", "tasks", "adding up"))
    servers = (cluster.scheduler, cluster.client, cluster.store)
    busy = {server.name: server.busy / span for server in servers}
    fits = measured.memory <= assumed.memory
    return Prediction(stages, busy, sum(tasks), workers, measured.memory, fits)


def shuffle_batches(rows: float, parts: int, rows_per_part: int) -> int:
    """Return the batches of shuffled rows; each brings one packet to every part."""
    return math.ceil(rows / shuffled_at_once(rows_per_part, parts))


def _shuffle(cluster: Cluster, rows: float, parts: int, at_once: int) -> dict[str, float]:
    """Write the rows of both sides to the store, divided by document."""
    m = cluster.measured
    batches = shuffle_batches(rows, parts, at_once)
    work = (m.pack * rows + m.packet * batches * parts) / cluster.assumed.speed
    volume = m.shuffled_row * rows
    return {
        "shuffling": m.exchange
        + max(
            work / cluster.workers,
            volume / cluster.assumed.store,
            batches * m.scheduler,
        )
    }


def _survey(cluster: Cluster, parts: int, rows: int) -> dict[str, float]:
    """Read the shuffled references of each part, to count what depends on all of them."""
    surveys = cluster.draw([cluster.measured.survey], parts, rows)
    references = rows / cluster.assumed.pairs_per_reference
    end = cluster.run(0, surveys, cluster.measured.shuffled_row * references, 0, SMALL)
    return {"surveying": end}


def _score(cluster: Cluster, tasks: list[float], rows: int) -> float:
    """Return the seconds of the tasks that score, which begin when the servers are free."""
    m, scale = cluster.measured, rows / ROWS_AT_ONCE
    start = max(cluster.scheduler.free, cluster.client.free)
    shuffled = m.shuffled_row * rows * (1 + 1 / cluster.assumed.pairs_per_reference)
    end = cluster.run(start, tasks, shuffled, m.output * scale + m.sums, m.receipt)
    return end - start


def _add_up(cluster: Cluster, design: Design, parts: int) -> float:
    """Return the seconds in which rounds of tasks add up sums, and the client the last of them."""
    m, speed = cluster.measured, cluster.assumed.speed
    start = end = max(cluster.scheduler.free, cluster.client.free)
    while parts > design.together:
        batches = math.ceil(parts / design.together)
        work = [design.together * (m.merge / speed + cluster.assumed.request)] * batches
        end = cluster.run(end, work, design.together * m.sums, m.sums, SMALL)
        parts = batches
    merging = m.sums / cluster.assumed.network + cluster.assumed.request / 8 + m.merge / speed
    return end - start + parts * merging
