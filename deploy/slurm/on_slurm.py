"""Run a segscore command on workers that are Slurm jobs: `on_slurm.py WORKERS COMMAND…`.

DASK_CONFIG names jobqueue.yaml, which describes the job of a worker.
"""

import signal
import subprocess
import sys
import time

from dask_jobqueue import SLURMCluster
from dask_jobqueue.slurm import SLURMJob
from distributed import Status  # noqa: TID251

SUBMIT_SECONDS = 60
"""How long to wait until Slurm has accepted the job of a worker."""

refusals: list[str] = []
"""What Slurm said about the jobs that it refused."""


class WorkerJob(SLURMJob):
    """The job of a worker; keeps what Slurm says if it refuses the job."""

    async def start(self) -> None:
        """Submit the job."""
        try:
            await super().start()
        except (OSError, RuntimeError, ValueError) as problem:
            words = str(problem).partition("stderr:\n")[2].strip() or str(problem)
            refusals.append(" ".join(words.split()))
            self.status = Status.failed


class WorkerCluster(SLURMCluster):
    """A Dask cluster whose workers are Slurm jobs."""

    job_cls = WorkerJob


def wait_for_job(cluster: WorkerCluster, workers: int) -> None:
    """Wait until Slurm has accepted the job of a worker.

    Raises:
        SystemExit: Slurm refused all jobs, or accepted none for a minute.
    """
    deadline = time.monotonic() + SUBMIT_SECONDS
    while not any(job.job_id for job in list(cluster.workers.values())):
        if len(refusals) == workers or time.monotonic() > deadline:
            reason = "; ".join(dict.fromkeys(refusals)) or f"no answer for {SUBMIT_SECONDS} s"
            sys.exit(f"on_slurm.py: error: Slurm accepted no job of a worker: {reason}")
        time.sleep(0.1)


def run(workers: int, command: list[str]) -> int:
    """Submit workers, run the command once the first has started, cancel them.

    Returns:
        The exit code of the command.
    """
    with WorkerCluster() as cluster:
        cluster.scale(jobs=workers)
        wait_for_job(cluster, workers)
        cluster.wait_for_workers(1)  # segscore waits only a minute; a queue may take hours
        cluster_option = ("--cluster", cluster.scheduler_address)
        with subprocess.Popen(["segscore", *command, *cluster_option]) as process:  # noqa: S603, S607
            # The command ends by itself after SIGTERM; subprocess.run would kill it.
            signal.signal(signal.SIGTERM, lambda *_: process.terminate())
            return process.wait()


if __name__ == "__main__":
    # scancel sends SIGTERM; leaving the first block above cancels the workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
