"""`on_slurm.py WORKERS COMMAND…` runs a command of segscore on workers that are Slurm jobs.

DASK_CONFIG names jobqueue.yaml, which says what a worker's job is.
"""

import subprocess
import sys

from dask_jobqueue import SLURMCluster


def run(workers: int, command: list[str]) -> int:
    """Submit workers, run the command when the first is there, cancel them; its exit code."""
    with SLURMCluster() as cluster:
        cluster.scale(jobs=workers)
        cluster.wait_for_workers(1)  # segscore waits a minute, a queue may take hours
        place = ("--cluster", cluster.scheduler_address)
        return subprocess.run(["segscore", *command, *place], check=False).returncode  # noqa: S603, S607


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
