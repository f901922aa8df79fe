"""Processor time of the first score on a machine, which compiles nothing, against a later one."""

import tempfile
from statistics import median

from benchmarks.timing import ROOT, SEGSCORE, Result, noise, run_timed

DATA = str(ROOT / "tests" / "data" / "choi.jsonl")
RUNS = 5
MOST = 1.5


def measure() -> list[Result]:
    """Score 800 pairs in turn without compiled kernels, and with those of a warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        warm = ["env", f"NUMBA_CACHE_DIR={folder}/warm", SEGSCORE]
        run_timed([*warm, "warm-up"])
        turns = []
        for i in range(RUNS + 1):
            cold = ["env", f"NUMBA_CACHE_DIR={folder}/cold-{i}", SEGSCORE]
            first, later = (
                run_timed([*command, "score", DATA, DATA, "--output", f"{folder}/{name}-{i}"]).cpu
                for name, command in (("first", cold), ("later", warm))
            )
            turns.append((first, later))
    turns = turns[1:]  # the first turn warms the caches of the disk
    ratio = median(first / later for first, later in turns)
    seconds = median(first for first, _ in turns)
    return [
        Result(
            "processor time of the first score on a machine, of 800 pairs, against a later one",
            f"{ratio:.2f} x ({seconds:.2f} s)",
            f"at most {MOST} x",
            ratio <= MOST,
            noise(first for first, _ in turns),
        )
    ]
