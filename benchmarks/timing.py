"""Measure a whole process from outside."""

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
class Usage:
    """Resources used by a process and its children.

    Attributes:
        seconds: seconds from start to end.
        cpu: processor seconds, which a busy machine lengthens less than ``seconds``.
        megabytes: peak memory of the largest process.
    """

    seconds: float
    cpu: float
    megabytes: float


def run_timed(command: Sequence[str]) -> Usage:
    """Run a command and return the resources it used.

    Raises:
        subprocess.CalledProcessError: the command failed; its output is in ``stderr``.
    """
    ended = subprocess.run(
        [sys.executable, "-c", TIMED, *command], check=True, capture_output=True, text=True
    )
    seconds, cpu, kilobytes = map(float, ended.stdout.split())
    return Usage(seconds, cpu, kilobytes / 1024)


def load() -> str:
    """Describe the load of the machine, to print with results that depend on it."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def verdict(reached: bool) -> str:
    """Say whether a result reaches its aim."""
    return "reached" if reached else "missed"
