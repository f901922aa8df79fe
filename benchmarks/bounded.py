"""Processor time and memory of the commands that read a whole run or corpus, on 1 million pairs."""

import subprocess
import tempfile

from benchmarks.timing import SEGSCORE, Result, Usage, run_timed
from benchmarks.whole_job import SYSTEMS, make
from segscore.pipeline.storage import read_table

DOCUMENTS = 250_000
SECONDS, MEGABYTES = 20, 1000


def measure() -> list[Result]:
    """Score, then run each command twice; the first call may compile."""
    with tempfile.TemporaryDirectory() as folder:
        references, hypotheses = make(folder, DOCUMENTS)
        run = f"{folder}/run"
        subprocess.run(
            [SEGSCORE, "score", references, hypotheses, "--output", run],
            check=True,
            capture_output=True,
        )
        first = read_table(f"{run}/scores").slice(0, 1).to_pylist()[0]
        page = ("--output", f"{folder}/page.html")
        tables = (references, hypotheses)
        number = ("--published", ".234", "--system", first["hypothesis"])
        commands = {
            "calibrate": ("simulate", "values", references, "--measure", "boundary_similarity"),
            "report": ("report", run, *page),
            "report --calibrate": ("report", run, "--calibrate", *page),
            "reconcile --measure pk": ("reconcile", *tables, "--measure", "pk", *number),
            "reconcile --measure window_diff": (
                *("reconcile", *tables, "--measure", "window_diff"),
                *number,
            ),
            "reconcile --measure f1": ("reconcile", *tables, "--measure", "f1", *number),
            "explain": ("explain", run, "--document", first["document_id"]),
            "sweep --tolerances 0,1,2,3": (
                *("sweep", *tables, "--tolerances", "0,1,2,3"),
                *("--output", f"{folder}/sweep", "--fresh"),
            ),
        }
        return [
            _bounded(name, [run_timed([SEGSCORE, *command]) for _ in range(2)][1])
            for name, command in commands.items()
        ]


def _bounded(name: str, usage: Usage) -> Result:
    return Result(
        f"`segscore {name}`, {DOCUMENTS * SYSTEMS:,} pairs of {DOCUMENTS:,} references",
        f"{usage.cpu:.1f} s of processor time, {usage.megabytes:.0f} MB",
        f"at most {SECONDS} s and {MEGABYTES:,} MB",
        usage.cpu <= SECONDS and usage.megabytes <= MEGABYTES,
    )
