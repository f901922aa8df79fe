"""How many processors this process may use."""

import os
import sys

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused

_CGROUPS = "/sys/fs/cgroup"
_FIRST_VERSION = ("cpu,cpuacct", "cpuacct,cpu")
"""Folders of the processor's controller in the first version of control groups."""


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
