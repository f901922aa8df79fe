"""What a scoring run costs on a cluster of any size: its task graph played through, event by event.

A run is a client that works alone, then tasks that three servers serve one request after another:
the scheduler, the client and the store.  Each has its own clock; a request waits until the server
is free.  Docs/scale.md says what is measured and what is assumed.
"""

import heapq
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from distributed.scheduler import heartbeat_interval  # noqa: TID251  (its rule for many workers)

from segscore.pipeline.runs.planning import LIMITS


@dataclass(frozen=True)
class Measured:
    """What this machine took; every figure is from a run of ``benchmarks.scale``.

    Attributes:
        tasks: seconds of tasks of LIMITS.rows_per_part hypotheses, one worker alone on the machine.
        start: seconds of a run that has next to nothing to do.
        plan: seconds of the client for each part, to find and claim it.
        reference: seconds of the client for each reference, to read and accept it.
        merge: seconds of the client for each part, to add up its sums.
        input, output: bytes of a part, as files: hypotheses; scores.
        sums: bytes of a part's sums and receipt, as files.
        receipt: bytes of what a task returns through the scheduler.
        shared: bytes that every worker gets, for each reference.
        memory: bytes of a process beyond what it holds for each reference.
        scheduler: seconds of its processor for each task.
        client: seconds for each receipt, which it takes one after the other.
        scheduler_byte, client_byte: and for each byte of the receipt.
        beat: seconds of the scheduler for each heartbeat of a worker.
        pack: seconds of a worker for each row that travels, read, packed, unpacked and written.
        packet: seconds for each packet of rows beyond these.
        travelling: bytes of a row that travels.
    """

    tasks: tuple[float, ...]
    start: float
    plan: float
    reference: float
    merge: float
    input: float
    output: float
    sums: float
    receipt: float
    shared: float
    memory: float
    scheduler: float
    client: float
    scheduler_byte: float
    client_byte: float
    beat: float
    pack: float
    packet: float
    travelling: float

    @property
    def task(self) -> float:
        """Mean seconds of a task."""
        return sum(self.tasks) / len(self.tasks)


@dataclass(frozen=True)
class Assumed:
    """What a cluster is taken to have.

    Attributes:
        network: bytes a second of a host, each way.
        workers_per_host: processes of one thread on a host.
        store: bytes a second of the store, to all workers together.
        request: seconds until the store begins to answer.
        memory: bytes of memory of a worker.
        pairs_per_reference: hypotheses that each reference meets.
        speed: of its processors, over this machine's.
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
    """How the work is done.

    Attributes:
        name: of the design.
        together: parts whose sums one task adds up.
        travel: whether references meet hypotheses by a shuffle, not at every worker.
        rows: of a part.
    """

    name: str
    together: int = 64
    travel: bool = False
    rows: int = LIMITS.rows_per_part


@dataclass
class Server:
    """Who serves one request after another."""

    name: str
    free: float = 0.0
    busy: float = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """When a request that comes now is done."""
        self.busy += seconds
        self.free = max(now, self.free) + seconds
        return self.free


@dataclass(frozen=True)
class Plan:
    """What a run is predicted to take.

    Attributes:
        stages: seconds of each, in order.
        busy: share of the time of the stages with tasks that each server was busy.
        work: seconds one worker would work on the tasks alone.
        workers: how many there are.
        memory: bytes that a worker needs.
        fits: whether it has them.
    """

    stages: dict[str, float]
    busy: dict[str, float]
    work: float
    workers: int
    memory: float
    fits: bool

    @property
    def seconds(self) -> float:
        """Of the whole run."""
        return sum(self.stages.values())

    @property
    def efficiency(self) -> float:
        """Share of the workers' time that is work on tasks."""
        return self.work / (self.workers * self.seconds)

    @property
    def limit(self) -> str:
        """What most of the time goes to: a stage before or after the tasks, or a busy server."""
        stage = max(self.stages, key=lambda name: self.stages[name])
        if stage != "tasks":
            return stage
        server = max(self.busy, key=lambda name: self.busy[name])
        return server if self.busy[server] > 0.9 else "workers"


@dataclass
class Cluster:
    """The servers of a run, and what they take for a request."""

    measured: Measured
    assumed: Assumed
    workers: int

    def __post_init__(self) -> None:
        self.scheduler, self.client, self.store = map(Server, ("scheduler", "client", "store"))
        self.random = np.random.default_rng(0)
        beats = self.workers / heartbeat_interval(self.workers)
        self.slowed = 1 / max(0.05, 1 - self.measured.beat * beats)
        self.link = self.assumed.network / min(self.assumed.workers_per_host, self.workers)

    def handed_out(self, now: float) -> float:
        """When a worker that is free has its next task."""
        return self.scheduler.serve(now, self.measured.scheduler / 2 * self.slowed)

    def moved(self, now: float, size: float) -> float:
        """When bytes are moved between a worker and the store."""
        served = self.store.serve(now, size / self.assumed.store)
        return max(served, now + size / self.link) + self.assumed.request

    def told(self, now: float, size: float) -> None:
        """A task is done: the scheduler takes what it returned, then the client."""
        m = self.measured
        each = max(m.scheduler_byte, 1 / self.assumed.network) * size
        at = self.scheduler.serve(now, (m.scheduler / 2 + each) * self.slowed)
        self.client.serve(at, m.client + max(m.client_byte, 1 / self.assumed.network) * size)

    def run(
        self, start: float, tasks: list[float], read: float, written: float, told: float
    ) -> float:
        """Play tasks through: a worker takes the next when it has written what the last made.

        Args:
            start: when the first can begin.
            tasks: seconds that each works.
            read: bytes that each reads from the store.
            written: bytes that each writes there.
            told: bytes that each returns.

        Returns:
            When the client has heard of all.
        """
        waiting = iter(tasks)
        events = [(start, worker, "free") for worker in range(min(self.workers, len(tasks)))]
        running: dict[int, float] = {}
        while events:
            now, worker, what = heapq.heappop(events)
            if what == "free":
                seconds = next(waiting, None)
                if seconds is not None:
                    running[worker] = seconds
                    heapq.heappush(events, (self.handed_out(now), worker, "read"))
            elif what == "read":
                heapq.heappush(events, (self.moved(now, read) + running[worker], worker, "write"))
            elif what == "write":
                heapq.heappush(events, (self.moved(now, written), worker, "done"))
            else:
                self.told(now, told)
                heapq.heappush(events, (now, worker, "free"))
        return max(self.scheduler.free, self.client.free)

    def draw(self, count: int, rows: int) -> list[float]:
        """Seconds of tasks, drawn from those measured."""
        scale = rows / LIMITS.rows_per_part / self.assumed.speed
        return [*(self.random.choice(self.measured.tasks, count) * scale)]


@cache
def plan(measured: Measured, assumed: Assumed, design: Design, pairs: float, workers: int) -> Plan:
    """Predict a run.

    Args:
        measured: on one machine.
        assumed: of the cluster.
        design: how the work is done.
        pairs: hypotheses, each with one reference.
        workers: processes of one thread.
    """
    parts = max(1, math.ceil(pairs / design.rows))
    references = pairs / assumed.pairs_per_reference
    there = Cluster(measured, assumed, workers)
    stages = {
        "start": measured.start + measured.plan * parts / assumed.speed,
        **(
            _travel(there, references + pairs, parts) if design.travel else _send(there, references)
        ),
    }
    grow = design.rows / LIMITS.rows_per_part
    tasks = there.draw(parts, design.rows)
    read = measured.input * grow
    if design.travel:
        read += measured.travelling * design.rows / assumed.pairs_per_reference
    stages["tasks"] = there.run(
        0, tasks, read, measured.output * grow + measured.sums, measured.receipt
    )
    stages["adding up"] = _add_up(there, design, parts)
    span = stages["tasks"] + stages["adding up"]
    busy = {each.name: each.busy / span for each in (there.scheduler, there.client, there.store)}
    kept = 0.0 if design.travel else measured.shared * references
    need = measured.memory + kept
    return Plan(stages, busy, sum(tasks), workers, need, need <= assumed.memory)


def _send(there: Cluster, references: float) -> dict[str, float]:
    """The client reads the references, and every worker gets all: a tree of two new ones each."""
    size = there.measured.shared * references
    rounds = 1 + math.ceil(math.log(there.workers, 3)) if there.workers > 1 else 1
    return {
        "references": there.measured.reference * references / there.assumed.speed,
        "sending": (1 + 2 * (rounds - 1)) * size / there.assumed.network,
    }


def _travel(there: Cluster, rows: float, parts: int) -> dict[str, float]:
    """Rows of both sides go to the worker of their document, and from there to the store."""
    m = there.measured
    slices = math.ceil(rows / LIMITS.rows_per_part)
    work = (m.pack * rows + m.packet * slices * parts) / there.assumed.speed
    volume = m.travelling * rows
    hosts = math.ceil(there.workers / there.assumed.workers_per_host)
    return {
        "travelling": max(
            work / there.workers,
            volume / (hosts * there.assumed.network),
            2 * volume / there.assumed.store,
            (slices + parts) * m.scheduler,
        )
    }


def _add_up(there: Cluster, design: Design, parts: int) -> float:
    """Seconds until tasks have added up the sums of some parts each, and the client those."""
    m, speed = there.measured, there.assumed.speed
    groups = math.ceil(parts / design.together)
    begun = max(there.scheduler.free, there.client.free)
    together = min(design.together, parts)
    work = [together * (m.merge / speed + there.assumed.request)] * groups
    ended = there.run(begun, work, together * m.sums, m.sums, m.receipt)
    alone = m.sums / there.assumed.network + there.assumed.request / 8 + m.merge / speed
    return ended - begun + groups * alone
