"""Speed-up by a second worker, and the share of scheduling in a run of 10,000 tasks."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.overhead import Overhead, local_cluster
from benchmarks.timing import SEGSCORE, Result, noise, run_timed
from benchmarks.whole_job import make

DOCUMENTS, RUNS = 500_000, 3
ROWS_PER_TASK = 131_072
SPEED_UP = {"local": 1.85, "processes": 1.75}
SHARE = 0.05
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


def second_worker(
    folder: str, tables: tuple[str, str], where: str, aim: float
) -> tuple[list[Result], float]:
    """Compare one worker with two, alternately; return the results and seconds per task."""
    turns = [(run(folder, tables, where, 1), run(folder, tables, where, 2)) for _ in range(RUNS)]
    scoring, whole = (
        median(getattr(one, name) / getattr(two, name) for one, two in turns)
        for name in ("scoring", "whole")
    )
    cpu = median(two.cpu / one.cpu for one, two in turns)
    seconds = median(one.scoring for one, _ in turns)
    pairs = 4 * DOCUMENTS
    what = f"two workers, against one: {pairs:,} pairs, --cluster {where}"
    results = [
        Result(
            f"{what}, scoring stage",
            f"{scoring:.2f} x as fast ({seconds:.1f} s with one; {cpu:.2f} x the processor time)",
            f"at least {aim} x",
            scoring >= aim,
            noise(one.scoring for one, _ in turns),
        ),
        Result(
            f"{what}, whole command",
            f"{whole:.2f} x as fast",
            noise=noise(one.whole for one, _ in turns),
        ),
    ]
    return results, seconds * ROWS_PER_TASK / pairs


def scheduling(real: float) -> list[Result]:
    """Return the share of scheduling in tasks of realistic length, computed and measured.

    Args:
        real: seconds of a task of a scoring run.
    """
    with local_cluster(2) as small:
        empty = small.run(EMPTY)
    with local_cluster(AT_ONCE) as large:
        slept = large.run(TASKS, seconds=SLEEP)
    return [_computed(empty, real), _measured(slept)]


def _computed(empty: Overhead, real: float) -> Result:
    share = empty.per_task / (empty.per_task + real)
    parts = (empty.scheduler, empty.client, empty.workers)
    times = ", ".join(f"{1000 * part / empty.tasks:.2f}" for part in parts)
    return Result(
        f"scheduling: processor time per task, against the {real:.2f} s of {ROWS_PER_TASK:,} rows",
        f"{share:.1%} ({1000 * empty.per_task:.1f} ms; scheduler, client, workers: {times} ms)",
        f"under {SHARE:.0%}",
        share < SHARE,
    )


def _measured(slept: Overhead) -> Result:
    ideal = TASKS * SLEEP / AT_ONCE
    share = 1 - ideal / slept.seconds
    return Result(
        f"scheduling: {TASKS:,} tasks of {SLEEP} s on {AT_ONCE} workers, share of the time outside "
        "the tasks",
        f"{share:.1%} of {slept.seconds:.1f} s (the scheduler was busy "
        f"{slept.scheduler / slept.seconds:.0%} of the time)",
        f"under {SHARE:.0%}",
        share < SHARE,
    )


def measure() -> list[Result]:
    """Compare one worker with two, in threads and in processes; then run 10,000 tasks."""
    speed_up = f"{machine():.2f} x as fast"
    results = [
        Result("the machine itself: two loops at once, against one after the other", speed_up)
    ]
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, DOCUMENTS)
        subprocess.run(
            [SEGSCORE, "score", *tables, "--output", f"{folder}/run"],
            check=True,
            capture_output=True,
        )
        for where, aim in SPEED_UP.items():
            compared, real = second_worker(folder, tables, where, aim)
            results += compared
    return [*results, *scheduling(real)]
