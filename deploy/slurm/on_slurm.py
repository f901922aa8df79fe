"""Run a segscore command on workers that are Slurm jobs: `on_slurm.py WORKERS COMMAND…`.

DASK_CONFIG names jobqueue.yaml, which describes the job of a worker.
"""

import subprocess
import sys

from dask_jobqueue import SLURMCluster


def run(workers: int, command: list[str]) -> int:
    """Submit workers, run the command once the first has started, cancel them.

    Returns:
        The exit code of the command.
    """
    with SLURMCluster() as cluster:
        cluster.scale(jobs=workers)
        cluster.wait_for_workers(1)  # segscore waits only a minute; a queue may take hours
        cluster_option = ("--cluster", cluster.scheduler_address)
        return subprocess.run(["segscore", *command, *cluster_option], check=False).returncode  # noqa: S603, S607


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
