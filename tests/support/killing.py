"""The processes of a run, real ones on loopback: started, found, killed, started again."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.support.driven import FaultPlan, wait
from tests.support.servers import free_ports

PYTHON = sys.executable
DASK = [PYTHON, "-m", "dask"]
SPAWNED = "spawn_main"
CLIENT, WORKER, SCHEDULER = "client", "worker", "scheduler"


@dataclass(frozen=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


class Command:
    """`segscore ARGUMENTS` in a process of its own: forked, or begun with the prefix ``within``."""

    def __init__(
        self, fault_plan: FaultPlan, *arguments: object, within: Sequence[str] = ()
    ) -> None:
        folder = Path(fault_plan.folder)
        self.log = folder / f"command-{len(list(folder.glob('command-*.out')))}"
        words, environment = [*map(str, arguments)], fault_plan.environment()
        streams = self.log.with_suffix(".out"), self.log.with_suffix(".err")
        self.process: OwnProcess = (
            _started([*within, PYTHON, "-m", "tests.support.driven", *words], environment, *streams)
            if within
            else ForkedProcess("segscore", words, environment, *streams)
        )

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()

    def terminate(self) -> None:
        """Send it SIGTERM."""
        os.kill(self.process.pid, signal.SIGTERM)

    def result(self) -> CommandResult:
        """Wait for it; kill it and fail the test if it hangs."""
        try:
            wait(lambda: not self.running, "the command ended")
        finally:
            self.kill()
        outputs = [self.log.with_suffix(end).read_text() for end in (".out", ".err")]
        return CommandResult(self.process.returncode, *outputs)


FORKS = multiprocessing.get_context("forkserver")
IMPORTED = [
    "distributed.cli.dask_scheduler",
    "distributed.cli.dask_worker",
    "numba",
    "segscore.jobs.cli.app",
    "segscore.jobs.nightly",
    "segscore.pipeline.agreement.run",
    "segscore.pipeline.runs.cluster",
    "segscore.pipeline.runs.executors",
    "segscore.pipeline.scoring.run",
    __name__,
]
"""Modules of clients, workers and schedulers, which are imported once for all of them."""


class ForkedProcess:
    """A process forked from one that has imported everything, with the interface of ``Popen``."""

    def __init__(
        self,
        program: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        out: Path,
        err: Path,
    ) -> None:
        for file in (out, err):  # they exist even if it is killed before it opens them
            file.touch()
        FORKS.set_forkserver_preload(IMPORTED)
        given = (program, arguments, environment, out, err)
        self.process = FORKS.Process(target=_run_forked, args=given)
        self.process.start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self) -> int:
        """Exit code; negative for a signal."""
        assert self.process.exitcode is not None
        return self.process.exitcode

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()

    def wait(self) -> None:
        """Wait for its end."""
        self.process.join()


def _run_forked(
    program: str, arguments: Sequence[str], environment: Mapping[str, str], out: Path, err: Path
) -> None:
    """Run `segscore`, or Dask's `worker` or `scheduler`, as a process that starts does."""
    import dask  # noqa: TID251

    os.environ.clear()
    os.environ.update(environment)
    os.chdir(out.parent)
    for number, file in enumerate((out, err), 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND), number)
    dask.config.refresh()  # it has read the variables of another environment
    if program == "segscore":
        from tests.support import driven

        sys.argv = ["segscore", *arguments]
        driven.main()
    else:
        import_module(f"distributed.cli.dask_{program}").main([*arguments])


def _started(
    command: Sequence[str], environment: Mapping[str, str], out: Path, err: Path
) -> "subprocess.Popen[bytes]":
    """Start a process that imports everything itself."""
    with out.open("ab") as output, err.open("ab") as errors:
        return subprocess.Popen(
            command, cwd=out.parent, env=environment, stdout=output, stderr=errors
        )


OwnProcess = subprocess.Popen[bytes] | ForkedProcess


def kill(pid: int) -> bool:
    """Kill a process; return whether it existed."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def spawned(process: int) -> list[int]:
    """Return the worker processes that a client has started."""
    with suppress(psutil.Error):
        children = psutil.Process(process).children(recursive=True)
        return [process.pid for process in children if _is_worker(process)]
    return []


def _is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return any(SPAWNED in word for word in process.cmdline())
    return False


class Cluster:
    """A real scheduler and real workers; killed ones stay dead until they are restarted."""

    def __init__(
        self, fault_plan: FaultPlan, workers: int = 2, threads: int = 1, memory: int | None = None
    ) -> None:
        self.fault_plan = fault_plan
        self.folder = Path(fault_plan.folder)
        self.address = f"tcp://127.0.0.1:{free_ports(1)[0]}"
        self.count = workers
        self.threads, self.memory = threads, memory
        self.scheduler: OwnProcess | None = None
        self.workers: list[OwnProcess] = []
        self.starts = 0
        self.scheduler_environment: Mapping[str, str] | None = None

    def _start(
        self, program: str, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> OwnProcess:
        self.starts += 1
        log = self.folder / f"{program}-{self.starts}.log"
        words = [*arguments, "--no-dashboard"]
        if environment is not None:
            return _started([*DASK, program, *words], environment, log, log)
        return ForkedProcess(program, words, self.fault_plan.environment(), log, log)

    def restart(self) -> None:
        """Start what does not run, and wait until all are connected."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.stop()  # workers of a lost scheduler end by themselves after some time
            file = self.folder / "scheduler.json"
            file.unlink(missing_ok=True)
            port = self.address.rpartition(":")[2]
            places = ["--host", "127.0.0.1", "--port", port, "--scheduler-file", str(file)]
            self.scheduler = self._start(
                "scheduler", *places, environment=self.scheduler_environment
            )
            wait(lambda: _address(file), "the scheduler started")
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < self.count:
            self.start_worker()

    def start_worker(self, environment: Mapping[str, str] | None = None) -> OwnProcess:
        """Start one more worker, in the environment of the others unless another is given."""
        nanny = ("--no-nanny",) if self.memory is None else ("--memory-limit", str(self.memory))
        options = ("--nthreads", str(self.threads), *nanny)
        process = self._start("worker", self.address, *options, environment=environment)
        self.workers.append(process)
        return process

    def kill_workers(self) -> None:
        """Kill all workers."""
        _end(self.workers)
        self.workers = []

    def kill_scheduler(self) -> None:
        """Kill the scheduler alone."""
        assert self.scheduler is not None
        _end([self.scheduler])

    def stop(self) -> None:
        """Kill every process."""
        self.kill_workers()
        if self.scheduler is not None:
            _end([self.scheduler])


def _address(file: Path) -> object:
    with suppress(OSError, ValueError):
        return json.loads(file.read_text())["address"]
    return None


def _end(processes: list[OwnProcess]) -> None:
    for process in processes:
        process.kill()
        process.wait()


@contextmanager
def cluster(
    fault_plan: FaultPlan, workers: int = 2, threads: int = 1, memory: int | None = None
) -> Iterator[Cluster]:
    """Run a cluster until the block ends; a nanny restarts a worker that uses more ``memory``."""
    new_cluster = Cluster(fault_plan, workers, threads, memory)
    try:
        new_cluster.restart()
        yield new_cluster
    finally:
        new_cluster.stop()
