"""Speed-up by a second worker, and the share of scheduling in a run of 10,000 tasks."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.overhead import Overhead, local_cluster
from benchmarks.timing import SEGSCORE, load, run_timed, verdict
from benchmarks.whole_job import make

DOCUMENTS, RUNS = 500_000, 3
ROWS_PER_TASK = 131_072
SPEED_UP, SHARE = 1.8, 0.05
TASKS, AT_ONCE, SLEEP, EMPTY = 10_000, 64, 0.5, 2_000
"""Number of tasks, of workers, seconds of a sleeping task; number of tasks that do nothing."""

LOOP = "sum(i * i for i in range(10_000_000))"


@dataclass(frozen=True)
class Run:
    """One `segscore score`: seconds of the whole command and of its scoring stage, and its CPU."""

    whole: float
    scoring: float
    cpu: float


def run(folder: str, tables: tuple[str, str], where: str, workers: int) -> Run:
    """Score everything with --fresh."""
    output = f"{folder}/run"
    options = ("--cluster", where, "--workers", str(workers))
    usage = run_timed([SEGSCORE, "score", *tables, "--output", output, "--fresh", *options])
    record = json.loads((Path(output) / "run.json").read_text())
    return Run(usage.seconds, record["seconds"]["score"], usage.cpu)


def machine() -> float:
    """Return the speed-up of a plain loop by a second processor, at most 2."""
    both = "import subprocess, sys\nloops = [subprocess.Popen([sys.executable, '-c', sys.argv[1]])"
    both += " for _ in range(2)]\nassert not any(loop.wait() for loop in loops)"
    turns = [
        2
        * run_timed([sys.executable, "-c", LOOP]).seconds
        / run_timed([sys.executable, "-c", both, LOOP]).seconds
        for _ in range(RUNS)
    ]
    return median(turns)


def second_worker(folder: str, tables: tuple[str, str], where: str) -> tuple[str, float]:
    """Compare one worker with two, alternately; return a line of text and seconds per task."""
    turns = [(run(folder, tables, where, 1), run(folder, tables, where, 2)) for _ in range(RUNS)]
    scoring, whole = (
        median(getattr(one, name) / getattr(two, name) for one, two in turns)
        for name in ("scoring", "whole")
    )
    cpu = median(two.cpu / one.cpu for one, two in turns)
    seconds = median(one.scoring for one, _ in turns)
    pairs = 4 * DOCUMENTS
    line = (
        f"workers: --cluster {where}, {pairs:,} pairs: two workers are {scoring:.2f} x as fast as "
        f"one in the scoring stage ({seconds:.1f} s with one), {whole:.2f} x in the whole command "
        f"(aim: {SPEED_UP}, {verdict(scoring >= SPEED_UP)} and {verdict(whole >= SPEED_UP)}); "
        f"they use {cpu:.2f} x the processor time"
    )
    return line, seconds * ROWS_PER_TASK / pairs


def scheduling(real: float) -> list[str]:
    """Report the share of scheduling in tasks of realistic length, computed and measured.

    Args:
        real: seconds of a task of a scoring run.
    """
    with local_cluster(2) as small:
        empty = small.run(EMPTY)
    with local_cluster(AT_ONCE) as large:
        slept = large.run(TASKS, seconds=SLEEP)
    return [_computed(empty, real), _measured(slept)]


def _computed(empty: Overhead, real: float) -> str:
    share = empty.per_task / (empty.per_task + real)
    parts = (empty.scheduler, empty.client, empty.workers)
    times = ", ".join(f"{1000 * part / empty.tasks:.2f}" for part in parts)
    return (
        f"workers: scheduling takes {1000 * empty.per_task:.1f} ms of processor time per task "
        f"(scheduler, client, workers: {times} ms): {share:.1%} of a task of {real:.2f} s, the "
        f"time of {ROWS_PER_TASK:,} rows (aim: under {SHARE:.0%}, {verdict(share < SHARE)})"
    )


def _measured(slept: Overhead) -> str:
    ideal = TASKS * SLEEP / AT_ONCE
    share = 1 - ideal / slept.seconds
    return (
        f"workers: {TASKS:,} tasks of {SLEEP} s on {AT_ONCE} workers: {slept.seconds:.1f} s, of "
        f"which {share:.1%} is overhead (aim: under {SHARE:.0%}, "
        f"{verdict(share < SHARE)}); the scheduler was busy {slept.scheduler / slept.seconds:.0%} "
        "of the time"
    )


def measure() -> str:
    """Compare one worker with two, in threads and in processes; then run 10,000 tasks."""
    lines = [
        f"workers: {load()}; two loops at once are {machine():.2f} x as fast as one after the other"
    ]
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, DOCUMENTS)
        subprocess.run(
            [SEGSCORE, "score", *tables, "--output", f"{folder}/run"],
            check=True,
            capture_output=True,
        )
        for where in ("local", "processes"):
            line, real = second_worker(folder, tables, where)
            lines.append(line)
    return "\n".join([*lines, *scheduling(real)])
