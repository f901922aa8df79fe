"""Processor time of a small job: scoring the demo, relative to importing numba and pyarrow."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

LIBRARIES = "numba, pyarrow"
DATA = Path(__file__).parent.parent / "tests" / "data" / "tinyrec.jsonl"
RUNS = 7


def seconds(command: list[str]) -> float:
    """Return the processor seconds of a command as a whole process, those of the system too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure() -> str:
    """Time both alternately, so that a machine that slows down slows both; compare medians."""
    segscore = str(Path(sys.executable).parent / "segscore")
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/tables"
        subprocess.run(
            [segscore, "import", DATA, "--output", table], check=True, capture_output=True
        )
        score = [segscore, "score", f"{table}/references", f"{table}/hypotheses", "--output"]
        times = []
        for i in range(RUNS + 1):  # the first run warms the caches
            job = seconds([*score, f"{folder}/run-{i}", "--documents", f"{table}/documents"])
            libraries = seconds([sys.executable, "-c", f"import {LIBRARIES}"])
            times.append((job, libraries))
    jobs, imports = zip(*times[1:], strict=True)
    return (
        f"small job: scoring the demo takes {median(jobs) / median(imports):.2f} x the processor "
        f"time of importing {LIBRARIES.replace(', ', ' and ')} (medians of {RUNS}: "
        f"{median(jobs):.2f} s and {median(imports):.2f} s; aim 1.25)"
    )
