"""What Dask itself costs a task: a scheduler in a process of its own, and many workers in another.

To the scheduler it makes no difference that its workers share a process.  Its work is told in
seconds of processor, so that it is known what one scheduler can do even where the machine is busy.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from benchmarks.timing import ROOT
from segscore.pipeline.runs import cluster

START_SECONDS = 60
ENDING_SECONDS = 0.05
"""More than a task that does nothing takes from its being handed out to its end."""

WORKERS = """
import asyncio, sys
from contextlib import AsyncExitStack
from distributed import Worker

async def work(address, count):
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(Worker(address, nthreads=1, memory_limit=0))
        print("there", flush=True)
        await asyncio.Event().wait()

asyncio.run(work(sys.argv[1], int(sys.argv[2])))
"""


@dataclass(frozen=True)
class Overhead:
    """What some tasks cost beyond their own work.

    Attributes:
        tasks: how many there were.
        seconds: until the client had all that they returned.
        scheduler, client, workers: seconds of processor, of each process.
    """

    tasks: int
    seconds: float
    scheduler: float
    client: float
    workers: float

    @property
    def each(self) -> float:
        """Seconds of processor a task, of all processes together."""
        return (self.scheduler + self.client + self.workers) / self.tasks


@dataclass(frozen=True)
class Place:
    """A running cluster.

    Attributes:
        address: of the scheduler.
        scheduler: its process.
        workers: the process of all workers.
    """

    address: str
    scheduler: psutil.Process
    workers: psutil.Process

    def run(self, tasks: int, seconds: float = 0, size: int = 100) -> Overhead:
        """Hand out tasks that sleep, and return random bytes.

        Args:
            tasks: how many.
            seconds: that each sleeps.
            size: bytes that each returns.
        """
        calls = {f"task-{number}": (seconds, size) for number in range(tasks)}
        with cluster.connect(self.address, None) as client:
            before = self._used()
            start = time.perf_counter()
            told = sum(len(each.receipt) for each in cluster.run_calls(client, sleep, calls, None))
            took = time.perf_counter() - start
            used = [after - then for after, then in zip(self._used(), before, strict=True)]
        assert told == tasks * size, "tasks were lost"
        return Overhead(tasks, took, *used)

    def drain(self, tasks: int, size: int = 100) -> float:
        """Seconds in which the client takes what a task returned, when all have long ended."""
        calls = {f"task-{number}": (0.0, size) for number in range(tasks)}
        with cluster.connect(self.address, None) as client:
            outcomes = cluster.run_calls(client, sleep, calls, None)
            next(outcomes)
            time.sleep(tasks * ENDING_SECONDS)
            start = time.perf_counter()
            rest = sum(1 for _ in outcomes)
            return (time.perf_counter() - start) / rest

    def idle(self, seconds: float) -> float:
        """Share of a processor that the scheduler takes with nothing to do."""
        before = self._used()[0]
        time.sleep(seconds)
        return (self._used()[0] - before) / seconds

    def _used(self) -> list[float]:
        mine = psutil.Process()
        times = [each.cpu_times() for each in (self.scheduler, mine, self.workers)]
        return [each.user + each.system for each in times]


def sleep(shared: None, seconds: float, size: int) -> bytes:  # noqa: ARG001  (as tasks are called)
    """Do nothing for a while; the task."""
    time.sleep(seconds)
    return os.urandom(size)


@contextmanager
def place(workers: int) -> Iterator[Place]:
    """A cluster on loopback, there until the block ends."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = Path(folder) / "scheduler.json"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_TEMPORARY_DIRECTORY": folder}

        def start(*command: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, *command],
                    cwd=ROOT,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            )
            stack.callback(process.kill)
            return process

        where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        head = start("-m", "dask", "scheduler", "--no-dashboard", *where)
        address = _address(file)
        hands = start("-c", WORKERS, address, str(workers))
        assert hands.stdout is not None
        if not hands.stdout.readline():
            raise RuntimeError("workers did not start")
        yield Place(address, psutil.Process(head.pid), psutil.Process(hands.pid))


def _address(file: Path) -> str:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if file.exists() and (text := file.read_text()).endswith("}"):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise TimeoutError(f"no scheduler in {START_SECONDS} s")
