"""Time of a small job: scoring the demo, relative to importing the libraries that it needs."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.timing import SEGSCORE, Result, noise, run_timed

LIBRARIES = "numba, pyarrow"
DATA = Path(__file__).parent.parent / "tests" / "data" / "tinyrec.jsonl"
RUNS = 7


def seconds(command: list[str]) -> float:
    """Return the seconds of a command as a whole process."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def measure() -> list[Result]:
    """Time both alternately, so that a machine that slows down slows both; compare run by run."""
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
            imports = seconds([sys.executable, "-c", f"import {LIBRARIES}"])
            times.append((job, imports))
    ratios = [job / imports for job, imports in times[1:]]
    return (
        f"small job: scoring the demo takes {median(ratios):.2f} x the import of its libraries "
        f"(median of {RUNS}; {min(ratios):.2f} to {max(ratios):.2f}; aim under 2)"
    )
