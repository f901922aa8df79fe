"""What a second worker brings, and what share of a run of 10,000 tasks is handing them out."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.overhead import Overhead, place
from benchmarks.timing import SEGSCORE, load, took, verdict
from benchmarks.whole_job import make

DOCUMENTS, RUNS = 500_000, 3
ROWS_PER_TASK = 131_072
SPEED_UP, SHARE = 1.8, 0.05
TASKS, AT_ONCE, SLEEP, EMPTY = 10_000, 64, 0.5, 2_000
"""Tasks, workers, seconds of a task that stands for a real one; tasks that do nothing."""

LOOP = "sum(i * i for i in range(10_000_000))"


@dataclass(frozen=True)
class Run:
    """One `segscore score`: seconds of the whole command and of its scoring stage, and its CPU."""

    whole: float
    scoring: float
    cpu: float


def run(folder: str, tables: tuple[str, str], where: str, workers: int) -> Run:
    """Score everything, from the start."""
    output = f"{folder}/run"
    place = ("--cluster", where, "--workers", str(workers))
    ran = took([SEGSCORE, "score", *tables, "--output", output, "--fresh", *place])
    record = json.loads((Path(output) / "run.json").read_text())
    return Run(ran.seconds, record["seconds"]["score"], ran.cpu)


def machine() -> float:
    """How much faster two processors are than one at a loop that needs nothing else, up to 2."""
    both = "import subprocess, sys\nran = [subprocess.Popen([sys.executable, '-c', sys.argv[1]])"
    both += " for _ in range(2)]\nassert not any(each.wait() for each in ran)"
    turns = [
        2
        * took([sys.executable, "-c", LOOP]).seconds
        / took([sys.executable, "-c", both, LOOP]).seconds
        for _ in range(RUNS)
    ]
    return median(turns)


def second_worker(folder: str, tables: tuple[str, str], where: str) -> tuple[str, float]:
    """One worker against two, in turns; the line, and seconds of CPU of a task of the run."""
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
        f"(aim {SPEED_UP}: {verdict(scoring >= SPEED_UP)}, {verdict(whole >= SPEED_UP)}); "
        f"they take {cpu:.2f} x the processor time"
    )
    return line, seconds * ROWS_PER_TASK / pairs


def scheduling(real: float) -> list[str]:
    """Share of handing out in tasks of the real length, reckoned and seen.

    Args:
        real: seconds a task of a scoring run works.
    """
    with place(2) as small:
        empty = small.run(EMPTY)
    with place(AT_ONCE) as large:
        slept = large.run(TASKS, seconds=SLEEP)
    return [_reckoned(empty, real), _seen(slept)]


def _reckoned(empty: Overhead, real: float) -> str:
    share = empty.each / (empty.each + real)
    parts = (empty.scheduler, empty.client, empty.workers)
    told = ", ".join(f"{1000 * part / empty.tasks:.2f}" for part in parts)
    return (
        f"workers: handing out takes {1000 * empty.each:.1f} ms of processor a task (scheduler, "
        f"client, workers: {told} ms): {share:.1%} of tasks of {real:.2f} s, the length that "
        f"{ROWS_PER_TASK:,} rows have (aim under {SHARE:.0%}: {verdict(share < SHARE)})"
    )


def _seen(slept: Overhead) -> str:
    ideal = TASKS * SLEEP / AT_ONCE
    share = 1 - ideal / slept.seconds
    return (
        f"workers: {TASKS:,} tasks of {SLEEP} s on {AT_ONCE} workers: {slept.seconds:.1f} s, of "
        f"which {share:.1%} is not the tasks' own (aim under {SHARE:.0%}: "
        f"{verdict(share < SHARE)}); the scheduler was busy {slept.scheduler / slept.seconds:.0%} "
        "of the time"
    )


def measure() -> str:
    """One against two, in threads and in processes; then 10,000 tasks."""
    lines = [f"workers: {load()}; two loops at once are {machine():.2f} x as fast as in turn"]
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
