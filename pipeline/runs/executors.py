"""Start what executes the tasks of a run: threads of this process, or a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from segscore.pipeline.errors import Refused
from segscore.pipeline.plain_text import has_secret
from segscore.pipeline.runs.executor import Executor
from segscore.pipeline.runs.planning import at_once
from segscore.pipeline.runs.processors import usable_processors


@contextmanager
def connect(cluster: str, workers: int | None, memory: int | None = None) -> Iterator[Executor]:
    """Start threads or a Dask cluster for one run, or connect to an existing cluster.

    Args:
        cluster: `local` (threads in this process), `processes`, or a scheduler's address.
        workers: number of threads or processes; None for one per processor.
        memory: bytes of memory that a worker may use; an existing cluster has its own limits.

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
        from segscore.pipeline.runs.threads import Threads

        with Threads(min(count, at_once(memory))) as threads:
            yield threads
    elif cluster == "processes" or "://" in cluster:
        from segscore.pipeline.runs.cluster import DaskCluster, dask_client  # imports Dask

        with dask_client(cluster, count, memory) as client:
            yield DaskCluster(client)
    else:
        raise Refused(
            f"--cluster {cluster}: must be local, processes, or an address (tcp://host:8786)"
        )
