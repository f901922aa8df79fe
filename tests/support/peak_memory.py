"""The peak memory of this process alone.

Linux starts ``ru_maxrss`` of ``getrusage`` with the peak of the process that started this one.
"""

import re
from pathlib import Path


def peak_memory() -> int:
    """Return the most memory that this process has had, in kB."""
    (kilobytes,) = re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(kilobytes)
