"""Measure a whole process from outside."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
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
    """Run a command as if it were installed, with its bytecode, and return the resources it used.

    Raises:
        subprocess.CalledProcessError: the command failed; its output is in ``stderr``.
    """
    ended = subprocess.run(
        [sys.executable, "-c", TIMED, *command],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
    )
    seconds, cpu, kilobytes = map(float, ended.stdout.split())
    return Usage(seconds, cpu, kilobytes / 1024)


@dataclass(frozen=True)
class Result:
    """A row of docs/benchmarks.md.

    Attributes:
        what: what is measured, and against what.
        measured: the ratio and what it is made of.
        aim: the value to reach; empty if there is none.
        reached: whether it is reached; None without an aim.
        noise: how much longer the same command took than at its fastest, as a share; None if it ran
            only once.
    """

    what: str
    measured: str
    aim: str = ""
    reached: bool | None = None
    noise: float | None = None

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return the row's cells: what, measured, aim, verdict, noise."""
        verdict = {None: "", True: "reached", False: "missed"}[self.reached]
        noise = "" if self.noise is None else f"{self.noise:.0%}"
        return self.what, self.measured, self.aim, verdict, noise

    def __str__(self) -> str:
        """Format the result as a line."""
        what, measured, aim, verdict, noise = self.cells()
        notes = [f"aim {aim}, {verdict}"] * bool(aim) + [f"noise {noise}"] * bool(noise)
        return f"{what}: {measured}" + (f" ({'; '.join(notes)})" if notes else "")


def noise(seconds: Iterable[float]) -> float:
    """Return how much longer the slowest of equal commands took than the fastest, as a share."""
    times = [*seconds]
    return max(times) / min(times) - 1


def load() -> str:
    """Describe the load of the machine, to print with results that depend on it."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def peak_memory() -> float:
    """Return the peak memory of this process in MB.

    It is that of this process alone: Linux begins ``ru_maxrss`` of ``getrusage`` with the peak of
    the process that started this one.
    """
    status = Path("/proc/self/status").read_text()
    (kilobytes,) = re.findall(r"VmHWM:\s*(\d+) kB", status)
    return int(kilobytes) / 1024
