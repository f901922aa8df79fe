"""Slurm with a controller and two nodes, all on a machine of its own."""

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.driven import wait
from tests.support.private_machine import ADDRESS, HOST, PrivateMachine

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "scontrol", "scancel", "squeue", "sinfo")
NODES = ("n1", "n2")
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}({address})
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory,CR_LLN
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=sched_interval=1
KillWait=10
NodeName=n[1-2] NodeHostname={host} NodeAddr={address} Port=[17001-17002] CPUs=4 RealMemory=20000
PartitionName=main Nodes=ALL Default=YES State=UP
"""


@dataclass(frozen=True)
class Job:
    """A job as Slurm describes it.

    Attributes:
        state: such as RUNNING.
        code: its exit code.
    """

    state: str
    code: int


class Slurm:
    """Commands of a running Slurm.

    Attributes:
        machine: where it runs.
        variables: environment variables that its commands need.
    """

    def __init__(self, machine: PrivateMachine) -> None:
        """Write the configuration."""
        self.machine = machine
        folder = machine.folder
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (folder / name).mkdir()
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=HOST, address=ADDRESS, folder=folder))
        self.variables = {"SLURM_CONF": str(configuration)}

    def submit(self, folder: Path, environment: Mapping[str, str], *arguments: object) -> int:
        """Submit a job from a folder, and return its number."""
        variables = {**self.variables, **environment}
        batch = ["env", "-C", str(folder), "sbatch", "--parsable", *map(str, arguments)]
        return int(self.machine.say(*batch, environment=variables))

    def say(self, *command: str) -> str:
        """Return the output of one of Slurm's commands."""
        return self.machine.say(*command, environment=self.variables)

    def job(self, number: int) -> Job:
        """Return the state of a job."""
        text = self.say("scontrol", "show", "job", str(number))
        state, code = (re.search(rf"\b{name}=(\w+)", text) for name in ("JobState", "ExitCode"))
        assert state is not None and code is not None
        return Job(state[1], int(code[1]))

    def jobs(self) -> list[int]:
        """Return the jobs that have not ended."""
        return [int(number) for number in self.say("squeue", "--noheader", "--format=%A").split()]

    def ended(self, number: int) -> Job:
        """Wait until no job is left; return the state of this one."""
        wait(lambda: not self.jobs(), "all jobs ended")
        return self.job(number)


@contextmanager
def slurm(folder: Path) -> Iterator[Slurm]:
    """Run Slurm until the block ends."""
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    munge = [f"--{name}={folder}/munge.{name}" for name in ("socket", "key-file", "pid-file")]
    munge = [*munge, f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"]
    munge[1] = f"--key-file={key}"
    with PrivateMachine(folder) as machine, ExitStack() as servers:
        running = Slurm(machine)
        configured = ["env", f"SLURM_CONF={running.variables['SLURM_CONF']}"]

        def start(name: str, *command: str) -> None:
            servers.enter_context(machine.serving(name, [*configured, *command]))

        start("munged", "munged", "--foreground", "--force", *munge)
        start("slurmctld", "slurmctld", "-D", "-c")
        for node in NODES:
            start(f"slurmd-{node}", "slurmd", "-D", "-N", node)
        idle = ("sinfo", "--noheader", "--Node", "--states=idle", "--format=%N")
        wait(
            lambda: machine.run(*idle, environment=running.variables).stdout.split() == [*NODES],
            "both nodes are idle",
        )
        yield running
