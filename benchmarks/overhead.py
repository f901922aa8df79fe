"""The overhead of Dask per task: a scheduler in one process, and many workers in another.

For the scheduler it makes no difference that its workers share a process.  Its work is measured in
processor seconds, so that the limit of one scheduler is known even if the machine is busy.
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
from segscore.pipeline.runs import executors

START_SECONDS = 60

WORKERS = """
import asyncio, sys
from contextlib import AsyncExitStack
from distributed import Worker

async def work(address, count):
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(Worker(address, nthreads=1, memory_limit=0))
        print("started", flush=True)
        await asyncio.Event().wait()

asyncio.run(work(sys.argv[1], int(sys.argv[2])))
"""


@dataclass(frozen=True)
class Overhead:
    """Measurements of a number of tasks.

    Attributes:
        tasks: number of tasks.
        seconds: seconds until the client had all results.
        scheduler, client, workers: processor seconds of each process.
    """

    tasks: int
    seconds: float
    scheduler: float
    client: float
    workers: float

    @property
    def per_task(self) -> float:
        """Processor seconds per task, of all processes together."""
        return (self.scheduler + self.client + self.workers) / self.tasks


@dataclass(frozen=True)
class LocalCluster:
    """A running cluster.

    Attributes:
        address: address of the scheduler.
        scheduler: process of the scheduler.
        workers: process of all workers.
    """

    address: str
    scheduler: psutil.Process
    workers: psutil.Process

    def run(self, tasks: int, seconds: float = 0, size: int = 100) -> Overhead:
        """Run tasks that sleep and return random bytes.

        Args:
            tasks: number of tasks.
            seconds: seconds that each task sleeps.
            size: bytes that each task returns.
        """
        calls = {f"task-{number}": (seconds, size) for number in range(tasks)}
        with executors.connect(self.address, None) as executor:
            before = self._used()
            start = time.perf_counter()
            outcomes = executor.run_calls(sleep, calls, None)
            received = sum(len(outcome.receipt) for outcome in outcomes)
            elapsed = time.perf_counter() - start
            used = [end - begin for end, begin in zip(self._used(), before, strict=True)]
        assert received == tasks * size, "tasks were lost"
        return Overhead(tasks, elapsed, *used)

    def idle(self, seconds: float) -> float:
        """Return the share of a processor that the scheduler uses when idle."""
        before = self._used()[0]
        time.sleep(seconds)
        return (self._used()[0] - before) / seconds

    def _used(self) -> list[float]:
        processes = (self.scheduler, psutil.Process(), self.workers)
        times = [process.cpu_times() for process in processes]
        return [cpu.user + cpu.system for cpu in times]


def sleep(shared: None, seconds: float, size: int) -> bytes:  # noqa: ARG001  (the signature of tasks)
    """Sleep, and return random bytes: the task."""
    time.sleep(seconds)
    return os.urandom(size)


@contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """Start a cluster on loopback, and stop it when the block ends."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = Path(folder) / "scheduler.json"
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DASK_TEMPORARY_DIRECTORY": folder,
            # Each worker samples what it does, which here all of them would do in one process.
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }

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

        options = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        scheduler = start("-m", "dask", "scheduler", "--no-dashboard", *options)
        address = _address(file)
        processes = start("-c", WORKERS, address, str(workers))
        assert processes.stdout is not None
        if not processes.stdout.readline():
            raise RuntimeError("workers did not start")
        yield LocalCluster(address, psutil.Process(scheduler.pid), psutil.Process(processes.pid))


def _address(file: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).endswith("}"):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise TimeoutError(f"the scheduler did not start in {START_SECONDS} s")
