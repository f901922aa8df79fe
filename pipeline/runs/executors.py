"""Start what executes the tasks of a run: threads of this process, or a Dask cluster."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused, require_extra
from segscore.pipeline.plain_text import has_secret
from segscore.pipeline.runs.executor import Executor, Outcome
from segscore.pipeline.runs.planning import at_once

_CGROUPS = "/sys/fs/cgroup"
_FIRST_VERSION = ("cpu,cpuacct", "cpuacct,cpu")
"""Folders of the processor's controller in the first version of control groups."""


@contextmanager
def connect(cluster: str, workers: int | None, memory: int | None = None) -> Iterator[Executor]:
    """Start threads or a Dask cluster for one run, or connect to an existing cluster.

    The cluster is `local` (threads in this process), `processes`, or a scheduler's address; by
    default, there is a worker for each processor. A worker may use ``memory`` bytes, unless it
    belongs to an existing cluster, which has its own limits.

    Raises:
        Refused: ``cluster`` is not valid, no scheduler answers, or its software differs from ours.
        Failed: workers could not be started.
    """
    if has_secret(cluster):
        raise Refused(
            f"--cluster {cluster}: contains a password, which schedulers do not ask for; to be "
            "sure who connects, use tls://host:port and [cluster] of --settings"
        )
    count = workers or usable_processors()
    if cluster == "local":
        with Threads(min(count, at_once(memory))) as threads:
            yield threads
    elif cluster == "processes" or "://" in cluster:
        certificates = ("cryptography",) if cluster == "processes" else ()
        require_extra(f"--cluster {cluster}", "cluster", "distributed", *certificates)
        from segscore.pipeline.runs.cluster import DaskCluster, dask_client  # imports Dask

        with dask_client(cluster, count, memory) as client:
            yield DaskCluster(client)
    else:
        raise Refused(
            f"--cluster {cluster}: must be local, processes, or an address (tcp://host:8786)"
        )


class Threads:
    """An ``Executor`` that runs tasks in threads; leaving its context waits for running tasks."""

    def __init__(self, count: int) -> None:
        """Create the executor of so many tasks at the same time."""
        self._pool = ThreadPoolExecutor(count, "segscore")
        self.at_once = count

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run_calls(
        self, task: Callable[..., Any], calls: Mapping[str, tuple[Any, ...]], shared: Any
    ) -> Iterator[Outcome]:
        """Run a task many times, as ``Executor`` describes."""
        keys = {
            self._pool.submit(task, shared, *arguments): key for key, arguments in calls.items()
        }
        for future in as_completed(list(keys)):
            key, error = keys.pop(future), future.exception()
            yield Outcome(key, future.result() if error is None else None, error)


def usable_processors() -> int:
    """Return the number of processors: all of them, or fewer by affinity or a container's quota."""
    affine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(affine or 1, _quota())


def _quota() -> int:
    """Return how many processors the control group may use, rounded up; no quota is a huge one."""
    for folder in _FIRST_VERSION:
        files = (f"{_CGROUPS}/{folder}/cpu.cfs_{name}_us" for name in ("quota", "period"))
        quota = _whole_processors([_text(file) for file in files])
        if quota is not None:
            return quota
    group = _text("/proc/self/cgroup").strip().rpartition(":")[2]
    limits = _text(storage.join(f"{_CGROUPS}{group}", "cpu.max")).split()
    return _whole_processors(limits) or sys.maxsize


def _text(path: str) -> str:
    """Return the text of a file of the system, empty if it cannot be read."""
    try:
        return storage.read_text(path) or ""
    except Refused:
        return ""


def _whole_processors(limits: list[str]) -> int | None:
    """Divide a quota by its period, both in microseconds; None if there is no quota."""
    try:
        quota, period = map(int, limits)
    except ValueError:
        return None
    return -(-quota // period) if quota > 0 < period else None
