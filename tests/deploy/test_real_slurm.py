"""deploy/slurm/ on a real Slurm: run, cancelled and resumed, and refused."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import private_machine
from tests.support.command_line import Segscore
from tests.support.deployed import DEPLOY
from tests.support.driven import FaultPlan, Gate, wait
from tests.support.promises import require_same
from tests.support.resuming import Workspace
from tests.support.slurm import PROGRAMS, Slurm, slurm

REFUSAL = private_machine.refusal(*PROGRAMS)
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"no Slurm here ({REFUSAL})")

WORKERS = 2
DRIVEN = f'#!/bin/sh\nexec {sys.executable} -m tests.support.driven "$@"\n'
REFUSED = (
    "Slurm accepted no job of a worker: sbatch: error: invalid partition specified: absent "
    "sbatch: error: Batch job submission failed: Invalid partition name specified"
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """A controller and two nodes."""
    with slurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture
def workspace(segscore: Segscore, tmp_path: Path) -> Iterator[Workspace]:
    """A corpus of small parts, and the folder of its run."""
    with Workspace(tmp_path, segscore) as ready:
        yield ready


@pytest.fixture
def submitting(workspace: Workspace) -> Path:
    """The folder of the examples, as a user has copied it, and programs for PATH."""
    folder = workspace.folder / "slurm"
    shutil.copytree(DEPLOY / "slurm", folder)
    command = folder / "bin" / "segscore"
    command.parent.mkdir()
    command.write_text(DRIVEN)
    command.chmod(0o755)
    return folder


def submit(cluster: Slurm, workspace: Workspace, folder: Path, fault_plan: FaultPlan) -> int:
    """Submit the job of the page."""
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "DASK_JOBQUEUE__SLURM__INTERFACE": "lo"}
    arguments = (folder / "segscore.sbatch", WORKERS, *workspace.arguments(workspace.run))
    return cluster.submit(folder, fault_plan.environment() | variables, *arguments)


def output(folder: Path, job: int) -> str:
    """Return what a job printed."""
    return (folder / f"slurm-{job}.out").read_text()


def test_a_run_on_slurm_equals_a_local_run(
    cluster: Slurm, workspace: Workspace, submitting: Path
) -> None:
    fault_plan = workspace.fault_plan({})
    job = submit(cluster, workspace, submitting, fault_plan)
    assert cluster.ended(job).code == 0, output(submitting, job)
    assert len({process for _, _, process in fault_plan.finished_parts()}) <= WORKERS
    workers = range(job + 1, job + 1 + WORKERS)
    assert [cluster.job(worker).state for worker in workers] == ["CANCELLED"] * WORKERS
    require_same(workspace.run, workspace.undisturbed())


def test_a_cancelled_run_is_resumed(cluster: Slurm, workspace: Workspace, submitting: Path) -> None:
    fault_plan = workspace.fault_plan(
        {"gate": Gate("runs.receipts.keep", "wait", "scored/part-00002")}
    )
    job = submit(cluster, workspace, submitting, fault_plan)
    wait(lambda: fault_plan.reached("gate") and workspace.receipts, "the gate was reached")
    cluster.say("scancel", str(job))
    assert cluster.ended(job).state == "CANCELLED"
    assert "stopped by SIGTERM; finished parts of a run are kept" in output(submitting, job)
    again = submit(cluster, workspace, submitting, fault_plan)
    assert cluster.ended(again).code == 0, output(submitting, again)
    parts = [(stage, part) for stage, part, _ in fault_plan.finished_parts()]
    assert len(parts) == len({*parts})  # no part was done twice
    require_same(workspace.run, workspace.undisturbed())


def test_a_refused_queue_is_reported(
    cluster: Slurm, workspace: Workspace, submitting: Path
) -> None:
    """The client does not wait for workers that will never come."""
    queue = submitting / "jobqueue.yaml"
    queue.write_text(queue.read_text().replace("  slurm:\n", "  slurm:\n    queue: absent\n"))
    job = submit(cluster, workspace, submitting, workspace.fault_plan({}))
    assert cluster.ended(job).code == 1
    assert output(submitting, job).strip().endswith(REFUSED)
