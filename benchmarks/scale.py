"""Measure a run on this machine, and print the tables of docs/scale.md for clusters of any size."""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import pyarrow as pa

from benchmarks.cost_model import Assumed, Design, Measured, predict, shuffle_batches
from benchmarks.observed import SHUFFLED
from benchmarks.overhead import local_cluster
from benchmarks.timing import ROOT, load
from benchmarks.whole_job import SYSTEMS, make
from benchmarks.workers import machine
from segscore.pipeline.runs.planning import ROWS_AT_ONCE
from segscore.pipeline.runs.run_folder import RUN_TABLES
from segscore.pipeline.storage import read_table

PARTS = 16
DOCUMENTS = PARTS * ROWS_AT_ONCE // SYSTEMS
LARGER = 8
"""How many times as large the tables are that show what grows faster than the number of pairs."""

SMALLEST_PART = 20
"""Rows of a part in a shuffle of almost no rows."""

VALIDATED = 30_000_000
"""Number of pairs of the runs that validate the model."""

FEW, MANY = 2, 64
"""Numbers of workers of the clusters that measure the overhead of Dask."""

TASKS, HEAVY, MEGABYTE, IDLE = 2_000, 100, 1_000_000, 4.0
ONE_PROCESS = ("--cluster", "processes", "--workers", "1")
HERE = Assumed(network=2e9, workers_per_host=2, store=1e12, request=0)
SIZES, WORKERS = (10**8, 10**10), (10, 100, 1_000)
SHOWN = ((10**8, 100), (10**10, 1_000))


@dataclass(frozen=True)
class Observed:
    """A run of ``benchmarks.observed``: its measurements, and its seconds from start to end."""

    measured: dict[str, Any]
    seconds: float


def observe(folder: str, tables: Sequence[str], *options: str) -> Observed:
    """Run ``benchmarks.observed``."""
    output = f"{folder}/run"
    command = [sys.executable, "-m", "benchmarks.observed", *tables, "--output", output, "--fresh"]
    start = time.perf_counter()
    ended = subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
    return Observed(json.loads(ended.stdout), time.perf_counter() - start)


@dataclass(frozen=True)
class Validation:
    """Whole runs in processes of this machine.

    Attributes:
        tiny: seconds of a run with almost no input.
        measured: seconds of a large run, by the number of workers.
        both: speed of each processor when both work, relative to one that works alone.
    """

    tiny: float
    measured: dict[int, float]
    both: float


def measure_all(folder: str) -> tuple[Measured, Validation]:
    """Measure everything that the model needs."""
    (tiny_folder := Path(folder) / "tiny").mkdir()
    tiny_tables = make(str(tiny_folder), 10)
    tables = make(folder, DOCUMENTS)
    (larger_folder := Path(folder) / "larger").mkdir()
    larger = make(str(larger_folder), LARGER * DOCUMENTS)
    observe(folder, tiny_tables)  # warms the caches
    start, whole = (observe(folder, where, "--workers", "1") for where in (tiny_tables, tables))
    tiny = observe(folder, tiny_tables, *ONE_PROCESS)
    measured = Measured(
        start=start.seconds,
        **_measure_stages(start, whole),
        **_measure_dask(),
        **_measure_shuffle(folder, (tiny_tables, tables, larger)),
    )
    (large_folder := Path(folder) / "large").mkdir()
    large = make(str(large_folder), VALIDATED // SYSTEMS)
    runs = {workers: _large_run(folder, large, workers) for workers in (1, 2)}
    return measured, Validation(tiny.seconds, runs, machine() / 2)


def _large_run(folder: str, tables: Sequence[str], workers: int) -> float:
    """Return the seconds of a run in processes of this machine."""
    options = ("--cluster", "processes", "--workers", str(workers))
    return observe(folder, tables, *options).seconds


def _measure_stages(tiny: Observed, whole: Observed) -> dict[str, Any]:
    run, parts = whole.measured, PARTS

    def beyond(stage: str) -> float:
        return max(0.0, run["seconds"][stage] - tiny.measured["seconds"][stage])

    folders = run["folders"]
    tables_size = sum(size for name, size in folders.items() if name in RUN_TABLES)
    return {
        "plan": beyond("plan") / parts,
        "merge": beyond("summary") / parts,
        "output": tables_size / parts,
        "sums": (sum(folders.values()) - tables_size) / parts,
        "receipt": median(run["receipts"]),
        "memory": run["megabytes"] * 2**20,
    }


def _measure_dask() -> dict[str, Any]:
    with local_cluster(FEW) as small:
        idle = small.idle(IDLE)
    with local_cluster(MANY) as large:
        beats = large.idle(IDLE)
        light, heavy = large.run(TASKS), large.run(HEAVY, size=MEGABYTE)
    client, client_heavy = light.client / TASKS, heavy.client / HEAVY
    # On a busy machine the runs take longer, and heartbeats continue; subtract them.
    scheduler = max(0.0, light.scheduler - beats * light.seconds) / TASKS
    scheduler_heavy = max(0.0, heavy.scheduler - beats * heavy.seconds) / HEAVY
    return {
        "scheduler": scheduler,
        "client": client,
        "scheduler_byte": max(0.0, scheduler_heavy - scheduler) / MEGABYTE,
        "client_byte": max(0.0, client_heavy - client) / MEGABYTE,
        "beat": max(0.0, beats - idle) / (MANY / 2 - FEW / 0.5),
    }


def _measure_shuffle(folder: str, sizes: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Shuffle almost no rows, the tables of other measurements, and larger ones."""

    def shuffled(tables: Sequence[str], *part: int) -> Observed:
        option = "=".join((SHUFFLED, *map(str, part)))
        return observe(folder, tables, option, *ONE_PROCESS)

    few, whole, more = (
        shuffled(sizes[0], SMALLEST_PART),
        shuffled(sizes[1]),
        shuffled(sizes[2]),
    )
    base, used, used_more = (sum(run.measured["tasks"]["met"]) for run in (few, whole, more))
    rows = DOCUMENTS * (1 + SYSTEMS)
    batches = shuffle_batches(rows, PARTS, ROWS_AT_ONCE)
    # Each part has a packet of each batch.
    further = shuffle_batches(LARGER * rows, LARGER * PARTS, ROWS_AT_ONCE) - batches
    packet = max(0.0, (used_more - base - LARGER * (used - base)) / (LARGER * PARTS * further))
    tasks = whole.measured["tasks"]
    read_packet = max(0.0, (_work(more) - _work(whole)) / further)
    table = read_table(sizes[1][1])
    return {
        "tasks": tuple(seconds - read_packet * batches for seconds in tasks["scored"]),
        "read_packet": read_packet,
        "survey": mean(tasks["surveyed"]),
        "exchange": few.measured["seconds"]["meet"],
        "packet": packet,
        "pack": (used - base - packet * PARTS * batches) / rows,
        "attending": whole.measured["client"] / PARTS,
        "shuffled_row": len(_packed(table)) / len(table),
    }


def _work(run: Observed) -> float:
    """Return the processor seconds of a survey and a task."""
    return sum(median(run.measured["tasks"][stage]) for stage in ("surveyed", "scored"))


def _packed(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        stream.write_table(rows)
    return sink.getvalue()


DESIGN = Design("rows shuffled")
"""How segscore runs if files are not in the order of documents."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def duration(seconds: float) -> str:
    """Format seconds with a readable unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def measured_table(measured: Measured) -> str:
    """List every measurement by its name in the model."""
    rows = [
        [f"`{field.name}`", f"{getattr(measured, field.name):.3g}"]
        for field in fields(measured)
        if field.name != "tasks"
    ]
    seconds = measured.tasks
    tasks = f"{mean(seconds):.3g} ({min(seconds):.3g} to {max(seconds):.3g})"
    return table(("measured", "value"), [["`tasks`, mean", tasks], *rows])


def costs_table(measured: Measured) -> str:
    """List the cost of a million pairs on one processor."""
    parts = 1e6 / ROWS_AT_ONCE
    rows = [
        ["shuffle", f"{measured.pack * 1e6 * (1 + 1 / SYSTEMS):.1f} s"],
        ["surveys and tasks", f"{(measured.survey + mean(measured.tasks)) * parts:.1f} s"],
        ["sums, added up by the client", f"{measured.merge * parts:.2f} s"],
        ["scheduler", f"{1000 * measured.scheduler * parts:.1f} ms"],
        ["rows shuffled", f"{measured.shuffled_row * (1 + 1 / SYSTEMS):.1f} MB"],
        ["tables written", f"{measured.output * parts / 1e6:.1f} MB"],
        ["sums and receipts written", f"{measured.sums * parts / 1e6:.1f} MB"],
        ["receipts through the scheduler", f"{measured.receipt * parts / 1e6:.1f} MB"],
        ["memory of a process", f"{measured.memory / 1e6:.0f} MB"],
    ]
    return table(("a million pairs", f"{SYSTEMS} per reference, 60 units"), rows)


def validation_table(measured: Measured, seen: Validation) -> str:
    """Compare the model with this machine."""
    rows = []
    for workers, seconds in seen.measured.items():
        here = replace(HERE, speed=seen.both if workers > 1 else 1.0)
        predicted = predict(measured, here, DESIGN, VALIDATED, workers).seconds
        predicted += seen.tiny - measured.start
        if workers >= (os.cpu_count() or 1):  # client and scheduler have no processor of their own
            predicted += measured.attending * VALIDATED / ROWS_AT_ONCE / workers
        error = predicted / seconds - 1
        rows.append([str(workers), f"{predicted:.1f} s", f"{seconds:.1f} s", f"{error:+.0%}"])
    return table(("processes", "predicted", "measured", "off by"), rows)


def plans_table(measured: Measured) -> str:
    """Predict every size and number of workers."""
    rows = []
    for pairs in SIZES:
        for workers in WORKERS:
            run = predict(measured, Assumed(), DESIGN, pairs, workers)
            needs = f"{run.memory / 1e9:.1f} GB{'' if run.fits else ', too much'}"
            cells = [duration(run.seconds), f"{run.efficiency:.0%}", run.limit, needs]
            rows.append([f"{pairs:.0e}", f"{workers:,}", *cells])
    head = ("pairs", "workers", "time", "efficiency", "bottleneck", "memory of a worker")
    return table(head, rows)


def stages_table(measured: Measured) -> str:
    """List the stages and busy servers of some predictions."""
    rows = []
    for pairs, workers in SHOWN:
        run = predict(measured, Assumed(), DESIGN, pairs, workers)
        stages = "; ".join(f"{name} {duration(seconds)}" for name, seconds in run.stages.items())
        busy = ", ".join(f"{name} {share:.0%}" for name, share in run.busy.items())
        rows.append([f"{pairs:.0e} on {workers:,}", stages, busy])
    return table(("run", "stages", "busy"), rows)


def page() -> str:
    """Measure, and return the tables of docs/scale.md."""
    with tempfile.TemporaryDirectory() as folder:
        measured, seen = measure_all(folder)
    return "\n".join(
        [
            f"scale: {load()}\n",
            measured_table(measured),
            costs_table(measured),
            validation_table(measured, seen),
            plans_table(measured),
            stages_table(measured),
        ]
    )


if __name__ == "__main__":
    print(page())
