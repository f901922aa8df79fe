"""A whole process timed from outside."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SEGSCORE = str(Path(sys.executable).parent / "segscore")

TIMED = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass(frozen=True)
class Took:
    """What a process took, its children included.

    Attributes:
        seconds: from its start to its end.
        cpu: seconds of processors, which a busy machine does not lengthen as it does ``seconds``.
        megabytes: the most memory that one process of it had.
    """

    seconds: float
    cpu: float
    megabytes: float


def took(command: Sequence[str]) -> Took:
    """Run a command and tell what it took.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is in ``stderr``.
    """
    told = subprocess.run(
        [sys.executable, "-c", TIMED, *command], check=True, capture_output=True, text=True
    )
    seconds, cpu, kilobytes = map(float, told.stdout.split())
    return Took(seconds, cpu, kilobytes / 1024)


def load() -> str:
    """How busy the machine is with other things, said beside figures that suffer from it."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def verdict(hit: bool) -> str:
    """Name how a figure stands to its aim."""
    return "hit" if hit else "missed"
