"""The tables of docs/scale.md: what a run costs here, and from that on clusters of any size."""

import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

from benchmarks.agreement import simulate
from benchmarks.cost_model import Assumed, Design, Measured, plan
from benchmarks.overhead import place
from benchmarks.timing import ROOT, SEGSCORE, load
from benchmarks.whole_job import SYSTEMS, make
from segscore.pipeline.runs.planning import LIMITS
from segscore.pipeline.runs.run_folder import RUN_TABLES
from segscore.pipeline.storage import find, read_table

PARTS = 8
DOCUMENTS = PARTS * LIMITS.rows_per_part // SYSTEMS
CODERS, CODED = 3, 100_000
FEW, MANY = 2, 64
"""Workers of the clusters that tell what Dask costs."""

TASKS, HEAVY, MEGABYTE, IDLE = 2_000, 100, 1_000_000, 4.0
PACKETS = 2_000
HERE = Assumed(network=2e9, workers_per_host=2, store=1e12, request=0)
SIZES, WORKERS = (10**8, 10**10), (10, 100, 1_000)
SHOWN = ((10**8, 100), (10**10, 1_000))


@dataclass(frozen=True)
class Observed:
    """A run of ``benchmarks.observed``: what it told, and its seconds from start to end."""

    told: dict[str, Any]
    seconds: float


def observe(folder: str, tables: Sequence[str], *options: str) -> Observed:
    """Run it."""
    output = f"{folder}/run"
    command = [sys.executable, "-m", "benchmarks.observed", *tables, "--output", output, "--fresh"]
    start = time.perf_counter()
    ended = subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
    return Observed(json.loads(ended.stdout), time.perf_counter() - start)


@dataclass(frozen=True)
class Validation:
    """Whole runs in processes of this machine: seconds measured, by workers; and of a tiny run."""

    tiny: float
    measured: dict[int, float]


def take(folder: str) -> tuple[Measured, Validation]:
    """Measure everything."""
    (tiny_folder := Path(folder) / "tiny").mkdir()
    tiny_tables = make(str(tiny_folder), 10)
    tables = make(folder, DOCUMENTS)
    observe(folder, tiny_tables)  # warms the caches
    tiny = observe(folder, tiny_tables, "--workers", "1")
    whole = observe(folder, tables, "--workers", "1")
    measured = Measured(
        **_of_tasks(tiny, whole, tables), **_of_dask(), **_of_travelling(folder, tables)
    )
    apart = {
        workers: observe(
            folder, tables, "--cluster", "processes", "--workers", str(workers)
        ).seconds
        for workers in (1, 2)
    }
    there = observe(folder, tiny_tables, "--cluster", "processes", "--workers", "1")
    return measured, Validation(there.seconds, apart)


def _of_tasks(tiny: Observed, whole: Observed, tables: Sequence[str]) -> dict[str, Any]:
    told, parts = whole.told, len(whole.told["tasks"])

    def beyond(stage: str) -> float:
        return max(0.0, told["seconds"][stage] - tiny.told["seconds"][stage])

    held = told["held"]
    of_tables = sum(size for name, size in held.items() if name in RUN_TABLES)
    return {
        "tasks": tuple(told["tasks"]),
        "start": tiny.seconds,
        "plan": beyond("plan") / parts,
        "reference": beyond("references") / DOCUMENTS,
        "merge": beyond("summary") / parts,
        "input": sum(file.size for file in find(tables[1])) / parts,
        "output": of_tables / parts,
        "sums": (sum(held.values()) - of_tables) / parts,
        "receipt": median(told["receipts"]),
        "shared": told["shared"] / DOCUMENTS,
        "memory": tiny.told["megabytes"] * 2**20,
    }


def _of_dask() -> dict[str, float]:
    with place(FEW) as small:
        quiet = small.idle(IDLE)
    with place(MANY) as large:
        beats = large.idle(IDLE)
        light, heavy = large.run(TASKS), large.run(HEAVY, size=MEGABYTE)
        taken, taken_heavy = large.drain(HEAVY), large.drain(HEAVY, size=MEGABYTE)
    # A busy machine makes the runs long, and heartbeats go on meanwhile.
    scheduler = max(0.0, light.scheduler - beats * light.seconds) / TASKS
    weighed = max(0.0, heavy.scheduler - beats * heavy.seconds) / HEAVY
    return {
        "scheduler": scheduler,
        "client": taken,
        "scheduler_byte": max(0.0, weighed - scheduler) / MEGABYTE,
        "client_byte": max(0.0, taken_heavy - taken) / MEGABYTE,
        "beat": max(0.0, beats - quiet) / (MANY / 2 - FEW / 0.5),
    }


def _of_travelling(folder: str, tables: Sequence[str]) -> dict[str, float]:
    codings, output = simulate(folder, CODED, CODERS, "--units", "60"), f"{folder}/audit"
    command = [SEGSCORE, "agree", codings, "--output", output, "--workers", "1"]
    subprocess.run(command, check=True, capture_output=True)
    record = json.loads((Path(output) / "run.json").read_text())
    rows = read_table(tables[1])
    start = time.perf_counter()
    for number in range(PACKETS):
        pa.ipc.open_stream(_packed(rows.slice(number, 1))).read_all()
    return {
        "packet": (time.perf_counter() - start) / PACKETS,
        "pack": record["seconds"]["meet"] / (CODED * CODERS),
        "travelling": len(_packed(rows)) / len(rows),
    }


def _packed(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        stream.write_table(rows)
    return sink.getvalue()


DESIGNS = (
    Design("references sent"),
    Design("rows travel", travel=True),
    Design("rows travel, parts of 1,048,576", travel=True, rows=2**20),
)
"""How a run is done, by what fits, and with larger parts."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def spoken(seconds: float) -> str:
    """Seconds as one reads them."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def measured_table(measured: Measured) -> str:
    """Every measured number by its name in the model."""
    rows = [
        [f"`{each.name}`", f"{getattr(measured, each.name):.3g}"]
        for each in fields(measured)
        if each.name != "tasks"
    ]
    tasks = measured.tasks
    told = (
        f"{measured.task:.3g} (least {min(tasks):.3g}, most {max(tasks):.3g}, {len(tasks)} tasks)"
    )
    return table(("measured", "value"), [["`tasks`, mean", told], *rows])


def costs_table(measured: Measured) -> str:
    """What a million pairs cost on one processor."""
    parts = 1e6 / LIMITS.rows_per_part
    rows = [
        ["tasks", f"{measured.task * parts:.1f} s"],
        ["references, read by the client", f"{measured.reference * 1e6 / SYSTEMS:.2f} s"],
        ["sums, added up by the client", f"{measured.merge * parts:.2f} s"],
        ["scheduler", f"{1000 * measured.scheduler * parts:.1f} ms"],
        ["hypotheses read", f"{measured.input * parts / 1e6:.1f} MB"],
        ["tables written", f"{measured.output * parts / 1e6:.1f} MB"],
        ["sums and receipts written", f"{measured.sums * parts / 1e6:.1f} MB"],
        ["receipts through the scheduler", f"{measured.receipt * parts / 1e6:.1f} MB"],
        ["references in a worker's memory", f"{measured.shared * 1e6 / SYSTEMS / 1e6:.1f} MB"],
        ["memory of a process besides", f"{measured.memory / 1e6:.0f} MB"],
    ]
    return table(("a million pairs", f"{SYSTEMS} a reference, 60 units"), rows)


def validation_table(measured: Measured, seen: Validation) -> str:
    """The model against this machine."""
    rows = []
    pairs = DOCUMENTS * SYSTEMS
    for workers, seconds in seen.measured.items():
        predicted = plan(measured, HERE, DESIGNS[0], pairs, workers).seconds
        predicted += seen.tiny - measured.start
        wrong = predicted / seconds - 1
        rows.append([str(workers), f"{predicted:.1f} s", f"{seconds:.1f} s", f"{wrong:+.0%}"])
    return table(("processes", "predicted", "measured", "off by"), rows)


def plans_table(measured: Measured) -> str:
    """Every design, size and number of workers."""
    rows = []
    for design in DESIGNS:
        for pairs in SIZES:
            for workers in WORKERS:
                made = plan(measured, Assumed(), design, pairs, workers)
                needs = f"{made.memory / 1e9:.1f} GB{'' if made.fits else ', too much'}"
                told = [spoken(made.seconds), f"{made.efficiency:.0%}", made.limit, needs]
                rows.append([design.name, f"{pairs:.0e}", f"{workers:,}", *told])
    head = ("design", "pairs", "workers", "time", "efficiency", "held up by", "memory of a worker")
    return table(head, rows)


def stages_table(measured: Measured) -> str:
    """Where the time goes."""
    rows = []
    for design in DESIGNS:
        for pairs, workers in SHOWN:
            made = plan(measured, Assumed(), design, pairs, workers)
            stages = "; ".join(f"{name} {spoken(each)}" for name, each in made.stages.items())
            busy = ", ".join(f"{name} {share:.0%}" for name, share in made.busy.items())
            rows.append([design.name, f"{pairs:.0e} on {workers:,}", stages, busy])
    return table(("design", "run", "stages", "busy"), rows)


def measure() -> str:
    """Measure, and print the page's tables."""
    with tempfile.TemporaryDirectory() as folder:
        measured, seen = take(folder)
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
