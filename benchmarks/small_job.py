"""Processor time of a small job: scoring the demo, relative to importing numba and pyarrow."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.timing import SEGSCORE, Result, noise, run_timed

LIBRARIES = "numba, pyarrow"
DATA = Path(__file__).parent.parent / "tests" / "data" / "tinyrec.jsonl"
RUNS = 7
MOST = 1.5


def measure() -> list[Result]:
    """Time both alternately, so that a machine that slows down slows both; compare run by run."""
    importing = [sys.executable, "-c", f"import {LIBRARIES}"]
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/tables"
        subprocess.run(
            [SEGSCORE, "import", DATA, "--output", table], check=True, capture_output=True
        )
        # As where only segscore is installed: pyarrow imports pandas wherever it finds it.
        Path(folder, "pandas.py").write_text("raise ModuleNotFoundError(__name__)")
        score = ["env", f"PYTHONPATH={folder}", SEGSCORE, "score"]
        score += [f"{table}/references", f"{table}/hypotheses"]
        score += ["--documents", f"{table}/documents", "--output"]
        turns = [
            (run_timed([*score, f"{folder}/run-{i}"]).cpu, run_timed(importing).cpu)
            for i in range(RUNS + 1)
        ][1:]  # the first run warms the caches
    ratio = median(job / imports for job, imports in turns)
    seconds = median(job for job, _ in turns)
    return [
        Result(
            f"processor time of scoring the demo, against importing {LIBRARIES}",
            f"{ratio:.2f} x ({seconds:.2f} s)",
            f"at most {MOST} x",
            ratio <= MOST,
            noise(job for job, _ in turns),
        )
    ]
